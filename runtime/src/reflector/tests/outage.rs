//! Outages on a paused clock: the time until informers catch up, and the number of attempts.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::support::{event, raw};
use super::world::{Log, Running, builder, pass, until};
use crate::reflector::WatchListMode;
use crate::shared_informer::InformerConfig;
use crate::source::{ListOptions, ListPart, ListStream, ListerWatcher, WatchOptions, WatchStream};
use crate::status::SourceError;
use crate::wire::ListMeta;

/// Response time of the server while it is up.
const ANSWER: Duration = Duration::from_millis(20);

/// Server with one object `a@5`, and also `b@6` after an outage. Clones share it.
#[derive(Clone, Default)]
struct Server(Arc<Shared>);

#[derive(Default)]
struct Shared {
    is_down: AtomicBool,
    was_down: AtomicBool,
    went_down: Notify,
    attempts: AtomicU32,
}

impl Server {
    fn go_down(&self) {
        self.0.is_down.store(true, Ordering::SeqCst);
        self.0.attempts.store(0, Ordering::SeqCst);
        self.0.went_down.notify_waiters();
    }

    fn come_back(&self) {
        self.0.was_down.store(true, Ordering::SeqCst);
        self.0.is_down.store(false, Ordering::SeqCst);
    }

    async fn answers(&self) -> Result<(), SourceError> {
        self.0.attempts.fetch_add(1, Ordering::SeqCst);
        if self.0.is_down.load(Ordering::SeqCst) {
            return Err(reset());
        }
        sleep(ANSWER).await;
        Ok(())
    }

    fn has_more(&self) -> bool {
        self.0.was_down.load(Ordering::SeqCst)
    }

    /// Returns a watch that sends these events, and then the connection reset of the outage.
    fn stream(&self, first: Vec<&'static str>) -> WatchStream {
        let first = first.into_iter().map(event).map(Ok);
        let server = self.clone();
        let down = async move {
            server.0.went_down.notified().await;
            Err(reset())
        };
        stream::iter(first).chain(stream::once(down)).boxed()
    }
}

fn reset() -> SourceError {
    SourceError::from_transport(io::Error::from(ErrorKind::ConnectionReset))
}

impl ListerWatcher for Server {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        async move {
            self.answers().await?;
            let (objects, version) = if self.has_more() {
                (vec!["a@5", "b@6"], "6")
            } else {
                (vec!["a@5"], "5")
            };
            let items = objects.into_iter().map(|object| Ok(raw(object))).collect();
            let parts = [ListPart::Items(items), ListPart::End(ListMeta::at(version))];
            Ok(stream::iter(parts.map(Ok)).boxed())
        }
        .boxed()
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        async move {
            self.answers().await?;
            let is_behind = options.resource_version.to_string() == "5";
            Ok(match (options.send_initial_events, self.has_more()) {
                (true, false) => self.stream(vec!["+a@5", "end@5"]),
                (true, true) => self.stream(vec!["+a@5", "+b@6", "end@6"]),
                (false, true) if is_behind => self.stream(vec!["+b@6"]),
                (false, _) => self.stream(Vec::new()),
            })
        }
        .boxed()
    }

    fn supports_watch_list(&self) -> bool {
        true
    }
}

/// E-04, R-12, L-09: within 2 s of the end of a 30 s outage every informer has caught up, after at
/// most one attempt per second, and without a list if it was synced.
#[tokio::test(start_paused = true)]
async fn e04_informers_are_in_step_within_2_s_of_the_end_of_an_outage() {
    for mode in [WatchListMode::Auto, WatchListMode::Never] {
        for page_size in [0, 7] {
            for is_synced in [true, false] {
                let config = InformerConfig::new().watch_list(mode).page_size(page_size);
                for _ in 0..5 {
                    survive(config.clone(), is_synced).await;
                }
            }
        }
    }
}

async fn survive(config: InformerConfig, is_synced: bool) {
    let (server, errors) = (Server::default(), Log::default());
    let config = config.error_handler(errors.error_handler());
    let informer = builder(server.clone()).config(config).build().unwrap();
    if !is_synced {
        server.go_down();
    }
    let running = Running::start(&informer);
    if is_synced {
        until("sync", || informer.has_synced()).await;
        pass(1).await;
        server.go_down();
    }
    let lists = informer.metrics().lists;
    pass(30).await;
    let attempts = server.0.attempts.load(Ordering::SeqCst);
    assert!((15..=30).contains(&attempts), "{attempts} attempts in 30 s");
    server.come_back();
    let came_back = Instant::now();
    until("the change", || {
        informer.last_sync_resource_version().to_string() == "6"
    })
    .await;
    let elapsed = came_back.elapsed();
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    let new_lists = informer.metrics().lists - lists;
    assert_eq!(new_lists, u64::from(!is_synced), "no list after resets");
    assert!(!errors.text().contains("BookmarkMissing"));
    running.stop().await;
}
