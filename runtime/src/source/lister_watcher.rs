//! [`ListerWatcher`]: all that is asked of a server.

use futures::future::BoxFuture;
use futures::stream::BoxStream;

use super::options::{ListOptions, WatchOptions};
use crate::status::SourceError;
use crate::wire::{Encoding, ListMeta, RawEvent, RawObject, Rejected};

/// The parts of one page of a list, in order; [`ListPart::End`] comes last, and once.
pub type ListStream = BoxStream<'static, Result<ListPart, SourceError>>;

/// The events of a watch, in the order in which the server sent them.
pub type WatchStream = BoxStream<'static, Result<RawEvent, SourceError>>;

/// Lists and watches one resource: all that a reflector asks of a server.
///
/// Implemented over HTTP by [`KubeListerWatcher`](super::KubeListerWatcher), and for tests by [`ScriptedListerWatcher`](super::ScriptedListerWatcher) and
/// [`FakeControllerSource`](super::FakeControllerSource).
/// client-go's counterpart is `cache.ListerWatcher`.
///
/// The errors of a source are logged and are in the informer's status: leave the content of objects,
/// and of answers that may hold some, out of them.
///
/// What a source of one's own has to keep is what an API server does: a list is of one version, a
/// watch brings each change after the version that it starts from, once and in order, and an object
/// has another version after each change. Where a watch cannot go on from a version, it says so by a
/// [`RawEvent::Error`] with code 410, and a list follows.
///
/// # Examples
///
/// Objects need not come from Kubernetes. Here a log of settings does for a server: entry `n` has
/// version `n + 2`, because "0" and "" are no versions.
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::collections::BTreeMap;
/// use std::future::ready;
///
/// use futures::future::BoxFuture;
/// use futures::{FutureExt as _, StreamExt as _, stream};
/// # use informer_runtime::source::{
/// #     ListOptions, ListPart, ListStream, ListerWatcher, SourceError, WatchOptions, WatchStream,
/// # };
/// # use informer_runtime::wire::{ListMeta, RawEvent, RawObject, Rejected};
/// use informer::{ObjectKey, SharedInformer};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tokio::sync::watch;
///
/// /// Names with their new value, or none if they are gone.
/// type Log = Vec<(String, Option<String>)>;
///
/// struct Settings(watch::Receiver<Log>);
///
/// fn object(name: &str, value: &Option<String>, entry: usize) -> Result<RawObject, Rejected> {
///     RawObject::from_value(&serde_json::json!({
///         "metadata": { "name": name, "namespace": "settings", "resourceVersion": (entry + 2).to_string() },
///         "data": { "value": value },
///     }))
/// }
///
/// impl ListerWatcher for Settings {
///     fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
///         let log = self.0.borrow().clone();
///         let entries = log.iter().enumerate();
///         let last: BTreeMap<_, _> = entries.map(|(n, (name, value))| (name, (n, value))).collect();
///         let there = last.iter().filter(|(_, (_, value))| value.is_some());
///         let items = there.map(|(name, (n, value))| object(name, value, *n)).collect();
///         let end = ListMeta::at(&*(log.len() + 1).to_string());
///         let parts = [Ok(ListPart::Items(items)), Ok(ListPart::End(end))];
///         ready(Ok(stream::iter(parts).boxed())).boxed()
///     }
///
///     fn watch(&self, from: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
///         let version: usize = from.resource_version.to_string().parse().unwrap_or(1);
///         let next = (self.0.clone(), version - 1);
///         let events = stream::unfold(next, |(mut log, n)| async move {
///             let (name, value) = log.wait_for(|log| log.len() > n).await.ok()?[n].clone();
///             let event = match object(&name, &value, n) {
///                 Ok(object) if value.is_some() => RawEvent::Modified(object),
///                 Ok(object) => RawEvent::Deleted(object),
///                 Err(rejected) => RawEvent::Rejected(rejected),
///             };
///             Some((Ok(event), (log, n + 1)))
///         });
///         ready(Ok(events.boxed())).boxed()
///     }
///
///     fn supports_watch_list(&self) -> bool {
///         false
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (log, settings) = watch::channel(vec![("colour".to_owned(), Some("red".to_owned()))]);
/// let informer = SharedInformer::<ConfigMap>::builder(Settings(settings)).build()?;
/// # let cancel = tokio_util::sync::CancellationToken::new();
/// # let mut tasks = tokio::task::JoinSet::new();
/// # tasks.spawn(informer.run(cancel.clone()));
/// informer.wait_for_sync().await?;
/// log.send_modify(|log| log.push(("size".to_owned(), Some("XL".to_owned()))));
/// informer.indexer().wait_for(&"3".into()).await?;
/// let size = informer.lister().get_by_key(&ObjectKey::namespaced("settings", "size"));
/// assert_eq!(size.unwrap().data.as_ref().unwrap()["value"], "XL");
/// # cancel.cancel();
/// # while let Some(ended) = tasks.join_next().await {
/// #     ended??;
/// # }
/// # Ok(())
/// # }
/// ```
pub trait ListerWatcher: Send + Sync + 'static {
    /// Asks for one page of a list. The future ends when the answer's head has arrived; the items
    /// follow in the stream.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future or the stream drops the request.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>>;

    /// Opens a watch. The future ends when the answer's head has arrived. A stream that ends
    /// without an error was closed by the server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future or the stream drops the request.
    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>>;

    /// Whether [`WatchOptions::send_initial_events`] may be asked for.
    fn supports_watch_list(&self) -> bool {
        true
    }

    /// How the server encoded its last answer, for the informer's status; `None` if there was none,
    /// and for sources to which that means nothing.
    fn last_encoding(&self) -> Option<Encoding> {
        None
    }

    /// Is told that an object came in protobuf that is not read
    /// ([`DecodeError::needs_json`](crate::wire::DecodeError::needs_json)), and may be in JSON. A source
    /// that can asks for JSON from then on, and fails what it answers in protobuf, so that a list in
    /// JSON follows. Default: does nothing.
    fn want_json(&self) {}
}

/// A part of a list's page.
#[derive(Debug)]
pub enum ListPart {
    /// Items that have arrived; those that were refused stand in their place.
    Items(Vec<Result<RawObject, Rejected>>),
    /// The whole page has arrived.
    End(ListMeta),
}
