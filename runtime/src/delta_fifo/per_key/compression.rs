//! [`Compression`]: merges the deltas that wait for one key. Pure.
//!
//! # Invariants
//!
//! Whatever a compression returns, the deltas that leave the queue bring the store to the same
//! state as the deltas that entered it: [`compressed`] rejects every other result.

use crate::base::panic::{Panicked, catch};
use crate::delta_fifo::queue::Refusal;
use crate::delta_fifo::{Delta, Listed};
use crate::object::{ResourceVersion, Uid};

/// Function that merges the deltas that wait for one key, in
/// [`Order::Compressed`](crate::delta_fifo::Order::Compressed).
///
/// A well compressed queue accepts any number of changes as long as they concern fewer keys than
/// its capacity. A slow consumer then does not stall the watch.
///
/// The function returns the deltas that replace the pending ones, or `None` to keep these as they
/// are. It is called for each new delta of a key that already has pending deltas, with all deltas
/// of that key: at least two, oldest first. Cloning a delta does not copy the object. The call runs
/// under the queue's lock, for which only the informer's reflector and controller wait. It must
/// neither block nor use the informer.
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
/// A result that violates the contract is rejected, and so is a panic: the deltas are then merged
/// as in [`Order::PerKey`](crate::delta_fifo::Order::PerKey). Rejections are counted
/// ([`DeltaFifo::refused_compressions`](crate::delta_fifo::DeltaFifo::refused_compressions)) and
/// logged at exponentially growing intervals. So a compression cannot make the cache differ from
/// the server. It can only cost time.
///
/// # Examples
///
/// Keeps only the last state of each object:
///
/// ```
/// # extern crate informer_runtime as informer;
/// use informer::{InformerConfig, SharedInformer};
/// # use informer_runtime::delta_fifo::{Delta, Listed, Order};
/// # use informer_runtime::source::ListerWatcher;
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn doc(source: impl ListerWatcher) -> Result<(), Box<dyn std::error::Error>> {
/// let last = Order::Compressed(|pending: &[Delta]| match pending {
///     // An undecodable version does not replace the last state.
///     [.., Delta::Undecodable(_) | Delta::Replaced(Listed::Undecodable(_))] => None,
///     [.., last] => Some(vec![last.clone()]),
///     [] => None,
/// });
/// let config = InformerConfig::new().order(last);
/// let pods = SharedInformer::<Pod>::builder(source).config(config).build()?;
/// # Ok(())
/// # }
/// ```
pub type Compression = fn(pending: &[Delta]) -> Option<Vec<Delta>>;

/// Applies `rule`. Returns the new pending deltas if they change, and the reason if the result of
/// `rule` was rejected.
///
/// `is_held` returns `true` if the store knows the object, or may be about to store it.
pub(in crate::delta_fifo) fn compressed(
    rule: impl FnOnce(&[Delta]) -> Option<Vec<Delta>>,
    pending: &[Delta],
    is_held: impl FnOnce() -> bool,
) -> (Option<Vec<Delta>>, Option<Refusal>) {
    let refusal = match catch(|| rule(pending)) {
        Ok(None) => return (None, None),
        Ok(Some(fewer)) => match check(pending, &fewer, is_held) {
            Ok(()) => return (Some(fewer), None),
            Err(refusal) => refusal,
        },
        Err(Panicked) => Refusal::Panicked,
    };
    (dedup_deltas(pending), Some(refusal))
}

/// Merges two consecutive deletions. Keeps the deletion with the known final state, and the older
/// one if both states are known. client-go's counterpart is `dedupDeltas`.
pub(in crate::delta_fifo) fn dedup_deltas(pending: &[Delta]) -> Option<Vec<Delta>> {
    let [before @ .., Delta::Deleted(older), Delta::Deleted(newer)] = pending else {
        return None;
    };
    let newer_knows_more = older.final_state_unknown && !newer.final_state_unknown;
    let kept = if newer_knows_more { newer } else { older };
    let mut fewer = before.to_vec();
    fewer.push(Delta::Deleted(kept.clone()));
    Some(fewer)
}

// === Checks of the contract ===

/// Effect of a delta on its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Present,
    /// A version whose content may differ from the same version seen earlier.
    Restored,
    Deleted,
    Undecodable,
}

/// Effect of a delta, and the version that it concerns.
type Step<'a> = (Effect, Option<&'a Uid>, &'a ResourceVersion);

/// Returns the step of a delta; `None` if the delta concerns the whole store.
fn step(delta: &Delta) -> Option<Step<'_>> {
    let (effect, entry) = match delta {
        Delta::Added(entry)
        | Delta::Updated(entry)
        | Delta::Replaced(Listed::Changed(entry) | Listed::Unchanged(entry)) => {
            (Effect::Present, entry)
        }
        Delta::Replaced(Listed::Restored(entry)) => (Effect::Restored, entry),
        Delta::Deleted(gone) => {
            return Some((Effect::Deleted, gone.uid.as_ref(), &gone.resource_version));
        }
        Delta::Undecodable(object) | Delta::Replaced(Listed::Undecodable(object)) => {
            return Some((Effect::Undecodable, None, &object.resource_version));
        }
        Delta::ReplacedAll(_) | Delta::Sync(_) | Delta::Bookmark { .. } => return None,
    };
    Some((effect, entry.uid.as_ref(), &entry.resource_version))
}

fn check(
    pending: &[Delta],
    fewer: &[Delta],
    is_held: impl FnOnce() -> bool,
) -> Result<(), Refusal> {
    let key = pending.first().and_then(Delta::key);
    let was: Vec<Step<'_>> = pending.iter().filter_map(step).collect();
    let is: Vec<Step<'_>> = fewer.iter().filter_map(step).collect();
    let are_of_the_key = fewer.iter().all(|delta| delta.key() == key);
    if !are_of_the_key || !is.iter().all(|step| was.contains(step)) {
        return Err(Refusal::Invented);
    }
    let same_state = match (decodable(&was).next(), decodable(&is).next()) {
        (Some((Effect::Deleted, ..)), None) => fewer.is_empty() && !is_held(),
        // Any of several consecutive deletions.
        (Some(_), Some(last @ (Effect::Deleted, ..))) => decodable(&was)
            .take_while(|step| step.0 == Effect::Deleted)
            .any(|step| step == last),
        (was, is) => was == is,
    };
    let mark = |steps: &[Step<'_>]| {
        let last = steps.last().filter(|step| step.0 == Effect::Undecodable);
        last.map(|step| step.2.clone())
    };
    if same_state && mark(&was) == mark(&is) {
        Ok(())
    } else {
        Err(Refusal::LostState)
    }
}

/// Returns the steps that are not [`Effect::Undecodable`], last one first.
fn decodable<'a>(steps: &'a [Step<'a>]) -> impl Iterator<Item = &'a Step<'a>> {
    let decodable = |step: &&Step<'_>| step.0 != Effect::Undecodable;
    steps.iter().rev().filter(decodable)
}
