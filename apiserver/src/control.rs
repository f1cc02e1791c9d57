//! The side of the server that tests look at and turn.
//!
//! [`Control`] is one type with its methods in four files: `traffic` has requests and what waits
//! for them, `disturbances` what goes wrong, `objects` the state without HTTP. `requests`, `activity`
//! and `watches` are what they look at.

mod disturbances;
mod objects;
mod traffic;

use std::sync::Arc;

use crate::shared::Shared;

/// Looks into a server and makes things go wrong. Clones control the same server.
///
/// Where a method takes a `resource`, it is a plural (`pods`) or, where groups share a plural,
/// `plural.group` (`events.events.k8s.io`).
#[derive(Debug, Clone)]
pub struct Control {
    shared: Arc<Shared>,
}

// === impl Control ===

impl Control {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }
}
