//! Evictions: deletes of Pods that `PodDisruptionBudgets` can prevent.
//!
//! The status of a budget contains the number of allowed disruptions. In a cluster, a controller
//! writes this status; here, a test does. An eviction consumes one disruption, and is rejected if
//! none is left.

mod budget;
mod conditions;

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};

use self::budget::Budget;
pub(crate) use self::conditions::put_condition;
use self::conditions::status_of;
use crate::api::query::Query;
use crate::api::selector::Selector;
use crate::api::state::State;
use crate::api::write::{DeleteOptions, WriteOptions, delete, update};
use crate::document::set;
use crate::registry::part::Part;
use crate::registry::scale::selector_text;
use crate::registry::target::Target;
use crate::status::ApiError;
use crate::store::Stored;

/// A decoded `Eviction`.
#[derive(Debug)]
pub(crate) struct Eviction {
    /// The delete with its preconditions on the Pod.
    checked: DeleteOptions,
    /// The delete without preconditions, used after they have been checked.
    delete: DeleteOptions,
}

// === impl Eviction ===

impl Eviction {
    /// Decodes the eviction of the Pod that `target` names.
    pub(crate) fn of(
        target: &Target,
        document: &Value,
        query: &Query,
        dry_run: bool,
    ) -> Result<Self, ApiError> {
        let text = |field| document.get(field).and_then(Value::as_str);
        let (kind, api_version) = (text("kind"), text("apiVersion"));
        let is_version = |version| matches!(version, "policy/v1" | "policy/v1beta1");
        if kind.is_some_and(|kind| kind != "Eviction") || !api_version.is_none_or(is_version) {
            return Err(ApiError::bad_request(format!(
                "{} in version {:?} cannot be handled as a Eviction",
                kind.unwrap_or_default(),
                api_version.unwrap_or_default()
            )));
        }
        let name = document.pointer("/metadata/name").and_then(Value::as_str);
        if name != Some(&target.name) {
            return Err(ApiError::bad_request(
                "name in URL does not match name in Eviction object",
            ));
        }
        let mut requested = document.get("deleteOptions").cloned().unwrap_or_default();
        if requested.is_null() {
            requested = json!({});
        }
        if dry_run {
            set(&mut requested, "dryRun", json!(["All"]));
        }
        let parse = |options: &Value| {
            let write = WriteOptions::default();
            DeleteOptions::parse(options.to_string().as_bytes(), query, write)
        };
        let checked = parse(&requested)?;
        if let Some(requested) = requested.as_object_mut() {
            requested.remove("preconditions");
        }
        let delete = parse(&requested)?;
        Ok(Self { checked, delete })
    }

    fn is_dry_run(&self) -> bool {
        self.delete.write.dry_run
    }
}

/// Evicts the Pod that `target` names.
pub(crate) fn evict(
    state: &mut State,
    target: &Target,
    eviction: &Eviction,
) -> Result<(), ApiError> {
    state.current(target)?;
    let pod = Arc::clone(state.get(target)?);
    let members = pod.members();
    let status = status_of(&members);
    let phase = status.get("phase").and_then(Value::as_str);
    let is_guarded =
        !pod.is_deleting() && !matches!(phase, Some("Succeeded" | "Failed" | "Pending"));
    if is_guarded {
        let mut budgets = budgets_of(state, target, &pod);
        if budgets.len() > 1 {
            let reason = "This pod has more than one PodDisruptionBudget, which the eviction \
                       subresource does not support.";
            return Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "", reason));
        }
        if let Some(budget) = budgets.pop().filter(|budget| budget.guards(&status)) {
            take_disruption(state, budget, &pod.name, eviction.is_dry_run())?;
        }
    }
    delete_evicted(state, target, eviction)
}

/// Adds the condition for the eviction to the Pod's status, then deletes the Pod.
fn delete_evicted(state: &mut State, target: &Target, eviction: &Eviction) -> Result<(), ApiError> {
    let object = target.at(&target.namespace, &target.name);
    let pod = Arc::clone(state.get(&object)?);
    eviction.checked.check(&object.resource, &pod)?;
    if !eviction.is_dry_run() {
        let mut document = pod.to_value(&object.resource.kind, &object.api_version());
        let condition = json!({
            "type": "DisruptionTarget",
            "status": "True",
            "lastProbeTime": null,
            "lastTransitionTime": state.clock.timestamp(),
            "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
        });
        put_condition(&mut document, condition);
        let status = Target {
            part: Part::Status,
            ..object.clone()
        };
        update(state, &status, document, WriteOptions::default())?;
    }
    delete(state, &object, &eviction.delete)?;
    Ok(())
}

/// Returns the budgets whose selectors match the Pod.
fn budgets_of(state: &State, target: &Target, pod: &Stored) -> Vec<Budget> {
    let Some(resource) = state.registry.get("policy", "poddisruptionbudgets") else {
        return Vec::new();
    };
    let prefix = format!("{}/", target.namespace);
    let objects = state.store.table(resource.id).into_iter();
    objects
        .flat_map(|table| table.range(prefix.clone()..))
        .take_while(|(key, _)| key.starts_with(&prefix))
        .map(|(_, object)| object)
        .filter_map(|object| {
            let members = object.members();
            let selector = members.get("spec")?.get("selector")?;
            let selector = Selector::parse(&selector_text(selector), "").ok()?;
            selector.matches(pod).then(|| Budget {
                target: Target {
                    resource: Arc::clone(resource),
                    version: "v1".to_owned(),
                    namespace: object.namespace.clone(),
                    name: object.name.clone(),
                    part: Part::Status,
                },
                object: Arc::clone(object),
                status: status_of(&members),
            })
        })
        .collect()
}

/// Consumes one of the disruptions that `budget` allows.
fn take_disruption(
    state: &mut State,
    mut budget: Budget,
    pod: &str,
    dry_run: bool,
) -> Result<(), ApiError> {
    budget.allows()?;
    if dry_run {
        return Ok(());
    }
    let now = state.clock.timestamp();
    budget.take(pod, &now);
    let Budget {
        target,
        object,
        status,
    } = budget;
    let resource = &target.resource;
    let mut document = object.to_value(&resource.kind, &target.api_version());
    set(&mut document, "status", status);
    update(state, &target, document, WriteOptions::default())?;
    Ok(())
}
