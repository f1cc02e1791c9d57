//! Objects, read and written without HTTP.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Control, complete_item};
use crate::api::put;
use crate::api::state::ServerState;
use crate::api::write::{DeleteOptions, WriteOptions, create, delete, update};
use crate::document::{Members, is_too_deep, metadata_str, str_of};
use crate::registry::models;
use crate::registry::subresource::Subresource;
use crate::registry::target::{RequestTarget, ResourcePath};
use crate::status::ApiError;
use crate::store::Stored;

/// Maximum number of repetitions of a modification.
const MAX_CONFLICTS: usize = 100;

// === impl Control ===

impl Control {
    /// Returns the resourceVersion of the newest change.
    #[must_use]
    pub fn current_resource_version(&self) -> u64 {
        self.shared.state().store.revision()
    }

    /// Returns the objects of `resource` as complete documents, in the order of a list; empty if
    /// the resource is unknown. Reads the state directly.
    #[must_use]
    pub fn objects(&self, resource: &str) -> Vec<Value> {
        let (resource, objects) = {
            let state = self.shared.state();
            let Some(resource) = state.registry.named(resource).map(Arc::clone) else {
                return Vec::new();
            };
            let mut objects = Vec::new();
            if let Some(table) = state.store.table(resource.id) {
                objects.extend(table.values().map(Arc::clone));
            }
            (resource, objects)
        };
        let version = match resource.versions.first() {
            Some(version) => version.name.clone(),
            None => String::new(),
        };
        let target = RequestTarget {
            version,
            resource,
            namespace: String::new(),
            name: String::new(),
            subresource: Subresource::None,
        };
        objects
            .iter()
            .map(|object| target.document_of(object))
            .collect()
    }

    /// Returns the object at `path` (`/api/v1/namespaces/default/pods/x`); `None` if it does not
    /// exist, or its resource is not served. Reads the state directly.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<Value> {
        let state = self.shared.state();
        let target = resolve(&state, path).ok()?;
        let object = state
            .store
            .find(target.resource.id, &target.namespace, &target.name)?;
        Some(target.document_of(object))
    }

    /// Creates an object without HTTP, and without recording a request. `apiVersion` and `kind`
    /// select the resource, `metadata.namespace` the namespace (default: `default`). Unlike a POST,
    /// keeps `status`. Returns the stored object.
    ///
    /// # Errors
    ///
    /// As a POST.
    pub fn create_direct(&self, object: Value) -> Result<Value, ApiError> {
        self.direct(object, create)
    }

    /// Replaces an object, including its `status`, without HTTP; see
    /// [`create_direct`](Self::create_direct).
    ///
    /// # Errors
    ///
    /// As a PUT: of a custom resource without `metadata.resourceVersion` with 422, of an older
    /// version with 409. [`modify`](Self::modify) needs no version.
    pub fn update_direct(&self, object: Value) -> Result<Value, ApiError> {
        self.direct(object, update)
    }

    /// Changes the object at `path` (`/api/v1/namespaces/default/pods/x`), including its `status`,
    /// without HTTP. Calls `change` again with the newer object if another write comes in between,
    /// at most 100 times. Returns the stored object.
    ///
    /// # Errors
    ///
    /// As a GET and a PUT.
    pub fn modify(
        &self,
        path: &str,
        mut change: impl FnMut(&mut Value),
    ) -> Result<Value, ApiError> {
        let mut retries = 0..MAX_CONFLICTS;
        loop {
            let target = resolve(&self.shared.state(), path)?;
            let missing = || ApiError::not_found(&*target.resource, &target.name);
            let mut object = self.get(path).ok_or_else(missing)?;
            change(&mut object);
            match self.update_direct(object) {
                Err(error) if error.reason() == "Conflict" && retries.next().is_some() => {}
                done => return done,
            }
        }
    }

    /// Deletes the object at `path` (`/api/v1/namespaces/default/pods/x`) without HTTP.
    ///
    /// # Errors
    ///
    /// As a DELETE.
    pub fn delete_direct(&self, path: &str) -> Result<(), ApiError> {
        self.shared.change(|state| {
            let target = resolve(state, path)?;
            delete(state, &target, &DeleteOptions::default())?;
            Ok(())
        })
    }

    /// Stores `object` at `path` (`/api/v1/namespaces/default/pods/x`) unchanged: no rule is
    /// applied, and no field is set but `metadata.resourceVersion`, if `metadata` is an object. A
    /// `kind` or `apiVersion` that differs from the resource's is stored and served. Returns the
    /// object's resourceVersion.
    ///
    /// # Errors
    ///
    /// If `path` does not name an object of a served resource, or `object` is not a JSON object or
    /// has more than 120 levels.
    pub fn put_raw(&self, path: &str, object: Value) -> Result<u64, ApiError> {
        if is_too_deep(&object) {
            return Err(ApiError::bad_request("the object is nested too deeply"));
        }
        let Value::Object(mut members) = object else {
            return Err(ApiError::bad_request("the object is not a JSON object"));
        };
        let mut state = self.shared.state();
        let target = resolve(&state, path)?;
        drop_own_type(&target, &mut members);
        let stored = put(
            &mut state,
            &target.resource,
            &target.namespace,
            &target.name,
            members,
        );
        Ok(stored.revision)
    }

    /// Creates `object`, or its items if it is a list.
    pub(crate) fn load(&self, mut object: Value) -> Result<(), ApiError> {
        let text = |field: &str| Some(object.get(field)?.as_str()?.to_owned());
        let api_version = text("apiVersion");
        let kind = text("kind").unwrap_or_default();
        if let Some(listed) = kind.strip_suffix("List")
            && let Some(Value::Array(items)) = object.get_mut("items")
        {
            for mut item in std::mem::take(items) {
                complete_item(&mut item, Some(listed), api_version.as_deref());
                self.load(item)?;
            }
            return Ok(());
        }
        self.change(object, create)?;
        Ok(())
    }

    fn direct(&self, object: Value, change: ObjectWrite) -> Result<Value, ApiError> {
        let (target, stored) = self.change(object, change)?;
        Ok(target.document_of(&stored))
    }

    fn change(
        &self,
        object: Value,
        change: ObjectWrite,
    ) -> Result<(RequestTarget, Arc<Stored>), ApiError> {
        let options = WriteOptions {
            with_status: true,
            create_namespaces: self.shared.config.create_namespaces,
            ..WriteOptions::default()
        };
        // Unpacks the schemas here, outside the lock of the state.
        models::unpack();
        self.shared.change(|state| {
            let target = target_of(state, &object)?;
            let stored = change(state, &target, object, options)?;
            Ok((target, stored))
        })
    }
}

