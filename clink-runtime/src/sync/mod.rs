//! Offers the primitives that loom can replace, so that one source is both run and model-checked.

pub(crate) mod queue;
pub mod wake;

#[cfg(loom)]
pub(crate) use loom::sync::atomic;

#[cfg(not(loom))]
pub(crate) use std::sync::atomic;
