//! Runs the command `clink` as a person would.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics says where; helpers outside #[test] are tests too"
)]
#![allow(clippy::disallowed_methods, reason = "a test writes its own files")]

mod command_line;
mod graphs;
mod metrics;
mod plan;
mod program;
mod run;
mod sinks;
