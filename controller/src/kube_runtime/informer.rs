//! [`KubeRuntimeExt`]: methods of informers that return what kube's runtime takes.

use std::hash::Hash;

use futures::Stream;
use informer_runtime::processor::AddHandlerError;
use informer_runtime::{HandlerOptions, Object, SharedInformer, Storage};
use kube::Resource;
use kube::runtime::reflector::store::Writer;
use kube::runtime::reflector::{Store, reflector};
use kube::runtime::{WatchStreamExt as _, watcher};

use super::events::WatcherEvents;
use super::object::FromCache;

/// Methods of a [`SharedInformer`] that return what kube's runtime takes.
pub trait KubeRuntimeExt<K: Object, S: Storage<K>> {
    /// Returns this informer's events in the form of `kube::runtime::watcher`, without another
    /// watch: `Init`, the cached objects, `InitDone`, and then every change.
    ///
    /// `T` is `K`, which copies each object, or [`SharedObject<K>`](super::SharedObject), which
    /// does not. The stream has its own bounded mailbox; `options` configures it.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    fn watcher_events<T: FromCache<K>>(
        &self,
        options: HandlerOptions,
    ) -> Result<WatcherEvents<K, T, S>, AddHandlerError>;

    /// Returns the arguments of `kube::runtime::Controller::for_stream`: a trigger, and a store
    /// that contains an object before the trigger yields it.
    ///
    /// Each call creates a separate store, which is filled as its trigger is polled, so that
    /// controllers do not wait for each other. See [`watcher_events`](Self::watcher_events) for
    /// `T`.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    fn controller_source<T>(
        &self,
        options: HandlerOptions,
    ) -> Result<
        (
            impl Stream<Item = watcher::Result<T>> + use<Self, K, T, S>,
            Store<T>,
        ),
        AddHandlerError,
    >
    where
        T: FromCache<K> + Resource + Clone + Send + Sync + 'static,
        T::DynamicType: Default + Clone + Eq + Hash + Send + Sync,
    {
        let writer = Writer::new(T::DynamicType::default());
        let reader = writer.as_reader();
        let events = self.watcher_events::<T>(options)?;
        Ok((reflector(writer, events).applied_objects(), reader))
    }
}

// === impl SharedInformer ===

impl<K: Object, S: Storage<K>> KubeRuntimeExt<K, S> for SharedInformer<K, S> {
    fn watcher_events<T: FromCache<K>>(
        &self,
        options: HandlerOptions,
    ) -> Result<WatcherEvents<K, T, S>, AddHandlerError> {
        self.events(options).map(WatcherEvents::new)
    }
}
