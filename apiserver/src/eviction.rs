//! Evictions: deletes of Pods that `PodDisruptionBudgets` have a say in.
//!
//! What a budget allows stands in its status, which in a cluster a controller writes and here a
//! test. An eviction takes one disruption from it, and is refused where there is none left.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::document::set;
use crate::query::Query;
use crate::route::{Part, Target};
use crate::scale::selector_text;
use crate::selector::Selector;
use crate::state::State;
use crate::status::ApiError;
use crate::store::{Members, Stored, metadata};
use crate::write::{DeleteOptions, WriteOptions};

/// How many evictions may wait for the budget's controller.
const MAX_DISRUPTED: usize = 2000;

/// A decoded `Eviction`.
#[derive(Debug)]
pub(crate) struct Eviction {
    /// The delete, with what it asks of the Pod.
    checked: DeleteOptions,
    /// The delete, once that has been checked.
    delete: DeleteOptions,
}

/// A budget with a say in an eviction.
struct Budget {
    target: Target,
    object: Arc<Stored>,
    status: Map<String, Value>,
}

// === impl Eviction ===

impl Eviction {
    /// Reads the `document` of an eviction of the Pod that `target` names.
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
        let mut asked = document.get("deleteOptions").cloned().unwrap_or_default();
        if asked.is_null() {
            asked = json!({});
        }
        if dry_run {
            set(&mut asked, "dryRun", json!(["All"]));
        }
        let parse = |options: &Value| {
            let write = WriteOptions::default();
            DeleteOptions::parse(options.to_string().as_bytes(), query, write)
        };
        let checked = parse(&asked)?;
        if let Some(asked) = asked.as_object_mut() {
            asked.remove("preconditions");
        }
        let delete = parse(&asked)?;
        Ok(Self { checked, delete })
    }

    fn is_dry_run(&self) -> bool {
        self.delete.write.dry_run
    }
}

// === impl State ===

impl State {
    /// Evicts the Pod that `target` names.
    pub(crate) fn evict(&mut self, target: &Target, eviction: &Eviction) -> Result<(), ApiError> {
        self.current(target)?;
        let pod = Arc::clone(self.get(target)?);
        let members = pod.members();
        let status = status_of(&members);
        let phase = status.get("phase").and_then(Value::as_str);
        let is_guarded =
            !pod.is_deleting() && !matches!(phase, Some("Succeeded" | "Failed" | "Pending"));
        if is_guarded {
            let mut budgets = self.budgets_of(target, &pod);
            if budgets.len() > 1 {
                let why = "This pod has more than one PodDisruptionBudget, which the eviction \
                           subresource does not support.";
                return Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "", why));
            }
            if let Some(budget) = budgets.pop().filter(|budget| budget.guards(&status)) {
                self.take_disruption(budget, &pod.name, eviction.is_dry_run())?;
            }
        }
        self.delete_evicted(target, eviction)
    }

    /// Says in the Pod's status why it goes, and deletes it.
    fn delete_evicted(&mut self, target: &Target, eviction: &Eviction) -> Result<(), ApiError> {
        let object = target.at(&target.namespace, &target.name);
        let pod = Arc::clone(self.get(&object)?);
        eviction.checked.check(&object.resource, &pod)?;
        if !eviction.is_dry_run() {
            let mut document = pod.to_value(&object.resource.kind, &object.api_version());
            let condition = json!({
                "type": "DisruptionTarget",
                "status": "True",
                "lastProbeTime": null,
                "lastTransitionTime": self.clock.timestamp(),
                "reason": "EvictionByEvictionAPI",
                "message": "Eviction API: evicting",
            });
            put_condition(&mut document, condition);
            let status = Target {
                part: Part::Status,
                ..object.clone()
            };
            self.update(&status, document, WriteOptions::default())?;
        }
        self.delete(&object, &eviction.delete)?;
        Ok(())
    }

    /// The budgets whose selectors match the Pod.
    fn budgets_of(&self, target: &Target, pod: &Stored) -> Vec<Budget> {
        let Some(resource) = self.registry.get("policy", "poddisruptionbudgets") else {
            return Vec::new();
        };
        let prefix = format!("{}/", target.namespace);
        let objects = self.table(resource.id).into_iter();
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

    /// Takes one disruption from what `budget` allows.
    fn take_disruption(
        &mut self,
        mut budget: Budget,
        pod: &str,
        dry_run: bool,
    ) -> Result<(), ApiError> {
        budget.allows()?;
        if dry_run {
            return Ok(());
        }
        let now = self.clock.timestamp();
        budget.take(pod, &now);
        let Budget {
            target,
            object,
            status,
        } = budget;
        let resource = &target.resource;
        let mut document = object.to_value(&resource.kind, &target.api_version());
        set(&mut document, "status", status);
        self.update(&target, document, WriteOptions::default())?;
        Ok(())
    }
}

// === impl Budget ===

impl Budget {
    fn number(&self, field: &str) -> i64 {
        let value = self.status.get(field).and_then(Value::as_i64);
        value.unwrap_or_default()
    }

