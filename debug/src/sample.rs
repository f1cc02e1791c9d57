//! The task of a service: measures, and renders the overview while somebody looks at it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::overview::series_of;
use crate::series::POINT;
use crate::shared::{Change, Frame, Shared};
use crate::text::Now;
use crate::view::Section;

/// Time between two renderings.
const PERIOD: Duration = Duration::from_secs(1);

/// Measures and renders until `stop`, or until the service does not exist any more.
pub(crate) async fn run(shared: Weak<Shared>, stop: CancellationToken) {
    let mut ticks = interval(PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sampled: Option<Instant> = None;
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let now = Now::get();
        let is_watched = shared.live.receiver_count() > 0;
        if is_watched || sampled.is_none_or(|at| now.since(at) >= POINT) {
            shared.sample(now.instant);
            sampled = Some(now.instant);
        }
        if is_watched {
            shared.render(&now);
        }
    }
}

// === impl Shared ===

impl Shared {
    /// Records the counters of all informers and controllers.
    pub(crate) fn sample(&self, now: Instant) {
        let mut names = Vec::new();
        for informer in self.informers() {
            let (name, metrics) = (informer.name().to_owned(), informer.metrics());
            let version = informer.last_sync_resource_version();
            let mut series = self.series.lock();
            series.count(&name, metrics.events, now);
            series.watches(&name, metrics.watch_attempts.count(), now);
            series.version(&name, version, now);
            names.push(name);
        }
        for watched in self.settings().controllers {
            let name = series_of(watched.handle.name());
            let calls = watched.history.lock().calls;
            self.series.lock().count(&name, calls, now);
            names.push(name);
        }
        self.series.lock().keep(&names);
    }

    /// Renders the overview once for all viewers, and wakes them.
    pub(crate) fn render(&self, now: &Now) {
        let previous = self.live.borrow().clone();
        let number = previous.number + 1;
        let change = |section: Section| {
            let known = previous.sections.iter();
            let mut known = known.filter(|known| known.section == section);
            known.next().cloned().unwrap_or_else(|| Change {
                number,
                event: event(&section),
                section,
            })
        };
        let sections: Arc<[Change]> = self.sections(*now).into_iter().map(change).collect();
        let latest = joined(&sections, previous.number);
        self.live.send_replace(Frame {
            number,
            sections,
            latest,
        });
    }
}

/// Returns a server-sent event: its name is the section, its data the HTML.
fn event(section: &Section) -> Bytes {
    let mut text = format!("event: {}\n", section.id);
    for line in section.html.lines() {
        text.push_str("data: ");
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text.into()
}

// === impl Frame ===

impl Frame {
    /// Returns the events of the sections that have changed since the rendering of this number.
    pub(crate) fn since(&self, number: u64) -> Bytes {
        if number + 1 == self.number {
            // Shared by all viewers that have seen the previous one.
            return self.latest.clone();
        }
        joined(&self.sections, number)
    }
}

fn joined(sections: &[Change], since: u64) -> Bytes {
    let changed = sections.iter().filter(|one| one.number > since);
    let events: Vec<&[u8]> = changed.map(|one| &*one.event).collect();
    events.concat().into()
}
