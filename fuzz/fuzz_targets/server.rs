#![no_main]
#[path = "../../apiserver/tests/fuzz/property.rs"]
mod property;
libfuzzer_sys::fuzz_target!(|input: &[u8]| property::request(input));
