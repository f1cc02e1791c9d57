//! Reads what look-ups need of an object's metadata: labels and the owner that controls it.

use std::borrow::Cow;

use informer_protobuf::Header;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use crate::wire::Related;

/// Reads labels and controller, as far as they are well formed: whatever is not shows when the
/// object is decoded.
pub(in crate::wire) fn read(object: &[u8]) -> Related<'_> {
    let Ok(header) = Header::read(object) else {
        return Related::default();
    };
    let labels = header.labels.iter();
    let labels = labels.map(|(key, value)| (Cow::Borrowed(key), Cow::Borrowed(value)));
    let controller = header.owner_references.controller();
    let controller = controller.map(|owner| OwnerReference {
        api_version: owner.api_version.to_owned(),
        block_owner_deletion: owner.block_owner_deletion,
        controller: owner.controller,
        kind: owner.kind.to_owned(),
        name: owner.name.to_owned(),
        uid: owner.uid.to_owned(),
    });
    let mut related = Related {
        labels: labels.collect(),
        controller,
    };
    // Kubernetes sorts them.
    if !related.labels.is_sorted_by(|one, other| one.0 < other.0) {
        related.sort_labels();
    }
    related
}
