//! One measurement: sync, relist, events, of one peer in this process.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::Result;
use crate::clock::{self, Memory};
use crate::control::Control;
use crate::peers::{Follower, InformerFollower, KubeFollower, Peer};
use crate::sample::{Phase, Sample};

/// For how long any one step may take; then something hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Measures `peer` and prints a [`Sample`] as a line of JSON.
pub(crate) fn run(peer: Peer, server: SocketAddr, objects: usize, events: usize) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let sample = runtime.block_on(measure(peer, server, objects, events))?;
    println!("{}", serde_json::to_string(&sample)?);
    // The figures are there; how long a peer takes to end is not one of them.
    runtime.shutdown_background();
    Ok(())
}

async fn measure(peer: Peer, server: SocketAddr, objects: usize, events: usize) -> Result<Sample> {
    match peer {
        Peer::Informer(options) => {
            let start = || InformerFollower::start(server, options);
            follow(server, objects, events, start).await
        }
        Peer::Kube(options) => {
            let start = || KubeFollower::start(server, options);
            follow(server, objects, events, start).await
        }
    }
}

async fn follow<F: Follower>(
    server: SocketAddr,
    objects: usize,
    events: usize,
    start: impl FnOnce() -> Result<F>,
) -> Result<Sample> {
    let mut control = Control::connect(server).await?;
    control.reset().await?;
    let before = Memory::now()?;

    let clock = Clock::start(&mut control).await?;
    let mut follower = start()?;
    patiently(follower.synced()).await??;
    let sync = clock.stop(&mut control).await?;
    let synced = Memory::now()?;
    if follower.len() != objects {
        return Err(format!("the cache has {} of {objects} objects", follower.len()).into());
    }

    let shown = follower.notifications();
    let server_before = control.processor_time().await?;
    let version = control.expire().await?;
    // Whatever is waited for before a list is the peer's backoff, not its work.
    let mut clock = Clock::now();
    clock.server = server_before;
    patiently(follower.relisted(&version)).await??;
    let relist = clock.stop(&mut control).await?;
    let relisted = Memory::now()?;
    let relist_notifications = follower.notifications() - shown;

    let shown = follower.notifications();
    let clock = Clock::start(&mut control).await?;
    control.send_events().await?;
    patiently(follower.notified(shown + events as u64)).await?;
    let events = clock.stop(&mut control).await?;
    Ok(Sample {
        sync,
        relist,
        events,
        resident: synced.resident.saturating_sub(before.resident),
        sync_peak: synced.peak.saturating_sub(before.resident),
        relist_peak: relisted.peak.saturating_sub(before.resident),
        relist_notifications,
    })
}

async fn patiently<T>(step: impl Future<Output = T>) -> Result<T> {
    let done = timeout(PATIENCE, step).await;
    done.map_err(|_| "nothing more happens".into())
}

/// Times a phase.
struct Clock {
    began: Instant,
    processor: Duration,
    server: Duration,
}

// === impl Clock ===

impl Clock {
    async fn start(control: &mut Control) -> Result<Self> {
        let server = control.processor_time().await?;
        Ok(Self {
            server,
            ..Self::now()
        })
    }

    fn now() -> Self {
        Self {
            began: Instant::now(),
            processor: clock::processor_time(),
            server: Duration::ZERO,
        }
    }

    async fn stop(self, control: &mut Control) -> Result<Phase> {
        let elapsed = self.began.elapsed();
        let processor = clock::processor_time().saturating_sub(self.processor);
        let server = control.processor_time().await?.saturating_sub(self.server);
        Ok(Phase {
            elapsed: elapsed.as_secs_f64(),
            processor: processor.as_secs_f64(),
            server: server.as_secs_f64(),
        })
    }
}
