//! Changes: create, update, patch and delete, as methods of [`State`].
//!
//! Each takes a decoded document, applies the rules of the real server for metadata, and commits
//! through [`State::commit`] or [`State::erase`]. Specs of built-in kinds are not validated and not
//! defaulted; those of custom kinds are, by their schemas.

mod create;
mod delete;
mod patch;
mod strategic;
mod update;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::registry::Resource;
use crate::route::Target;
use crate::schema::Schema;
use crate::state::State;
use crate::status::ApiError;
use crate::store::{Members, Stored};

pub(crate) use delete::{DeleteOptions, Deleted, Propagation};
pub(crate) use patch::Patch;

/// How a change is made.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WriteOptions {
    /// Check and answer, but change nothing.
    pub(crate) dry_run: bool,
    /// Take `status` as it is given, also where the main endpoint leaves it alone.
    pub(crate) with_status: bool,
}

/// Takes a document apart: its type must be the target's, its metadata an object. What is null is
/// as good as absent.
fn members_of(target: &Target, document: Value) -> Result<Members, ApiError> {
    let Value::Object(mut members) = document else {
        return Err(ApiError::bad_request("the object is not a JSON object"));
    };
    let resource = &target.resource;
    let (kind, api_version) = (members.remove("kind"), members.remove("apiVersion"));
    if let Some(kind) = kind.as_ref().and_then(Value::as_str)
        && kind != resource.kind
    {
        return Err(ApiError::bad_request(format!(
            "{kind} in version {:?} cannot be handled as a {}",
            target.version, resource.kind
        )));
    }
    if let Some(found) = api_version.as_ref().and_then(Value::as_str)
        && found != target.api_version()
    {
        return Err(ApiError::bad_request(format!(
            "the API version in the data ({found}) does not match the expected API version ({})",
            target.api_version()
        )));
    }
    members.retain(|_, value| !value.is_null());
    let metadata = members
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(metadata) = metadata else {
        return Err(undecodable(resource, "metadata", "an object"));
    };
    metadata.retain(|_, value| !value.is_null());
    for field in ["labels", "annotations"] {
        let strings = |map: &Map<String, Value>| map.values().all(Value::is_string);
        if metadata
            .get(field)
            .is_some_and(|m| !m.as_object().is_some_and(strings))
        {
            let field = format!("metadata.{field}");
            return Err(undecodable(resource, &field, "a map of strings"));
        }
    }
    Ok(members)
}

fn undecodable(resource: &Resource, field: &str, expected: &str) -> ApiError {
    ApiError::bad_request(format!(
        "{} in version cannot be handled: {field} is not {expected}",
        resource.kind
    ))
}

/// The metadata to change; [`members_of`] has seen to it that there is one.
pub(crate) fn metadata_mut(members: &mut Members) -> Result<&mut Map<String, Value>, ApiError> {
    members
        .get_mut("metadata")
        .and_then(Value::as_object_mut)
        .ok_or_else(|| ApiError::bad_request("the object has no metadata"))
}

// === impl Target ===

impl Target {
    fn schema(&self) -> Option<&Schema> {
        let version = self.resource.version(&self.version)?;
        version.schema.as_ref()
    }

    /// Prunes and defaults what a client has written to a custom resource.
    fn complete(&self, members: &mut Members) {
        if let Some(schema) = self.schema() {
            schema.complete(members);
        }
    }

    /// Refuses what breaks the schema of a custom resource.
    fn check_schema(&self, name: &str, members: &Members) -> Result<(), ApiError> {
        let violations = self
            .schema()
            .map(|schema| schema.violations(members))
            .unwrap_or_default();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(ApiError::invalid(&self.resource, name, &violations))
        }
    }
}

// === impl State ===

impl State {
    /// Stores a new version and lets the server's own controllers react.
    fn commit(
        &mut self,
        resource: &Arc<Resource>,
        namespace: &str,
        name: &str,
        members: Members,
        options: WriteOptions,
    ) -> Arc<Stored> {
        if options.dry_run {
            // It keeps the version that it has; what is new has none.
            let known = self.find(resource.id, namespace, name);
            let revision = known.map_or(0, |known| known.revision);
            return Arc::new(Stored::new(namespace, name, revision, members));
        }
        let stored = self.put(resource, namespace, name, members);
        if resource.is(crate::crd::GROUP, crate::crd::PLURAL) {
            self.definition_changed(resource, &stored);
        }
        // What a test puts there itself may name owners that never were.
        if !options.with_status {
            self.note_owners(resource.id, &stored);
        }
        stored
    }

    /// Removes an object and lets the server's own controllers react.
    pub(crate) fn erase(
        &mut self,
        resource: &Arc<Resource>,
        object: &Arc<Stored>,
        options: WriteOptions,
    ) -> Arc<Stored> {
        if options.dry_run {
            return Arc::clone(object);
        }
        let last = self.remove(resource, object);
        if resource.is(crate::crd::GROUP, crate::crd::PLURAL) {
            self.definition_removed(&last);
        }
        if resource.namespaced {
            self.finish_namespace(&last.namespace);
        }
        last
    }
}
