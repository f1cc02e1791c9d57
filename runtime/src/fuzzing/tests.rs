//! The properties hold for the committed corpora, and for random inputs that resemble their
//! entries.

use informer_fuzz_replay::check;

use super::*;

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

/// W-03, W-20, X-06, I-15: reads and cuts without decoding, and the content of errors.
#[test]
fn x06_json_object() {
    check("json_object", json_object);
}

/// W-02.
#[test]
fn w02_json_scan() {
    check("json_scan", json_scan);
}

/// W-12.
#[test]
fn w12_json_decode() {
    check("json_decode", json_decode);
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

/// W-01, W-18.
#[test]
fn w18_gzip() {
    check("gzip", gzip);
}

/// W-19, W-20, E-09.
#[test]
fn w19_api_status() {
    check("api_status", api_status);
}

/// W-20.
#[test]
fn w20_discovery() {
    check("discovery", discovery);
}

/// I-14.
#[test]
fn i14_packed() {
    check("packed", packed);
}

/// I-08, I-12.
#[test]
fn i12_object_key() {
    check("object_key", object_key);
}

#[test]
fn versions_print_unchanged_and_compare_as_numbers() {
    check("versions", versions);
}

#[test]
fn spellings_of_a_field_path_are_equal() {
    check("field_path", field_path);
}

///
#[test]
fn x06_drop_fields() {
    check("drop_fields", drop_fields);
}

/// S-01.
#[test]
fn s01_label_selector() {
    check("label_selector", label_selector);
}

#[test]
fn field_selectors_parse_back() {
    check("field_selector", field_selector);
}
