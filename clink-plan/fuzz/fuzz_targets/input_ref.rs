//! Feeds `laws::input_ref` whatever bytes libFuzzer makes.
#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|data: &[u8]| laws::input_ref(data));
