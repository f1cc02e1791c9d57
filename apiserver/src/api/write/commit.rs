//! Commits of changes, followed by the reactions of the built-in controllers.

use std::sync::Arc;

use super::options::WriteOptions;
use crate::api::change::{note_owners, put, remove};
use crate::api::definitions::{definition_changed, definition_removed};
use crate::api::namespace::finish_namespace;
use crate::api::state::ServerState;
use crate::document::Members;
use crate::registry::events::to_stored;
use crate::registry::{Resource, crd};
use crate::store::Stored;

/// Stores a new version and runs the built-in controllers.
pub(super) fn commit(
    state: &mut ServerState,
    resource: &Arc<Resource>,
    namespace: &str,
    name: &str,
    mut members: Members,
    options: WriteOptions<'_>,
) -> Arc<Stored> {
    to_stored(&resource.group, &mut members);
    if options.dry_run {
        // A dry run keeps the object's version; a new object has none.
        let known = state.store.find(resource.id, namespace, name);
        let revision = known.map_or(0, |known| known.revision);
        return Arc::new(Stored::new(namespace, name, revision, members));
    }
    let stored = put(state, resource, namespace, name, members);
    if resource.is(crd::GROUP, crd::PLURAL) {
        definition_changed(state, resource, &stored);
    }
    // Objects that a test creates directly may name owners that never existed.
    if !options.with_status {
        note_owners(state, resource.id, &stored);
    }
    stored
}

/// Removes an object and runs the built-in controllers.
pub(crate) fn erase(
    state: &mut ServerState,
    resource: &Arc<Resource>,
    object: &Arc<Stored>,
    options: WriteOptions<'_>,
) -> Arc<Stored> {
    if options.dry_run {
        return Arc::clone(object);
    }
    let last = remove(state, resource, object);
    if resource.is(crd::GROUP, crd::PLURAL) {
        definition_removed(state, &last);
    }
    if resource.namespaced {
        finish_namespace(state, &last.namespace);
    }
    last
}
