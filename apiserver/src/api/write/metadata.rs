//! Rules for `metadata`: the types of its fields when it is decoded, and their values when it is
//! stored.

use serde_json::{Map, Value};

use crate::document::{Members, json_type, list_of, metadata, str_of};
use crate::names;
use crate::registry::Resource;
use crate::registry::target::RequestTarget;
use crate::status::{ApiError, FieldCause};

/// Fields of `metadata`; all others are unknown.
const FIELDS: [(&str, Type); 15] = [
    ("annotations", Type::Strings),
    ("creationTimestamp", Type::Time),
    ("deletionGracePeriodSeconds", Type::Number),
    ("deletionTimestamp", Type::Time),
    ("finalizers", Type::List("[]string")),
    ("generateName", Type::Text),
    ("generation", Type::Number),
    ("labels", Type::Strings),
    ("managedFields", Type::List("[]v1.ManagedFieldsEntry")),
    ("name", Type::Text),
    ("namespace", Type::Text),
    ("ownerReferences", Type::List("[]v1.OwnerReference")),
    ("resourceVersion", Type::Text),
    ("selfLink", Type::Text),
    ("uid", Type::Text),
];

/// Maximum size of all annotations of an object, in bytes.
const MAX_ANNOTATIONS: usize = 256 << 10;

/// Finalizers that need no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["foregroundDeletion", "kubernetes", "orphan"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Text,
    Number,
    Time,
    Strings,
    /// A list, by its name in Go.
    List(&'static str),
}

/// Checks the types, and removes fields that are unknown, empty or null.
pub(super) fn decode(
    target: &RequestTarget,
    fields: &mut Map<String, Value>,
) -> Result<(), ApiError> {
    fields.retain(|name, value| is_known(name) && !value.is_null());
    for (name, expected) in FIELDS {
        let Some(value) = fields.get_mut(name) else {
            continue;
        };
        if let Some((found, expected)) = mismatch(value, expected) {
            return Err(undecodable(
                target,
                &format!("ObjectMeta.metadata.{name}"),
                found,
                expected,
            ));
        }
        if let (Type::Time, Some(text)) = (expected, value.as_str())
            && text.parse::<jiff::Timestamp>().is_err()
        {
            return Err(rejection(target, &format!("parsing time {text:?}")));
        }
        if let (Type::Strings, Some(map)) = (expected, value.as_object_mut()) {
            // As in Go, null stands for the zero value of the type.
            for member in map.values_mut() {
                if member.is_null() {
                    *member = Value::from("");
                }
            }
        }
        let empty = match &*value {
            Value::Object(map) => map.is_empty(),
            Value::Array(list) => list.is_empty(),
            Value::String(text) => text.is_empty(),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        };
        if empty {
            fields.remove(name);
        }
    }
    Ok(())
}

fn is_known(name: &str) -> bool {
    FIELDS.iter().any(|(field, _)| *field == name)
}

/// Returns the unknown fields in the metadata of an object.
pub(super) fn unknown_fields(members: &Members) -> Vec<String> {
    let mut unknown = Vec::new();
    for (name, _) in metadata(members).into_iter().flatten() {
        if !is_known(name) {
            unknown.push(format!("metadata.{name}"));
        }
    }
    unknown
}

/// Returns the found and the expected type, if they differ, as Go names them.
fn mismatch(value: &Value, expected: Type) -> Option<(&'static str, &'static str)> {
    let go = match (expected, value) {
        (Type::Text | Type::Time, Value::String(_)) | (Type::Number, Value::Number(_)) => {
            return None;
        }
        (Type::Strings, Value::Object(map)) => {
            let element = map.values().find(|v| !v.is_string() && !v.is_null())?;
            return Some((json_type(element), "string"));
        }
        (Type::List("[]string"), Value::Array(list)) => {
            let element = list.iter().find(|v| !v.is_string())?;
            return Some((json_type(element), "string"));
        }
        (Type::List(name), Value::Array(list)) => {
            let element = list.iter().find(|v| !v.is_object())?;
            return Some((json_type(element), name.trim_start_matches("[]")));
        }
        (Type::Text, _) => "string",
        (Type::Time, _) => "v1.Time",
        (Type::Number, _) => "int64",
        (Type::Strings, _) => "map[string]string",
        (Type::List(name), _) => name,
    };
    Some((json_type(value), go))
}

