//! Deleting objects, collections and namespaces.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{WriteOptions, metadata_mut};
use crate::collector::{FOREGROUND, ORPHAN};
use crate::list::ListRequest;
use crate::query::Query;
use crate::registry::Resource;
use crate::route::Target;
use crate::selector::Selector;
use crate::state::State;
use crate::status::{ApiError, Cause};
use crate::store::Stored;

/// The namespaces that the real server does not let go.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// `DeleteOptions`, as far as they matter here.
#[derive(Debug, Default)]
pub(crate) struct DeleteOptions {
    uid: Option<String>,
    resource_version: Option<String>,
    propagation: Option<Propagation>,
    pub(crate) write: WriteOptions,
}

/// What becomes of the dependents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// They go after the object.
    Background,
    /// They go first; the object waits for those that block it.
    Foreground,
    /// They stay and forget the object.
    Orphan,
}

/// What became of an object.
#[derive(Debug)]
pub(crate) enum Deleted {
    /// It is gone; this is its last content.
    Gone(Arc<Stored>),
    /// It waits for its finalizers.
    Pending(Arc<Stored>),
}

// === impl DeleteOptions ===

impl DeleteOptions {
    /// Reads the body of a delete, which may be empty, and what the query says in its place.
    pub(crate) fn parse(body: &[u8], query: &Query, write: WriteOptions) -> Result<Self, ApiError> {
        let document: Value = if body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(body).map_err(|error| {
                ApiError::bad_request(format!("error decoding delete options: {error}"))
            })?
        };
        check_options(&document)?;
        query.number("gracePeriodSeconds")?;
        let precondition = |field: &str| {
            let value = document.get("preconditions")?.get(field)?;
            value.as_str().map(str::to_owned)
        };
        let all = json!("All");
        let given = document.get("dryRun").and_then(Value::as_array);
        if let Some(wrong) = given.into_iter().flatten().find(|value| **value != all) {
            let wrong = wrong.as_str().unwrap_or_default();
            let cause = Cause::not_supported_list("dryRun", wrong, "All");
            return Err(ApiError::invalid_options("DeleteOptions", &[cause]));
        }
        let dry_run = given.is_some_and(|given| !given.is_empty());
        let orphan = document
            .get("orphanDependents")
            .and_then(Value::as_bool)
            .or_else(|| query.optional_flag("orphanDependents"));
        let policy = document
            .get("propagationPolicy")
            .and_then(Value::as_str)
            .unwrap_or_else(|| query.get("propagationPolicy"));
        Ok(Self {
            uid: precondition("uid"),
            resource_version: precondition("resourceVersion"),
            propagation: Propagation::parse(policy, orphan)?,
            write: WriteOptions {
                dry_run: write.dry_run || dry_run,
                ..write
            },
        })
    }

    fn check(&self, resource: &Resource, object: &Stored) -> Result<(), ApiError> {
        let known = object.uid();
        if let Some(uid) = self.uid.as_deref()
            && uid != known
        {
            let why = format!(
                "the UID in the precondition ({uid}) does not match the UID in record ({known}). \
                 The object might have been deleted and then recreated"
            );
            return Err(ApiError::precondition(resource, &object.name, &why));
        }
        if let Some(version) = self.resource_version.as_deref()
            && version != object.revision.to_string()
        {
            let why = format!(
                "the ResourceVersion in the precondition ({version}) does not \
                 match the ResourceVersion in record ({}). The object might have been modified",
                object.revision
            );
            return Err(ApiError::precondition(resource, &object.name, &why));
        }
        Ok(())
    }
}

