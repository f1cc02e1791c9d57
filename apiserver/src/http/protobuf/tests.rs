use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;

use super::*;
use crate::http::view::View;
use crate::registry::api_version;
use crate::registry::builtin::{Offers, built_in};
use crate::store::log::{Change, LoggedEvent};

fn map() -> Arc<Stored> {
    let members = json!({ "metadata": { "name": "a" }, "data": { "k": "v" } });
    let members = members.as_object().cloned().unwrap();
    Arc::new(Stored::new("default", "a", 1, members))
}

/// Dropped alpha versions have no message: a client that accepts only protobuf receives 406 for
/// them.
#[test]
fn every_built_in_kind_and_its_list_have_a_message() {
    let mut missing = Vec::new();
    for built_in in built_in() {
        let api_version = api_version(built_in.group, built_in.version);
        let mut kinds = vec![built_in.kind.to_owned()];
        if built_in.offers() != Offers::Reviews {
            kinds.push(format!("{}List", built_in.kind));
        }
        for kind in kinds {
            let is_alpha = built_in.version.contains("alpha");
            if !is_alpha && Kind::of(&api_version, &kind).is_none() {
                missing.push(format!("{api_version} {kind}"));
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

fn line(event: &LoggedEvent, view: &View, encodings: &AtomicU64) -> Bytes {
    event.line(Change::Added, view.key(), |object| {
        encodings.fetch_add(1, Ordering::Relaxed);
        view.line(Change::Added, object)
    })
}

#[test]
fn an_event_is_encoded_once_for_all_watchers_of_an_encoding() {
    let full = View::full("ConfigMap", "v1");
    let views = [
        full.clone(),
        full.in_protobuf(Kind::of("v1", "ConfigMap")),
        View::partial(),
        View::partial().in_protobuf(Kind::partial()),
    ];
    let event = LoggedEvent::new(Change::Added, map(), None);
    let encodings = AtomicU64::new(0);
    let first: Vec<Bytes> = views
        .iter()
        .map(|view| line(&event, view, &encodings))
        .collect();
    let second: Vec<Bytes> = views
        .iter()
        .map(|view| line(&event, view, &encodings))
        .collect();
    let place = |frames: &[Bytes]| frames.iter().map(|f| f.as_ptr()).collect::<Vec<_>>();
    assert_eq!(place(&first), place(&second));
    assert_eq!(encodings.load(Ordering::Relaxed), 4);
    for (at, frame) in first.iter().enumerate() {
        assert!(!first.iter().skip(at + 1).any(|other| other == frame));
    }
}

#[test]
fn messages_are_cached_by_kind() {
    let map = map();
    let message = |version, kind| Message::of(version, kind).unwrap();
    let own = message("v1", "ConfigMap");
    let partial = message("meta.k8s.io/v1", "PartialObjectMetadata");
    let third = message("v1", "Namespace");
    for message in [own, partial, third, own, partial, third] {
        let expected = encode_members(message, &map.members()).unwrap();
        assert_eq!(super::encoded(message, "", &map), expected);
    }
    let place = |message| super::encoded(message, "", &map).as_ptr();
    assert_eq!(place(own), place(own));
    assert_eq!(place(partial), place(partial));
}
