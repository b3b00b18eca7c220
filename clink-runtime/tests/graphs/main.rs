//! Runs graphs of built-in operators from outside: JSON in, files out.
#![cfg(not(loom))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics says where; helpers outside #[test] are tests too"
)]

mod operators;
mod params;
mod planned;
mod restore;
mod shapes;
mod sources;
mod support;
mod unavailable;
