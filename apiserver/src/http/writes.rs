//! Requests that change something, from their bodies to their answers.

use http::{HeaderMap, Response, StatusCode, header};
use serde_json::{Value, json};

use super::Call;
use crate::document::{parse, set};
use crate::eviction::Eviction;
use crate::negotiate::form;
use crate::response::{self, Body, document};
use crate::route::{Target, Verb};
use crate::selector::{Selector, Shard};
use crate::shared::Shared;
use crate::status::{ApiError, Cause};
use crate::store::View;
use crate::write::{DeleteOptions, Deleted, Patch, WriteOptions};

/// `kind` names the options in a refusal.
pub(super) fn write_options(call: &Call, kind: &str) -> Result<WriteOptions, ApiError> {
    let mut causes = Vec::new();
    let dry_run = call.query.get("dryRun");
    if kind == "PatchOptions" && call.query.has("force") {
        let detail = "may not be specified for non-apply patch";
        causes.push(Cause::forbidden("force", detail));
    }
    if call.query.has("dryRun") && dry_run != "All" {
        causes.push(Cause::not_supported_list("dryRun", dry_run, "All"));
    }
    let validation = call.query.get("fieldValidation");
    let known = ["", "Ignore", "Strict", "Warn"];
    if kind != "DeleteOptions" && !known.contains(&validation) {
        causes.push(Cause::not_supported("fieldValidation", validation, &known));
    }
    if !causes.is_empty() {
        return Err(ApiError::invalid_options(kind, &causes));
    }
    Ok(WriteOptions {
        dry_run: dry_run == "All",
        with_status: false,
        strict: validation == "Strict",
    })
}

pub(super) fn patch(target: &Target, call: &Call) -> Result<(Patch, WriteOptions), ApiError> {
    let custom = target.resource.custom;
    let patch = Patch::parse(content_type(&call.headers), &call.body, custom)?;
    Ok((patch, write_options(call, "PatchOptions")?))
}

pub(super) fn scale(
    shared: &Shared,
    target: &Target,
    verb: Verb,
    call: &Call,
) -> Result<Response<Body>, ApiError> {
    // As in the real server, that of custom resources has no protobuf.
    let (_, encoding) = form(&call.headers, !target.resource.custom)?;
    let scale = match verb {
        Verb::Get => shared.state().get_scale(target)?,
        Verb::Update => {
            let document = json_document(call)?;
            let options = write_options(call, "UpdateOptions")?;
            shared.state().update_scale(target, &document, options)?
        }
        Verb::Patch => {
            let (change, options) = patch(target, call)?;
            shared.state().patch_scale(target, &change, options)?
        }
        Verb::List
        | Verb::Watch
        | Verb::Create
        | Verb::Delete
        | Verb::DeleteCollection
        | Verb::Other => return Err(ApiError::method_not_allowed()),
    };
    Ok(document(StatusCode::OK, &scale, encoding))
}

/// Evicts a Pod.
pub(super) fn evict(
    shared: &Shared,
    target: &Target,
    call: &Call,
) -> Result<Response<Body>, ApiError> {
    let (_, encoding) = form(&call.headers, true)?;
    let question = json_document(call)?;
    let options = write_options(call, "CreateOptions")?;
    let eviction = Eviction::of(target, &question, &call.query, options.dry_run)?;
    shared.state().evict(target, &eviction)?;
    let code = StatusCode::CREATED.as_u16();
    let status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "code": code,
    });
    Ok(document(StatusCode::CREATED, &status, encoding))
}

fn content_type(headers: &HeaderMap) -> &str {
    let value = headers.get(header::CONTENT_TYPE);
    value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

pub(super) fn json_document(call: &Call) -> Result<Value, ApiError> {
    parsed(call).map(|(document, _)| document)
}

/// The document and what is in it twice.
pub(super) fn parsed(call: &Call) -> Result<(Value, Vec<String>), ApiError> {
    check_json(call)?;
    parse(&call.body).map_err(|error| {
        ApiError::bad_request(format!("the object provided is unrecognized: {error}"))
    })
}

fn check_json(call: &Call) -> Result<(), ApiError> {
    let media_type = content_type(&call.headers)
        .split(';')
        .next()
        .unwrap_or_default();
    if !matches!(media_type.trim(), "" | "application/json") {
        return Err(ApiError::unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: \
             application/json, application/vnd.kubernetes.protobuf",
        ));
    }
    Ok(())
}

fn delete_options(call: &Call) -> Result<DeleteOptions, ApiError> {
    if !call.body.is_empty() {
        check_json(call)?;
    }
    let options = write_options(call, "DeleteOptions")?;
    DeleteOptions::parse(&call.body, &call.query, options)
}

pub(super) fn delete(
    shared: &Shared,
    target: &Target,
    view: &View,
    call: &Call,
) -> Result<Response<Body>, ApiError> {
    let options = delete_options(call)?;
    let deleted = shared.state().delete(target, &options)?;
    let object = match deleted {
        Deleted::Pending(object) => return Ok(response::object(StatusCode::OK, &object, view)),
        Deleted::Gone(object) => object,
    };
    let resource = &target.resource;
    let mut details = json!({
        "name": object.name,
        "kind": resource.plural,
        "uid": object.uid(),
    });
    if !resource.group.is_empty() {
        set(&mut details, "group", resource.group.as_str());
    }
    let status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    });
    Ok(document(StatusCode::OK, &status, view.encoding()))
}

pub(super) fn delete_collection(
    shared: &Shared,
    target: &Target,
    view: &View,
    call: &Call,
) -> Result<Response<Body>, ApiError> {
    let options = delete_options(call)?;
    let labels = call.query.get("labelSelector");
    let selector = Selector::parse(labels, call.query.get("fieldSelector"))?
        .with_shard(&call.query, shared.config.sharding)?;
    selector.check(target)?;
    let part = selector.shard().map(Shard::text);
    let (items, revision) = {
        let mut state = shared.state();
        let items = state.delete_collection(target, selector, &options)?;
        (items, state.revision())
    };
    let resource = &target.resource;
    let items: Vec<Value> = items
        .iter()
        .map(|item| {
            if resource.custom {
                item.to_value(&resource.kind, &target.api_version())
            } else {
                // As in lists.
                Value::Object(item.members())
            }
        })
        .collect();
    let mut metadata = json!({ "resourceVersion": revision.to_string() });
    match part {
        _ if resource.custom => set(&mut metadata, "continue", ""),
        Some(selector) => set(&mut metadata, "shardInfo", json!({ "selector": selector })),
        None => {}
    }
    let list = json!({
        "kind": resource.list_kind,
        "apiVersion": target.api_version(),
        "metadata": metadata,
        "items": items,
    });
    Ok(document(StatusCode::OK, &list, view.encoding()))
}