/// Refuses what is something else than options.
fn check_options(document: &Value) -> Result<(), ApiError> {
    let text = |field: &str| {
        document
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    if !matches!(document, Value::Null | Value::Object(_)) {
        return Err(ApiError::bad_request(
            "couldn't get version/kind; json parse error: json: cannot unmarshal into Go value",
        ));
    }
    if !matches!(text("kind"), "" | "DeleteOptions") {
        return Err(ApiError::bad_request(format!(
            "no kind {:?} is registered for version {:?} in scheme \"pkg/runtime/scheme.go:110\"",
            text("kind"),
            text("apiVersion")
        )));
    }
    match document.get("gracePeriodSeconds") {
        None | Some(Value::Null | Value::Number(_)) => Ok(()),
        Some(_) => Err(ApiError::bad_request(
            "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds \
             of type int64",
        )),
    }
}

impl Propagation {
    fn parse(policy: &str, orphan: Option<bool>) -> Result<Option<Self>, ApiError> {
        let refuse = |cause| Err(ApiError::invalid_options("DeleteOptions", &[cause]));
        match (policy, orphan) {
            ("", None) => Ok(None),
            (given @ ("Background" | "Foreground" | "Orphan"), Some(_)) => refuse(Cause::invalid(
                "propagationPolicy",
                given,
                "orphanDependents and deletionPropagation cannot be both set",
            )),
            ("Background", None) | ("", Some(false)) => Ok(Some(Self::Background)),
            ("Foreground", None) => Ok(Some(Self::Foreground)),
            ("Orphan", None) | ("", Some(true)) => Ok(Some(Self::Orphan)),
            (other, _) => {
                let known = ["Foreground", "Background", "Orphan", "nil"];
                refuse(Cause::not_supported("propagationPolicy", other, &known))
            }
        }
    }

    /// What a delete means that does not say. The real server keeps two kinds at what they meant
    /// before there was a garbage collector.
    fn usual(resource: &Resource) -> Option<Self> {
        let orphans = resource.is("batch", "jobs") || resource.is("", "replicationcontrollers");
        orphans.then_some(Self::Orphan)
    }

    /// The finalizers of `object`, with the one that makes it wait as this says.
    fn finalizers(self, object: &Stored) -> Vec<String> {
        let others = object
            .finalizers()
            .filter(|f| !matches!(*f, ORPHAN | FOREGROUND));
        let own = match self {
            Self::Background => None,
            Self::Foreground => Some(FOREGROUND),
            Self::Orphan => Some(ORPHAN),
        };
        others.chain(own).map(str::to_owned).collect()
    }
}

// === impl State ===

impl State {
    /// Deletes the object that `target` names, or marks it if it has finalizers.
    pub(crate) fn delete(
        &mut self,
        target: &Target,
        options: &DeleteOptions,
    ) -> Result<Deleted, ApiError> {
        self.current(target)?;
        let resource = &target.resource;
        let object = Arc::clone(self.get(target)?);
        options.check(resource, &object)?;
        let deleted = self.delete_by_rule(resource, object, options.propagation, options.write)?;
        self.settle();
        Ok(deleted)
    }

    /// Deletes `object` as its kind is deleted.
    pub(crate) fn delete_by_rule(
        &mut self,
        resource: &Arc<Resource>,
        object: Arc<Stored>,
        propagation: Option<Propagation>,
        options: WriteOptions,
    ) -> Result<Deleted, ApiError> {
        if resource.is("", "namespaces") {
            return self.delete_namespace(resource, object, options);
        }
        self.delete_object(resource, object, propagation, options)
    }

    /// Deletes what `selector` picks of the collection `target`.
    pub(crate) fn delete_collection(
        &mut self,
        target: &Target,
        selector: Selector,
        options: &DeleteOptions,
    ) -> Result<Vec<Arc<Stored>>, ApiError> {
        let page = self.list(target, &ListRequest::all(selector))?;
        let mut deleted = Vec::with_capacity(page.items.len());
        for object in page.items {
            let one = target.at(&object.namespace, &object.name);
            // One may have gone with another one of them.
            match self.delete(&one, options) {
                Ok(_) => deleted.push(object),
                Err(error) if error.code() == 404 => {}
                Err(error) => return Err(error),
            }
        }
        Ok(deleted)
    }

    fn delete_object(
        &mut self,
        resource: &Arc<Resource>,
        object: Arc<Stored>,
        propagation: Option<Propagation>,
        options: WriteOptions,
    ) -> Result<Deleted, ApiError> {
        let propagation = propagation
            .or_else(|| Propagation::usual(resource))
            .filter(|_| self.collector.enabled);
        let before: Vec<String> = object.finalizers().map(str::to_owned).collect();
        let finalizers = match propagation {
            Some(propagation) => propagation.finalizers(&object),
            None => before.clone(),
        };
        if finalizers.is_empty() {
            return Ok(Deleted::Gone(self.erase(resource, &object, options)));
        }
        if object.is_deleting() && finalizers == before {
            return Ok(Deleted::Pending(object));
        }
        let mut members = object.members();
        let metadata = metadata_mut(&mut members)?;
        metadata.insert("finalizers".to_owned(), finalizers.into());
        if !object.is_deleting() {
            metadata.insert(
                "deletionTimestamp".to_owned(),
                self.clock.timestamp().into(),
            );
            metadata.insert("deletionGracePeriodSeconds".to_owned(), 0.into());
            if let Some(generation) = metadata.get("generation").and_then(Value::as_u64) {
                metadata.insert("generation".to_owned(), json!(generation + 1));
            }
        }
        let marked = self.commit(resource, &object.namespace, &object.name, members, options);
        Ok(Deleted::Pending(marked))
    }

    /// Marks a namespace, deletes what is in it, and removes it when that is gone.
    fn delete_namespace(
        &mut self,
        resource: &Arc<Resource>,
        namespace: Arc<Stored>,
        options: WriteOptions,
    ) -> Result<Deleted, ApiError> {
        let name = namespace.name.clone();
        if IMMORTAL.contains(&name.as_str()) {
            let why = "this namespace may not be deleted";
            return Err(ApiError::forbidden(resource, &name, why));
        }
        if namespace.is_deleting() || options.dry_run {
            return Ok(Deleted::Pending(namespace));
        }
        let mut members = namespace.members();
        let metadata = metadata_mut(&mut members)?;
        metadata.insert(
            "deletionTimestamp".to_owned(),
            self.clock.timestamp().into(),
        );
        members.insert("status".to_owned(), json!({ "phase": "Terminating" }));
        let marked = self.commit(resource, "", &name, members, options);
        let namespaced: Vec<_> = self
            .registry
            .iter()
            .filter(|resource| resource.namespaced)
            .map(Arc::clone)
            .collect();
        for content in namespaced {
            for object in self.in_namespace(&content, &name) {
                self.delete_object(&content, object, Some(Propagation::Background), options)?;
            }
        }
        self.finish_namespace(&name);
        Ok(Deleted::Pending(marked))
    }

    fn in_namespace(&self, resource: &Resource, namespace: &str) -> Vec<Arc<Stored>> {
        let prefix = format!("{namespace}/");
        self.table(resource.id)
            .into_iter()
            .flat_map(|table| table.range(prefix.clone()..))
            .take_while(|(key, _)| key.starts_with(&prefix))
            .map(|(_, object)| Arc::clone(object))
            .collect()
    }

    /// Removes a namespace that is to go, if nothing holds it any longer.
    pub(crate) fn finish_namespace(&mut self, name: &str) {
        let Some(namespaces) = self.registry.get("", "namespaces").map(Arc::clone) else {
            return;
        };
        let Some(namespace) = self.find(namespaces.id, "", name).map(Arc::clone) else {
            return;
        };
        if !namespace.is_deleting() || namespace.finalizers().next().is_some() {
            return;
        }
        let occupied = self.registry.iter().any(|resource| {
            let prefix = format!("{name}/");
            resource.namespaced
                && self.table(resource.id).is_some_and(|table| {
                    let first = table.range(prefix.clone()..).next();
                    first.is_some_and(|(key, _)| key.starts_with(&prefix))
                })
        });
        if !occupied {
            self.remove(&namespaces, &namespace);
        }
    }
}
