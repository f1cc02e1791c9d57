//! Measures the memory of the informers of a factory, and reports its use.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::reflector::Peers;
use crate::shared_informer::GenericInformer;
use crate::status::ReflectorError;
use crate::storage::{Budget, Level};

/// Time between two measurements. Bodies of tiered objects are counted at once.
const PERIOD: Duration = Duration::from_millis(200);

/// Measures until `stop`, or until the factory is gone, which then has no `informers`.
pub(super) async fn watch(
    informers: impl Fn() -> Option<Vec<GenericInformer>>,
    peers: Peers,
    stop: CancellationToken,
) {
    let (mut level, mut pause) = (Level::default(), PERIOD);
    while stop.run_until_cancelled(sleep(pause)).await.is_some() {
        let Some(informers) = informers() else {
            return;
        };
        let began = Instant::now();
        level = measure(&informers, &peers, level);
        // `Packed` counts all distinct labels. That takes at most 1 % of the time.
        pause = PERIOD.max(100 * began.elapsed());
    }
}

/// Measures once. Returns the level of use.
fn measure(informers: &[GenericInformer], peers: &Peers, last: Level) -> Level {
    let held: Vec<_> = informers.iter().map(GenericInformer::held_bytes).collect();
    let account = &*peers.account;
    account.set_others(held.iter().sum::<usize>() + peers.room.used());
    let level = account.level(last);
    let (used, fixed) = (account.used() >> 20, account.fixed() >> 20);
    let largest = held.iter().max();
    for (informer, held) in informers.iter().zip(&held) {
        let is_cause = level == Level::Over && Some(held) == largest;
        let cause = is_cause.then(|| ReflectorError::OverBudget {
            held: *held,
            budget: account.budget().map_or(0, Budget::as_bytes),
        });
        informer.inner.status.over_budget(cause);
        if is_cause && last < Level::Over {
            warn!(
                informer = informer.name(),
                used, fixed, "memory budget exceeded by what cannot be evicted, in MiB"
            );
        }
    }
    if level != last && level < Level::Over {
        info!(used, fixed, "use of the memory budget changed, in MiB");
    }
    level
}

#[cfg(test)]
mod tests;
