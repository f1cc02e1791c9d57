//! Requests that change something, from their bodies to their answers.

use std::sync::Arc;

use http::{HeaderMap, Response, StatusCode, header};
use serde_json::{Value, json};

use super::Call;
use super::fields::FieldValidation;
use crate::document::{parse, set};
use crate::negotiate::form;
#[cfg(feature = "openapi")]
use crate::openapi;
use crate::response::{self, Body, document};
use crate::route::{Part, Target, Verb};
use crate::selector::{Selector, Shard};
use crate::shared::Shared;
use crate::status::{ApiError, Cause};
use crate::store::{Stored, View};
#[cfg(feature = "openapi")]
use crate::write::Application;
use crate::write::{APPLY, DeleteOptions, Deleted, Manager, Ownership, Patch, WriteOptions};

/// How many bytes the name of a manager may have.
const MAX_MANAGER: usize = 128;

/// `kind` names the options in a refusal.
pub(super) fn write_options<'a>(
    shared: &Shared,
    target: &Target,
    call: &'a Call,
    kind: &str,
) -> Result<WriteOptions<'a>, ApiError> {
    let mut causes = Vec::new();
    let dry_run = call.query.get("dryRun");
    let manager = call.query.get("fieldManager");
    if kind == "PatchOptions" {
        let applies = is_apply(call);
        if applies && manager.is_empty() {
            let detail = "is required for apply patch";
            causes.push(Cause::required("fieldManager", detail));
        }
        if !applies && call.query.has("force") {
            let detail = "may not be specified for non-apply patch";
            causes.push(Cause::forbidden("force", detail));
        }
    }
    if kind != "DeleteOptions" {
        check_manager(manager, &mut causes);
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
    let manager = Manager {
        name: if manager.is_empty() {
            program(&call.headers)
        } else {
            manager
        },
        subresource: target.part.as_str(),
        follows: !manager.is_empty() || shared.config.managed_fields,
    };
    Ok(WriteOptions {
        dry_run: dry_run == "All",
        with_status: false,
        strict: FieldValidation::of(call) == FieldValidation::Strict,
        ownership: Ownership::Recorded(manager),
        creator: shared.config.access.is_some().then_some(&call.user),
    })
}

fn check_manager(manager: &str, causes: &mut Vec<Cause>) {
    const FIELD: &str = "fieldManager";
    if manager.len() > MAX_MANAGER {
        let message = format!("Too long: may not be more than {MAX_MANAGER} bytes");
        causes.push(Cause::new("FieldValueTooLong", FIELD.to_owned(), message));
    }
    for (at, found) in manager.char_indices() {
        // As in Go, where the only printable space is that of ASCII.
        if found.is_control() || (found.is_whitespace() && found != ' ') {
            let detail = format!(
                "invalid character U+{:04X} (at position {at})",
                u32::from(found)
            );
            causes.push(Cause::invalid(FIELD, manager, &detail));
        }
    }
}

/// What a client calls itself, in `kubectl/v1.37`: `kubectl`.
fn program(headers: &HeaderMap) -> &str {
    let agent = headers.get(header::USER_AGENT);
    let agent = agent.and_then(|agent| agent.to_str().ok());
    let name = agent.and_then(|agent| agent.split('/').next());
    let name = name.unwrap_or_default();
    name.get(..MAX_MANAGER).unwrap_or(name)
}

fn is_apply(call: &Call) -> bool {
    media_type(&call.headers) == APPLY
}

/// What an update or a patch led to.
pub(super) struct Written {
    pub(super) code: StatusCode,
    pub(super) before: Option<Arc<Stored>>,
    pub(super) after: Arc<Stored>,
}

/// Patches, or applies. What is odd about it is added to `warnings`.
pub(super) fn patch(
    shared: &Shared,
    target: &Target,
    call: &Call,
    warnings: &mut Vec<String>,
) -> Result<Written, ApiError> {
    let (change, options) = patch_of(shared, target, call)?;
    #[cfg(feature = "openapi")]
    if matches!(change, Patch::Apply(_)) {
        openapi::unpack();
    }
    let mut state = shared.state();
    let before = state.get(target).ok().map(Arc::clone);
    let warns = FieldValidation::of(call) == FieldValidation::Warn;
    state.warnings = warns.then(Vec::new);
    let done = match &change {
        #[cfg(feature = "openapi")]
        Patch::Apply(document) => state.apply(target, application(call, document), options),
        change => state
            .patch(target, change, options)
            .map(|patched| (patched, false)),
    };
    warnings.extend(state.warnings.take().into_iter().flatten());
    let (after, created) = done?;
    Ok(Written {
        code: if created {
            StatusCode::CREATED
        } else {
            StatusCode::OK
        },
        before,
        after,
    })
}

/// Replaces an object, or creates it if it is of a kind that allows so.
pub(super) fn update(
    shared: &Shared,
    target: &Target,
    document: Value,
    options: WriteOptions<'_>,
) -> Result<Written, ApiError> {
    let mut state = shared.state();
    let before = state.get(target).ok().map(Arc::clone);
    let creates = target.part == Part::Object && target.resource.is_created_by_update();
    let (code, after) = if before.is_none() && creates {
        let created = state.create_by_update(target, document, options)?;
        (StatusCode::CREATED, created)
    } else {
        (StatusCode::OK, state.update(target, document, options)?)
    };
    Ok(Written {
        code,
        before,
        after,
    })
}

#[cfg(feature = "openapi")]
fn application<'a>(call: &'a Call, document: &'a Value) -> Application<'a> {
    Application {
        document,
        manager: call.query.get("fieldManager"),
        force: call.query.flag("force"),
    }
}

fn patch_of<'a>(
    shared: &Shared,
    target: &Target,
    call: &'a Call,
) -> Result<(Patch, WriteOptions<'a>), ApiError> {
    let media_type = media_type(&call.headers);
    Patch::check(media_type, target.resource.custom)?;
    let options = write_options(shared, target, call, "PatchOptions")?;
    Ok((Patch::parse(media_type, &call.body)?, options))
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
            let options = write_options(shared, target, call, "UpdateOptions")?;
            shared.state().update_scale(target, &document, options)?
        }
        Verb::Patch => {
            let (change, options) = patch_of(shared, target, call)?;
            match &change {
                #[cfg(feature = "openapi")]
                Patch::Apply(document) => {
                    openapi::unpack();
                    let application = application(call, document);
                    shared.state().apply_scale(target, application, options)?
                }
                change => shared.state().patch_scale(target, change, options)?,
            }
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

/// What the body is, without parameters; empty if the client does not say.
fn media_type(headers: &HeaderMap) -> &str {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok());
    let media_type = value.and_then(|value| value.split(';').next());
    media_type.unwrap_or_default().trim()
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
    if !matches!(media_type(&call.headers), "" | "application/json") {
        return Err(ApiError::unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: \
             application/json, application/vnd.kubernetes.protobuf",
        ));
    }
    Ok(())
}

fn delete_options(
    shared: &Shared,
    target: &Target,
    call: &Call,
) -> Result<DeleteOptions, ApiError> {
    if !call.body.is_empty() {
        check_json(call)?;
    }
    let options = write_options(shared, target, call, "DeleteOptions")?.by_nobody();
    DeleteOptions::parse(&call.body, &call.query, options)
}

pub(super) fn delete(
    shared: &Shared,
    target: &Target,
    view: &View,
    call: &Call,
) -> Result<Response<Body>, ApiError> {
    let options = delete_options(shared, target, call)?;
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
    let options = delete_options(shared, target, call)?;
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
