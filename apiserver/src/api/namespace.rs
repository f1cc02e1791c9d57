//! Deletion of namespaces with their contents.

use std::sync::Arc;

use super::change::remove;
use super::state::ServerState;
use crate::registry::Resource;
use crate::store::Stored;

pub(crate) fn in_namespace(
    state: &ServerState,
    resource: &Resource,
    namespace: &str,
) -> Vec<Arc<Stored>> {
    let prefix = format!("{namespace}/");
    state
        .store
        .starting_with(resource.id, &prefix)
        .map(Arc::clone)
        .collect()
}

/// Removes a terminating namespace if it is empty and has no finalizers.
pub(crate) fn finish_namespace(state: &mut ServerState, name: &str) {
    let Some(namespaces) = state.registry.get("", "namespaces").map(Arc::clone) else {
        return;
    };
    let Some(namespace) = state.store.find(namespaces.id, "", name).map(Arc::clone) else {
        return;
    };
    if !namespace.is_deleting() || namespace.finalizers().next().is_some() {
        return;
    }
    let prefix = format!("{name}/");
    let is_occupied = state.registry.iter().any(|resource| {
        let mut objects = state.store.starting_with(resource.id, &prefix);
        resource.namespaced && objects.next().is_some()
    });
    if !is_occupied {
        remove(state, &namespaces, &namespace);
    }
}
