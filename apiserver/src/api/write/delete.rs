//! Deleting objects, collections and namespaces.

mod options;

use std::sync::Arc;

use serde_json::{Value, json};

pub(crate) use self::options::{DeleteOptions, Propagation};
use super::{WriteOptions, metadata_mut};
use crate::api::list::ListRequest;
use crate::api::selector::Selector;
use crate::api::state::State;
use crate::registry::Resource;
use crate::registry::target::Target;
use crate::status::ApiError;
use crate::store::Stored;

/// The namespaces that the real server does not let go.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// What became of an object.
#[derive(Debug)]
pub(crate) enum Deleted {
    /// It is gone; this is its last content.
    Gone(Arc<Stored>),
    /// It waits for its finalizers.
    Pending(Arc<Stored>),
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
        options: WriteOptions<'_>,
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
        options: WriteOptions<'_>,
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
        options: WriteOptions<'_>,
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
