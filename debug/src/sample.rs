//! The task of a service: measures, and renders the overview while somebody looks at it.

use std::sync::Weak;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::overview::Overview;
use crate::series::POINT;
use crate::shared::ServiceShared;

/// Time between two renderings.
const PERIOD: Duration = Duration::from_secs(1);

/// Measures and renders until `stop`, or until the service does not exist any more.
pub(crate) async fn run(shared: Weak<ServiceShared>, stop: CancellationToken) {
    let mut ticks = interval(PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sampled: Option<Instant> = None;
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let ticked = Instant::now();
        let is_due = match sampled {
            Some(at) => ticked.saturating_duration_since(at) >= POINT,
            None => true,
        };
        let is_watched = shared.live.receiver_count() > 0;
        if is_watched || is_due {
            shared.sample(ticked);
            sampled = Some(ticked);
        }
        if is_watched {
            shared.render();
        }
    }
}

// === impl ServiceShared ===

impl ServiceShared {
    /// Records the counters of all informers.
    fn sample(&self, now: Instant) {
        let mut names = Vec::new();
        for informer in self.informers() {
            let name = informer.name().to_owned();
            let metrics = informer.metrics();
            let events = metrics.events;
            let watches = metrics.watch_attempts.count();
            let version = informer.last_sync_resource_version();
            let mut series = self.series.lock();
            series.of(&name).record(events, watches, version, now);
            names.push(name);
        }
        self.series.lock().keep(&names);
    }

    /// Renders the overview once for all viewers, and wakes them.
    fn render(&self) {
        let mut event = String::new();
        for line in Overview::of(self).page().split(['\r', '\n']) {
            event.push_str("data: ");
            event.push_str(line);
            event.push('\n');
        }
        event.push('\n');
        self.live.send_replace(event.into());
    }
}
