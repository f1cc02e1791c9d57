//! Plays a case with an informer, and returns the first violation.

use std::collections::BTreeSet;
use std::time::Duration;

use informer_runtime::shared_informer::{InformerConfig, RunError};
use informer_runtime::{SharedInformer, Snapshot};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::case::{Case, End, Kind, Op};
use crate::listener::{Counts, EVER, Informer, Listener};
use crate::mirror::Mirror;
use crate::server::{Server, State};

/// Names of the index that exists from the start, and of the one that is added later.
const INDICES: [&str; 2] = ["bucket", "late"];

struct Game {
    server: Server,
    informer: Informer,
    listeners: Vec<Listener>,
    removed: Vec<Listener>,
    consumers: JoinSet<()>,
    running: JoinSet<Result<(), RunError>>,
    cancel: CancellationToken,
    mirror: Option<Mirror>,
    handlers: usize,
    rewinds: bool,
    is_filtered: bool,
    settled: u64,
    /// Generation of the newest snapshot that was read.
    generation: u64,
}

/// Plays a case on a paused clock.
pub(crate) fn play(case: &Case) -> Result<Counts, String> {
    // Seeds the jitter of delays.
    fastrand::seed(case.seed);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(Game::play(case))
}

// === impl Game ===

impl Game {
    async fn play(case: &Case) -> Result<Counts, String> {
        let mut game = Self::start(case);
        for (step, op) in case.ops.iter().enumerate() {
            game.perform(*op)
                .await
                .map_err(|fault| format!("at operation {step}, {op:?}: {fault}"))?;
        }
        if case.settings.end == End::Settled {
            game.settle().await?;
        }
        game.end(case.settings.end).await
    }

    fn start(case: &Case) -> Self {
        let settings = &case.settings;
        let server = Server::new(settings.is_supported);
        for number in 0..settings.objects {
            server.change(|state| state.put(&name(number), true));
        }
        let config = InformerConfig::new()
            .order(settings.order)
            .watch_list(settings.watch_list)
            .page_size(settings.page_size);
        let mut builder = SharedInformer::<ConfigMap>::builder(server.clone())
            .queue_capacity(settings.queue_capacity)
            .resync_period(Duration::from_secs(settings.resync))
            .config(config);
        if settings.is_filtered {
            builder = builder.filter("even", is_even);
        }
        let mirror = case.seed.is_multiple_of(2).then(Mirror::default);
        if let Some(mirror) = mirror.clone() {
            builder = builder.store(move || mirror.clone());
        }
        let informer = builder.build().unwrap();
        informer.add_index(INDICES[0], bucket).unwrap();
        let cancel = CancellationToken::new();
        let mut running = JoinSet::new();
        running.spawn(informer.run(cancel.clone()));
        let mut game = Self {
            server,
            informer,
            listeners: Vec::new(),
            removed: Vec::new(),
            consumers: JoinSet::new(),
            running,
            cancel,
            mirror,
            handlers: 0,
            rewinds: case.ops.contains(&Op::Rewind),
            is_filtered: settings.is_filtered,
            settled: 0,
            generation: 0,
        };
        game.join(Kind::PLAIN);
        game
    }

    async fn perform(&mut self, op: Op) -> Result<(), String> {
        let server = &self.server;
        match op {
            Op::Put(number) => server.change(|state| state.put(&name(number), true)),
            Op::Spoil(number) => server.change(|state| state.put(&name(number), false)),
            Op::Delete(number) => server.change(|state| state.delete(&name(number))),
            Op::Recreate(number) => server.change(|state| {
                state.delete(&name(number));
                state.put(&name(number), true);
            }),
            Op::Fail(request, fault) => server.change(|state| state.fail_next(request, fault)),
            Op::LoseBookmark => server.change(State::lose_bookmark),
            Op::Interrupt(interruption) => server.change(|state| state.interrupt(interruption)),
            Op::Compact => server.change(State::compact),
            Op::Bookmark => server.change(State::bookmark),
            Op::Rewind => server.change(State::rewind),
            Op::Join(kind) => self.join(kind),
            Op::Leave(distance) => self.leave(distance).await?,
            Op::Pass(millis) => sleep(Duration::from_millis(millis.into())).await,
            Op::Settle => self.settle().await?,
        }
        self.check()
    }

