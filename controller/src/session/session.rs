//! [`Session`]: the writes of a controller, and the reads that have to show them.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use informer_runtime::lister::ReadsCaches;
use informer_runtime::{GenericInformer, Object, SharedInformerFactory};
use k8s_openapi::NamespaceResourceScope;
use kube::Api;
use tokio::time::{Instant, timeout};

use super::api::SessionApi;
use super::error::SessionError;
use super::need::unseen;
use super::shared::{Look, SessionShared};
use super::view::View;
use super::write::OwnWrite;

/// Time for which a read waits, and for which a key is held back.
const WITHIN: Duration = Duration::from_secs(5);

/// Notes the writes of a controller, so that the controller never acts on a cache that lacks them.
///
/// A controller that writes and then reads a cache may not find its own write, and write again. With
/// a session
///
/// - writes go through [`api`](Self::api), which has the verbs of `kube::Api`;
/// - [`read`](Self::read) waits until a cache shows all earlier writes of the session;
/// - [`Controller::session`](crate::Controller::session) puts keys back that have writes which the
///   caches do not show, so that `reconcile` needs no `read`.
///
/// Clones share the notes, and each has its own time limit. Memory is bounded by the objects with
/// unseen writes. The guide `docs/consistency.md` tells what is promised.
///
/// client-go's counterpart is the `ConsistencyStore` of `kube-controller-manager`.
///
/// # Examples
///
/// ```
/// # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
/// use informer::{Session, SharedInformerFactory};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let factory = SharedInformerFactory::builder(client).build()?;
/// let maps = factory.informer::<ConfigMap>().lister();
/// let session = Session::new(&factory);
/// factory.start()?;
///
/// let mut map = ConfigMap::default();
/// map.metadata.generate_name = Some("example-".to_owned());
/// let created = session.api::<ConfigMap>("default").create(&map).await?;
/// let shown = session.read(&maps).await?;
/// let name = created.metadata.name.as_deref().unwrap_or_default();
/// assert!(shown.namespace("default").get(name).is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Session {
    pub(super) shared: Arc<SessionShared>,
    pub(super) within: Duration,
}

// === impl Session ===

impl Session {
    /// Creates a session over the informers of `factory`, whose client sends the writes.
    ///
    /// Informers of the factory that start later make their first list a consistent read, instead of
    /// a read of the server's watch cache at "0": after a crash, the session is empty, and the writes
    /// of the dead process have to be in that list. Create the session before the factory starts.
    #[must_use]
    pub fn new(factory: &SharedInformerFactory) -> Self {
        factory.list_consistently();
        Self {
            shared: Arc::new(SessionShared::new(factory)),
            within: WITHIN,
        }
    }

    /// Sets the time limit of this handle for reads, and for keys that a controller holds back.
    /// Default: 5 s.
    ///
    /// Choose more than the usual delay of a watch. A cache that does not show the writes within the
    /// limit is an error, never a stale read.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.within = limit;
        self
    }

    /// Adds an informer that is not of the session's factory. Writes before this call are not
    /// noted for its cache.
    pub fn add_informer(&self, informer: &GenericInformer) {
        self.shared.add_informer(informer);
    }

    /// Returns the informers that were [added](Self::add_informer).
    pub(crate) fn added(&self) -> Vec<GenericInformer> {
        self.shared.added()
    }

    /// Returns the noted API of a namespaced resource: the counterpart of `kube::Api::namespaced`.
    #[must_use]
    pub fn api<K>(&self, namespace: &str) -> SessionApi<K>
    where
        K: Object<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        self.over(Api::namespaced(self.shared.client.clone(), namespace))
    }

    /// Returns a noted API over any `kube::Api` of the same cluster: of a cluster-scoped resource, of
    /// a dynamic type, or with another client.
    #[must_use]
    pub fn over<K: Object>(&self, api: Api<K>) -> SessionApi<K> {
        SessionApi::new(Arc::clone(&self.shared), api)
    }

    /// Waits until the caches that `reader` reads have their first list and show all writes whose answer
    /// arrived before this call, and returns a view of the reader. Returns at once if they do.
    ///
    /// `reader` is a lister, a lister of a namespace, an index, an informer, a relation or a
    /// [`ReferencedCache`](crate::relations::ReferencedCache), of any form and storage. A
    /// namespace's lister waits for writes in its namespace only. Writes of objects that an
    /// informer's selectors or scope leave out never block: [`View::left_out`] returns them.
    ///
    /// If a write had no answer, the server is asked for its objects first. After half of the time limit
    /// it is asked for all that the read waits for: a restore may have lost a write.
    ///
    /// # Errors
    ///
    /// Fails if a cache has no first list, or does not show a write, within the
    /// [time limit](Self::within), if its informer was stopped, if versions cannot be compared, or if
    /// the server could not be asked.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn read<'r, R: ReadsCaches + ?Sized>(
        &self,
        reader: &'r R,
    ) -> Result<View<'r, R>, SessionError> {
        let began = Instant::now();
        while let Some(cache) = self.shared.unlisted(reader) {
            let left = self.within.saturating_sub(began.elapsed());
            match timeout(left, cache.wait_for_list()).await {
                Ok(listed) => listed?,
                Err(_) => return Err(cache.not_listed(self.within)),
            }
        }
        let left = self.within.saturating_sub(began.elapsed());
        let needs = || self.shared.look(reader).map(|look| look.needs);
        self.shared.show(left, needs).await?;
        // Writes of other tasks since then are not waited for.
        let Look { left_out, .. } = self.shared.look(reader)?;
        if let Some(caught_up) = reader.catch_up() {
            let end = timeout(self.within, caught_up).await;
            shown_at(end.ok(), self.within)?;
        }
        Ok(View { reader, left_out })
    }

    /// Returns a view of the reader if its caches show all writes now, as [`read`](Self::read) does
    /// without waiting.
    ///
    /// # Errors
    ///
    /// Fails with [`SessionError::Unseen`] and the missing writes if they do not.
    pub fn try_read<'r, R: ReadsCaches + ?Sized>(
        &self,
        reader: &'r R,
    ) -> Result<View<'r, R>, SessionError> {
        if let Some(cache) = self.shared.unlisted(reader) {
            return Err(cache.not_listed(Duration::ZERO));
        }
        let Look { needs, left_out } = self.shared.look(reader)?;
        if !needs.is_empty() {
            return Err(unseen(&needs, Duration::ZERO));
        }
        if let Some(caught_up) = reader.catch_up() {
            shown_at(caught_up.now_or_never(), Duration::ZERO)?;
        }
        Ok(View { reader, left_out })
    }

    /// Returns the writes that some cache does not show yet, oldest first, for status pages.
    #[must_use]
    pub fn unseen(&self) -> Vec<OwnWrite> {
        self.shared.unseen()
    }
}

/// Checks the end of a wait for a reader that copies its caches.
fn shown_at(end: Option<Result<(), Arc<str>>>, after: Duration) -> Result<(), SessionError> {
    match end {
        Some(Ok(())) => Ok(()),
        Some(Err(informer)) => Err(SessionError::Stopped { informer }),
        None => Err(unseen(&[], after)),
    }
}
