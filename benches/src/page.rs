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
use tokio::runtime::Runtime;
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

/// Figures of one turn.
struct Turn {
    events_per_second: f64,
    /// Processor time of an event.
    micros_per_event: f64,
}

/// Turns next to each other, without and with the recording of reasons.
struct Pair {
    without: Turn,
    with: Turn,
}

/// Measures reasons, and then viewers.
pub(crate) fn run() -> Result<()> {
    let worlds = World::of(Kind::Sustained, &[], EVENTS);
    let world = worlds.first().ok_or("there is no sustained world")?;
    let server = Server::start(world, None)?;
    let runtime = Runtime::new()?;
    let mut pairs = Vec::new();
    for run in 1..=RUNS {
        let is_last = run == RUNS;
        let followed = runtime.block_on(follow(&server, world, is_last))?;
        pairs.extend(followed);
    }
    let count = pairs.len();
    println!("{count} pairs of turns: median without reasons, and ratio with them (quartiles)");
    report("events per s", &pairs, |turn| turn.events_per_second);
    report("CPU per event, µs", &pairs, |turn| turn.micros_per_event);
    Ok(())
}

/// Follows all events in pairs of turns. In the last run, prints the cost of viewers too.
async fn follow(server: &Server, world: &World, is_last: bool) -> Result<Vec<Pair>> {
    let mut control = Control::connect(server.address).await?;
    control.ask::<()>("reset").await?;
    let client_config = config(server.address)?;
    let client = informer_runtime::connect(client_config)?;
    let factory = SharedInformerFactory::builder(client)
        .watch_list(WatchListMode::Never)
        .build()?;
    let pods = factory.informer::<Pod>();
    let controller = Controller::new("pods", &pods).workers(2);
    let handle = controller.handle();
    factory.start()?;
    factory.wait_for_cache_sync().await?;
    let mut running = JoinSet::new();
    running.spawn(controller.run(Arc::default(), do_nothing));
    control.ask::<()>("events").await?;
    let mut pairs = Vec::new();
    while pods.metrics().events < world.events as u64 {
        // Both orders, because a later turn has other objects.
        let first_without = turn(&pods).await?;
        let service = Service::new(&factory).controller(&handle);
        let first_with = turn(&pods).await?;
        let second_with = turn(&pods).await?;
        drop(service);
        let second_without = turn(&pods).await?;
        pairs.push(Pair {
            without: first_without,
            with: first_with,
        });
        pairs.push(Pair {
            without: second_without,
            with: second_with,
        });
    }
    // The events ended during the last turns.
    pairs.truncate(pairs.len().saturating_sub(2));
    if is_last {
        let service = Service::new(&factory).controller(&handle);
        for key in pods.indexer().list_keys() {
            handle.queue().add(key);
        }
        viewers(&service).await?;
    }
    factory.shutdown().await;
    Ok(pairs)
}

async fn do_nothing(_: Arc<Pod>, _: Arc<()>) -> std::result::Result<(), Infallible> {
    Ok(())
}

async fn turn(pods: &SharedInformer<Pod>) -> Result<Turn> {
    let began = Instant::now();
    let events_before = pods.metrics().events;
    let processor_before = processor_time();
    sleep(TURN).await;
    let received = pods.metrics().events - events_before;
    let processor = processor_time().saturating_sub(processor_before);
    let events = f64::from(u32::try_from(received)?);
    Ok(Turn {
        events_per_second: events / began.elapsed().as_secs_f64(),
        micros_per_event: processor.as_secs_f64() * 1e6 / events,
    })
}

/// Prints the processor time without viewers, and with them, which includes their own.
async fn viewers(service: &Service) -> Result<()> {
    let address = service.serve("127.0.0.1:0").await?;
    let mut viewers = JoinSet::new();
    for count in [0, VIEWERS] {
        for _ in 0..count {
            let stream = TcpStream::connect(address).await?;
            viewers.spawn(view(stream));
        }
        let processor_before = processor_time();
        sleep(WATCHED).await;
        let processor = processor_time().saturating_sub(processor_before);
        let percent = processor.as_secs_f64() / WATCHED.as_secs_f64() * 100.0;
        println!("{count} viewers: {percent:.2} % of a core");
    }
    Ok(())
}

/// Requests the events, and discards them.
async fn view(mut stream: TcpStream) -> std::io::Result<()> {
    stream.write_all(REQUEST).await?;
    copy(&mut stream, &mut sink()).await?;
    Ok(())
}

/// Prints the median without the recording, and the ratio with it.
fn report(name: &str, pairs: &[Pair], figure: impl Fn(&Turn) -> f64) {
    let mut amounts = Vec::new();
    let mut ratios = Vec::new();
    for Pair { without, with } in pairs {
        amounts.push(figure(without));
        ratios.push(figure(with) / figure(without));
    }
    amounts.sort_unstable_by(f64::total_cmp);
    ratios.sort_unstable_by(f64::total_cmp);
    println!(
        "  {name:<18} {:>9.1}   {:.3} ({:.3}–{:.3})",
        quantile(&amounts, 50),
        quantile(&ratios, 50),
        quantile(&ratios, 25),
        quantile(&ratios, 75)
    );
}

fn quantile(sorted: &[f64], percent: usize) -> f64 {
    let position = sorted.len() * percent / 100;
    sorted.get(position).copied().unwrap_or_default()
}
