//! One measurement of one peer in this process: sync, relist, events, latency and reads.

mod reads;

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use informer_runtime::{Object, Packed, Tiered, Typed};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::core::{ApiResource, DynamicObject};
use serde::Serialize;
use tokio::runtime::{Handle, Runtime};
use tokio::time::{Instant, timeout};

use crate::Result;
use crate::clock::{self, Memory};
use crate::control::Control;
use crate::objects::{Application, Certificate, HttpRoute, SmallSpec, SmallStatus};
use crate::peers::{Follower, InformerFollower, KubeFollower, KubeObject, Peer, Program};
use crate::progress::Tally;
use crate::sample::{Phase, Quantiles, Sample};
use crate::serve::paced;
use crate::world::{Kind, World};

/// Object of one of many types.
type Thing = kube::core::Object<SmallSpec, SmallStatus>;

/// Maximum duration of a step.
const PATIENCE: Duration = Duration::from_secs(120);

/// Duration of the idle period.
const IDLE: Duration = Duration::from_secs(20);

/// Peer to measure.
#[derive(Debug, Args)]
pub(crate) struct Measured {
    /// Peer to measure
    peer: Peer,
    /// Address of the replay server
    #[arg(long)]
    server: SocketAddr,
    #[command(flatten)]
    world: World,
}

/// A measurement.
struct Run {
    measured: Measured,
    control: Control,
    resources: Vec<ApiResource>,
    heap: Option<Heap>,
}

/// Returns the number of allocated bytes, in a program that counts them.
type Heap = fn() -> u64;

/// Measures a peer and prints a [`Sample`] as a line of JSON.
pub(crate) fn run(measured: Measured, heap: Option<Heap>) -> Result<()> {
    let runtime = Runtime::new()?;
    let sample = runtime.block_on(measure(measured, heap))?;
    let json = serde_json::to_string(&sample)?;
    println!("{json}");
    // The measurement is complete. The shutdown of the peer is not measured.
    runtime.shutdown_background();
    Ok(())
}

async fn measure(measured: Measured, heap: Option<Heap>) -> Result<Sample> {
    let mut control = Control::connect(measured.server).await?;
    control.ask::<()>("reset").await?;
    let resources: Vec<ApiResource> = control.ask("resources").await?;
    let kind = match resources.first() {
        Some(resource) => resource.kind.clone(),
        None => String::new(),
    };
    let peer = measured.peer;
    let run = Run {
        measured,
        control,
        resources,
        heap,
    };
    if peer.program == Program::Bytes {
        return run.read_bytes().await;
    }
    if peer.options.dynamic {
        return run.caches::<DynamicObject>().await;
    }
    match kind.as_str() {
        "Pod" => run.built_in_caches::<Pod>().await,
        "ConfigMap" => run.built_in_caches::<ConfigMap>().await,
        "Secret" => run.built_in_caches::<Secret>().await,
        "Certificate" => run.caches::<Certificate>().await,
        "HTTPRoute" => run.caches::<HttpRoute>().await,
        "Application" => run.caches::<Application>().await,
        "Thing" => run.caches::<Thing>().await,
        _ => run.caches::<DynamicObject>().await,
    }
}

// === impl Run ===

impl Run {
    /// Measures the caches of objects of a built-in kind, which every program supports.
    async fn built_in_caches<K>(self) -> Result<Sample>
    where
        K: Object<DynamicType = ()> + KubeObject + Serialize,
    {
        if self.measured.peer.program == Program::Tiered {
            self.follow::<InformerFollower<K, Tiered>>().await
        } else {
            self.caches::<K>().await
        }
    }

    /// Measures the caches of objects of the type `K`, one for each resource.
    async fn caches<K>(self) -> Result<Sample>
    where
        K: Object + KubeObject + Serialize,
    {
        match self.measured.peer.program {
            Program::Typed => self.follow::<InformerFollower<K, Typed>>().await,
            Program::Packed => self.follow::<InformerFollower<K, Packed>>().await,
            Program::Kube => self.follow::<KubeFollower<K>>().await,
            Program::Tiered | Program::ClientGo | Program::Bytes => {
                Err(format!("{} has no cache in this program", self.measured.peer).into())
            }
        }
    }

    /// Runs all phases of the world.
    async fn follow<F: Follower>(mut self) -> Result<Sample> {
        let kind = self.measured.world.kind;
        let before = Memory::now()?;
        let heap_before = self.allocated();
        let mut sample = Sample::default();
        let mut followers: Vec<F> = self.sync(&mut sample).await?;
        let memory = Memory::now()?;
        sample.resident = Some(memory.resident.saturating_sub(before.resident));
        sample.sync_peak = Some(memory.peak.saturating_sub(before.resident));
        self.check_lengths(&followers)?;
        if kind == Kind::Types {
            self.rest(&mut sample).await?;
            if let Some(earlier) = heap_before
                && let Some(now) = self.allocated()
            {
                sample.heap = Some(now.saturating_sub(earlier));
            }
            return Ok(sample);
        }
        let follower = followers.first_mut().ok_or("the world has no resource")?;
        if kind.has_relist() {
            let phase = self.relist(follower).await?;
            sample.relist = Some(phase);
        }
        let phase = self.events(follower).await?;
        sample.events = Some(phase);
        let resident = Memory::now()?.resident;
        sample.resident_after_events = Some(resident.saturating_sub(before.resident));
        if kind.has_reads() {
            let delays = latency(&mut self.control, follower.tally()).await?;
            sample.latency = Some(delays);
            let reads = reads::measure(&mut self.control, follower).await?;
            sample.reads = Some(reads);
        }
        Ok(sample)
    }