/// Error of a field that has the wrong type.
pub(super) fn undecodable(
    target: &RequestTarget,
    field: &str,
    found: &str,
    expected: &str,
) -> ApiError {
    rejection(
        target,
        &format!("json: cannot unmarshal {found} into Go struct field {field} of type {expected}"),
    )
}

pub(super) fn rejection(target: &RequestTarget, error: &str) -> ApiError {
    let kind = &target.resource.kind;
    ApiError::bad_request(format!(
        "{kind} in version {:?} cannot be handled as a {kind}: {error}",
        target.version
    ))
}

/// Returns the values that the real server rejects.
pub(super) fn violations(resource: &Resource, members: &Members) -> Vec<FieldCause> {
    let mut causes = Vec::new();
    if let Some(fields) = metadata(members) {
        check_labels(fields, &mut causes);
        check_annotations(fields, &mut causes);
        check_owners(fields, &mut causes);
        check_finalizers(resource, fields, &mut causes);
    }
    causes
}

fn check_labels(fields: &Map<String, Value>, causes: &mut Vec<FieldCause>) {
    const FIELD: &str = "metadata.labels";
    for (key, value) in map_of(fields, "labels") {
        let label = value.as_str().unwrap_or_default();
        invalid(FIELD, key, &names::qualified(key), causes);
        invalid(FIELD, label, &names::label_value(label), causes);
    }
}

fn check_annotations(fields: &Map<String, Value>, causes: &mut Vec<FieldCause>) {
    const FIELD: &str = "metadata.annotations";
    let mut size = 0;
    for (key, value) in map_of(fields, "annotations") {
        size += key.len() + str_of(Some(value)).len();
        let errors = names::qualified(&key.to_lowercase());
        invalid(FIELD, key, &errors, causes);
    }
    if size > MAX_ANNOTATIONS {
        let message = format!("Too long: may not be more than {MAX_ANNOTATIONS} bytes");
        causes.push(FieldCause::new(
            "FieldValueTooLong",
            FIELD.to_owned(),
            message,
        ));
    }
}

fn check_owners(fields: &Map<String, Value>, causes: &mut Vec<FieldCause>) {
    let owners = list_of(fields.get("ownerReferences"));
    for (at, owner) in owners.iter().enumerate() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if str_of(owner.get(field)).is_empty() {
                causes.push(FieldCause::new(
                    "FieldValueRequired",
                    format!("metadata.ownerReferences[{at}].{field}"),
                    "Required value: must not be empty".to_owned(),
                ));
            }
        }
    }
    let controllers = owners
        .iter()
        .filter(|owner| owner.get("controller") == Some(&Value::Bool(true)))
        .count();
    if controllers > 1 {
        causes.push(FieldCause::new(
            "FieldValueInvalid",
            "metadata.ownerReferences".to_owned(),
            "Invalid value: Only one reference can have Controller set to true".to_owned(),
        ));
    }
}

fn check_finalizers(
    resource: &Resource,
    fields: &Map<String, Value>,
    causes: &mut Vec<FieldCause>,
) {
    let finalizers = list_of(fields.get("finalizers"));
    for (at, finalizer) in finalizers.iter().enumerate() {
        let name = finalizer.as_str().unwrap_or_default();
        invalid("metadata.finalizers", name, &names::qualified(name), causes);
        let has_domain = name.contains('/') || STANDARD_FINALIZERS.contains(&name);
        if !has_domain && !resource.custom {
            let error = "name is neither a standard finalizer name nor is it fully qualified";
            let field = format!("metadata.finalizers[{at}]");
            invalid(&field, name, &[error.to_owned()], causes);
        }
    }
}

/// Returns the members of a map in the metadata; none if it is missing.
fn map_of<'a>(
    fields: &'a Map<String, Value>,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    fields
        .get(name)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

fn invalid(field: &str, value: &str, errors: &[String], causes: &mut Vec<FieldCause>) {
    for error in errors {
        let message = format!("Invalid value: {value:?}: {error}");
        let cause = FieldCause::new("FieldValueInvalid", field.to_owned(), message);
        causes.push(cause);
    }
}