/// A write of an object whose target follows from its own members.
type ObjectWrite =
    fn(&mut ServerState, &RequestTarget, Value, WriteOptions<'_>) -> Result<Arc<Stored>, ApiError>;

pub(super) fn resolve(state: &ServerState, path: &str) -> Result<RequestTarget, ApiError> {
    if let Some(place) = ResourcePath::parse(path)
        && let Some(target) = place.resolve(&state.registry)
        && !target.name.is_empty()
    {
        return Ok(target);
    }
    Err(ApiError::no_such_resource())
}

/// Returns the target of an object, from its `apiVersion`, `kind` and metadata.
fn target_of(state: &ServerState, object: &Value) -> Result<RequestTarget, ApiError> {
    let api_version = str_of(object.get("apiVersion"));
    let kind = str_of(object.get("kind"));
    let Some(resource) = state.registry.of_kind(api_version, kind) else {
        return Err(ApiError::bad_request(format!(
            "no matches for kind {kind:?} in version {api_version:?}"
        )));
    };
    let nothing = Map::new();
    let members: &Members = object.as_object().unwrap_or(&nothing);
    let namespace = match metadata_str(members, "namespace") {
        _ if !resource.namespaced => "",
        "" => "default",
        given => given,
    };
    let version = api_version.rsplit('/').next().unwrap_or_default();
    Ok(RequestTarget {
        resource: Arc::clone(resource),
        version: version.to_owned(),
        namespace: namespace.to_owned(),
        name: metadata_str(members, "name").to_owned(),
        subresource: Subresource::None,
    })
}

/// Removes `kind` and `apiVersion` if both are the resource's own; otherwise keeps them.
fn drop_own_type(target: &RequestTarget, members: &mut Members) {
    let text = |field: &str| members.get(field).and_then(Value::as_str);
    let own_kind = text("kind").is_none_or(|kind| kind == target.resource.kind);
    let own_version = text("apiVersion").is_none_or(|version| version == target.api_version());
    if own_kind && own_version {
        members.remove("kind");
        members.remove("apiVersion");
        return;
    }
    members
        .entry("kind")
        .or_insert_with(|| target.resource.kind.clone().into());
    members
        .entry("apiVersion")
        .or_insert_with(|| target.api_version().into());
}

#[cfg(test)]
mod tests;
