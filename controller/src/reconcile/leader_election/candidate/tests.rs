mod model;

use super::*;
use crate::tests::secs;

fn terms(identity: &str) -> Terms {
    Terms {
        namespace: "a".to_owned(),
        name: "lease".to_owned(),
        labels: BTreeMap::new(),
        identity: identity.to_owned(),
        lease_duration: secs(15),
        renew_deadline: secs(10),
        retry_period: secs(2),
    }
}

/// Calls `wake` with a constant wall clock, because only the process's own clock matters.
fn wake(candidate: &mut Candidate, now: Instant) -> Next {
    candidate.wake(now, Timestamp::UNIX_EPOCH)
}

fn answer(candidate: &mut Candidate, answer: Answer, now: Instant) -> Next {
    candidate.answer(answer, now, Timestamp::UNIX_EPOCH)
}

/// Makes an attempt that reads this lease. Returns the next action.
fn read(candidate: &mut Candidate, lease: Option<&Lease>, now: Instant) -> Next {
    let limit = now + secs(5);
    assert_eq!(wake(candidate, now), Next::Send(Request::Read, limit));
    answer(candidate, Answer::Read(lease.cloned()), now)
}

#[track_caller]
fn written(next: Next) -> Lease {
    match next {
        Next::Send(Request::Create(lease) | Request::Replace(lease), _) => lease,
        Next::Send(Request::Read, _) | Next::Sleep(_) => panic!("expected a write"),
    }
}

fn spec(lease: &Lease) -> (&str, i32, i32) {
    let spec = lease.spec.as_ref().unwrap();
    (
        holder(lease),
        spec.lease_duration_seconds.unwrap(),
        spec.lease_transitions.unwrap(),
    )
}

/// Returns a candidate that has created its lease at `now`.
fn leader(by: &str, now: Instant) -> (Candidate, Lease) {
    let mut candidate = Candidate::new(terms(by), now);
    let lease = written(read(&mut candidate, None, now));
    answer(&mut candidate, Answer::Written(lease.clone()), now);
    (candidate, lease)
}

#[test]
fn a_missing_lease_is_created() {
    let now = Instant::now();
    let (candidate, lease) = leader("x", now);
    assert_eq!(spec(&lease), ("x", 15, 0));
    assert!(candidate.leads_at(now + secs(9)));
    assert!(!candidate.leads_at(now + secs(10)));
}

#[test]
fn a_foreign_lease_is_taken_over_after_it_was_unchanged_for_its_duration() {
    let start = Instant::now();
    let (_, mut lease) = leader("x", start);
    let mut y = Candidate::new(terms("y"), start);
    let sleep = Next::Sleep(start + secs(2));
    assert_eq!(read(&mut y, Some(&lease), start), sleep);
    // Renewed after 10 s, so its duration starts again. A change of metadata is no renewal.
    lease.spec.as_mut().unwrap().renew_time = Some(MicroTime(Timestamp::MAX));
    for after in [10, 24] {
        lease.metadata.resource_version = Some(after.to_string());
        let now = start + secs(after);
        let next = read(&mut y, Some(&lease), now);
        assert_eq!(next, Next::Sleep(now + secs(2)));
    }
    let taken = written(read(&mut y, Some(&lease), start + secs(25)));
    assert_eq!(spec(&taken), ("y", 15, 1));
    assert_eq!(taken.metadata.resource_version.as_deref(), Some("24"));
}

#[test]
fn the_holder_renews_without_a_read_and_keeps_the_time_of_its_acquisition() {
    let start = Instant::now();
    let (mut x, mut lease) = leader("x", start);
    lease.metadata.resource_version = Some("9".to_owned());
    lease.spec.as_mut().unwrap().acquire_time = Some(MicroTime(Timestamp::MIN));
    answer(&mut x, Answer::Written(lease), start);
    let renewed = written(wake(&mut x, start + secs(2)));
    assert_eq!(spec(&renewed), ("x", 15, 0));
    assert_eq!(renewed.metadata.resource_version.as_deref(), Some("9"));
    let acquired = renewed.spec.unwrap().acquire_time;
    assert_eq!(acquired, Some(MicroTime(Timestamp::MIN)));
}

#[test]
fn a_rejected_renewal_reads_the_lease_and_a_new_holder_ends_the_leadership() {
    let start = Instant::now();
    let (mut x, mut lease) = leader("x", start);
    wake(&mut x, start + secs(2));
    let read = answer(&mut x, Answer::Rejected, start + secs(3));
    assert_eq!(read, Next::Send(Request::Read, start + secs(7)));
    assert!(x.leads_at(start + secs(3)));
    lease.spec.as_mut().unwrap().holder_identity = Some("y".to_owned());
    answer(&mut x, Answer::Read(Some(lease)), start + secs(3));
    assert!(!x.leads_at(start + secs(3)));
}

#[test]
fn a_released_lease_is_taken_at_once() {
    let start = Instant::now();
    let (x, _) = leader("x", start);
    let free = x.released(Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(spec(&free), ("", 1, 0));
    let mut y = Candidate::new(terms("y"), start);
    let taken = written(read(&mut y, Some(&free), start));
    assert_eq!(spec(&taken), ("y", 15, 1));
}

#[test]
fn an_attempt_that_took_long_is_followed_at_once_and_ends_with_the_leadership() {
    let start = Instant::now();
    let (mut x, lease) = leader("x", start);
    // The limits of the attempts that begin after 2 s and 7 s.
    for (after, limit) in [(2, 7), (7, 10)] {
        let Next::Send(Request::Replace(_), until) = wake(&mut x, start + secs(after)) else {
            panic!("expected a renewal");
        };
        assert_eq!(until, start + secs(limit));
        let next = answer(&mut x, Answer::Failed, start + secs(limit));
        assert_eq!(next, Next::Sleep(start + secs(limit)));
    }
    // An answer that comes after the renew deadline does not count.
    answer(&mut x, Answer::Written(lease), start + secs(17));
    assert!(!x.leads_at(start + secs(17)));
    let Next::Send(_, limit) = wake(&mut x, start + secs(17)) else {
        panic!("expected an attempt");
    };
    assert_eq!(limit, start + secs(22));
}
