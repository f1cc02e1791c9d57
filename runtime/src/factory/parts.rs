//! [`Parts`]: a user's compression and store. They are made for the handles of one storage, and
//! which one an informer has is not known before it is asked for.

use std::any::Any;
use std::sync::Arc;

use crate::delta_fifo::{Compression, Delta, Order};
use crate::object::Object;
use crate::processor::Handle;
use crate::shared_informer::controller::DynStore;
use crate::shared_informer::{SharedInformerBuilder, Store, StoreBatch};
use crate::status::StoreError;
use crate::storage::Storage;

/// What is put into an informer, without the type of its handles.
#[derive(Clone, Default)]
pub(super) struct Parts {
    /// A [`Rule`].
    compression: Option<Part>,
    /// A [`MakeStore`].
    store: Option<Part>,
}

type Part = Arc<dyn Any + Send + Sync>;
type Rule<H> = Arc<dyn Compression<H>>;
type MakeStore<H> = Arc<dyn Fn() -> Box<dyn DynStore<H>> + Send + Sync>;
type Builder<K, S> = SharedInformerBuilder<K, S>;

/// A store that is made when there is something to write: for informers that run, by their own task
/// and under no lock.
struct Made<H> {
    make: MakeStore<H>,
    store: Option<Box<dyn DynStore<H>>>,
}

// === impl Parts ===

impl Parts {
    pub(super) fn set_compression<H: 'static>(&mut self, rule: impl Compression<H> + 'static) {
        let rule: Rule<H> = Arc::new(rule);
        self.compression = Some(Arc::new(rule));
    }

    pub(super) fn set_store<H: Handle, T: Store<H>>(
        &mut self,
        make: impl Fn() -> T + Send + Sync + 'static,
    ) {
        let make: MakeStore<H> = Arc::new(move || Box::new(make()));
        self.store = Some(Arc::new(make));
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            compression: self.compression.or(other.compression),
            store: self.store.or(other.store),
        }
    }

    /// Whether a queue that has no keys would have no use for them.
    pub(super) fn need_keys(&self) -> bool {
        self.compression.is_some()
    }

    /// Puts them into an informer with a queue of this order; or says why they do not fit it.
    pub(super) fn put_into<K: Object, S: Storage<K>>(
        self,
        mut builder: Builder<K, S>,
        order: Option<Order>,
    ) -> (Builder<K, S>, Option<&'static str>) {
        let mut misfit = None;
        if self.need_keys() && order != Some(Order::PerKey) {
            misfit = Some("a compression was given, but not `Order::PerKey`");
        }
        if let Some(part) = self.compression {
            if let Some(rule) = part.downcast_ref::<Rule<S::Handle>>().cloned() {
                builder =
                    builder.compression(move |pending: &[Delta<S::Handle>]| rule.compress(pending));
            } else {
                misfit = Some("its compression is made for the handles of another storage");
            }
        }
        if let Some(part) = self.store {
            if let Some(make) = part.downcast_ref::<MakeStore<S::Handle>>().cloned() {
                builder = builder.store(Made { make, store: None });
            } else {
                misfit = Some("its store is made for the handles of another storage");
            }
        }
        (builder, misfit)
    }
}

// === impl Made ===

impl<H: Handle> Store<H> for Made<H> {
    async fn apply(&mut self, batch: &StoreBatch<H>) -> Result<(), StoreError> {
        let store = self.store.get_or_insert_with(|| (self.make)());
        store.apply(batch).await
    }
}
