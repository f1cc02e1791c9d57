#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| informer_fuzz_properties::gen_declaration(input));
