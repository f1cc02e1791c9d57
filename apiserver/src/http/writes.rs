//! Writes: from the body of a request to the response.

use std::sync::Arc;

use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::call::HttpCall;
use super::call::{check_json, json_document, media_type};
use super::fields::{FieldValidation, object_of};
use super::forms::Wanted;
use super::options::write_options;
use super::reads::list_of;
use crate::api::collector::settle;
use crate::api::scale::{apply_scale, get_scale, patched_scale, update_scale};
use crate::api::selector::Selector;
use crate::api::state::ServerState;
use crate::api::write::{
    self as api, Application, DeleteOptions, Deleted, Patch, Patched, WriteOptions,
    create_by_update,
};
use crate::auth::{Attributes, allows};
use crate::document::set;
use crate::http::negotiate::form;
use crate::http::response;
use crate::http::response::{AnswerBody, document};
use crate::http::view::View;
use crate::registry::subresource::Subresource;
use crate::registry::target::{RequestTarget, Verb};
use crate::shared::Shared;
use crate::status::ApiError;
use crate::store::Stored;

/// Executes a patch or an apply, and adds its warnings to `warnings`.
pub(super) fn patch(
    shared: &Shared,
    target: &RequestTarget,
    call: &HttpCall,
    warnings: &mut Vec<String>,
) -> Result<(StatusCode, Arc<Stored>), ApiError> {
    let (change, options) = patch_of(shared, target, call)?;
    if let Patch::Apply(document) = &change {
        let application = application_of(target, call, document);
        return shared.change(|state| {
            check_create(shared, state, target, call)?;
            api::apply(state, target, application, options)
        });
    }
    let validates = FieldValidation::of(call) != FieldValidation::Ignore;
    let stored = change_current(
        shared,
        target,
        |current| Patched::new(&change, target, current, validates, options.strict),
        |state, patched| {
            warnings.extend(patched.warnings());
            api::replace(state, target, patched.given, options)
        },
    )?;
    Ok((StatusCode::OK, stored))
}

fn application_of<'a>(
    target: &RequestTarget,
    call: &'a HttpCall,
    document: &'a Value,
) -> Application<'a> {
    Application {
        document,
        manager: call.query.get("fieldManager"),
        subresource: target.subresource.as_str(),
        force: call.query.flag("force"),
    }
}

/// Computes a new version of the object that `target` names without holding the lock. `store`
/// receives the result of `change`, unless the object has changed meanwhile; then the computation
/// starts again.
fn change_current<T, R>(
    shared: &Shared,
    target: &RequestTarget,
    change: impl Fn(&Stored) -> Result<T, ApiError>,
    store: impl FnOnce(&mut ServerState, T) -> Result<R, ApiError>,
) -> Result<R, ApiError> {
    loop {
        let before = {
            let state = shared.state();
            state.current(target)?;
            Arc::clone(state.get(target)?)
        };
        let changed = change(&before)?;
        let mut state = shared.state();
        state.current(target)?;
        if Arc::ptr_eq(state.get(target)?, &before) {
            let stored = store(&mut state, changed)?;
            settle(&mut state);
            return Ok(stored);
        }
    }
}

/// Replaces an object, or creates it if its kind allows this.
pub(super) fn update(
    shared: &Shared,
    target: &RequestTarget,
    call: &HttpCall,
    warnings: &mut Vec<String>,
) -> Result<(StatusCode, Arc<Stored>), ApiError> {
    let document = object_of(target, call, warnings)?;
    let options = write_options(shared, target, call, "UpdateOptions")?;
    let may_create = target.subresource == Subresource::None && target.resource.rules.put_creates;
    shared.change(|state| {
        if may_create && state.get(target).is_err() {
            check_create(shared, state, target, call)?;
            let created = create_by_update(state, target, document, options)?;
            return Ok((StatusCode::CREATED, created));
        }
        let updated = api::update(state, target, document, options)?;
        Ok((StatusCode::OK, updated))
    })
}

