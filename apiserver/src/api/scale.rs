//! The `scale` subresource: `autoscaling/v1` `Scale` documents that show a part of an object.

use serde_json::{Map, Value, json};

use crate::api::state::ServerState;
use crate::api::write::{Application, Patch, WriteOptions, apply, check_applied, update};
use crate::document::{Members, metadata, set, set_type, str_of};
use crate::registry::scale::{ScalePaths, find, put};
use crate::registry::subresource::Subresource;
use crate::registry::target::RequestTarget;
use crate::status::{ApiError, FieldCause};
use crate::store::Stored;

const SCALE_VERSION: &str = "autoscaling/v1";

/// Returns the `Scale` of `object`.
pub(crate) fn scale_of(target: &RequestTarget, object: &Stored) -> Result<Value, ApiError> {
    let paths = scale_paths(target)?;
    let members = object.members();
    let replicas = match find(&members, &paths.spec) {
        Some(found) => found.clone(),
        None if paths.custom => 0.into(),
        None => 1.into(),
    };
    let mut spec = json!({});
    // As in Go, zero is omitted.
    if replicas != 0 {
        set(&mut spec, "replicas", replicas);
    }
    let actual = find(&members, &paths.status).cloned();
    let mut status = json!({ "replicas": actual.unwrap_or_else(|| 0.into()) });
    let selector = paths.selector(&members);
    if !selector.is_empty() {
        set(&mut status, "selector", selector);
    }
    Ok(json!({
        "kind": "Scale",
        "apiVersion": SCALE_VERSION,
        "metadata": shown_metadata(&members),
        "spec": spec,
        "status": status,
    }))
}

/// Returns the part of an object's metadata that its `Scale` has, too.
fn shown_metadata(members: &Members) -> Map<String, Value> {
    const SHOWN: [&str; 5] = [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ];
    let mut shown = Map::new();
    let Some(metadata) = metadata(members) else {
        return shown;
    };
    for field in SHOWN {
        if let Some(value) = metadata.get(field) {
            shown.insert(field.to_owned(), value.clone());
        }
    }
    shown
}

fn scale_paths(target: &RequestTarget) -> Result<&ScalePaths, ApiError> {
    if let Some(version) = target.resource.version(&target.version)
        && let Some(paths) = &version.scale
    {
        return Ok(paths);
    }
    Err(ApiError::no_such_resource())
}

/// Returns the `Scale` that `target` names.
pub(crate) fn get_scale(state: &ServerState, target: &RequestTarget) -> Result<Value, ApiError> {
    scale_of(target, state.get(target)?)
}

/// Sets the replicas of the object that `target` names to those of a `Scale`. A resourceVersion of
/// the `Scale` is a precondition.
pub(crate) fn update_scale(
    state: &mut ServerState,
    target: &RequestTarget,
    scale: &Value,
    options: WriteOptions<'_>,
) -> Result<Value, ApiError> {
    state.current(target)?;
    let paths = scale_paths(target)?;
    let current = state.get(target)?;
    match str_of(member(scale, "metadata", "name")) {
        "" => return Err(ApiError::no_name(&target.name)),
        name if name == target.name => {}
        other => return Err(ApiError::wrong_name(other, &target.name)),
    }
    let replicas = given_replicas(scale)?;
    if replicas < 0 {
        return Err(negative_replicas(target, paths, replicas));
    }
    let mut document = current.members();
    put(&mut document, &paths.spec, replicas.into());
    if let Some(Value::Object(metadata)) = document.get_mut("metadata") {
        for field in ["resourceVersion", "uid"] {
            match member(scale, "metadata", field) {
                Some(given) if given != "" => {
                    metadata.insert(field.to_owned(), given.clone());
                }
                _ => {}
            }
        }
    }
    set_type(&mut document, &target.resource.kind, &target.api_version());
    let updated = update(state, &object_of(target), document.into(), options)?;
    scale_of(target, &updated)
}

fn member<'a>(scale: &'a Value, parent: &str, field: &str) -> Option<&'a Value> {
    scale.get(parent)?.get(field)
}

/// Returns the replicas in the spec of a `Scale`; zero if they are missing.
fn given_replicas(scale: &Value) -> Result<i64, ApiError> {
    let number = match member(scale, "spec", "replicas") {
        None | Some(Value::Null) => Some(0),
        Some(given) => given.as_i64(),
    };
    number.ok_or_else(|| {
        ApiError::bad_request("Scale in version \"v1\" cannot be handled as a Scale")
    })
}

fn negative_replicas(target: &RequestTarget, paths: &ScalePaths, replicas: i64) -> ApiError {
    const REASON: &str = "FieldValueInvalid";
    if paths.custom {
        let field = format!(".{}", paths.spec.join("."));
        let message = format!("Invalid value: {replicas}: should be a non-negative integer");
        let cause = FieldCause::new(REASON, field, message);
        return ApiError::invalid(&target.resource, &target.name, &[cause]);
    }
    let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
    let cause = FieldCause::new(REASON, "spec.replicas".to_owned(), message);
    ApiError::invalid_scale(&target.name, &[cause])
}

/// Applies a `Scale`: its replicas, which the manager then owns through the subresource.
pub(crate) fn apply_scale(
    state: &mut ServerState,
    target: &RequestTarget,
    application: Application<'_>,
    options: WriteOptions<'_>,
) -> Result<Value, ApiError> {
    if scale_paths(target)?.custom {
        return Err(ApiError::method_not_allowed());
    }
    let scale = application.document;
    check_applied("Scale", SCALE_VERSION, scale)?;
    let mut members = Map::new();
    set_type(&mut members, &target.resource.kind, &target.api_version());
    members.insert("metadata".to_owned(), json!({ "name": target.name }));
    keep(&mut members, scale, "metadata", "uid");
    keep(&mut members, scale, "metadata", "resourceVersion");
    keep(&mut members, scale, "spec", "replicas");
    // A missing object is an error, and not created.
    state.get(target)?;
    let of_object = Application {
        document: &members.into(),
        ..application
    };
    let (_, applied) = apply(state, &object_of(target), of_object, options)?;
    scale_of(target, &applied)
}

/// Copies a member of a `Scale`, if it exists.
fn keep(members: &mut Members, scale: &Value, parent: &str, field: &str) {
    if let Some(given) = member(scale, parent, field) {
        let path = [parent.to_owned(), field.to_owned()];
        put(members, &path, given.clone());
    }
}

/// Returns the target of the object that has the `Scale`.
fn object_of(target: &RequestTarget) -> RequestTarget {
    RequestTarget {
        subresource: Subresource::None,
        ..target.clone()
    }
}

/// Applies `patch` to the `Scale` of `current`, the object that `target` names.
pub(crate) fn patched_scale(
    patch: &Patch,
    target: &RequestTarget,
    current: &Stored,
) -> Result<Value, ApiError> {
    let mut scale = scale_of(target, current)?;
    patch.apply(target, &mut scale)?;
    match member(&scale, "spec", "replicas") {
        Some(replicas) if !replicas.is_null() && !replicas.is_i64() => {
            let error = ApiError::bad_request("replicas is not a number");
            Err(ApiError::invalid_patch(&scale, &error))
        }
        _ => Ok(scale),
    }
}
