//! Custom compressions, and the rejection of results that violate the contract.

use std::sync::Arc;

use super::support::{Known, batch_text, delta, delta_text, run};
use crate::delta_fifo::per_key::compressed;
use crate::delta_fifo::queue::Refusal;
use crate::delta_fifo::{Compression, Delta, DeltaFifo, Listed, Order};
use crate::logged;

/// Keeps only the last state.
fn latest(pending: &[Delta]) -> Option<Vec<Delta>> {
    match pending {
        [
            ..,
            Delta::Undecodable(_) | Delta::Replaced(Listed::Undecodable(_)),
        ]
        | [] => None,
        [.., last] => Some(vec![last.clone()]),
    }
}

/// Drops objects that were added and deleted while they waited.
fn fleeting(pending: &[Delta]) -> Option<Vec<Delta>> {
    matches!(pending, [.., Delta::Deleted(_)]).then(Vec::new)
}

/// Checks the batches that a script takes from a queue with this compression.
fn check(rule: Compression, script: &str, taken: &str) {
    assert_eq!(run(Order::Compressed(rule), script), taken, "{script}");
}

fn fifo(rule: Compression, capacity: usize) -> DeltaFifo {
    DeltaFifo::new(
        Order::Compressed(rule),
        capacity,
        Arc::new(Known::default()),
    )
}

/// Returns the deltas that leave the queue, and the reported rejections.
fn refusals(rule: Compression, stored: &str, script: &str) -> (String, Vec<String>) {
    let mut queue = Order::Compressed(rule).queue(Arc::new(Known::new(stored)));
    let mut refused = Vec::new();
    for word in script.split_whitespace() {
        let discarded = queue.push(delta(word)).refused;
        refused.extend(
            discarded
                .iter()
                .map(|(key, reason)| format!("{key}: {reason}")),
        );
    }
    let batch = queue.pop(1000);
    let waited = batch.map(|batch| batch.deltas).unwrap_or_default();
    let waited: Vec<String> = waited.iter().map(delta_text).collect();
    assert_eq!(queue.len(), 0, "miscounted: {script}");
    (waited.join(" "), refused)
}

const LOST: &str = "a: it dropped the last state";

#[test]
fn q19_a_compression_of_the_users_decides_what_waits_for_a_key() {
    check(latest, "+a@1 +b@2 ~a@3 ~a@4 -b@5 pop", "~a@4 -b@5");
    check(latest, "+a@1 -a@2 +a@3#new pop", "+a@3");
    // The objects of a list are merged with the deltas that waited before.
    check(latest, "+a@1 [5,a@3,b@4] pop", "*a@3 *b@4 end@5");
    check(latest, "store:a@1 ~a@2 [5] pop", "?a end@5");
    // Deltas that have left are no longer compressed.
    check(latest, "+a@1 pop ~a@2 pop", "+a@1 | ~a@2");
    // `None` keeps all deltas.
    check(|_| None, "store:a@1 -a@2 -a@3 pop", "-a@2 -a@3");
}

#[test]
fn q19_what_came_and_went_unseen_may_be_left_out_and_leaves_no_place() {
    check(fleeting, "+a@1 +b@2 -a@3 pop", "+b@2");
    check(fleeting, "+a@1 -a@2 pop +a@3 pop", " | +a@3");
    check(fleeting, "+a@1 -a@2 -a@3 +c@4 +a@5 pop", "+c@4 +a@5");
    // The end of the first list is still delivered.
    check(fleeting, "+a@1 [5] pop", "end@5");
}

#[test]
fn q19_a_deletion_of_what_the_store_holds_cannot_be_left_out() {
    check(fleeting, "store:a@1 ~a@2 -a@3 pop", "~a@2 -a@3");
    check(fleeting, "store:a@1 -a@2 +a@3 -a@4 pop", "-a@2 +a@3 -a@4");
    // The same holds for an object that is about to be stored.
    check(fleeting, "+a@1 pop ~a@2 -a@3 pop", "+a@1 | ~a@2 -a@3");
    let (waited, refused) = refusals(fleeting, "a@1", "~a@2 -a@3");
    assert_eq!((&*waited, refused), ("~a@2 -a@3", vec![LOST.to_owned()]));
}

