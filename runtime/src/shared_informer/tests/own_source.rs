//! Objects from a source other than Kubernetes: a log of settings.

use std::collections::BTreeMap;
use std::future::ready;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::sync::watch;

use super::support::{Running, SECOND, config, informer, raw, recorder, value};
use crate::shared_informer::SharedInformer;
use crate::source::{ListOptions, ListPart, ListStream, ListerWatcher, WatchOptions, WatchStream};
use crate::status::SourceError;
use crate::wire::{ApiStatus, ListMeta, RawEvent, RawObject};

/// Names with their new value, or `None` for deletions. Entry `n` has version `n + 2`.
#[derive(Debug, Default)]
struct Log {
    entries: Vec<(&'static str, Option<&'static str>)>,
    /// Watches from before this entry are rejected, because these entries were discarded.
    trimmed: usize,
}

#[derive(Clone)]
struct Settings(watch::Receiver<Log>);

fn object(name: &str, value: Option<&str>, entry: usize) -> RawObject {
    raw(
        config(name, value.unwrap_or("gone")),
        &(entry + 2).to_string(),
    )
}

impl ListerWatcher for Settings {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        let log = self.0.borrow();
        let mut last = BTreeMap::new();
        for (n, (name, value)) in log.entries.iter().enumerate() {
            last.insert(name, (n, value));
        }
        let existing = last.iter().filter(|(_, (_, value))| value.is_some());
        let items = existing.map(|(name, (n, value))| Ok(object(name, **value, *n)));
        let items = ListPart::Items(items.collect());
        let end = ListPart::End(ListMeta::at(&*(log.entries.len() + 1).to_string()));
        ready(Ok(stream::iter([Ok(items), Ok(end)]).boxed())).boxed()
    }

    fn watch(&self, from: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        let version: usize = from.resource_version.to_string().parse().unwrap();
        let events = stream::unfold((self.0.clone(), version - 1), |(mut log, n)| async move {
            let event = {
                let log = log.wait_for(|log| log.entries.len() > n || log.trimmed > n);
                let log = log.await.ok()?;
                if log.trimmed > n {
                    RawEvent::Error(ApiStatus::new(410, "Expired", "too old"))
                } else {
                    let (name, value) = log.entries[n];
                    match value {
                        Some(_) => RawEvent::Modified(object(name, value, n)),
                        None => RawEvent::Deleted(object(name, value, n)),
                    }
                }
            };
            Some((Ok(event), (log, n + 1)))
        });
        ready(Ok(events.boxed())).boxed()
    }

    fn supports_watch_list(&self) -> bool {
        false
    }
}

fn cached(informer: &SharedInformer<ConfigMap>) -> Vec<String> {
    let snapshot = informer.snapshot();
    let objects = snapshot.entries();
    objects
        .map(|entry| format!("{}={}", entry.key.name(), value(entry.typed())))
        .collect()
}

/// a source needs only lists, watches and versions.
#[tokio::test(start_paused = true)]
async fn r19_a_source_need_not_be_kubernetes() {
    let (log, settings) = watch::channel(Log::default());
    log.send_modify(|log| log.entries.push(("colour", Some("red"))));
    let informer = informer(Settings(settings));
    let (handler, mut seen) = recorder();
    informer.add_event_handler(handler).unwrap();
    let running = Running::synced(&informer).await;
    assert_eq!(seen.next().await, "add ns/colour=red initial");
    log.send_modify(|log| log.entries.push(("size", Some("XL"))));
    log.send_modify(|log| log.entries.push(("colour", Some("blue"))));
    assert_eq!(
        seen.take(2).await,
        ["add ns/size=XL live", "update ns/colour=red>blue live"]
    );
    log.send_modify(|log| log.entries.push(("size", None)));
    assert_eq!(seen.next().await, "delete ns/size=gone live");
    assert_eq!(cached(&informer), ["colour=blue"]);
    assert_eq!(informer.last_sync_resource_version().to_string(), "5");

    // A list finds the changes that the watch can no longer deliver.
    log.send_modify(|log| {
        log.entries.extend([("colour", None), ("size", Some("S"))]);
        log.trimmed = log.entries.len();
    });
    assert_eq!(
        seen.take(2).await,
        ["delete ns/colour=blue? relist", "add ns/size=S relist"]
    );
    assert_eq!(seen.within(60 * SECOND).await, [""; 0]);
    running.stop().await;
}
