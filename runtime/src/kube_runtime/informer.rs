//! What an informer offers to kube's runtime.

use std::hash::Hash;

use futures::Stream;
use kube::Resource;
use kube::runtime::reflector::store::Writer;
use kube::runtime::reflector::{Store, reflector};
use kube::runtime::{WatchStreamExt as _, watcher};

use super::events::WatcherEvents;
use super::object::FromCache;
use crate::object::Object;
use crate::processor::{AddHandlerError, HandlerOptions};
use crate::shared_informer::SharedInformer;
use crate::storage::Storage;

// === impl SharedInformer ===

impl<K: Object, S: Storage<K>> SharedInformer<K, S> {
    /// This informer as the stream that `kube::runtime::watcher` would give, without a watch of its
    /// own: `Init`, the cached objects, `InitDone`, and then every change.
    ///
    /// `T` is `K`, copied, or [`SharedObject<K>`](super::SharedObject), which is not. The stream has
    /// a bounded mailbox of its own, as `options` say.
    ///
    /// # Errors
    ///
    /// The informer was stopped.
    pub fn watcher_events<T: FromCache<K>>(
        &self,
        options: HandlerOptions,
    ) -> Result<WatcherEvents<K, T, S>, AddHandlerError> {
        self.events(options).map(WatcherEvents::new)
    }

    /// What `kube::runtime::Controller::for_stream` asks for: a trigger, and a store that holds an
    /// object before the trigger tells of it.
    ///
    /// Each call makes a store of its own, filled as its trigger is polled, so that no controller
    /// waits for another one. See [`watcher_events`](Self::watcher_events) for `T`.
    ///
    /// # Errors
    ///
    /// The informer was stopped.
    pub fn controller_source<T>(
        &self,
        options: HandlerOptions,
    ) -> Result<
        (
            impl Stream<Item = watcher::Result<T>> + use<K, T, S>,
            Store<T>,
        ),
        AddHandlerError,
    >
    where
        T: FromCache<K> + Resource + Clone + Send + Sync + 'static,
        T::DynamicType: Default + Clone + Eq + Hash + Send + Sync,
    {
        self.controller_source_with(options, T::DynamicType::default())
    }

    /// [`controller_source`](Self::controller_source) for types that do not know their resource,
    /// such as `DynamicObject`; for `Controller::for_stream_with`.
    ///
    /// # Errors
    ///
    /// The informer was stopped.
    pub fn controller_source_with<T>(
        &self,
        options: HandlerOptions,
        dynamic_type: T::DynamicType,
    ) -> Result<
        (
            impl Stream<Item = watcher::Result<T>> + use<K, T, S>,
            Store<T>,
        ),
        AddHandlerError,
    >
    where
        T: FromCache<K> + Resource + Clone + Send + Sync + 'static,
        T::DynamicType: Clone + Eq + Hash + Send + Sync,
    {
        let writer = Writer::new(dynamic_type);
        let reader = writer.as_reader();
        let events = self.watcher_events::<T>(options)?;
        Ok((reflector(writer, events).applied_objects(), reader))
    }
}
