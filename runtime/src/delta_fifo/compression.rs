//! [`Compression`]: what is made of the deltas that wait for one key. Pure.
//!
//! # Invariants
//!
//! Whatever a compression returns, what leaves the queue takes the store to where the deltas would
//! have taken it that came in: [`compressed`] refuses everything else.

use super::delta::{Delta, Listed};
use crate::base::panic::{Panicked, catch};
use crate::object::{ResourceVersion, Uid};

/// Makes fewer deltas of those that wait for one key, in [`Order::PerKey`](super::Order::PerKey).
///
/// A queue that is compressed well takes any number of changes to fewer keys than it has room for, so
/// that a consumer that is held up does not hold up the watch. [`DedupDeltas`], the default, is
/// client-go's rule and merges deletions only. Closures are compressions too.
///
/// # What must hold
///
/// 1. A delta that is returned is one of those that wait, or says the same of the same version (uid
///    and resourceVersion): nothing is invented, neither an object nor a key. Its handle is not
///    looked at, and the deltas' kinds do not matter beyond "there", "gone" and "undecodable": the
///    store decides whether an object is new.
/// 2. The last state stays: the last version that is good or the deletion after it, and what did not
///    decode since then.
/// 3. Nothing at all may be returned where an object came and went while it waited, and the store
///    does not know of it. Then nobody is told of it, and the store's resourceVersion moves on with
///    the next delta only.
///
/// What breaks this, or panics, is refused: the deltas wait as [`DedupDeltas`] has them, and it is
/// counted ([`DeltaFifo::refused_compressions`](super::DeltaFifo::refused_compressions)) and logged,
/// at the first time and then ever more rarely. So no compression can make the cache differ from the
/// server; the worst it can do is to cost time.
///
/// # Examples
///
/// Only the last state of each object, as fast as the consumer gets to it:
///
/// ```
/// # extern crate informer_runtime as informer;
/// use informer::SharedInformer;
/// # use informer_runtime::delta_fifo::{Delta, Listed, Order};
/// # use informer_runtime::source::ListerWatcher;
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn doc(source: impl ListerWatcher) -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
///
/// let pods = SharedInformer::<Pod>::builder(source)
///     .order(Order::PerKey)
///     .compression(|pending: &[Delta<Arc<Pod>>]| match pending {
///         // What did not decode says nothing of the state: what came before it stays.
///         [.., Delta::Undecodable(_) | Delta::Replaced(Listed::Undecodable(_))] => None,
///         [.., last] => Some(vec![last.clone()]),
///         [] => None,
///     })
///     .build()?;
/// # Ok(())
/// # }
/// ```
pub trait Compression<H>: Send + Sync {
    /// What shall wait instead of `pending`; `None` if that is good as it is.
    ///
    /// Called for each delta that comes to a key which has others already: it is the last of
    /// `pending`, which are all of that key, the oldest first, and two at least. Cloning a delta
    /// copies no object.
    ///
    /// Runs under the queue's lock, for which the informer's reflector and controller wait, and
    /// nobody else: it must neither block nor use the informer.
    fn compress(&self, pending: &[Delta<H>]) -> Option<Vec<Delta<H>>>;
}

/// Of two deletions in a row the one that knows the final state stays, the older if both do.
///
/// The default. client-go's counterpart is `dedupDeltas`.
#[derive(Debug, Clone, Copy, Default)]
pub struct DedupDeltas;

/// Why what a compression returned was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("it returned a delta that is none of those that wait")]
    Invented,
    #[error("it lost the last state")]
    LostState,
    /// Says nothing more: a panic's message may quote the object.
    #[error("it panicked")]
    Panicked,
}

/// What waits from now on, if it changes, and why it is not what `rule` wanted.
///
/// `is_held` says whether the store knows of the object, or may be about to.
pub(super) fn compressed<H: Clone>(
    rule: &dyn Compression<H>,
    pending: &[Delta<H>],
    is_held: impl FnOnce() -> bool,
) -> (Option<Vec<Delta<H>>>, Option<Refusal>) {
    let refusal = match catch(|| rule.compress(pending)) {
        Ok(None) => return (None, None),
        Ok(Some(fewer)) => match check(pending, &fewer, is_held) {
            Ok(()) => return (Some(fewer), None),
            Err(refusal) => refusal,
        },
        Err(Panicked) => Refusal::Panicked,
    };
    (DedupDeltas.compress(pending), Some(refusal))
}

