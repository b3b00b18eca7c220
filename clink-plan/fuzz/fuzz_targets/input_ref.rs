//! Feeds `input_ref` whatever bytes libFuzzer makes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clink_plan_fuzz::input_ref(data));
