//! One measurement of one peer in this process: sync, relist, events, latency and reads.

mod reads;

use std::net::SocketAddr;
use std::time::Duration;

use informer_runtime::{Packed, Typed};
use k8s_openapi::api::core::v1::Pod;
use tokio::time::{Instant, timeout};

use crate::Result;
use crate::clock::{self, Memory};
use crate::control::Control;
use crate::peers::{Follower, InformerFollower, KubeFollower, Peer, PodSummary, Program};
use crate::progress::Tally;
use crate::sample::{Phase, Quantiles, Sample};
use crate::serve::paced;

/// Maximum duration of a step.
const PATIENCE: Duration = Duration::from_secs(120);

/// Measures `peer` and prints a [`Sample`] as a line of JSON.
pub(crate) fn run(peer: Peer, server: SocketAddr, objects: usize, events: usize) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let sample = runtime.block_on(measure(peer, server, objects, events))?;
    println!("{}", serde_json::to_string(&sample)?);
    // The measurement is complete. The shutdown of the peer is not measured.
    runtime.shutdown_background();
    Ok(())
}

async fn measure(peer: Peer, server: SocketAddr, objects: usize, events: usize) -> Result<Sample> {
    let options = peer.options;
    match peer.program {
        Program::Typed => {
            let start = || InformerFollower::<Pod, Typed>::start(server, options);
            follow(server, objects, events, start).await
        }
        Program::Packed => {
            let start = || InformerFollower::<Pod, Packed>::start(server, options);
            follow(server, objects, events, start).await
        }
        Program::Projection => {
            let start = || InformerFollower::<PodSummary, Typed>::start(server, options);
            follow(server, objects, events, start).await
        }
        Program::Kube => {
            let start = || KubeFollower::start(server, options);
            follow(server, objects, events, start).await
        }
        Program::ClientGo => Err("a separate program measures client-go".into()),
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

    let shown = follower.tally().get();
    let server_before = control.processor_time().await?;
    let version = control.expire().await?;
    // The time before a list is the peer's backoff, which does not count.
    let mut clock = Clock::now();
    clock.server = server_before;
    patiently(follower.relisted(&version)).await??;
    let relist = clock.stop(&mut control).await?;
    let relisted = Memory::now()?;
    let relist_notifications = follower.tally().get() - shown;

    let shown = follower.tally().get();
    let clock = Clock::start(&mut control).await?;
    control.send_events().await?;
    patiently(follower.tally().reach(shown + events as u64)).await?;
    let events = clock.stop(&mut control).await?;
    let latency = latency(&mut control, follower.tally()).await?;
    let reads = reads::measure(&mut control, &follower).await?;
    Ok(Sample {
        sync,
        relist,
        events,
        resident: synced.resident.saturating_sub(before.resident),
        sync_peak: synced.peak.saturating_sub(before.resident),
        relist_peak: relisted.peak.saturating_sub(before.resident),
        relist_notifications,
        latency,
        reads,
    })
}

/// Measures the time from the sending of an event to the call of the consumer.
async fn latency(control: &mut Control, tally: &Tally) -> Result<Quantiles> {
    tally.begin_times(paced::EVENTS);
    paced_events(control, tally).await?;
    let arrived = tally.end_times();
    let sent = control.sent_times().await?;
    if (sent.len(), arrived.len()) != (paced::EVENTS, paced::EVENTS) {
        let (sent, arrived) = (sent.len(), arrived.len());
        return Err(format!("{sent} events were sent and {arrived} arrived").into());
    }
    let took = arrived.iter().zip(&sent);
    let mut took: Vec<u64> = took.map(|(to, from)| to.saturating_sub(*from)).collect();
    Ok(Quantiles::of(&mut took))
}

/// Requests a part of the paced events, and waits for them.
async fn paced_events(control: &mut Control, tally: &Tally) -> Result<()> {
    let shown = tally.get();
    control.send_paced().await?;
    patiently(tally.reach(shown + paced::EVENTS as u64)).await
}

async fn patiently<T>(step: impl Future<Output = T>) -> Result<T> {
    let done = timeout(PATIENCE, step).await;
    done.map_err(|_| "the step timed out".into())
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