#[test]
fn q19_what_loses_the_last_state_is_refused() {
    let first = |pending: &[Delta]| Some(pending.first().into_iter().cloned().collect());
    for (script, kept) in [
        ("+a@1 ~a@2", "+a@1 ~a@2"),
        ("+a@1 -a@2", "+a@1 -a@2"),
        ("-a@2 +a@3", "-a@2 +a@3"),
        ("~a@2 !a@3", "~a@2 !a@3"),
        ("!a@2 ~a@3", "!a@2 ~a@3"),
    ] {
        let (waited, refused) = refusals(first, "a@1", script);
        assert_eq!((&*waited, refused), (kept, vec![LOST.to_owned()]));
    }
    let last = |pending: &[Delta]| Some(pending.last().into_iter().cloned().collect());
    // The last decodable version has to stay.
    let (waited, refused) = refusals(last, "a@1", "~a@2 !a@3");
    assert_eq!((&*waited, refused), ("~a@2 !a@3", vec![LOST.to_owned()]));
    // Here the store holds the last decodable version.
    assert_eq!(refusals(last, "a@1", "!a@2 !a@3"), ("!a@3".into(), vec![]));
    let nothing = |_: &[Delta]| Some(Vec::new());
    let (waited, refused) = refusals(nothing, "", "+a@1 ~a@2");
    assert_eq!((&*waited, refused), ("+a@1 ~a@2", vec![LOST.to_owned()]));
}

#[test]
fn q19_what_is_invented_is_refused() {
    let pending = ["~a@1", "~a@2"].map(delta);
    for invented in ["~b@2", "~a@9", "-a@2", "!a@2", "~a@2#other", "sync", "b@2"] {
        let rule = |pending: &[Delta]| Some(vec![delta(invented), pending.last()?.clone()]);
        let (merged, refused) = compressed(rule, &pending, || true);
        assert!(merged.is_none(), "{invented}");
        assert_eq!(refused, Some(Refusal::Invented), "{invented}");
    }
    // Another kind of delta for the same version is allowed.
    let rule = |_: &[Delta]| Some(vec![delta("+a@2")]);
    assert_eq!(refusals(rule, "", "+a@1 ~a@2"), ("+a@2".into(), vec![]));
}

/// Q-19, E-15: if a compression panics, the default compression is used.
#[test]
fn q19_a_compression_that_panics_is_as_if_there_was_none() {
    let rule = |_: &[Delta]| panic!("in user code");
    let (waited, refused) = refusals(rule, "a@1", "~a@2 -a@3 -a@4");
    assert_eq!(waited, "~a@2 -a@3");
    assert_eq!(refused, ["a: it panicked", "a: it panicked"]);
}

/// the capacity counts the compressed deltas, and rejections are counted.
#[tokio::test(start_paused = true)]
async fn q19_a_compressed_queue_takes_any_number_of_changes_to_a_key() {
    let queue = fifo(latest, 2);
    for version in 1..1000 {
        queue.push(delta(&format!("~a@{version}"))).await.unwrap();
    }
    assert_eq!(queue.len(), 1);
    assert_eq!(batch_text(&queue.pop().await.unwrap()), "~a@999");
    assert_eq!(queue.refused_compressions(), 0);

    let queue = fifo(|_| Some(Vec::new()), 8);
    for word in ["+a@1", "~a@2", "~a@3", "+b@4"] {
        queue.push(delta(word)).await.unwrap();
    }
    assert_eq!(queue.refused_compressions(), 2);
    assert_eq!(
        batch_text(&queue.pop().await.unwrap()),
        "+a@1 ~a@2 ~a@3 +b@4"
    );
}

/// Q-19, O-03: rejections are logged with key and reason, at exponentially growing intervals.
#[tokio::test(start_paused = true)]
async fn q19_refusals_are_logged_ever_more_rarely() {
    let log = logged::capture(module_path!());
    let queue = fifo(|_| Some(Vec::new()), 100);
    for version in 1..=9 {
        queue.push(delta(&format!("~a@{version}"))).await.unwrap();
    }
    assert_eq!(queue.refused_compressions(), 8);
    let line = |count| {
        let message = "WARN compression result rejected, using the default instead";
        format!("{message} key=a refusal=it dropped the last state count={count}\n")
    };
    assert_eq!(log.text(), [1, 2, 4, 8].map(line).concat());
}
