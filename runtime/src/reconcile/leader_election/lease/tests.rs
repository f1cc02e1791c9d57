use std::time::Duration;

use super::*;

fn terms(identity: &str) -> Terms {
    Terms {
        namespace: "a".to_owned(),
        name: "lease".to_owned(),
        identity: identity.to_owned(),
        lease_duration: Duration::from_secs(15),
        renew_deadline: Duration::from_secs(10),
        retry_period: Duration::from_secs(2),
    }
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Decides with a constant wall clock, because only the process's own clock matters.
fn decide(observed: &mut Observed, by: &str, lease: Option<&Lease>, now: Instant) -> Decision {
    observed.decide(&terms(by), lease.cloned(), now, Timestamp::UNIX_EPOCH)
}

fn created(by: &str, now: Instant) -> Lease {
    match decide(&mut Observed::default(), by, None, now) {
        Decision::Create(lease) => lease,
        Decision::Wait | Decision::Replace(_) => panic!("expected a creation"),
    }
}

#[track_caller]
fn replaced(decision: Decision) -> Lease {
    match decision {
        Decision::Replace(lease) => lease,
        Decision::Wait | Decision::Create(_) => panic!("expected a replacement"),
    }
}

fn spec(lease: &Lease) -> (&str, i32, i32) {
    let spec = lease.spec.as_ref().unwrap();
    (
        spec.holder_identity.as_deref().unwrap(),
        spec.lease_duration_seconds.unwrap(),
        spec.lease_transitions.unwrap(),
    )
}

#[test]
fn a_missing_lease_is_created() {
    let lease = created("x", Instant::now());
    assert_eq!(spec(&lease), ("x", 15, 0));
}

#[test]
fn a_foreign_lease_is_taken_over_after_it_was_unchanged_for_its_duration() {
    let start = Instant::now();
    let mut lease = created("x", start);
    let mut y = Observed::default();
    assert_eq!(decide(&mut y, "y", Some(&lease), start), Decision::Wait);
    // Renewed after 10 s, so its duration starts again.
    lease.spec.as_mut().unwrap().renew_time = Some(MicroTime(Timestamp::MAX));
    for after in [10, 24] {
        let now = start + secs(after);
        assert_eq!(decide(&mut y, "y", Some(&lease), now), Decision::Wait);
    }
    let taken = replaced(decide(&mut y, "y", Some(&lease), start + secs(25)));
    assert_eq!(spec(&taken), ("y", 15, 1));
}

#[test]
fn a_change_of_metadata_is_no_renewal() {
    let start = Instant::now();
    let mut lease = created("x", start);
    let mut y = Observed::default();
    assert_eq!(decide(&mut y, "y", Some(&lease), start), Decision::Wait);
    lease.metadata.resource_version = Some("9".to_owned());
    let taken = replaced(decide(&mut y, "y", Some(&lease), start + secs(15)));
    assert_eq!(taken.metadata.resource_version.as_deref(), Some("9"));
}

#[test]
fn the_holder_renews_and_keeps_the_time_of_its_acquisition() {
    let start = Instant::now();
    let mut lease = created("x", start);
    lease.spec.as_mut().unwrap().acquire_time = Some(MicroTime(Timestamp::MIN));
    let mut x = Observed::default();
    let renewed = replaced(decide(&mut x, "x", Some(&lease), start));
    assert_eq!(spec(&renewed), ("x", 15, 0));
    let acquired = renewed.spec.unwrap().acquire_time;
    assert_eq!(acquired, Some(MicroTime(Timestamp::MIN)));
}

#[test]
fn a_released_lease_is_taken_at_once() {
    let start = Instant::now();
    let mut x = Observed::default();
    x.note(&created("x", start), start);
    let free = x.released(Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(spec(&free), ("", 1, 0));
    let taken = replaced(decide(&mut Observed::default(), "y", Some(&free), start));
    assert_eq!(spec(&taken), ("y", 15, 1));
}

#[test]
fn the_holder_renews_without_a_read_until_the_lease_expires() {
    let start = Instant::now();
    let mut observed = Observed::default();
    let renewal = |observed: &mut Observed, by: &str, now| {
        observed.renewal(&terms(by), now, Timestamp::UNIX_EPOCH)
    };
    assert_eq!(
        renewal(&mut observed, "x", start),
        None,
        "no lease was seen"
    );
    let mut lease = created("x", start);
    lease.metadata.resource_version = Some("9".to_owned());
    observed.note(&lease, start);
    let renewed = renewal(&mut observed, "x", start + secs(14)).unwrap();
    assert_eq!(renewed.metadata.resource_version.as_deref(), Some("9"));
    assert_eq!(renewal(&mut observed, "x", start + secs(15)), None);
    assert_eq!(
        renewal(&mut observed, "y", start),
        None,
        "held by another candidate"
    );
}
