//! [`for_caches`]: a wait for first lists, which is logged.

use std::fmt::Display;
use std::pin::pin;
use std::time::Duration;

use informer_runtime::GenericInformer;
use tokio::time::timeout;

/// Time after which a wait for caches is logged. Caches that have synced, and their handlers, need less.
const PATIENCE: Duration = Duration::from_secs(1);
/// Number of names in a line of the log.
const NAMED: usize = 10;

/// Awaits caches, as `wait` does. If it takes longer than a second, `log` gets the names of those without
/// a first list, and the number of others.
pub(crate) async fn for_caches<T>(
    caches: &[GenericInformer],
    log: impl FnOnce(String, Option<usize>),
    wait: impl Future<Output = T>,
) -> T {
    let mut waiting = pin!(wait);
    if let Ok(done) = timeout(PATIENCE, waiting.as_mut()).await {
        return done;
    }
    let unlisted: Vec<_> = caches
        .iter()
        .filter(|cache| !cache.has_synced())
        .map(GenericInformer::name)
        .collect();
    let (names, more) = named(&unlisted);
    log(names, (more > 0).then_some(more));
    waiting.await
}

/// Returns the first names for a line of the log, and the number of the others.
pub(crate) fn named(names: &[impl Display]) -> (String, usize) {
    let first: Vec<String> = names.iter().take(NAMED).map(ToString::to_string).collect();
    (first.join(", "), names.len() - first.len())
}
