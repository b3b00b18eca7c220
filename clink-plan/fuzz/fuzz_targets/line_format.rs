//! Feeds `line_format` whatever bytes libFuzzer makes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| clink_plan_fuzz::line_format(data));
