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
            map.values_mut()
                .filter(|value| value.is_null())
                .for_each(|value| *value = Value::from(""));
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
pub(super) fn unknown(members: &Members) -> Vec<String> {
    let fields = metadata(members).into_iter().flat_map(Map::keys);
    fields
        .filter(|name| !is_known(name))
        .map(|name| format!("metadata.{name}"))
        .collect()
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
    let Some(fields) = metadata(members) else {
        return causes;
    };
    let map = |field: &str| {
        fields
            .get(field)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
    };
    for (key, value) in map("labels") {
        let value = value.as_str().unwrap_or_default();
        invalid("metadata.labels", key, &names::qualified(key), &mut causes);
        invalid(
            "metadata.labels",
            value,
            &names::label_value(value),
            &mut causes,
        );
    }
    for (key, _) in map("annotations") {
        let errors = names::qualified(&key.to_lowercase());
        invalid("metadata.annotations", key, &errors, &mut causes);
    }
    let sizes = map("annotations").map(|(key, value)| key.len() + str_of(Some(value)).len());
    if sizes.sum::<usize>() > MAX_ANNOTATIONS {
        let message = format!("Too long: may not be more than {MAX_ANNOTATIONS} bytes");
        let field = "metadata.annotations".to_owned();
        causes.push(FieldCause::new("FieldValueTooLong", field, message));
    }
    let list = |field: &str| list_of(fields.get(field)).iter();
    for (at, owner) in list("ownerReferences").enumerate() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if str_of(owner.get(field)).is_empty() {
                let field = format!("metadata.ownerReferences[{at}].{field}");
                let message = "Required value: must not be empty".to_owned();
                causes.push(FieldCause::new("FieldValueRequired", field, message));
            }
        }
    }
    let is_controller = |owner: &&Value| owner.get("controller") == Some(&Value::Bool(true));
    if list("ownerReferences").filter(is_controller).count() > 1 {
        let message =
            "Invalid value: Only one reference can have Controller set to true".to_owned();
        let field = "metadata.ownerReferences".to_owned();
        causes.push(FieldCause::new("FieldValueInvalid", field, message));
    }
    for (at, finalizer) in list("finalizers").enumerate() {
        let text = finalizer.as_str().unwrap_or_default();
        invalid(
            "metadata.finalizers",
            text,
            &names::qualified(text),
            &mut causes,
        );
        if !text.contains('/') && !STANDARD_FINALIZERS.contains(&text) && !resource.custom {
            let error = "name is neither a standard finalizer name nor is it fully qualified";
            let field = format!("metadata.finalizers[{at}]");
            invalid(&field, text, &[error.to_owned()], &mut causes);
        }
    }
    causes
}

fn invalid(field: &str, value: &str, errors: &[String], causes: &mut Vec<FieldCause>) {
    causes.extend(errors.iter().map(|error| {
        let message = format!("Invalid value: {value:?}: {error}");
        FieldCause::new("FieldValueInvalid", field.to_owned(), message)
    }));
}
