#![no_main]
#[path = "../properties/gen.rs"]
mod fuzzing;
libfuzzer_sys::fuzz_target!(|input: &[u8]| crate::fuzzing::gen_source(input));
