//! Handlers that fill the queue of a running controller.

use std::future;

use futures::FutureExt as _;
use informer_runtime::engine::resume;
use informer_runtime::processor::HandlerSyncError;
use informer_runtime::{Event, EventHandler, HandlerRegistration};

use crate::workqueue::{Changed, EnqueueInto, is_ignored};

/// Handlers of one run. Dropping the value removes them.
#[derive(Debug, Default)]
pub(super) struct Handlers(pub(super) Vec<HandlerRegistration>);

/// Handler that enqueues changed objects.
pub(super) struct EnqueueChanged<T> {
    pub(super) enqueue: EnqueueInto,
    /// `None`: all updates count.
    pub(super) changed: Option<Changed<T>>,
}

// === impl Handlers ===

impl Handlers {
    /// Waits until each handler has seen the initial objects.
    pub(super) async fn wait_for_sync(&self) -> Result<(), HandlerSyncError> {
        for handler in &self.0 {
            handler.wait_for_sync().await?;
        }
        Ok(())
    }

    /// Removes the handlers, and waits for their running calls.
    pub(super) async fn remove(self) {
        for handler in &self.0 {
            handler.remove().await;
        }
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        for handler in &self.0 {
            // The first poll removes the handler.
            handler.remove().now_or_never();
        }
    }
}

// === impl EnqueueChanged ===

impl<T: Send + Sync + 'static> EventHandler<T> for EnqueueChanged<T> {
    fn on_event(&mut self, event: Event<T>) -> impl Future<Output = ()> + Send {
        let ignored = is_ignored(&event, self.changed.as_ref());
        if ignored != Ok(true) {
            drop(self.enqueue.on_event(event));
        }
        resume(ignored.map(drop));
        future::ready(())
    }
}