/// Checks the right to create of a write that is no POST, if the object does not exist.
fn check_create(
    shared: &Shared,
    state: &ServerState,
    target: &RequestTarget,
    call: &HttpCall,
) -> Result<(), ApiError> {
    let exists = target.subresource != Subresource::None || state.get(target).is_ok();
    if shared.access.is_none() || exists {
        return Ok(());
    }
    let path = target.path().in_itself();
    let verb = Verb::Create.as_str();
    let attributes = Attributes::Resource { verb, path: &path };
    if allows(state, &call.user, &attributes) {
        Ok(())
    } else {
        Err(attributes.denial(&call.user))
    }
}

fn patch_of<'a>(
    shared: &Shared,
    target: &RequestTarget,
    call: &'a HttpCall,
) -> Result<(Patch, WriteOptions<'a>), ApiError> {
    let given = media_type(&call.headers);
    Patch::check(given, target.resource.custom)?;
    let options = write_options(shared, target, call, "PatchOptions")?;
    let patch = Patch::parse(given, &call.body)?;
    Ok((patch, options))
}

pub(super) fn scale(
    shared: &Shared,
    target: &RequestTarget,
    verb: Verb,
    call: &HttpCall,
) -> Result<Response<AnswerBody>, ApiError> {
    // As in the real server, the `Scale` of a custom resource has no protobuf encoding.
    let (_, encoding) = form(&call.headers, !target.resource.custom)?;
    let scale = match verb {
        Verb::Get => get_scale(&shared.state(), target)?,
        Verb::Update => {
            let document = json_document(call)?;
            let options = write_options(shared, target, call, "UpdateOptions")?;
            shared.change(|state| update_scale(state, target, &document, options))?
        }
        Verb::Patch => patch_scale(shared, target, call)?,
        Verb::List
        | Verb::Watch
        | Verb::Create
        | Verb::Delete
        | Verb::DeleteCollection
        | Verb::Other => return Err(ApiError::method_not_allowed()),
    };
    Ok(document(StatusCode::OK, &scale, encoding))
}

fn patch_scale(
    shared: &Shared,
    target: &RequestTarget,
    call: &HttpCall,
) -> Result<Value, ApiError> {
    let (change, options) = patch_of(shared, target, call)?;
    if let Patch::Apply(document) = &change {
        let application = application_of(target, call, document);
        return shared.change(|state| apply_scale(state, target, application, options));
    }
    change_current(
        shared,
        target,
        |current| patched_scale(&change, target, current),
        |state, scale| update_scale(state, target, &scale, options),
    )
}

fn delete_options(
    shared: &Shared,
    target: &RequestTarget,
    call: &HttpCall,
) -> Result<DeleteOptions, ApiError> {
    if !call.body.is_empty() {
        check_json(call)?;
    }
    let options = write_options(shared, target, call, "DeleteOptions")?.by_nobody();
    DeleteOptions::parse(&call.body, &call.query, options)
}

pub(super) fn delete(
    shared: &Shared,
    target: &RequestTarget,
    view: &View,
    call: &HttpCall,
) -> Result<Response<AnswerBody>, ApiError> {
    let options = delete_options(shared, target, call)?;
    let deleted = shared.change(|state| api::delete(state, target, &options))?;
    let last = match deleted {
        Deleted::Pending(object) => return Ok(response::object(StatusCode::OK, &object, view)),
        Deleted::Gone(last) => last,
    };
    let resource = &target.resource;
    if resource.rules.returns_deleted {
        return Ok(response::object(StatusCode::OK, &last, view));
    }
    let mut details = json!({
        "name": last.name,
        "kind": resource.plural,
        "uid": last.uid(),
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
    target: &RequestTarget,
    wanted: Wanted,
    call: &HttpCall,
) -> Result<Response<AnswerBody>, ApiError> {
    let options = delete_options(shared, target, call)?;
    let labels = call.query.get("labelSelector");
    let selector = Selector::parse(labels, call.query.get("fieldSelector"))?
        .with_shard(&call.query, shared.config.sharding)?;
    selector.check(target)?;
    let page = {
        let mut state = shared.state();
        let deleted = api::delete_collection(&mut state, target, selector, &options)?;
        settle(&mut state);
        deleted
    };
    Ok(list_of(target, page, wanted.of_list()?))
}

#[cfg(test)]
mod tests;
