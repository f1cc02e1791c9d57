#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| informer_derive::fuzzing::derive_item(input));