    /// Whether it has a say about a Pod of this status: about one that is not ready it may have none.
    fn guards(&self, pod: &Map<String, Value>) -> bool {
        let is_ready = condition(pod, "Ready")
            .is_some_and(|ready| ready.get("status").is_some_and(|status| status == "True"));
        if is_ready {
            return true;
        }
        let members = self.object.members();
        let policy = members
            .get("spec")
            .and_then(|spec| spec.get("unhealthyPodEvictionPolicy")?.as_str());
        let desired = self.number("desiredHealthy");
        let is_healthy = desired > 0 && self.number("currentHealthy") >= desired;
        policy != Some("AlwaysAllow") && !is_healthy
    }

    /// Refuses where no disruption is left.
    fn allows(&self) -> Result<(), ApiError> {
        let name = &self.object.name;
        let members = self.object.members();
        let generation = metadata(&members).and_then(|m| m.get("generation")?.as_i64());
        if self.number("observedGeneration") < generation.unwrap_or_default() {
            let why =
                format!("The disruption budget {name} is still being processed by the server.");
            return Err(too_many(&why).with_retry_after(10));
        }
        let forbidden = |short: &str, why: &str| {
            let why = format!(
                "The disruption budget {name} does not allow evicting pods currently: {why}"
            );
            let error = ApiError::forbidden_named("policy", "poddisruptionbudget", name, short);
            error.with_causes(&[(CAUSE, &why)])
        };
        let allowed = self.number("disruptionsAllowed");
        if allowed < 0 {
            let why = "pdb disruptions allowed is negative";
            return Err(forbidden(why, why));
        }
        let disrupted = self.status.get("disruptedPods").and_then(Value::as_object);
        if disrupted.is_some_and(|disrupted| disrupted.len() > MAX_DISRUPTED) {
            return Err(forbidden(
                "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
                "too many pending evictions not confirmed by PDB controller",
            ));
        }
        if allowed > 0 {
            return Ok(());
        }
        let (desired, current) = (self.number("desiredHealthy"), self.number("currentHealthy"));
        let refusal = condition(&self.status, "DisruptionAllowed").filter(|condition| {
            condition
                .get("status")
                .is_some_and(|status| status == "False")
        });
        let text = |field: &str| {
            let text = refusal.and_then(|condition| condition.get(field)?.as_str());
            text.unwrap_or_default()
        };
        let (reason, message) = (text("reason"), text("message"));
        let no = format!("The disruption budget {name} does not allow evicting pods currently");
        let why = if reason == "SyncFailed" && !message.is_empty() {
            format!("{no} because it failed sync: {message}")
        } else if current <= desired {
            format!(
                "The disruption budget {name} needs {desired} healthy pods and has {current} currently"
            )
        } else if !message.is_empty() {
            format!("{no} ({reason}): {message}")
        } else {
            no
        };
        Err(too_many(&why))
    }

    /// Notes that `pod` is about to go.
    fn take(&mut self, pod: &str, now: &str) {
        let left = self.number("disruptionsAllowed") - 1;
        let status = &mut self.status;
        status.insert("disruptionsAllowed".to_owned(), left.into());
        let disrupted = status.entry("disruptedPods").or_insert_with(|| json!({}));
        set(disrupted, pod, now);
        if left == 0 {
            let generation = status.get("observedGeneration").cloned();
            let condition = json!({
                "type": "DisruptionAllowed",
                "status": "False",
                "observedGeneration": generation,
                "lastTransitionTime": now,
                "reason": "InsufficientPods",
                "message": "",
            });
            let mut document = json!({ "status": std::mem::take(status) });
            put_condition(&mut document, condition);
            if let Some(Value::Object(changed)) = document.get_mut("status") {
                *status = std::mem::take(changed);
            }
        }
    }
}

/// How a refusal names what is behind it.
const CAUSE: &str = "DisruptionBudget";

fn too_many(why: &str) -> ApiError {
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests", message);
    error.with_causes(&[(CAUSE, why)])
}

/// The status of an object; nothing in it if it has none.
fn status_of(members: &Members) -> Map<String, Value> {
    let status = members.get("status").and_then(Value::as_object);
    status.cloned().unwrap_or_default()
}

/// The condition of this type.
fn condition<'a>(status: &'a Map<String, Value>, kind: &str) -> Option<&'a Value> {
    let conditions = status.get("conditions")?.as_array()?;
    conditions
        .iter()
        .find(|condition| condition.get("type").is_some_and(|known| known == kind))
}

/// Puts `condition` where the one of its type is, or behind the others. What has not changed since
/// keeps its time.
fn put_condition(document: &mut Value, mut condition: Value) {
    let Some(members) = document.as_object_mut() else {
        return;
    };
    let status = members.entry("status").or_insert_with(|| json!({}));
    let Some(status) = status.as_object_mut() else {
        return;
    };
    let list = status.entry("conditions").or_insert_with(|| json!([]));
    let Some(list) = list.as_array_mut() else {
        return;
    };
    let kind = condition.get("type").cloned();
    match list
        .iter_mut()
        .find(|known| known.get("type") == kind.as_ref())
    {
        Some(known) => {
            if known.get("status") == condition.get("status")
                && let Some(since) = known.get("lastTransitionTime").cloned()
            {
                set(&mut condition, "lastTransitionTime", since);
            }
            *known = condition;
        }
        None => list.push(condition),
    }
}
