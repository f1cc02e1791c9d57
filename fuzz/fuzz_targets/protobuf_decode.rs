#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| informer_protobuf::fuzzing::protobuf_decode(input));
