//! Reads of the cache, after the events.

use std::sync::Arc;
use std::thread;

use tokio::task::spawn_blocking;
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
    spawn_blocking(move || measure_all(&reader, &lookups.nodes, objects)).await?
}

fn measure_all<R>(reader: &Arc<R>, nodes: &[String], objects: usize) -> Result<Reads>
where
    R: Reader,
{
    let mut random = Random::new(1);
    let mut node = || nodes.get(random.below(nodes.len()));
    let mut positions = (0..objects).cycle();
    let mut at = || positions.next().unwrap_or_default();
    let mut reads = Reads {
        get: seconds_each(GETS, || Some(reader.get(at())))?,
        get_field: seconds_each(GETS, || Some(reader.get_field(at())))?,
        borrow: seconds_each(GETS, || reader.borrow(at()))?,
        gets_of_two: gets_of_two(reader, objects)?,
        index_list: seconds_each(INDEX_LISTS, || {
            let found = reader.list_of_node(node()?)?;
            Some(found > 0)
        })?,
        index_visit: seconds_each(INDEX_LISTS, || {
            let found = reader.visit_of_node(node()?)?;
            Some(found > 0)
        })?,
        selector_list: seconds_each(SELECTOR_LISTS, || {
            let found = reader.list_selected()?;
            Some(found > 0)
        })?,
        label_list: None,
    };
    if let Some(list) = reader.index_label()? {
        reads.label_list = seconds_each(LABEL_LISTS, || Some(list() > 0))?;
    }
    Ok(reads)
}

/// Returns the seconds of a get while two threads read, the second in the opposite order.
fn gets_of_two<R>(reader: &Arc<R>, objects: usize) -> Result<Option<f64>>
where
    R: Reader,
{
    let ascending = Arc::clone(reader);
    let descending = Arc::clone(reader);
    let began = Instant::now();
    let one = thread::spawn(move || {
        let positions = (0..objects).cycle();
        get_all(&*ascending, positions)
    });
    let other = thread::spawn(move || {
        let positions = (0..objects).rev().cycle();
        get_all(&*descending, positions)
    });
    let one_found = one.join().unwrap_or(false);
    let other_found = other.join().unwrap_or(false);
    let took = began.elapsed().as_secs_f64() / f64::from(2 * GETS);
    if one_found && other_found {
        Ok(Some(took))
    } else {
        Err("the cache has lost an object".into())
    }
}

/// Gets objects, and reports whether each get found one.
fn get_all(reader: &impl Reader, mut positions: impl Iterator<Item = usize>) -> bool {
    for _ in 0..GETS {
        let Some(at) = positions.next() else {
            return false;
        };
        if !reader.get(at) {
            return false;
        }
    }
    true
}

/// Returns the mean duration of `count` calls, or `None` if the peer does not support the call.
/// Each call reports whether it found an object, which it has to.
fn seconds_each<F>(count: u32, mut call: F) -> Result<Option<f64>>
where
    F: FnMut() -> Option<bool>,
{
    if call().is_none() {
        return Ok(None);
    }
    let began = Instant::now();
    let is_found = (0..count).all(|_| call() == Some(true));
    let took = began.elapsed().as_secs_f64() / f64::from(count);
    if is_found {
        Ok(Some(took))
    } else {
        Err("a read found nothing".into())
    }
}
