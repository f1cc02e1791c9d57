//! [`MemoryUsage`]: memory of the informers of a factory, which a task measures and reports.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::base::text::size;
use crate::reflector::Peers;
use crate::shared_informer::GenericInformer;
use crate::status::ReflectorError;
use crate::storage::{Budget, Level};

/// Time between two measurements. Bodies of tiered objects are counted at once.
const PERIOD: Duration = Duration::from_millis(200);

/// Memory of the informers of a factory, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// Memory that counts against the budget. Without a budget, nothing is measured.
    pub used: usize,
    /// Budget, if the factory has one.
    pub budget: Option<usize>,
}

/// Measures until `stop`, or until the factory is gone, which then has no `informers`.
pub(super) async fn watch(
    informers: impl Fn() -> Option<Vec<GenericInformer>>,
    peers: Peers,
    stop: CancellationToken,
) {
    let mut level = Level::default();
    let mut pause = PERIOD;
    let mut last_took = Duration::ZERO;
    while stop.run_until_cancelled(sleep(pause)).await.is_some() {
        let Some(informers) = informers() else {
            return;
        };
        let began = Instant::now();
        level = measure(&informers, &peers, level);
        let took = began.elapsed();
        // `Packed` counts all distinct labels. That takes at most 1 % of the time. One measurement
        // may be long only because its thread was preempted.
        pause = PERIOD.max(100 * took.min(last_took));
        last_took = took;
    }
}

/// Measures once. Returns the level of use.
fn measure(informers: &[GenericInformer], peers: &Peers, last: Level) -> Level {
    let held: Vec<_> = informers.iter().map(GenericInformer::held_bytes).collect();
    let account = &*peers.account;
    account.set_others(held.iter().sum::<usize>() + peers.room.used());
    let level = account.level(last);
    let used = size(account.used());
    let fixed = size(account.fixed());
    let largest = held.iter().max();
    for (informer, held) in informers.iter().zip(&held) {
        let is_cause = level == Level::Over && Some(held) == largest;
        let cause = is_cause.then(|| ReflectorError::OverBudget {
            held: *held,
            budget: account.budget().map_or(0, Budget::as_bytes),
            evicts: informer.evicts(),
        });
        informer.inner.status.over_budget(cause);
        if is_cause && last < Level::Over {
            warn!(
                informer = informer.name(),
                used, fixed, "memory budget exceeded by what cannot be evicted"
            );
        }
    }
    if level != last && level < Level::Over {
        info!(used, fixed, "use of the memory budget changed");
    }
    level
}

#[cfg(test)]
mod tests;
