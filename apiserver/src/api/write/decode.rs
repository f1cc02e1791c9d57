//! Decoding of documents.

use serde_json::{Map, Value};

use super::metadata;
use super::options::WriteOptions;
use super::secrets::{fill_data, take_string_data};
use crate::document::{Members, json_type, metadata_str};
use crate::registry::target::RequestTarget;
use crate::status::ApiError;

/// Decodes a document: its type must be the target's, and its metadata must have the right types. A
/// null member counts as absent.
pub(crate) fn members_of(
    target: &RequestTarget,
    document: Value,
    options: WriteOptions<'_>,
) -> Result<Members, ApiError> {
    let resource = &target.resource;
    let Value::Object(mut members) = document else {
        return Err(ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): couldn't get version/kind; \
             json parse error: json: cannot unmarshal {} into Go value",
            resource.kind,
            json_type(&document)
        )));
    };
    let mut type_of = |field: &str| match members.remove(field) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): couldn't get version/kind; \
             json parse error: json: cannot unmarshal {} into Go struct field .{field} of type \
             string",
            resource.kind,
            json_type(&other)
        ))),
    };
    let kind = type_of("kind")?;
    let api_version = type_of("apiVersion")?;
    if resource.custom && kind.is_empty() {
        return Err(ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): Object 'Kind' is missing",
            resource.kind
        )));
    }
    if !resource.custom && !kind.is_empty() && kind != resource.kind {
        return Err(ApiError::bad_request(format!(
            "{kind} in version {:?} cannot be handled as a {}",
            target.version, resource.kind
        )));
    }
    if (resource.custom || !api_version.is_empty()) && api_version != target.api_version() {
        return Err(ApiError::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({})",
            target.api_version()
        )));
    }
    if kind != resource.kind && resource.custom {
        return Err(ApiError::wrong_kind(
            resource,
            &kind,
            metadata_str(&members, "name"),
        ));
    }
    if !(resource.custom && options.ownership.is_applied()) {
        members.retain(|_, value| !value.is_null());
    }
    let unknown = if options.strict {
        unknown_members(target, &members)
    } else {
        Vec::new()
    };
    let fields = members
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(fields) = fields else {
        let field = format!("{}.metadata", resource.kind);
        let found = json_type(fields);
        return Err(metadata::undecodable(
            target,
            &field,
            found,
            "v1.ObjectMeta",
        ));
    };
    metadata::decode(target, fields)?;
    if let Some(error) = target.undecodable(&members) {
        return Err(metadata::rejection(target, &error));
    }
    fill_data(target, &mut members);
    take_string_data(target, &mut members);
    if unknown.is_empty() {
        Ok(members)
    } else {
        Err(strict(target, &unknown))
    }
}

/// Returns the paths of unknown fields in `document`, which would be dropped or kept without a
/// meaning.
pub(crate) fn unknown_fields(target: &RequestTarget, document: &Value) -> Vec<String> {
    let members = document.as_object();
    members.map_or_else(Vec::new, |members| unknown_members(target, members))
}

fn unknown_members(target: &RequestTarget, members: &Members) -> Vec<String> {
    let mut unknown = metadata::unknown_fields(members);
    unknown.extend(target.unknown_fields(members));
    unknown
}

/// Error of `fieldValidation=Strict` for fields that would be dropped.
pub(super) fn strict(target: &RequestTarget, unknown: &[String]) -> ApiError {
    let fields: Vec<String> = unknown.iter().map(|field| unknown_field(field)).collect();
    let message = format!("strict decoding error: {}", fields.join(", "));
    metadata::rejection(target, &message)
}

/// Describes an unknown field at this path in the words of strict decoding.
pub(crate) fn unknown_field(path: &str) -> String {
    format!("unknown field {path:?}")
}

/// Returns the metadata for changes; [`members_of`] guarantees that it exists.
pub(crate) fn metadata_mut(members: &mut Members) -> Result<&mut Map<String, Value>, ApiError> {
    members
        .get_mut("metadata")
        .and_then(Value::as_object_mut)
        .ok_or_else(|| ApiError::bad_request("the object has no metadata"))
}
