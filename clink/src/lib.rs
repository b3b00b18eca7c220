//! Stateful streaming jobs as ordinary Rust.
#![forbid(unsafe_code)]
