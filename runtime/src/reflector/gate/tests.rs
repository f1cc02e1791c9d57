use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{Closed, Gate, LONGEST, MAX_SPREAD, SPREAD};

const SECOND: Duration = Duration::from_secs(1);

/// E-09: the latest end counts, and an absurd `Retry-After` does not overflow.
#[test]
fn e09_the_gate_opens_after_the_longest_retry_after() {
    let start = Instant::now();
    let apps: Arc<str> = "apps".into();
    let mut closed = Closed::default();
    assert_eq!(closed.opens("apps", start, start), None);
    closed.extend(&apps, start, 3 * SECOND);
    closed.extend(&apps, start + SECOND, SECOND);
    assert_eq!(closed.opens("apps", start, start), Some(start + 3 * SECOND));
    assert_eq!(closed.opens("apps", start, start + 3 * SECOND), None);
    closed.extend(&apps, start, Duration::MAX);
    assert_eq!(closed.opens("apps", start, start), Some(start + LONGEST));
}

/// E-09, E-16: the `Retry-After` of one group delays no other. Two groups that are told to wait at the
/// same time delay all, for the shorter of both times.
#[test]
fn e09_two_groups_that_have_to_wait_close_the_gate_for_all() {
    let start = Instant::now();
    let mut closed = Closed::default();
    closed.extend(&"metrics.k8s.io".into(), start, 20 * SECOND);
    assert_eq!(closed.opens("apps", start, start), None);
    closed.extend(&"apps".into(), start + SECOND, 3 * SECOND);
    assert_eq!(
        closed.opens("batch", start, start),
        Some(start + 4 * SECOND)
    );
    assert_eq!(closed.opens("apps", start, start), Some(start + 4 * SECOND));
    assert_eq!(
        closed.opens("metrics.k8s.io", start, start),
        Some(start + 20 * SECOND)
    );
    // One after the other, they are two backends.
    let mut closed = Closed::default();
    closed.extend(&"metrics.k8s.io".into(), start, 2 * SECOND);
    closed.extend(&"apps".into(), start + 3 * SECOND, 3 * SECOND);
    assert_eq!(closed.opens("batch", start, start + 3 * SECOND), None);
}

/// E-16: a resource that is refused for ever delays a request of another for a bounded time.
#[test]
fn e16_a_request_waits_for_others_for_a_bounded_time() {
    let start = Instant::now();
    let mut closed = Closed::default();
    let mut now = start;
    for _ in 0..100 {
        closed.extend(&"apps".into(), now, 20 * SECOND);
        match closed.opens("apps", start, now) {
            Some(opens) => now = opens,
            None => break,
        }
    }
    assert_eq!(now, start + LONGEST);
}

/// E-16: the time grows with the number of reflectors, to a bound. One alone never waits.
#[test]
fn e16_requests_are_spread_by_the_number_of_reflectors() {
    for (reflectors, most) in [
        (0, Duration::ZERO),
        (1, Duration::ZERO),
        (200, 199 * SPREAD),
        (10_000, MAX_SPREAD),
    ] {
        let gate = Gate::default();
        let members: Vec<_> = (0..reflectors).map(|_| gate.join()).collect();
        let spreads: Vec<_> = (0..1000).map(|_| gate.spread(Duration::ZERO)).collect();
        let longest = spreads.iter().max().copied().unwrap_or_default();
        assert!(longest <= most, "{reflectors}: {longest:?}");
        assert!(longest >= most / 2, "{reflectors}: {longest:?}");
        drop(members);
        assert_eq!(gate.spread(Duration::ZERO), Duration::ZERO);
    }
}

/// E-09: an absurd delay of a backoff does not overflow.
#[test]
fn e09_the_longest_delay_is_not_lengthened() {
    let gate = Gate::default();
    let _members = [gate.join(), gate.join()];
    assert_eq!(gate.spread(Duration::MAX), Duration::MAX);
    assert!(gate.spread(SECOND) >= SECOND);
}
