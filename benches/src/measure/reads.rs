//! Reads of the cache, after the events.

use std::sync::Arc;
use std::thread;

use tokio::time::Instant;

use crate::Result;
use crate::control::{Control, Lookups};
use crate::objects::Random;
use crate::peers::{Follower, Reader};
use crate::sample::Reads;

const GETS: u32 = 400_000;
const SELECTOR_LISTS: u32 = 20;
const LABEL_LISTS: u32 = 400;
const INDEX_LISTS: u32 = 4_000;

pub(super) async fn measure(control: &mut Control, follower: &impl Follower) -> Result<Reads> {
    let lookups: Lookups = control.ask("lookups").await?;
    let reader = Arc::new(follower.reader(&lookups)?);
    let objects = follower.len();
    tokio::task::spawn_blocking(move || all(&reader, &lookups.nodes, objects)).await?
}

fn all<R: Reader>(reader: &Arc<R>, nodes: &[String], objects: usize) -> Result<Reads> {
    let mut random = Random::new(1);
    let mut node = || nodes.get(random.below(nodes.len()));
    let mut next = (0..objects).cycle();
    let mut at = || next.next().unwrap_or_default();
    let found = |is_found: bool| Some(usize::from(is_found));
    let mut reads = Reads {
        get: seconds_each(GETS, || found(reader.get(at())))?,
        get_field: seconds_each(GETS, || found(reader.get_field(at())))?,
        borrow: seconds_each(GETS, || reader.borrow(at()).map(usize::from))?,
        gets_of_two: gets_of_two(reader, objects)?,
        index_list: seconds_each(INDEX_LISTS, || reader.list_of_node(node()?))?,
        index_visit: seconds_each(INDEX_LISTS, || reader.visit_of_node(node()?))?,
        selector_list: seconds_each(SELECTOR_LISTS, || reader.list_selected())?,
        label_list: None,
    };
    if let Some(list) = reader.index_label()? {
        reads.label_list = seconds_each(LABEL_LISTS, || Some(list()))?;
    }
    Ok(reads)
}

/// Returns the seconds of a get while two threads read, the second in the opposite order.
fn gets_of_two<R: Reader>(reader: &Arc<R>, objects: usize) -> Result<Option<f64>> {
    let run = |is_reverse: bool| {
        let reader = Arc::clone(reader);
        thread::spawn(move || {
            let last = objects.saturating_sub(1);
            let order = (0..objects).map(|at| if is_reverse { last - at } else { at });
            let mut next = order.cycle();
            let mut get = || next.next().is_some_and(|at| reader.get(at));
            (0..GETS).all(|_| get())
        })
    };
    let began = Instant::now();
    let threads = [run(false), run(true)];
    let is_found = threads.map(|thread| thread.join().unwrap_or(false));
    let took = began.elapsed().as_secs_f64() / f64::from(2 * GETS);
    if is_found == [true; 2] {
        Ok(Some(took))
    } else {
        Err("the cache has lost an object".into())
    }
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
        .ok_or_else(|| "a read found nothing".into())
}
