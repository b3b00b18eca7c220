//! Tests the crate from outside: graphs in, diagnostics and plans out.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics says where; helpers outside #[test] are tests too"
)]

mod corpus;
mod explain;
mod graph_json;
mod graph_laws;
mod key_groups;
mod key_spread;
mod key_stability;
mod line_format;
mod naive;
mod pictures;
mod placement;
mod plans;
mod reference_plans;
mod rescale;
mod rules;
mod scale;
mod support;
mod trouble;
