//! Rules that several kinds of writes share.

use http::StatusCode;
use serde_json::json;

use super::decode::metadata_mut;
use super::{content, metadata};
use crate::document::{Members, finalizers, metadata_str};
use crate::registry::target::RequestTarget;
use crate::status::ApiError;

/// Checks that the name and namespace in a document are those of the path.
pub(super) fn check_identity(target: &RequestTarget, given: &Members) -> Result<(), ApiError> {
    match metadata_str(given, "name") {
        "" => return Err(ApiError::no_name(&target.name)),
        name if name == target.name => {}
        other => return Err(ApiError::wrong_name(other, &target.name)),
    }
    if !target.resource.namespaced {
        return Ok(());
    }
    match metadata_str(given, "namespace") {
        "" => Ok(()),
        namespace if namespace == target.namespace => Ok(()),
        _ => Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        )),
    }
}

/// Rejects the metadata and the content that the real server rejects. The object replaces `known`.
pub(super) fn check(
    target: &RequestTarget,
    name: &str,
    members: &Members,
    known: Option<&Members>,
) -> Result<(), ApiError> {
    let resource = &target.resource;
    let mut causes = metadata::violations(resource, members);
    causes.extend(content::violations(resource, members, known));
    ApiError::unless_valid(resource, name, &causes)
}

/// Checks that a resourceVersion is a number.
pub(super) fn check_number(version: &str) -> Result<(), ApiError> {
    if version.is_empty() || version.parse::<u64>().is_ok() {
        return Ok(());
    }
    Err(ApiError::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "",
        format!("strconv.ParseUint: parsing {version:?}: invalid syntax"),
    ))
}

/// Labels a namespace with its name.
pub(super) fn name_label(name: &str, members: &mut Members) -> Result<(), ApiError> {
    let metadata = metadata_mut(members)?;
    let labels = metadata.entry("labels").or_insert_with(|| json!({}));
    if let Some(labels) = labels.as_object_mut() {
        labels.insert("kubernetes.io/metadata.name".to_owned(), name.into());
    }
    Ok(())
}

/// Returns the finalizers of `members` that `known` lacks.
pub(super) fn new_finalizers(known: &Members, members: &Members) -> Vec<String> {
    let mut new = Vec::new();
    for name in finalizers(members) {
        let is_known = finalizers(known).any(|finalizer| finalizer == name);
        if !is_known {
            new.push(name.to_owned());
        }
    }
    new
}
