//! Proves the first job from outside: what its program prints, how it ends, what it survives.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that panics says where; it prepares files on a real disk"
)]

mod command_line;
mod completions;
mod early_close;
mod errors;
mod input;
mod kill;
mod log;
mod plan;
mod program;
mod seeds;
mod stop;
mod terminal;
mod totals;
