//! Measures what the debug page costs: reasons in events per second, and viewers in processor time.
//!
//! A controller of Pods that does nothing follows the replay server. In turns, a debug service records
//! the reasons of its calls and none does, in one process, so that other load affects both.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use informer_controller::Controller;
use informer_debug::Service;
use informer_runtime::{SharedInformer, SharedInformerFactory, WatchListMode};
use k8s_openapi::api::core::v1::Pod;
use tokio::io::{AsyncWriteExt as _, copy, sink};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::Result;
use crate::clock::processor_time;
use crate::compare::Server;
use crate::control::Control;
use crate::peers::config;
use crate::world::{Kind, World};

/// Number of prepared events.
const EVENTS: usize = 20_000;
/// Number of times that a new controller follows all events.
const RUNS: usize = 6;
/// Duration of a turn.
const TURN: Duration = Duration::from_millis(500);
const VIEWERS: usize = 50;
const REQUEST: &[u8] = b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// Duration of the measurement of viewers.
const WATCHED: Duration = Duration::from_secs(20);

/// Events per second, and processor time of an event in microseconds.
type Turn = (f64, f64);

/// Measures reasons, and then viewers.
pub(crate) fn run() -> Result<()> {
    let worlds = World::of(Kind::Sustained, &[], EVENTS);
    let world = worlds.first().ok_or("there is no sustained world")?;
    let server = Server::start(world, None)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut turns = Vec::new();
    for run in 1..=RUNS {
        turns.extend(runtime.block_on(follow(&server, world, run == RUNS))?);
    }
    let pairs = turns.len();
    println!("{pairs} pairs of turns: median without reasons, and ratio with them (quartiles)");
    report("events per s", &turns, |turn| turn.0);
    report("CPU per event, µs", &turns, |turn| turn.1);
    Ok(())
}

/// Follows all events. Returns the figures of each two turns, without and with the recording. In the
/// last run, prints the cost of viewers too.
async fn follow(server: &Server, world: &World, is_last: bool) -> Result<Vec<[Turn; 2]>> {
    let mut control = Control::connect(server.address).await?;
    control.ask::<()>("reset").await?;
    let client = informer_runtime::connect(config(server.address)?)?;
    let factory = SharedInformerFactory::builder(client).watch_list(WatchListMode::Never);
    let factory = factory.build()?;
    let pods = factory.informer::<Pod>();
    let controller = Controller::new("pods", &pods).workers(2);
    let handle = controller.handle();
    factory.start()?;
    factory.wait_for_cache_sync().await?;
    let mut running = JoinSet::new();
    let reconcile = async |_: Arc<Pod>, _: Arc<()>| Ok::<_, Infallible>(());
    running.spawn(controller.run(Arc::default(), reconcile));
    control.ask::<()>("events").await?;
    let mut turns = Vec::new();
    while pods.metrics().events < world.events as u64 {
        // Both orders, because a later turn has other objects.
        let without = turn(&pods).await?;
        let service = Service::new(&factory).controller(&handle);
        turns.push([without, turn(&pods).await?]);
        let with = turn(&pods).await?;
        drop(service);
        turns.push([turn(&pods).await?, with]);
    }
    // The events ended during the last turns.
    turns.truncate(turns.len().saturating_sub(2));
    if is_last {
        let service = Service::new(&factory).controller(&handle);
        for key in pods.indexer().list_keys() {
            handle.queue().add(key);
        }
        viewers(&service).await?;
    }
    factory.shutdown().await;
    Ok(turns)
}

async fn turn(pods: &SharedInformer<Pod>) -> Result<Turn> {
    let began = Instant::now();
    let events = pods.metrics().events;
    let processor = processor_time();
    sleep(TURN).await;
    let events = f64::from(u32::try_from(pods.metrics().events - events)?);
    let micros = processor_time().saturating_sub(processor).as_secs_f64() * 1e6;
    Ok((events / began.elapsed().as_secs_f64(), micros / events))
}

/// Prints the processor time without viewers, and with them, which includes their own.
async fn viewers(service: &Service) -> Result<()> {
    let address = service.serve("127.0.0.1:0").await?;
    let mut viewers = JoinSet::new();
    for count in [0, VIEWERS] {
        for _ in 0..count {
            let mut stream = TcpStream::connect(address).await?;
            stream.write_all(REQUEST).await?;
            viewers.spawn(async move { copy(&mut stream, &mut sink()).await });
        }
        let processor = processor_time();
        sleep(WATCHED).await;
        let processor = processor_time().saturating_sub(processor);
        let percent = processor.as_secs_f64() / WATCHED.as_secs_f64() * 100.0;
        println!("{count} viewers: {percent:.2} % of a core");
    }
    Ok(())
}

/// Prints the median without the recording, and the ratio with it.
fn report(name: &str, turns: &[[Turn; 2]], figure: impl Fn(&Turn) -> f64) {
    let quantile = |percent: usize, value: &dyn Fn(&[Turn; 2]) -> f64| {
        let mut values: Vec<f64> = turns.iter().map(value).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() * percent / 100).copied()
    };
    let ratio = |percent| quantile(percent, &|[without, with]| figure(with) / figure(without));
    let without = quantile(50, &|[without, _]| figure(without)).unwrap_or_default();
    let [low, middle, high] = [25, 50, 75].map(|percent| ratio(percent).unwrap_or_default());
    println!("  {name:<18} {without:>9.1}   {middle:.3} ({low:.3}–{high:.3})");
}
