#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| informer_gen::fuzzing::gen_index(input));