    fn join(&mut self, kind: Kind) {
        self.handlers += 1;
        let name = format!("handler {} {kind:?}", self.handlers);
        let joined = Listener::join(
            &self.informer,
            name,
            kind,
            self.rewinds,
            &mut self.consumers,
        );
        self.listeners.extend(joined);
    }

    /// Removes a handler. The first handler stays.
    async fn leave(&mut self, distance: u8) -> Result<(), String> {
        let Some(at) = self.listeners.len().checked_sub(1 + usize::from(distance)) else {
            return Ok(());
        };
        if at > 0 {
            let listener = self.listeners.remove(at);
            listener.leave().await?;
            self.removed.push(listener);
        }
        Ok(())
    }

    /// Checks the invariants that hold at every moment.
    fn check(&mut self) -> Result<(), String> {
        for listener in self.listeners.iter().chain(&self.removed) {
            listener.check()?;
        }
        let snapshot = self.informer.snapshot();
        if snapshot.generation() < self.generation {
            return Err("the cache went back".to_owned());
        }
        self.generation = snapshot.generation();
        check_indices(&snapshot)
    }

    /// Ends all faults, and waits until all handlers have caught up.
    async fn settle(&mut self) -> Result<(), String> {
        self.server.change(State::heal);
        let followed = until(|| self.server.is_followed()).await;
        followed.map_err(|()| "informer never lists the restored state")?;
        self.server.change(State::finish);
        let version = self.server.version().to_string();
        let reached = || self.informer.last_sync_resource_version().to_string() == version;
        until(reached).await.map_err(|()| {
            let status = self.informer.status();
            format!("informer never reaches version {version}: {status:?}")
        })?;
        let snapshot = self.informer.snapshot();
        self.compare(&snapshot)?;
        for listener in &self.listeners {
            let followed = until(|| listener.difference(&snapshot).is_none()).await;
            listener.check()?;
            if followed.is_err() {
                let difference = listener.difference(&snapshot);
                return Err(difference.unwrap_or_else(|| "handler caught up too late".to_owned()));
            }
        }
        // The store is written before handlers are notified.
        if let Some(mirror) = &self.mirror {
            mirror.check(&snapshot)?;
        }
        let later = self.informer.snapshot();
        if later.generation() != snapshot.generation() {
            return Err(format!(
                "the cache changed without a cause, from {} to {}",
                snapshot.resource_version(),
                later.resource_version(),
            ));
        }
        if self.informer.index::<String>(INDICES[1]).is_none() {
            let added = self.informer.add_index(INDICES[1], bucket);
            added.map_err(|error| error.to_string())?;
        }
        self.settled += 1;
        self.check()
    }

    /// Checks that the cache equals the server's state, or the part of it that the filter keeps.
    fn compare(&self, snapshot: &Snapshot<ConfigMap>) -> Result<(), String> {
        let expected: Vec<_> = self
            .server
            .objects()
            .into_iter()
            .filter(|(_, object)| !self.is_filtered || object.value.is_multiple_of(2))
            .map(|(name, object)| {
                let texts = [object.uid.into(), object.version, object.value.into()];
                (name, texts.map(|number: u64| number.to_string()))
            })
            .collect();
        let cached: Vec<_> = snapshot
            .iter()
            .map(|object| {
                let metadata = &object.metadata;
                let (uid, version) = (metadata.uid.clone(), metadata.resource_version.clone());
                let texts = [uid, version, datum(object, "value")];
                let name = metadata.name.clone().unwrap_or_default();
                (name, texts.map(Option::unwrap_or_default))
            })
            .collect();
        if expected != cached {
            return Err(format!("the server has {expected:?}, the cache {cached:?}"));
        }
        let undecodable = snapshot.undecodable_all().count();
        if undecodable > 0 {
            return Err(format!("{undecodable} objects are still undecodable"));
        }
        Ok(())
    }

