//! The controller of `CustomResourceDefinitions`, which serves the defined resources.

use std::sync::Arc;

use super::change::{put, remove};
use super::namespace::finish_namespace;
use super::state::ServerState;
use crate::document::metadata_str;
use crate::registry::Resource;
use crate::registry::crd::parse;
use crate::store::Stored;

/// Serves the resource of a new or changed definition, and writes the definition's status as a
/// separate change, like the real controller.
pub(crate) fn definition_changed(
    state: &mut ServerState,
    definitions: &Arc<Resource>,
    stored: &Arc<Stored>,
) {
    // Only an injected definition can be malformed here; its resource is not served.
    let mut members = stored.members();
    let Ok(spec) = parse(&members) else {
        return;
    };
    let known = state
        .registry
        .get(&spec.group, &spec.names.plural)
        .map(Arc::clone);
    let conflict = match &known {
        Some(known) if !known.custom => Some("the plural name belongs to a built-in resource"),
        _ => None,
    };
    if conflict.is_none() {
        let id = known.map_or(definitions.id, |known| known.id);
        let resource = state.registry.insert(spec.resource(id));
        state.store.open(resource.id);
    }
    let since = metadata_str(&members, "creationTimestamp");
    let now = state.clock.timestamp();
    let status = spec.status(conflict, if since.is_empty() { &now } else { since });
    if members.get("status") != Some(&status) {
        members.insert("status".to_owned(), status);
        put(state, definitions, "", &stored.name, members);
    }
}

/// Removes the objects of a deleted definition, then the resource. Watchers receive the deletions,
/// then their watch ends. The finalizers of these objects are ignored.
pub(crate) fn definition_removed(state: &mut ServerState, stored: &Stored) {
    let Ok(spec) = parse(&stored.members()) else {
        return;
    };
    let custom = |resource: &&Arc<Resource>| resource.custom;
    let Some(resource) = state
        .registry
        .get(&spec.group, &spec.names.plural)
        .filter(custom)
        .map(Arc::clone)
    else {
        return;
    };
    let table = state.store.table(resource.id).into_iter();
    let objects: Vec<_> = table
        .flat_map(|table| table.values().map(Arc::clone))
        .collect();
    for object in &objects {
        remove(state, &resource, object);
        finish_namespace(state, &object.namespace);
    }
    state.registry.remove(&spec.group, &spec.names.plural);
    state.store.close(resource.id);
}
