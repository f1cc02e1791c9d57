//! Per-key order.

use super::support::{delta, entry, run};
use crate::delta_fifo::{Delta, KnownObjects, Order};
use crate::indexer::Indexer;
use crate::object::{ObjectKey, Scope};

fn check(script: &str, taken: &str) {
    assert_eq!(run(Order::PerKey, script), taken, "{script}");
}

#[test]
fn q02_what_waits_for_a_key_leaves_together_at_the_place_of_the_first() {
    check(
        "+a@1 +b@2 ~a@3 -a@4 +c@5 pop:1 pop:1 pop:1",
        "+a@1 ~a@3 -a@4 | +b@2 | +c@5",
    );
    // After its deltas have left, a key starts again at the end.
    check("+a@1 +b@2 pop:1 ~a@3 pop:1 pop:1", "+a@1 | +b@2 | ~a@3");
}

/// Q-03, T-03, T-04: of two deletions the one with a known final state stays, the older if both
/// have one.
#[test]
fn q03_two_deletions_in_a_row_are_one() {
    check("store:a@1 -a@2 -a@3 pop", "-a@2");
    check("store:a@1 -a@2 [5] pop", "-a@2 end@5");
    check("store:a@1 [5] -a@6 pop", "-a@6 end@5");
    check("store:a@1 [5] [6] pop pop", "?a end@5 | end@6");
    check("store:a@1 -a@2 +a@3 -a@4 pop", "-a@2 +a@3 -a@4");
}

#[test]
fn q04_a_deletion_of_a_key_neither_queued_nor_known_is_dropped() {
    // The store gets to its version.
    check("-a@1 pop", "b@1");
    check("-a@1 -c@2 pop pop", "b@2 | ");
    check("store:a@1 -a@2 pop", "-a@2");
    check("+a@1 -a@2 pop", "+a@1 -a@2");
    check("!a@1 -a@2 pop", "!a@1 -a@2");
    // Popped, but possibly not stored yet.
    check("+a@1 pop -a@2 pop", "+a@1 | -a@2");
    check("+a@1 pop pop -a@2 pop", "+a@1 |  | b@2");
}

/// Q-04, W-13: a store knows the objects that it holds and those that did not decode.
#[test]
fn q04_a_store_knows_what_it_holds_and_what_did_not_decode() {
    let store = Indexer::<String>::new(Scope::Cluster);
    store.add(entry("a@1"));
    let Delta::Undecodable(undecodable) = delta("!b@2") else {
        panic!("unexpected delta");
    };
    store.transaction(|transaction| transaction.mark_undecodable(undecodable));
    let is_known = |name: &str| store.is_known(&ObjectKey::cluster(name));
    assert!(is_known("a") && is_known("b") && !is_known("c"));
    let known = [ObjectKey::cluster("a"), ObjectKey::cluster("b")];
    assert_eq!(store.known_keys(), known);
}

/// a list is queued as its objects, followed by tombstones of missing objects. A tombstone
/// applies to the newest queued version, or else to the stored one.
#[test]
fn q05_a_list_is_its_objects_and_then_the_deletions() {
    check("store:a@1,b@2,d@4 [5,b@2,c@3] pop", "*b@2 *c@3 ?a ?d end@5");
    check("+q@1 ~q@2 [5,b@2] pop", "+q@1 ~q@2 ?q *b@2 end@5");
    // The list of a namespace concerns no other.
    check(
        "store:n/a@1,m/b@1 +m/c@2 [n:5,n/d@4] pop",
        "+m/c@2 *n/d@4 ?n/a end@n:5",
    );
    check("store:q@1 !q@2 [5] pop", "!q@2 ?q end@5");
}

/// a list never causes two consecutive deletions.
#[test]
fn q06_a_list_behind_a_queued_deletion() {
    check("store:a@1 -a@2 [5,a@3] pop", "-a@2 *a@3 end@5");
    check("store:a@1 -a@2 [5] pop", "-a@2 end@5");
    check("+a@1 -a@2 [5] pop", "+a@1 -a@2 end@5");
    check("+a@1 -a@2 +a@3 [5] pop", "+a@1 -a@2 +a@3 ?a end@5");
}

/// T-05: a list also deletes an object that has just left the queue and is not stored yet. State
/// and uid of the tombstone are unknown, because they may be about to change.
#[test]
fn t05_a_list_that_misses_what_has_just_left() {
    check("+a@1 pop [5] pop", "+a@1 | ?a end@5");
    check("store:a@1 ~a@2 pop [5] pop", "~a@2 | ?a end@5");
}

/// a list ends with its own batch, and no batch spans its end.
#[test]
fn q09_a_list_ends_with_its_last_key() {
    check(
        "store:x@1 [5,a@1,b@2] +c@6 ~a@7 pop:1 pop:1 pop:1 pop:1 pop",
        "*a@1 ~a@7 | *b@2 | ?x | end@5 | +c@6",
    );
    check("[5,a@1] +c@6 pop pop", "*a@1 end@5 | +c@6");
    check("[5] +c@6 pop pop", "end@5 | +c@6");
    check("[5,a@1] [6,a@1] pop pop", "*a@1 *a@1 end@5 | end@6");
}

#[test]
fn q15_what_is_about_the_whole_store_stands_alone() {
    check(
        "+a@1 b@5 sync +b@6 pop pop pop pop",
        "+a@1 | b@5 | sync | +b@6",
    );
}

/// Q-10, Y-07: a resync does not overtake deltas that were queued before it.
#[test]
fn q10_a_resync_overtakes_nothing() {
    check("store:a@1 ~a@2 sync ~a@3 pop pop", "~a@2 ~a@3 | sync");
    check("store:a@1 sync -a@2 pop pop", "sync | -a@2");
}
