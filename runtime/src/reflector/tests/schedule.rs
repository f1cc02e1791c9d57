//! Default delays after error responses and lost connections.

use std::time::Duration;

use tokio::time::Instant;

use super::support::failure;
use crate::reflector::ExponentialBackoff;
use crate::reflector::schedule::Schedule;
use crate::shared_informer::InformerConfig;

const MILLI: Duration = Duration::from_millis(1);

/// Schedule, and the time at which the last delay ends.
struct Run {
    schedule: Schedule,
    now: Instant,
}

impl Run {
    fn new() -> Self {
        Self {
            schedule: Schedule::new(&InformerConfig::new().reflector()),
            now: Instant::now(),
        }
    }

    /// Fails a request, and advances the time by the delay. Checks that the delay in milliseconds
    /// is at least `min` and less than `below`.
    fn fails(&mut self, kind: &str, min: u32, below: u32) {
        let delay = self.schedule.after(&failure(kind), self.now);
        let bounds = MILLI * min..MILLI * below;
        assert!(bounds.contains(&delay), "{kind}: {delay:?} in {bounds:?}");
        self.now += delay;
    }

    /// Loses connections until the outage has lasted this long. Each attempt fails at once.
    fn loses_for(&mut self, outage: Duration) -> u32 {
        let began = self.now;
        self.fails("refused", 0, 100);
        let mut attempts = 1;
        while self.now - began < outage {
            self.fails("lost", 800, 1600);
            attempts += 1;
        }
        attempts
    }
}

/// E-04: a lost connection is retried at once, then at a steady rate for a minute, then at most 10
/// s apart for as long as it takes.
#[test]
fn e04_lost_connections_are_retried_at_most_10_s_apart() {
    for _ in 0..50 {
        let mut run = Run::new();
        run.loses_for(Duration::from_secs(60));
        for min in [1600, 3200] {
            run.fails("lost", min, 2 * min);
        }
        for _ in 0..1000 {
            run.fails("lost", 5000, 10_000);
        }
    }
}

/// E-04: 30 s of resets cost at most one attempt per second, on average.
#[test]
fn e04_an_outage_costs_one_attempt_a_second_at_most() {
    let runs = 50;
    let loses = |_| Run::new().loses_for(Duration::from_secs(30));
    let attempts: u32 = (0..runs).map(loses).sum();
    assert!((18 * runs..=30 * runs).contains(&attempts), "{attempts}");
}

/// E-04: the two schedules are independent.
#[test]
fn e04_refusals_and_losses_have_a_schedule_each() {
    let mut run = Run::new();
    for min in [800, 1600, 3200] {
        run.fails("403", min, 2 * min);
    }
    run.fails("lost", 0, 100);
    run.fails("403", 6400, 12_800);
    // The last loss is more than 10 s old, so its outage is over.
    run.now += Duration::from_secs(4);
    run.fails("refused", 0, 100);
    run.fails("refused", 800, 1600);
}

/// E-03, E-04: an event, a bookmark, or a watch that lasted 10 s resets both schedules.
#[test]
fn e04_progress_begins_both_schedules_anew() {
    let progress: [fn(&mut Schedule); 2] = [Schedule::progress, |schedule| {
        schedule.lived(Duration::from_secs(10));
    }];
    for progress in progress {
        let mut run = Run::new();
        run.fails("403", 800, 1600);
        run.loses_for(Duration::from_secs(60));
        run.fails("lost", 1600, 3200);
        progress(&mut run.schedule);
        run.fails("403", 800, 1600);
        run.loses_for(Duration::from_secs(60));
        run.fails("lost", 1600, 3200);
    }
    let mut run = Run::new();
    run.fails("403", 800, 1600);
    run.schedule.lived(Duration::from_millis(9_999));
    run.fails("403", 1600, 3200);
}

/// E-04: the delays of an outage do not end it, however long they are. A connection that lasted
/// more than 10 s does.
#[test]
fn e04_an_outage_ends_when_the_last_loss_is_old_whatever_the_delay_was() {
    let mut run = Run::new();
    run.loses_for(Duration::from_secs(60));
    for min in [1600, 3200, 5000, 5000] {
        run.fails("lost", min, 2 * min);
    }
    run.now += Duration::from_millis(9_999);
    run.fails("lost", 5000, 10_000);
    run.now += Duration::from_secs(10);
    run.fails("lost", 0, 100);
}

/// E-04: an answered watch resets the delays of error responses, but does not end the outage.
#[test]
fn e04_an_answered_watch_ends_the_growth_of_refusals() {
    let mut run = Run::new();
    for min in [800, 1600, 3200] {
        run.fails("403", min, 2 * min);
    }
    run.fails("lost", 0, 100);
    run.schedule.answered();
    run.fails("lost", 800, 1600);
    run.fails("403", 800, 1600);
}

/// E-04, E-07: a user's backoff replaces both schedules, with one instance each.
#[test]
fn e07_a_custom_backoff_serves_both_schedules_one_instance_each() {
    let config =
        InformerConfig::new().backoff(|| ExponentialBackoff::new(MILLI, 100 * MILLI).jitter(0.0));
    let mut run = Run {
        schedule: Schedule::new(&config.reflector()),
        now: Instant::now(),
    };
    for (kind, delay) in [
        ("403", 1),
        ("403", 2),
        ("lost", 1),
        ("403", 4),
        ("lost", 2),
        ("refused", 4),
    ] {
        run.fails(kind, delay, delay + 1);
    }
    run.now += Duration::from_secs(10);
    run.fails("lost", 1, 2);
}
