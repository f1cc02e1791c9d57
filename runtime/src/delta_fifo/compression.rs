//! [`Compression`]: merges the deltas that wait for one key. Pure.
//!
//! # Invariants
//!
//! Whatever a compression returns, the deltas that leave the queue bring the store to the same
//! state as the deltas that entered it: [`compressed`] rejects every other result.

use super::delta::{Delta, Listed};
use crate::base::panic::{Panicked, catch};
use crate::object::{ResourceVersion, Uid};

/// Merges the deltas that wait for one key, in [`Order::PerKey`](super::Order::PerKey).
///
/// A well compressed queue accepts any number of changes as long as they concern fewer keys than
/// its capacity. A slow consumer then does not stall the watch. [`DedupDeltas`], the default, is
/// client-go's rule, and merges deletions only. Closures implement this trait.
///
/// # Contract
///
/// 1. Each returned delta is one of the pending deltas, or has the same effect for the same version
///    (uid and resourceVersion). A compression must not invent objects or keys. Handles are not
///    compared. The kinds of deltas matter only as "present", "deleted" and "undecodable": the
///    store decides whether an object is new.
/// 2. The last state is kept: the last decodable version, or the deletion after it, and any
///    undecodable version since then.
/// 3. An empty result is allowed if the object was added and deleted while it waited, and the store
///    does not know it. Handlers then never see the object, and the store's resourceVersion
///    advances only with the next delta.
///
/// A result that violates the contract is rejected, and so is a panic: the deltas are merged by
/// [`DedupDeltas`] instead. Rejections are counted
/// ([`DeltaFifo::refused_compressions`](super::DeltaFifo::refused_compressions)) and logged at
/// exponentially growing intervals. So a compression cannot make the cache differ from the server.
/// It can only cost time.
///
/// # Examples
///
/// Keeps only the last state of each object:
///
/// ```
/// # extern crate informer_runtime as informer;
/// use informer::SharedInformer;
/// # use informer_runtime::delta_fifo::{Delta, Listed, Order};
/// # use informer_runtime::source::ListerWatcher;
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn doc(source: impl ListerWatcher) -> Result<(), Box<dyn std::error::Error>> {
/// let pods = SharedInformer::<Pod>::builder(source)
///     .order(Order::PerKey)
///     .compression(|pending: &[Delta]| match pending {
///         // An undecodable version does not replace the last state.
///         [.., Delta::Undecodable(_) | Delta::Replaced(Listed::Undecodable(_))] => None,
///         [.., last] => Some(vec![last.clone()]),
///         [] => None,
///     })
///     .build()?;
/// # Ok(())
/// # }
/// ```
pub trait Compression: Send + Sync {
    /// Returns the deltas that replace `pending`, or `None` to keep `pending` as it is.
    ///
    /// Called for each new delta of a key that already has pending deltas. `pending` has all deltas
    /// of that key, at least two, oldest first; the new delta is the last. Cloning a delta does not
    /// copy the object.
    ///
    /// Runs under the queue's lock, for which only the informer's reflector and controller wait. It
    /// must neither block nor use the informer.
    fn compress(&self, pending: &[Delta]) -> Option<Vec<Delta>>;
}

/// Merges two consecutive deletions. Keeps the deletion with the known final state, and the older
/// one if both states are known.
///
/// The default compression. client-go's counterpart is `dedupDeltas`.
#[derive(Debug, Clone, Copy, Default)]
pub struct DedupDeltas;

/// Reason for which the result of a compression was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("it returned a delta that is not pending")]
    Invented,
    #[error("it dropped the last state")]
    LostState,
    /// The panic message is omitted, because it may quote the object.
    #[error("it panicked")]
    Panicked,
}