// === impl Compression ===

impl<H, F> Compression<H> for F
where
    F: Fn(&[Delta<H>]) -> Option<Vec<Delta<H>>> + Send + Sync,
{
    fn compress(&self, pending: &[Delta<H>]) -> Option<Vec<Delta<H>>> {
        self(pending)
    }
}

impl<H: Clone> Compression<H> for DedupDeltas {
    fn compress(&self, pending: &[Delta<H>]) -> Option<Vec<Delta<H>>> {
        let [before @ .., Delta::Deleted(older), Delta::Deleted(newer)] = pending else {
            return None;
        };
        let newer_knows_more = older.final_state_unknown && !newer.final_state_unknown;
        let stays = if newer_knows_more { newer } else { older };
        let mut fewer = before.to_vec();
        fewer.push(Delta::Deleted(stays.clone()));
        Some(fewer)
    }
}

// === The laws ===

/// What a delta says of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word<'a> {
    There(Option<&'a Uid>, &'a ResourceVersion),
    /// The same versions may name another content than before.
    Restored(Option<&'a Uid>, &'a ResourceVersion),
    Gone(Option<&'a Uid>, &'a ResourceVersion),
    Undecodable(&'a ResourceVersion),
    /// It is about the whole store.
    Whole,
}

fn word<H>(delta: &Delta<H>) -> Word<'_> {
    match delta {
        Delta::Added(entry)
        | Delta::Updated(entry)
        | Delta::Replaced(Listed::Changed(entry) | Listed::Unchanged(entry)) => {
            Word::There(entry.uid.as_ref(), &entry.resource_version)
        }
        Delta::Replaced(Listed::Restored(entry)) => {
            Word::Restored(entry.uid.as_ref(), &entry.resource_version)
        }
        Delta::Deleted(removed) => Word::Gone(removed.uid.as_ref(), &removed.resource_version),
        Delta::Undecodable(object) | Delta::Replaced(Listed::Undecodable(object)) => {
            Word::Undecodable(&object.resource_version)
        }
        Delta::ReplacedAll(_) | Delta::Sync(_) | Delta::Bookmark(_) => Word::Whole,
    }
}

/// Where a list of deltas ends: its last good version or deletions, and what did not decode since.
#[derive(Debug, Default)]
struct End<'a> {
    there: Option<Word<'a>>,
    gone: Vec<Word<'a>>,
    undecodable: Option<Word<'a>>,
}

fn end<'a>(words: &[Word<'a>]) -> End<'a> {
    let mut end = End::default();
    for &word in words {
        match word {
            Word::There(..) | Word::Restored(..) => {
                end = End {
                    there: Some(word),
                    ..End::default()
                };
            }
            Word::Gone(..) => {
                end.there = None;
                end.gone.push(word);
                end.undecodable = None;
            }
            Word::Undecodable(_) => end.undecodable = Some(word),
            Word::Whole => {}
        }
    }
    end
}

fn check<H>(
    pending: &[Delta<H>],
    fewer: &[Delta<H>],
    is_held: impl FnOnce() -> bool,
) -> Result<(), Refusal> {
    let key = pending.first().and_then(Delta::key);
    let waiting: Vec<Word<'_>> = pending.iter().map(word).collect();
    let wanted: Vec<Word<'_>> = fewer.iter().map(word).collect();
    let is_one_of_them = wanted.iter().all(|word| waiting.contains(word));
    if !is_one_of_them || fewer.iter().any(|delta| delta.key() != key) {
        return Err(Refusal::Invented);
    }
    let (was, is) = (end(&waiting), end(&wanted));
    let same_deletion = match is.gone.last() {
        Some(last) => was.gone.contains(last),
        None if was.gone.is_empty() => true,
        // It came and went, if there was nothing before.
        None => wanted.is_empty() && !is_held(),
    };
    if was.there == is.there && was.undecodable == is.undecodable && same_deletion {
        Ok(())
    } else {
        Err(Refusal::LostState)
    }
}
