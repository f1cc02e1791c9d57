//! The `scale` subresource: `autoscaling/v1` `Scale` documents that show a part of an object.

use serde_json::{Map, Value, json};

use crate::api::state::ServerState;
use crate::api::write::{Application, Patch, WriteOptions, apply, check_applied, update};
use crate::document::{metadata, set, str_of};
use crate::registry::scale::{ScalePaths, find, put};
use crate::registry::subresource::Subresource;
use crate::registry::target::RequestTarget;
use crate::status::{ApiError, FieldCause};
use crate::store::Stored;

const SCALE_VERSION: &str = "autoscaling/v1";

/// Returns the `Scale` of `object`.
pub(crate) fn scale_of(target: &RequestTarget, object: &Stored) -> Result<Value, ApiError> {
    let paths = scale_paths(target)?;
    let members = &object.members();
    let replicas = match find(members, &paths.spec) {
        Some(found) => found.clone(),
        None if paths.custom => 0.into(),
        None => 1.into(),
    };
    let mut shown = Map::new();
    let known = metadata(members);
    for field in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ] {
        if let Some(value) = known.and_then(|known| known.get(field)) {
            shown.insert(field.to_owned(), value.clone());
        }
    }
    let actual = find(members, &paths.status).cloned();
    let mut status = json!({ "replicas": actual.unwrap_or_else(|| 0.into()) });
    let selector = paths.selector(members);
    if !selector.is_empty() {
        set(&mut status, "selector", selector);
    }
    // As in Go, zero is omitted.
    let spec = if replicas == 0 {
        json!({})
    } else {
        json!({ "replicas": replicas })
    };
    Ok(json!({
        "kind": "Scale",
        "apiVersion": SCALE_VERSION,
        "metadata": shown,
        "spec": spec,
        "status": status,
    }))
}

fn scale_paths(target: &RequestTarget) -> Result<&ScalePaths, ApiError> {
    target
        .resource
        .version(&target.version)
        .and_then(|version| version.scale.as_ref())
        .ok_or_else(ApiError::no_such_resource)
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
    let given = scale.get("metadata").and_then(|m| m.get("name"));
    match str_of(given) {
        "" => return Err(ApiError::no_name(&target.name)),
        name if name == target.name => {}
        other => return Err(ApiError::wrong_name(other, &target.name)),
    }
    let replicas = match scale.get("spec").and_then(|spec| spec.get("replicas")) {
        None | Some(Value::Null) => 0,
        Some(number) => number.as_i64().ok_or_else(|| {
            ApiError::bad_request("Scale in version \"v1\" cannot be handled as a Scale")
        })?,
    };
    if replicas < 0 && paths.custom {
        let field = format!(".{}", paths.spec.join("."));
        let message = format!("Invalid value: {replicas}: should be a non-negative integer");
        let cause = FieldCause::new("FieldValueInvalid", field, message);
        return Err(ApiError::invalid(&target.resource, &target.name, &[cause]));
    }
    if replicas < 0 {
        let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
        let cause = FieldCause::new("FieldValueInvalid", "spec.replicas".to_owned(), message);
        return Err(ApiError::invalid_scale(&target.name, &[cause]));
    }
    let mut document = current.members();
    put(&mut document, &paths.spec, replicas.into());
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in ["resourceVersion", "uid"] {
            let given = scale.get("metadata").and_then(|m| m.get(field));
            if let Some(given) = given.filter(|given| **given != "") {
                metadata.insert(field.to_owned(), given.clone());
            }
        }
    }
    document.insert("kind".to_owned(), target.resource.kind.clone().into());
    document.insert("apiVersion".to_owned(), target.api_version().into());
    let updated = update(state, &object_of(target), document.into(), options)?;
    scale_of(target, &updated)
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
    members.insert("kind".to_owned(), target.resource.kind.clone().into());
    members.insert("apiVersion".to_owned(), target.api_version().into());
    members.insert("metadata".to_owned(), json!({ "name": target.name }));
    for (parent, field) in [
        ("metadata", "uid"),
        ("metadata", "resourceVersion"),
        ("spec", "replicas"),
    ] {
        if let Some(given) = scale.get(parent).and_then(|parent| parent.get(field)) {
            let path = [parent.to_owned(), field.to_owned()];
            put(&mut members, &path, given.clone());
        }
    }
    // A missing object is an error, and not created.
    state.get(target)?;
    let of_object = Application {
        document: &members.into(),
        ..application
    };
    let (_, applied) = apply(state, &object_of(target), of_object, options)?;
    scale_of(target, &applied)
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
    let replicas = scale.get("spec").and_then(|spec| spec.get("replicas"));
    if replicas.is_some_and(|replicas| !replicas.is_null() && !replicas.is_i64()) {
        let error = ApiError::bad_request("replicas is not a number");
        return Err(ApiError::invalid_patch(&scale, &error));
    }
    Ok(scale)
}
