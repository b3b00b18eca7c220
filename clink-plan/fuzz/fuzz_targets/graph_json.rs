//! Feeds `laws::graph_json` whatever bytes libFuzzer makes.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|data: &[u8]| laws::graph_json(data));