    /// Starts the caches, and waits until each has the first list.
    async fn sync<F: Follower>(&mut self, sample: &mut Sample) -> Result<Vec<F>> {
        let clock = Clock::start(&mut self.control).await?;
        let Measured {
            peer,
            server,
            world,
        } = self.measured;
        let mut followers = F::start_all(server, &self.resources, &world, peer.options)?;
        for follower in &mut followers {
            patiently(follower.synced()).await??;
        }
        sample.sync = clock.stop(&mut self.control).await?;
        Ok(followers)
    }

    /// Fails if a cache has lost objects.
    fn check_lengths(&self, followers: &[impl Follower]) -> Result<()> {
        let objects = self.measured.world.of_each_resource();
        for follower in followers {
            let cached = follower.len();
            if cached != objects {
                return Err(format!("the cache has {cached} of {objects} objects").into());
            }
        }
        Ok(())
    }

    /// Returns the number of allocated bytes, if the program counts them.
    fn allocated(&self) -> Option<u64> {
        let heap = self.heap?;
        Some(heap())
    }

    /// Counts what the caches hold, and measures them without events.
    async fn rest(&mut self, sample: &mut Sample) -> Result<()> {
        let tasks = Handle::current().metrics().num_alive_tasks();
        sample.tasks = Some(tasks as u64);
        sample.connections = Some(self.control.ask("connections").await?);
        // Counting takes time itself, so it is not part of the idle period.
        let woken_before = clock::wake_ups()?;
        let clock = Clock::start(&mut self.control).await?;
        tokio::time::sleep(IDLE).await;
        sample.idle = Some(clock.stop(&mut self.control).await?);
        let woken = clock::wake_ups()?;
        sample.idle_wake_ups = Some(woken.saturating_sub(woken_before));
        Ok(())
    }

    async fn relist(&mut self, follower: &mut impl Follower) -> Result<Phase> {
        let mut clock = Clock::start(&mut self.control).await?;
        let version: String = self.control.ask("expire").await?;
        // The time before a list is the peer's backoff, which does not count.
        clock.restart();
        patiently(follower.relisted(&version)).await??;
        clock.stop(&mut self.control).await
    }

    async fn events(&mut self, follower: &impl Follower) -> Result<Phase> {
        let shown = follower.tally().get();
        let goal = shown + self.measured.world.events as u64;
        let clock = Clock::start(&mut self.control).await?;
        self.control.ask::<()>("events").await?;
        patiently(follower.tally().reach(goal)).await?;
        clock.stop(&mut self.control).await
    }

    /// Reads the whole list in one response, like curl.
    async fn read_bytes(mut self) -> Result<Sample> {
        let mut target = "/api/v1/".to_owned();
        if let Some(resource) = self.resources.first() {
            target.push_str(&resource.plural);
        }
        let mut connection = Control::connect(self.measured.server).await?;
        let clock = Clock::start(&mut self.control).await?;
        connection.read(&target).await?;
        Ok(Sample {
            sync: clock.stop(&mut self.control).await?,
            ..Sample::default()
        })
    }
}

/// Measures the time from the sending of an event to the call of the consumer.
async fn latency(control: &mut Control, tally: &Tally) -> Result<Quantiles> {
    tally.begin_times(paced::EVENTS);
    paced_events(control, tally).await?;
    let arrived = tally.end_times();
    let sent: Vec<u64> = control.ask("sent").await?;
    if sent.len() != paced::EVENTS || arrived.len() != paced::EVENTS {
        let message = format!(
            "{} events were sent and {} arrived",
            sent.len(),
            arrived.len()
        );
        return Err(message.into());
    }
    let mut delays: Vec<u64> = arrived
        .iter()
        .zip(&sent)
        .map(|(arrival, sending)| arrival.saturating_sub(*sending))
        .collect();
    Ok(Quantiles::of(&mut delays))
}

/// Requests a part of the paced events, and waits for them.
async fn paced_events(control: &mut Control, tally: &Tally) -> Result<()> {
    let shown = tally.get();
    control.ask::<()>("paced").await?;
    patiently(tally.reach(shown + paced::EVENTS as u64)).await
}

async fn patiently<T>(step: impl Future<Output = T>) -> Result<T> {
    timeout(PATIENCE, step)
        .await
        .map_err(|_| "the step timed out".into())
}

/// Times a phase.
struct Clock {
    began: Instant,
    processor: Duration,
    server: f64,
}

// === impl Clock ===

impl Clock {
    async fn start(control: &mut Control) -> Result<Self> {
        Ok(Self {
            server: control.ask("processor-time").await?,
            processor: clock::processor_time(),
            began: Instant::now(),
        })
    }

    fn restart(&mut self) {
        self.processor = clock::processor_time();
        self.began = Instant::now();
    }

    async fn stop(self, control: &mut Control) -> Result<Phase> {
        let elapsed = self.began.elapsed();
        let processor = clock::processor_time().saturating_sub(self.processor);
        let server_now: f64 = control.ask("processor-time").await?;
        Ok(Phase {
            elapsed: elapsed.as_secs_f64(),
            processor: processor.as_secs_f64(),
            server: server_now - self.server,
        })
    }
}
