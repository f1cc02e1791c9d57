#![no_main]
#[path = "../../apiserver/tests/fuzz/fuzzing.rs"]
mod fuzzing;
libfuzzer_sys::fuzz_target!(|input: &[u8]| crate::fuzzing::server(input));