    /// Ends the informer. After that no task remains, and no handler is called.
    async fn end(mut self, end: End) -> Result<Counts, String> {
        match end {
            End::Settled | End::Cancelled => self.cancel.cancel(),
            End::Stopped => self.informer.stop(),
            End::Dropped => self.running.abort_all(),
        }
        let ended = timeout(EVER, self.running.join_next()).await;
        match ended.map_err(|_| "informer does not end")? {
            Some(Ok(Err(error))) => return Err(error.to_string()),
            Some(Err(error)) if error.is_panic() => return Err("informer panicked".to_owned()),
            _ => {}
        }
        let consumed = timeout(EVER, async {
            while self.consumers.join_next().await.is_some() {}
        });
        consumed.await.map_err(|_| "a stream does not end")?;
        if end == End::Dropped {
            // Aborted tasks are dropped when the runtime polls them next.
            sleep(Duration::from_millis(1)).await;
        }
        for listener in &self.listeners {
            let waited = timeout(EVER, listener.registration.wait_for_sync()).await;
            let _synced_or_not = waited.map_err(|_| "a waiter for sync is left")?;
            listener.stop();
        }
        sleep(EVER).await;
        self.check()?;
        if !self.informer.is_stopped() {
            return Err("informer has not stopped".to_owned());
        }
        let metrics = self.informer.metrics();
        let is_streamed = metrics.list_requests == 0 && metrics.lists > 0;
        let mut counts = Counts::default();
        counts.add("case", 1);
        counts.add("list", metrics.lists);
        counts.add("streamed case", is_streamed.into());
        counts.add("failure", metrics.failures);
        counts.add("undecodable", metrics.undecodable_objects);
        counts.add("unchanged", metrics.unchanged_objects);
        counts.add("settled", self.settled);
        counts.add("failure of the store", metrics.store_failures);
        for listener in self.listeners.iter().chain(&self.removed) {
            counts.add_all(&listener.counts());
        }
        Ok(counts)
    }
}

fn name(number: u8) -> String {
    format!("o{number}")
}

fn datum(object: &ConfigMap, name: &str) -> Option<String> {
    object.data.as_ref()?.get(name).cloned()
}

fn bucket(object: &ConfigMap) -> Option<String> {
    datum(object, "bucket")
}

fn is_even(object: &ConfigMap) -> bool {
    let value: Option<u32> = datum(object, "value").and_then(|value| value.parse().ok());
    value.is_some_and(|value| value.is_multiple_of(2))
}

/// Checks that each index has exactly the objects with the value.
fn check_indices(snapshot: &Snapshot<ConfigMap>) -> Result<(), String> {
    for index in INDICES {
        for value in ["0", "1", "2"] {
            let Ok(indexed) = snapshot.index_keys(index, value) else {
                continue;
            };
            let indexed: BTreeSet<_> = indexed.into_iter().collect();
            let has_value = |object: &ConfigMap| bucket(object).as_deref() == Some(value);
            let entries = snapshot.entries();
            let entries = entries.filter(|entry| entry.object_ref().is_some_and(has_value));
            let scanned: BTreeSet<_> = entries.map(|entry| entry.key.clone()).collect();
            if indexed != scanned {
                return Err(format!(
                    "index `{index}` has {indexed:?}, a scan finds {scanned:?}"
                ));
            }
        }
    }
    Ok(())
}

/// Waits, in virtual time, until the condition holds.
async fn until(condition: impl Fn() -> bool) -> Result<(), ()> {
    let end = Instant::now() + EVER;
    let mut step = Duration::from_millis(1);
    while !condition() {
        if Instant::now() > end {
            return Err(());
        }
        sleep(step).await;
        step = (step * 2).min(Duration::from_secs(1));
    }
    Ok(())
}
