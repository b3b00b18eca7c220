//! Runs the command `clink` as a person would.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics says where; helpers outside #[test] are tests too"
)]

mod graphs;
mod plan;
mod program;
mod run;
