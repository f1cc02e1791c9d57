//! Readers of the cache during events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::time::Instant;

use crate::Result;
use crate::control::Control;
use crate::peers::{Follower, Reader};
use crate::pod::Random;
use crate::sample::{Quantiles, Reads};

/// Only one of this many gets is timed, because reading the clock costs as much as a get.
const TIMED: usize = 64;
const SELECTOR_LISTS: u32 = 20;
const INDEX_LISTS: u32 = 2_000;

/// Result of one reader thread.
struct Done {
    gets: usize,
    seconds: f64,
    nanos: Vec<u64>,
}

pub(super) async fn measure(control: &mut Control, follower: &impl Follower) -> Result<Reads> {
    let objects = follower.len();
    let reader = Arc::new(follower.reader()?);
    let (one_thread, mut nanos) = get(control, follower, &reader, 1).await?;
    let (two_threads, _) = get(control, follower, &reader, 2).await?;
    let lists = tokio::task::spawn_blocking(move || {
        let selected = seconds_each(SELECTOR_LISTS, |_| reader.list_selected() > 0);
        let mut random = Random::new(1);
        let nodes: Vec<String> = (0..INDEX_LISTS)
            .map(|_| crate::pod::node_of(random.below(objects)))
            .collect();
        let has_index = nodes.first().and_then(|node| reader.list_of_node(node));
        let of_node = |at: usize| {
            let node = nodes.get(at);
            node.and_then(|node| reader.list_of_node(node)) > Some(0)
        };
        let of_nodes = has_index.map(|_| seconds_each(INDEX_LISTS, of_node));
        (selected, of_nodes)
    });
    let (selector_list, index_list) = lists.await?;
    Ok(Reads {
        one_thread,
        two_threads,
        get: Quantiles::of(&mut nanos),
        index_list: index_list.transpose()?,
        selector_list: selector_list?,
    })
}

/// Runs reader threads during a part of the paced events. Returns the gets per second, and the
/// durations of some gets.
async fn get(
    control: &mut Control,
    follower: &impl Follower,
    reader: &Arc<impl Reader>,
    threads: u64,
) -> Result<(f64, Vec<u64>)> {
    let objects = follower.len();
    let stop = Arc::new(AtomicBool::new(false));
    let running: Vec<_> = (0..threads)
        .map(|seed| {
            let (reader, stop) = (Arc::clone(reader), Arc::clone(&stop));
            thread::spawn(move || get_until(&stop, &*reader, objects, seed))
        })
        .collect();
    let sent = super::paced_events(control, follower.tally()).await;
    stop.store(true, Ordering::Relaxed);
    let (mut rate, mut nanos) = (0.0, Vec::new());
    for thread in running {
        let done = thread.join().map_err(|_| "a reader panicked")??;
        rate += crate::figures::count(done.gets) / done.seconds;
        nanos.extend(done.nanos);
    }
    sent.map(|()| (rate, nanos))
}

fn get_until(stop: &AtomicBool, reader: &impl Reader, objects: usize, seed: u64) -> Result<Done> {
    let mut random = Random::new(seed);
    let (mut gets, mut nanos) = (0, Vec::with_capacity(1 << 18));
    let began = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        let mut found = reader.get(random.below(objects));
        let took = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        nanos.push(took);
        for _ in 1..TIMED {
            found &= reader.get(random.below(objects));
        }
        if !found {
            return Err("the cache has lost an object".into());
        }
        gets += TIMED;
    }
    Ok(Done {
        gets,
        seconds: began.elapsed().as_secs_f64(),
        nanos,
    })
}

/// Returns the mean duration of `count` calls. Each call has to find an object.
fn seconds_each(count: u32, call: impl Fn(usize) -> bool) -> Result<f64> {
    let began = Instant::now();
    let is_found = (0..count as usize).all(call);
    let took = began.elapsed().as_secs_f64() / f64::from(count);
    is_found
        .then_some(took)
        .ok_or_else(|| "a list found nothing".into())
}
