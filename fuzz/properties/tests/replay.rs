//! The properties hold for the committed corpora, and for random inputs that resemble their
//! entries.

use informer_fuzz_properties::{
    api_status, discovery, envelope_list, envelope_object, envelope_watch, json_list, json_object,
    json_watch, protobuf_decode, protobuf_encode, server,
};
use informer_fuzz_replay::check;

/// W-02, W-03, W-04, W-15, W-16: lists in any spelling and framing, also damaged ones.
#[test]
fn w02_json_list() {
    check("json_list", json_list);
}

/// W-02, W-15, W-17: watches in any spelling and framing, also damaged ones.
#[test]
fn w17_json_watch() {
    check("json_watch", json_watch);
}

/// W-03, W-12, W-20, X-06, I-15: reads and cuts without decoding, and the content of errors.
#[test]
fn x06_json_object() {
    check("json_object", json_object);
}

/// W-02, W-15, W-16.
#[test]
fn w02_envelope_list() {
    check("envelope_list", envelope_list);
}

/// W-02, W-15, W-17.
#[test]
fn w17_envelope_watch() {
    check("envelope_watch", envelope_watch);
}

/// W-03, X-06, I-15: the same as in JSON.
#[test]
fn x06_envelope_object() {
    check("envelope_object", envelope_object);
}

/// W-19, W-20, E-09.
#[test]
fn w19_api_status() {
    check("api_status", api_status);
}

#[test]
fn w20_discovery() {
    check("discovery", discovery);
}

#[test]
fn any_bytes_in_protobuf_are_an_object_or_an_error() {
    check("protobuf_decode", protobuf_decode);
}

#[test]
fn objects_that_are_encoded_in_protobuf_decode_to_the_same() {
    check("protobuf_encode", protobuf_encode);
}

/// A panic of the server would break the connection.
#[test]
fn every_request_is_answered_and_the_store_still_lists() {
    check("server", server);
}
