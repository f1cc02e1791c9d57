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
    let mut conflict = None;
    let mut id = definitions.id;
    if let Some(known) = state.registry.get(&spec.group, &spec.names.plural) {
        id = known.id;
        if !known.custom {
            conflict = Some("the plural name belongs to a built-in resource");
        }
    }
    if conflict.is_none() {
        let resource = state.registry.insert(spec.resource(id));
        state.store.open(resource.id);
    }
    let since = match metadata_str(&members, "creationTimestamp") {
        "" => state.clock.timestamp(),
        created => created.to_owned(),
    };
    let status = spec.status(conflict, &since);
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
    let resource = match state.registry.get(&spec.group, &spec.names.plural) {
        Some(resource) if resource.custom => Arc::clone(resource),
        _ => return,
    };
    let mut objects = Vec::new();
    if let Some(table) = state.store.table(resource.id) {
        objects.extend(table.values().map(Arc::clone));
    }
    for object in &objects {
        remove(state, &resource, object);
        finish_namespace(state, &object.namespace);
    }
    state.registry.remove(&spec.group, &spec.names.plural);
    state.store.close(resource.id);
}
