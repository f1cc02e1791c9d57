//! Deleting objects, collections and namespaces.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{WriteOptions, metadata_mut, timestamp};
use crate::list::ListRequest;
use crate::registry::Resource;
use crate::route::Target;
use crate::selector::Selector;
use crate::state::State;
use crate::status::ApiError;
use crate::store::Stored;

/// The namespaces that the real server does not let go.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// `DeleteOptions`, as far as they matter here. Propagation is not among them: there is no
/// garbage collector.
#[derive(Debug, Default)]
pub(crate) struct DeleteOptions {
    uid: Option<String>,
    resource_version: Option<String>,
    pub(crate) write: WriteOptions,
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
    /// Reads the body of a delete, which may be empty.
    pub(crate) fn parse(body: &[u8], write: WriteOptions) -> Result<Self, ApiError> {
        if body.is_empty() {
            return Ok(Self {
                write,
                ..Self::default()
            });
        }
        let document: Value = serde_json::from_slice(body).map_err(|error| {
            ApiError::bad_request(format!("error decoding delete options: {error}"))
        })?;
        let precondition = |field: &str| {
            let value = document.get("preconditions")?.get(field)?;
            value.as_str().map(str::to_owned)
        };
        let dry_run = document
            .get("dryRun")
            .is_some_and(|all| *all == json!(["All"]));
        Ok(Self {
            uid: precondition("uid"),
            resource_version: precondition("resourceVersion"),
            write: WriteOptions {
                dry_run: write.dry_run || dry_run,
                ..write
            },
        })
    }

    fn check(&self, resource: &Resource, object: &Stored) -> Result<(), ApiError> {
        let known = object.metadata_str("uid");
        if let Some(uid) = self.uid.as_deref()
            && uid != known
        {
            return Err(ApiError::wrong_uid(resource, &object.name, uid, known));
        }
        if let Some(version) = self.resource_version.as_deref()
            && version != object.revision.to_string()
        {
            let why = format!(
                "Precondition failed: the ResourceVersion in the precondition ({version}) does not \
                 match the ResourceVersion in record ({}). The object might have been modified",
                object.revision
            );
            return Err(ApiError::conflict(resource, &object.name, &why));
        }
        Ok(())
    }
}

impl Deleted {
    pub(crate) fn object(&self) -> &Arc<Stored> {
        match self {
            Self::Gone(object) | Self::Pending(object) => object,
        }
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
        if resource.is("", "namespaces") {
            return self.delete_namespace(resource, object, options.write);
        }
        self.delete_object(resource, object, options.write)
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
                Ok(done) => deleted.push(Arc::clone(done.object())),
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
        options: WriteOptions,
    ) -> Result<Deleted, ApiError> {
        if object.finalizers().next().is_none() {
            return Ok(Deleted::Gone(self.erase(resource, &object, options)));
        }
        if object.is_deleting() {
            return Ok(Deleted::Pending(object));
        }
        let mut members = object.members.clone();
        let metadata = metadata_mut(&mut members)?;
        metadata.insert("deletionTimestamp".to_owned(), timestamp().into());
        metadata.insert("deletionGracePeriodSeconds".to_owned(), 0.into());
        if let Some(generation) = metadata.get("generation").and_then(Value::as_u64) {
            metadata.insert("generation".to_owned(), json!(generation + 1));
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
        let mut members = namespace.members.clone();
        let metadata = metadata_mut(&mut members)?;
        metadata.insert("deletionTimestamp".to_owned(), timestamp().into());
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
                self.delete_object(&content, object, options)?;
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
