//! Reads the metadata that look-ups need: labels and the controlling owner.

use informer_protobuf::Header;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use crate::wire::Related;

/// Reads the labels and the controller, if they are well formed. Malformed metadata surfaces when
/// the object is decoded.
pub(in crate::wire) fn read(object: &[u8]) -> Related<'_> {
    let Ok(header) = Header::read(object) else {
        return Related::default();
    };
    let controller = header.owner_references.controller();
    let controller = controller.map(|owner| OwnerReference {
        api_version: owner.api_version.into_owned(),
        block_owner_deletion: owner.block_owner_deletion,
        controller: owner.controller,
        kind: owner.kind.into_owned(),
        name: owner.name.into_owned(),
        uid: owner.uid.into_owned(),
    });
    let mut related = Related {
        labels: header.labels.iter().collect(),
        controller,
    };
    // Kubernetes writes labels in sorted order.
    if !related.labels.is_sorted_by(|left, right| left.0 < right.0) {
        related.sort_labels();
    }
    related
}
