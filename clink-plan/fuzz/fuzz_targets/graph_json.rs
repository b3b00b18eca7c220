//! Feeds `graph_json` whatever bytes libFuzzer makes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clink_plan_fuzz::graph_json(data));
