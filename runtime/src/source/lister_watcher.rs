//! [`ListerWatcher`]: the interface to a server.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt as _, StreamExt as _};

use super::options::{ListOptions, ResourceVersionMatch, WatchOptions};
use crate::coverage::Coverage;
use crate::object::{ObjectKey, ResourceVersion};
use crate::status::SourceError;
use crate::wire::{ApiStatus, Encoding, ListMeta, RawEvent, RawObject, Rejected};

/// Parts of one page of a list, in order; [`ListPart::End`] comes last and exactly once.
pub type ListStream = BoxStream<'static, Result<ListPart, SourceError>>;

/// Events of a watch, in the order in which the server sent them.
pub type WatchStream = BoxStream<'static, Result<RawEvent, SourceError>>;

/// Lists and watches one resource: all that a reflector needs from a server.
///
/// [`KubeListerWatcher`](super::KubeListerWatcher) implements this trait over HTTP,
/// [`ScriptedListerWatcher`](super::ScriptedListerWatcher) and
/// [`FakeControllerSource`](super::FakeControllerSource) implement it for tests. client-go's
/// counterpart is `cache.ListerWatcher`.
///
/// The errors of a source appear in logs and in the informer's status. They must not contain the
/// content of objects, or of responses that may contain objects.
///
/// An implementation must guarantee the same as an API server. A list is consistent at one version.
/// A watch yields each change after its start version, once and in order. An object has a different
/// version after each change. If a watch cannot continue from a version, it yields a
/// [`RawEvent::Error`] with code 410, and the informer lists again.
///
/// # Examples
///
/// Objects need not come from Kubernetes. In this example, a log of settings replaces the server:
/// entry `n` has version `n + 2`, because "0" and "" are not exact versions.
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
/// # use std::time::Duration;
/// use informer::{ObjectKey, SharedInformer};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tokio::sync::watch;
///
/// /// Names with their new value, or `None` after a deletion.
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
///         let existing = last.iter().filter(|(_, (_, value))| value.is_some());
///         let items = existing.map(|(name, (n, value))| object(name, value, *n)).collect();
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
/// informer.wait_for_resource_version(&"3".into(), Duration::from_secs(5)).await?;
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
    /// Requests one page of a list. The future completes when the response headers have arrived;
    /// the items follow in the stream.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future or the stream cancels the request.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>>;

    /// Opens a watch. The future completes when the response headers have arrived. A stream that
    /// ends without an error was closed by the server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future or the stream cancels the request.
    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>>;

    /// Requests one object, of this version or a later one. [`Tiered`](crate::storage::Tiered)
    /// storage loads evicted objects with it. A missing object is an error with code 404.
    ///
    /// Default: lists at that version, takes the object, and drops the others as they arrive. Each load
    /// costs a list then, so sources for `Tiered` storage should implement this method.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    fn get<'a>(
        &'a self,
        key: &'a ObjectKey,
        version: &ResourceVersion,
    ) -> BoxFuture<'a, Result<RawObject, SourceError>> {
        let options = ListOptions {
            resource_version: version.clone(),
            resource_version_match: (!version.is_unset())
                .then_some(ResourceVersionMatch::NotOlderThan),
            ..ListOptions::default()
        };
        async move {
            let mut parts = self.list(options).await?;
            while let Some(part) = parts.next().await {
                let ListPart::Items(items) = part? else {
                    break;
                };
                let mut items = items.into_iter().flatten();
                if let Some(found) = items.find(|item| item.key() == key) {
                    return Ok(found);
                }
            }
            let message = format!("{key} is not in the list");
            Err(ApiStatus::new(404, "NotFound", &message).into())
        }
        .boxed()
    }

    /// Reports whether [`WatchOptions::send_initial_events`] is supported. Default: `true`.
    fn supports_watch_list(&self) -> bool {
        true
    }

    /// Returns the encoding of the last response, for the informer's status. Returns `None` if
    /// there was no response, or if the source has no encoding. Default: `None`.
    fn last_encoding(&self) -> Option<Encoding> {
        None
    }

    /// Notifies the source that an object has an unsupported protobuf form
    /// ([`DecodeError::needs_json`](crate::wire::DecodeError::needs_json)), and may decode in JSON.
    /// A source that supports JSON then requests JSON only, and fails its protobuf responses, so
    /// that a list in JSON follows. Default: no effect.
    fn want_json(&self) {}

    /// Gives a source of a part of the objects the way into the store. Default: no effect.
    #[doc(hidden)]
    fn attach(&self, _writer: Arc<dyn PartWriter>) {}

    /// Notifies the source that its last list is queued for the store. Default: no effect.
    #[doc(hidden)]
    fn listed(&self) {}
}

/// Way of parts of the objects into a store, beside the lists and watches of a reflector.
#[doc(hidden)]
pub trait PartWriter: Send + Sync {
    /// Replaces the covered objects by those of `list`, after the events that the watch has
    /// returned. Completes when they are in the store.
    fn replace<'a>(
        &'a self,
        list: BoxFuture<'a, Result<ListStream, SourceError>>,
        coverage: Coverage,
    ) -> BoxFuture<'a, Result<ListMeta, SourceError>>;

    /// Drops the covered objects. Completes when the store has the deletions, and all changes that
    /// were queued before them, or when the informer has stopped.
    fn remove(&self, coverage: Coverage) -> BoxFuture<'_, ()>;

    /// Returns the handler for which the informer waits, because its mailbox is full.
    fn waits_for(&self) -> Option<String>;

    /// Completes when the reflector has stopped.
    fn stopped(&self) -> BoxFuture<'_, ()>;

    /// Counts a watch that the source opens beside those of the reflector.
    fn watched(&self);
}

/// A part of a list's page.
#[derive(Debug)]
pub enum ListPart {
    /// Items that have arrived; each rejected item is an error in its place.
    Items(Vec<Result<RawObject, Rejected>>),
    /// End of the page, with the metadata of the list.
    End(ListMeta),
}