/// Applies `rule`. Returns the new pending deltas if they change, and the reason if the result of
/// `rule` was rejected.
///
/// `is_held` returns `true` if the store knows the object, or may be about to store it.
pub(super) fn compressed(
    rule: &dyn Compression,
    pending: &[Delta],
    is_held: impl FnOnce() -> bool,
) -> (Option<Vec<Delta>>, Option<Refusal>) {
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

impl<F> Compression for F
where
    F: Fn(&[Delta]) -> Option<Vec<Delta>> + Send + Sync,
{
    fn compress(&self, pending: &[Delta]) -> Option<Vec<Delta>> {
        self(pending)
    }
}

impl Compression for DedupDeltas {
    fn compress(&self, pending: &[Delta]) -> Option<Vec<Delta>> {
        let [before @ .., Delta::Deleted(older), Delta::Deleted(newer)] = pending else {
            return None;
        };
        let newer_knows_more = older.final_state_unknown && !newer.final_state_unknown;
        let kept = if newer_knows_more { newer } else { older };
        let mut fewer = before.to_vec();
        fewer.push(Delta::Deleted(kept.clone()));
        Some(fewer)
    }
}

// === Checks of the contract ===

/// Effect of a delta on its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect<'a> {
    Present(Option<&'a Uid>, &'a ResourceVersion),
    /// A version whose content may differ from the same version seen earlier.
    Restored(Option<&'a Uid>, &'a ResourceVersion),
    Deleted(Option<&'a Uid>, &'a ResourceVersion),
    Undecodable(&'a ResourceVersion),
    /// A delta that concerns the whole store.
    Whole,
}

fn effect(delta: &Delta) -> Effect<'_> {
    match delta {
        Delta::Added(entry)
        | Delta::Updated(entry)
        | Delta::Replaced(Listed::Changed(entry) | Listed::Unchanged(entry)) => {
            Effect::Present(entry.uid(), entry.resource_version())
        }
        Delta::Replaced(Listed::Restored(entry)) => {
            Effect::Restored(entry.uid(), entry.resource_version())
        }
        Delta::Deleted(removed) => Effect::Deleted(removed.uid.as_ref(), &removed.resource_version),
        Delta::Undecodable(object) | Delta::Replaced(Listed::Undecodable(object)) => {
            Effect::Undecodable(&object.resource_version)
        }
        Delta::ReplacedAll(_) | Delta::Sync(_) | Delta::Bookmark(_) => Effect::Whole,
    }
}

/// Final state of a list of deltas: its last decodable version or its deletions, and an undecodable
/// version after them.
#[derive(Debug, Default)]
struct FinalState<'a> {
    present: Option<Effect<'a>>,
    deletions: Vec<Effect<'a>>,
    undecodable: Option<Effect<'a>>,
}

fn final_state<'a>(effects: &[Effect<'a>]) -> FinalState<'a> {
    let mut state = FinalState::default();
    for &effect in effects {
        match effect {
            Effect::Present(..) | Effect::Restored(..) => {
                state = FinalState {
                    present: Some(effect),
                    ..FinalState::default()
                };
            }
            Effect::Deleted(..) => {
                state.present = None;
                state.deletions.push(effect);
                state.undecodable = None;
            }
            Effect::Undecodable(_) => state.undecodable = Some(effect),
            Effect::Whole => {}
        }
    }
    state
}

fn check(
    pending: &[Delta],
    fewer: &[Delta],
    is_held: impl FnOnce() -> bool,
) -> Result<(), Refusal> {
    let key = pending.first().and_then(Delta::key);
    let waiting: Vec<Effect<'_>> = pending.iter().map(effect).collect();
    let result: Vec<Effect<'_>> = fewer.iter().map(effect).collect();
    let are_pending = result.iter().all(|effect| waiting.contains(effect));
    if !are_pending || fewer.iter().any(|delta| delta.key() != key) {
        return Err(Refusal::Invented);
    }
    let (was, is) = (final_state(&waiting), final_state(&result));
    let same_deletion = match is.deletions.last() {
        Some(last) => was.deletions.contains(last),
        None if was.deletions.is_empty() => true,
        // The object was added and deleted, if the store does not hold it.
        None => result.is_empty() && !is_held(),
    };
    if was.present == is.present && was.undecodable == is.undecodable && same_deletion {
        Ok(())
    } else {
        Err(Refusal::LostState)
    }
}
