//! Readers of the cache during events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::time::Instant;

use crate::Result;
use crate::control::Control;
use crate::objects::Random;
use crate::peers::{Follower, Reader};

use crate::sample::{Quantiles, Reads};

/// Only one of this many gets is timed, because reading the clock costs as much as a get.
const TIMED: u32 = 64;
const SELECTOR_LISTS: u32 = 20;
const INDEX_LISTS: u32 = 2_000;

pub(super) async fn measure(control: &mut Control, follower: &impl Follower) -> Result<Reads> {
    let lookups = control.lookups().await?;
    let reader = Arc::new(follower.reader(&lookups)?);
    let owned = Arc::clone(&reader);
    let (gets, mut nanos) = gets(control, follower, move |at| owned.get(at)).await?;
    let lists = tokio::task::spawn_blocking(move || lists(&*reader, &lookups.nodes));
    let [selector_list, index_list, index_visit] = lists.await??;
    Ok(Reads {
        gets,
        get: Quantiles::of(&mut nanos),
        index_list,
        index_visit,
        selector_list,
    })
}

/// Returns the seconds of a list by labels, of a list by an index, and of a visit by that index.
fn lists(reader: &impl Reader, nodes: &[String]) -> Result<[Option<f64>; 3]> {
    let mut random = Random::new(1);
    let mut node = || nodes.get(random.below(nodes.len()));
    Ok([
        seconds_each(SELECTOR_LISTS, || reader.list_selected())?,
        seconds_each(INDEX_LISTS, || reader.list_of_node(node()?))?,
        seconds_each(INDEX_LISTS, || reader.visit_of_node(node()?))?,
    ])
}

/// Calls `get` with random positions in a thread, during a part of the paced events. Returns the
/// gets per second, and the durations of some gets.
async fn gets(
    control: &mut Control,
    follower: &impl Follower,
    get: impl Fn(usize) -> bool + Send + 'static,
) -> Result<(f64, Vec<u64>)> {
    let objects = follower.len();
    let stop = Arc::new(AtomicBool::new(false));
    let running = {
        let stop = Arc::clone(&stop);
        thread::spawn(move || get_until(&stop, get, objects))
    };
    let sent = super::paced_events(control, follower.tally()).await;
    stop.store(true, Ordering::Relaxed);
    let done = running.join().map_err(|_| "the reader panicked")??;
    sent.map(|()| done)
}

fn get_until(
    stop: &AtomicBool,
    get: impl Fn(usize) -> bool,
    objects: usize,
) -> Result<(f64, Vec<u64>)> {
    let mut random = Random::new(0);
    let (mut count, mut nanos) = (0_u32, Vec::with_capacity(1 << 18));
    let began = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        let mut found = get(random.below(objects));
        let took = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        nanos.push(took);
        for _ in 1..TIMED {
            found &= get(random.below(objects));
        }
        if !found {
            return Err("the cache has lost an object".into());
        }
        count += TIMED;
    }
    let rate = f64::from(count) / began.elapsed().as_secs_f64();
    Ok((rate, nanos))
}

/// Returns the mean duration of `count` calls, or `None` if the peer does not support the call.
/// Each call has to find an object.
fn seconds_each(count: u32, mut call: impl FnMut() -> Option<usize>) -> Result<Option<f64>> {
    if call().is_none() {
        return Ok(None);
    }
    let began = Instant::now();
    let is_found = (0..count).all(|_| call() > Some(0));
    let took = began.elapsed().as_secs_f64() / f64::from(count);
    is_found
        .then_some(Some(took))
        .ok_or_else(|| "a list found nothing".into())
}
