//! Proves the engine through the facade: jobs as authors write them, run in every way there is.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that panics says where; it prepares files on a real disk"
)]

mod async_map;
mod backpressure;
mod bad_records;
mod broadcast;
mod calls;
mod chains;
mod collect;
mod confluent;
mod context;
mod dag;
mod dead_letters;
mod derived_keys;
mod exposition;
mod failures;
mod files;
mod flush;
mod following;
mod formats;
mod forms;
mod harness;
mod hooks;
mod idle;
mod iterations;
mod joins;
mod key_rows;
mod keys;
mod many;
mod metrics;
mod order_table;
mod own_graph;
mod parts;
mod problems;
mod read_back;
mod recording;
mod recovery;
mod rows;
mod state;
mod state_by_name;
mod support;
mod values;
mod worlds;
