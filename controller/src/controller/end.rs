//! Causes that end a controller.

use std::future::pending;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, select_all};

use crate::reconcile::leader_election::Held;

/// Cause of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Requested,
    LeaseLost,
}

/// Triggers of a shutdown, and the lease.
#[derive(Clone, Default)]
pub(super) struct Ends {
    triggers: Vec<Shared<BoxFuture<'static, ()>>>,
    lease: Option<Held>,
}

// === impl Ends ===

impl Ends {
    pub(super) fn add_trigger(&mut self, trigger: impl Future<Output = ()> + Send + 'static) {
        self.triggers.push(trigger.boxed().shared());
    }

    pub(super) fn set_lease(&mut self, lease: Held) {
        self.lease = Some(lease);
    }

    /// Completes when the lease is lost.
    pub(super) async fn lost(&self) {
        match &self.lease {
            Some(lease) => lease.lost().await,
            None => pending().await,
        }
    }

    /// Completes at the first cause, of which the loss of the lease comes first.
    pub(super) async fn any(&self) -> End {
        let requested = async {
            if self.triggers.is_empty() {
                pending::<()>().await;
            }
            select_all(self.triggers.iter().cloned()).await;
        };
        tokio::select! {
            biased;
            () = self.lost() => End::LeaseLost,
            () = requested => End::Requested,
        }
    }
}
