//! State that requests read and change, under one lock.
//!
//! Functions on the state run under the lock of the server's shared state; none of them waits.

use std::sync::Arc;

use super::dependents::Dependents;
use crate::clock::Clock;
use crate::registry::Registry;
use crate::registry::target::RequestTarget;
use crate::status::ApiError;
use crate::store::{Store, Stored};

/// Everything that a request can read or change.
#[derive(Debug)]
pub(crate) struct ServerState {
    /// Has a table for every resource of the registry.
    pub(crate) store: Store,
    pub(crate) registry: Registry,
    pub(crate) clock: Clock,
    /// Index of dependents by owner.
    pub(crate) dependents: Dependents,
}

// === impl ServerState ===

impl ServerState {
    /// Creates an empty store for the built-in kinds.
    pub(crate) fn new(event_window: usize) -> Self {
        let registry = Registry::built_in();
        let mut store = Store::new(event_window);
        for resource in registry.iter() {
            store.open(resource.id);
        }
        Self {
            store,
            registry,
            clock: Clock::default(),
            dependents: Dependents::default(),
        }
    }

    /// Returns the object that `target` names.
    pub(crate) fn get(&self, target: &RequestTarget) -> Result<&Arc<Stored>, ApiError> {
        let resource = &target.resource;
        self.store
            .find(resource.id, &target.namespace, &target.name)
            .ok_or_else(|| ApiError::not_found(&**resource, &target.name))
    }

    /// Returns an error if the target's definition was deleted or replaced. A request reads the
    /// registry when it is routed and again when it is executed; the definition may change in
    /// between.
    pub(crate) fn current(&self, target: &RequestTarget) -> Result<(), ApiError> {
        let resource = &target.resource;
        match self.registry.get(&resource.group, &resource.plural) {
            Some(now) if now.id == resource.id => Ok(()),
            _ => Err(ApiError::no_such_resource()),
        }
    }
}
