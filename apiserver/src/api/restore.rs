//! Restores the objects of a persistent file.

use std::sync::Arc;

use serde_json::Value;

use super::definitions::definition_changed;
use super::state::State;
use crate::document::metadata_str;
use crate::registry::crd;
use crate::registry::forms::to_stored;
use crate::store::Stored;
use crate::store::file::Row;

/// Restores the objects and the revision. Definitions come first, because custom resources need
/// them.
pub(crate) fn restore(state: &mut State, revision: u64, rows: Vec<Row>) {
    let is_definition = |(key, _): &Row| key.starts_with(crd::PLURAL);
    let (definitions, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_definition);
    for row in definitions.into_iter().chain(others) {
        let key = row.0.clone();
        if restore_object(state, row).is_none() {
            tracing::warn!(key, "cannot restore an object");
        }
    }
    state.store.resume_at(revision);
}

fn restore_object(state: &mut State, (key, document): Row) -> Option<()> {
    let (resource, key) = key.split_once('/')?;
    let (plural, group) = resource.split_once('.')?;
    let resource = state.registry.get(group, plural).map(Arc::clone)?;
    let (namespace, name) = key.split_once('/').unwrap_or(("", key));
    let Value::Object(mut members) = document else {
        return None;
    };
    to_stored(group, &mut members);
    let revision = metadata_str(&members, "resourceVersion").parse();
    let object = Stored::new(namespace, name, revision.unwrap_or(0), members);
    let object = Arc::new(object);
    state.dependents.replace(resource.id, None, Some(&object));
    state
        .store
        .insert_restored(resource.id, Arc::clone(&object));
    if resource.is(crd::GROUP, crd::PLURAL) {
        definition_changed(state, &resource, &object);
    }
    Some(())
}
