//! Comparison with Kubernetes: its own fixtures, and objects that Go generates and encodes.
//!
//! Both need Go, and its module cache or proxy. Without Go the tests are skipped or fail, as
//! [`go`](crate::go) decides. The objects in `tests/data` prove a part of the same
//! without Go.

use std::fs;
use std::path::Path;

use informer_protobuf::{Envelope, Message};
use serde_json::Value;

use crate::go::run_go;
use crate::support::{Object, go, module_dir};

/// The only fixture whose envelope has no kind: watches send events without one.
const WATCH_EVENT: &str = "core.v1.WatchEvent";

#[test]
fn kubernetes_own_fixtures_are_equal_in_both_encodings() {
    let Some(api) = module_dir("k8s.io/api") else {
        return;
    };
    for version in ["HEAD", "v1.36.0", "v1.35.0", "v1.34.0", "v1.33.0"] {
        let mut objects = fixtures(&api.join("testdata").join(version));
        objects.retain(|object| object.name != WATCH_EVENT);
        assert!(objects.len() > 150, "{version} has {}", objects.len());
        assert_equal(&objects);
        // Older fixtures lack fields that are written today.
        if version == "HEAD" {
            let others = objects
                .iter()
                .filter(|object| !object.is_encoded_to_the_same_bytes());
            let others: Vec<&str> = others.map(|object| object.name.as_str()).collect();
            assert_eq!(others, [""; 0], "are encoded to other bytes");
        }
    }
}

#[test]
fn kubernetes_own_watch_event_is_equal_in_both_encodings() {
    let Some(api) = module_dir("k8s.io/api") else {
        return;
    };
    let objects = fixtures(&api.join("testdata/HEAD"));
    let event = objects.iter().find(|object| object.name == WATCH_EVENT);
    let event = event.expect("the fixture is there");
    let envelope = Envelope::parse(&event.protobuf).expect("an envelope");
    let message = Message::of("v1", "WatchEvent").expect("a message");
    let decoded: Value = informer_protobuf::from_message(message, envelope.raw).expect("an event");
    assert_eq!(decoded, event.json);
    let encoded = informer_protobuf::encode_message(message, &event.json).expect("an event");
    let again: Value = informer_protobuf::from_message(message, &encoded).expect("an event");
    assert_eq!(again, event.json);
}

#[test]
fn objects_that_go_generates_are_equal_in_both_encodings() {
    for seed in ["11", "12"] {
        let Some(lines) = go(&["run", ".", "objects", seed, "3"]) else {
            return;
        };
        let objects: Vec<Object> = lines.lines().map(Object::from_line).collect();
        assert!(objects.len() > 1000, "{}", objects.len());
        assert_equal(&objects);
        // JSON does not distinguish empty bytes from absent ones, and does not keep the spacing of
        // JSON inside it.
        let same = objects
            .iter()
            .filter(|object| object.is_encoded_to_the_same_bytes());
        assert!(same.count() * 100 > objects.len() * 95);
    }
}

/// A Go program that fails to compile must not skip its tests.
#[cfg(unix)]
#[test]
#[should_panic(expected = "false [\"run\", \".\"]: ")]
fn go_that_fails_fails_the_test() {
    run_go("false", Path::new("."), &["run", "."], Vec::new());
}

fn assert_equal(objects: &[Object]) {
    let mismatches = objects.iter().filter_map(|object| {
        let mismatch = object.mismatch()?;
        Some(format!("{}: {mismatch}", object.name))
    });
    let mismatches: Vec<String> = mismatches.collect();
    assert!(
        mismatches.is_empty(),
        "{} of {}:\n{}",
        mismatches.len(),
        objects.len(),
        mismatches.join("\n")
    );
}

/// Returns the objects of one folder of `k8s.io/api/testdata` whose kinds are still served.
///
/// An object whose encoding has changed since that version is also returned as Go encodes it today.
fn fixtures(folder: &Path) -> Vec<Object> {
    let mut objects = Vec::new();
    for entry in fs::read_dir(folder).expect("the fixtures are there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        let is_fixture = path.extension().is_some_and(|extension| extension == "pb");
        if !is_fixture || name.ends_with(".after_roundtrip") {
            continue;
        }
        let today = folder.join(format!("{name}.after_roundtrip.json"));
        let json = fs::read(today).or_else(|_| fs::read(path.with_extension("json")));
        let object = Object {
            name: name.into_owned(),
            protobuf: fs::read(&path).expect("the fixture can be read"),
            json: serde_json::from_slice(&json.expect("both encodings")).expect("it is JSON"),
        };
        let envelope = Envelope::parse(&object.protobuf).expect("an envelope");
        let is_served = Message::of(envelope.api_version, envelope.kind).is_some();
        let is_old = !folder.ends_with("HEAD");
        assert!(
            is_served || is_old || object.name == WATCH_EVENT,
            "{}",
            object.name
        );
        if is_served || object.name == WATCH_EVENT {
            objects.push(object);
        }
    }
    objects
}
