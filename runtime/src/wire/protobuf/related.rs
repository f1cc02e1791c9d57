//! Reads what look-ups need of an object's metadata: labels and the owner that controls it.

use std::borrow::Cow;

use informer_protobuf::Header;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use serde::Deserialize;

use super::kind::Kind;
use crate::wire::Related;

/// Reads labels and controller, as far as they are well formed: whatever is not shows when the
/// object is decoded.
pub(in crate::wire) fn read<'a>(kind: &'static Kind, object: &'a [u8]) -> Related<'a> {
    let Ok(header) = Header::read(object) else {
        return Related::default();
    };
    let labels = header.labels.iter();
    let mut labels: Vec<_> = labels
        .map(|(key, value)| (Cow::Borrowed(key), Cow::Borrowed(value)))
        .collect();
    // Kubernetes sorts them; a map has each key once.
    labels.sort_by(|one, other| one.0.cmp(&other.0));
    labels.dedup_by(|later, first| later.0 == first.0);
    let controller = header.controller.and_then(|_| controller(kind, object));
    Related { labels, controller }
}

/// The whole reference, of which the header has a part.
fn controller(kind: &'static Kind, object: &[u8]) -> Option<OwnerReference> {
    #[derive(Deserialize)]
    struct Object {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        owner_references: Vec<OwnerReference>,
    }
    let object = Object::deserialize(kind.deserializer(object)).ok()?;
    let mut owners = object.metadata.owner_references.into_iter();
    owners.find(|owner| owner.controller == Some(true))
}
