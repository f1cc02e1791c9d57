//! Checks the properties for the committed corpora, and for random inputs that resemble their
//! entries.

use informer_fuzz_replay::{check, corpus};

use super::*;

#[test]
fn any_bytes_are_an_object_or_an_error() {
    check("protobuf_decode", protobuf_decode);
}

/// A body may be truncated at any byte.
#[test]
fn every_prefix_is_an_object_or_an_error() {
    let entries = corpus("protobuf_decode").into_iter();
    let short = entries.filter(|entry| entry.bytes.len() < 1500);
    let entry = short.max_by_key(|entry| entry.bytes.len());
    let object = entry.expect("a short entry").bytes;
    for end in 0..object.len() {
        let (prefix, rest) = object.split_at(end);
        let is_decoded = crate::from_slice::<serde_json::Value>(prefix).is_ok();
        assert!(!is_decoded || rest.len() < 5);
        protobuf_decode(prefix);
    }
}

#[test]
fn encoded_objects_decode_to_the_same() {
    check("protobuf_encode", protobuf_encode);
}

#[test]
fn the_framing_does_not_affect_the_result() {
    check("protobuf_frames", protobuf_frames);
}

#[test]
fn records_and_times_are_read_as_they_are_written() {
    check("protobuf_records", protobuf_records);
}
