//! Effects of a delta on the store, and the resulting events.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::support::{World, event_text};
use crate::coverage::Coverage;
use crate::delta_fifo::tests::support::delta;
use crate::delta_fifo::{Batch, Delta, Part, Replacement};
use crate::event::Event;
use crate::object::ObjectKey;
use crate::storage::IndexFunctionError;

/// Applies `before`, ignoring its events, then checks the events of `then` and the stored state.
fn check(before: &str, then: &str, events: &str, stored: &str) {
    let world = World::new();
    world.apply(before);
    let text = format!("{before} / {then}");
    assert_eq!(world.apply(then), events, "{text}");
    assert_eq!(world.stored(), stored, "{text}");
}

#[test]
fn c01_the_store_decides_what_is_an_add() {
    check("[5,a@1]", "+a@6", "~a@1>6", "a@6 at 6");
    check("[5]", "~a@6", "+a@6", "a@6 at 6");
    check("[5]", "-a@6", "", "at 6");
    check("[5,a@1]", "-a@6", "-a@6", "at 6");
}

/// C-03, C-04, C-09: deletions in key order, then the list's order. Only the first list is initial.
#[test]
fn c03_a_relist_is_deletions_in_key_order_and_then_the_lists_order() {
    check("", "[5,b@2,a@1]", "i+b@2 i+a@1", "a@1 b@2 at 5");
    check(
        "[5,z@1,y@2,c@3,b@4]",
        "[9,n@8,b@7,a@6]",
        "r?c@3 r?y@2 r?z@1 r+n@8 r~b@4>7 r+a@6",
        "a@6 b@7 n@8 at 9",
    );
}

/// C-05, C-09: an object that the first list contains twice causes one event.
#[test]
fn c05_what_the_first_list_repeats_is_no_event() {
    check("", "[5,a@1,a@1]", "i+a@1", "a@1 at 5");
}

/// C-05: unchanged objects cause resync events, which only some handlers receive.
#[test]
fn c05_what_a_relist_finds_unchanged_is_no_event() {
    check(
        "[5,a@1,b@2]",
        "[9,a@1,b@3]",
        "s~a@1>1 r~b@2>3",
        "a@1 b@3 at 9",
    );
    // An object with another uid is another object, whatever its version.
    check("[5,a@1#one]", "[9,a@1#two]", "r?a@1 r+a@1", "a@1 at 9");
}

/// C-06: compared by uid and version; an object without a version always counts as changed.
#[test]
fn c06_an_event_with_the_stored_version_is_no_change() {
    check("[5,a@6]", "~a@6", "s~a@6>6", "a@6 at 6");
    check("[5,a@6]", "+a@6", "s~a@6>6", "a@6 at 6");
    // An object with another uid is another object.
    check("[5,a@6#one]", "~a@6#two", "?a@6 +a@6", "a@6 at 6");
    check("[5,a@]", "~a@", "~a@>", "a@ at 5");
    check("[5,a@]", "[9,a@]", "r~a@>", "a@ at 9");
}

/// B-11: a delta without a version leaves the store's version unchanged.
#[test]
fn b11_a_delta_without_a_version_does_not_take_the_stores_away() {
    for delta in ["+a@", "~a@", "-a@", "!a@", "b@"] {
        let world = World::new();
        world.apply("[5,a@1]");
        world.apply(delta);
        assert!(world.stored().ends_with("at 5"), "{delta}");
    }
}

/// B-11: the last delta's version applies, even if it is smaller.
#[test]
fn b11_the_stores_version_is_the_last_deltas() {
    check("[55,a@1]", "~a@32", "~a@1>32", "a@32 at 32");
    check("[5,a@1]", "b@9", "", "a@1 at 9");
    check("[5,a@1]", "!a@9", "", "a@1 !a@9 at 9");
}

#[test]
fn c10_a_missed_recreation_is_a_deletion_and_an_add() {
    check("[5,a@1#one]", "[9,a@7#two]", "r?a@1 r+a@7", "a@7 at 9");
    check("[5,a@1#one]", "+a@7#two", "?a@1 +a@7", "a@7 at 7");
    check("[5,a@1#one]", "~a@7#two", "?a@1 +a@7", "a@7 at 7");
}

#[test]
fn t01_a_live_deletion_has_the_final_object_and_a_relists_the_last_known() {
    check("[5,a@1]", "-a@7", "-a@7", "at 7");
    check("[5,a@1]", "[9]", "r?a@1", "at 9");
}

#[test]
fn t03_a_deletion_found_twice_is_told_once() {
    check("[5,a@1]", "[9] -a@7", "r?a@1", "at 7");
    check("[5,a@1]", "-a@7 [9]", "-a@7", "at 9");
}

#[test]
fn t05_what_nobody_saw_is_not_deleted() {
    check("[5]", "[9] -x@8 [10]", "", "at 10");
}

/// T-07: the deletion of an older incarnation does not affect its successor.
#[test]
fn t07_a_late_deletion_does_not_touch_the_successor() {
    let world = World::new();
    let by_uid = world
        .store
        .add_index("version", |version: &String| {
            Ok::<_, IndexFunctionError>(vec![version.clone()])
        })
        .unwrap();
    assert_eq!(
        world.apply("[5,a@1#one] +a@7#two -a@6#one"),
        "i+a@1 ?a@1 +a@7"
    );
    assert_eq!(by_uid.keys("7"), [ObjectKey::cluster("a")]);
    assert!(by_uid.keys("1").is_empty());
    assert_eq!(world.stored(), "a@7 at 6");
}

/// T-07, W-13: the deletion of a successor that never decoded deletes the older incarnation that is
/// still held.
#[test]
fn w13_the_deletion_of_an_unread_successor_deletes_what_is_held_in_its_place() {
    check("[5,a@1#one] !a@6", "-a@7#two", "?a@1", "at 7");
    // The versions cannot be compared, so the latest message of the server applies.
    check("[5,a@x#one]", "-a@y#two", "?a@x", "at y");
}

/// W-13: an undecodable mark ends with a good version, a deletion, or a list without the object.
#[test]
fn w13_a_mark_lasts_until_a_good_version_or_a_deletion() {
    check("[5,a@1] !a@6", "~a@7", "~a@1>7", "a@7 at 7");
    check("[5,a@1] !a@6", "-a@7", "-a@7", "at 7");
    check("[5] !a@6", "-a@7", "", "at 7");
    check("[5] !a@6", "[9]", "", "at 9");
    check("[5,a@1] !a@6", "[9]", "r?a@1", "at 9");
    check("[5,a@1] !a@6", "[9,!a@6]", "", "a@1 !a@6 at 9");
    // After a restore from backup, the server may deliver the stored version again.
    check("[5,a@1] !a@6", "[9,a@1]", "r~a@1>1", "a@1 at 9");
}

/// H-03: an event has the size of the object that leaves the store by it.
#[test]
fn h03_an_event_has_the_size_of_what_leaves_the_store() {
    let world = World::new();
    let sizes = |text: &str| {
        let events = world.delta(text);
        events.iter().map(Event::bytes).collect::<Vec<_>>()
    };
    assert_eq!(sizes("+a@7"), [0]);
    assert_eq!(sizes("~a@20"), [7]);
    assert_eq!(sizes("~a@21#other"), [20, 0], "a recreation");
    assert_eq!(sizes("+b@30"), [0]);
    assert_eq!(sizes("-b@31"), [31], "the final state");
    assert_eq!(sizes("[40]"), [21], "a deletion that a list shows");
}

/// C-05: the store keeps its object, and a repeated key causes one event.
#[test]
fn c05_the_store_keeps_its_object() {
    let world = World::new();
    let stored = || world.store.get(&ObjectKey::cluster("a")).unwrap();
    world.apply("[5,a@1]");
    let first = stored();
    assert_eq!(world.apply("[5,a@1]"), "s~a@1>1");
    assert!(Arc::ptr_eq(&first, &stored()));
}

/// H-20: a slice that a replica gains or loses is told as such, not as a creation or deletion.
#[test]
fn h20_the_objects_of_a_slice_come_and_go_by_resharding() {
    let world = World::sharded();
    world.apply("[5,a@1]");
    let slice = |items: &str| {
        let Delta::ReplacedAll(list) = delta(&format!("[6{items}]")) else {
            panic!("a list");
        };
        let (signal, _told) = oneshot::channel();
        let part = Part {
            coverage: Coverage::part(|key, _| key.name() != "a"),
            signal: Arc::new(signal),
        };
        let events = world.batch(Batch {
            deltas: vec![Delta::ReplacedAll(Replacement {
                part: Some(part),
                ..list
            })],
            reached: Vec::new(),
        });
        let texts: Vec<_> = events.iter().map(event_text).collect();
        texts.join(" ")
    };
    assert_eq!(slice(",b@2,c@3"), "p+b@2 p+c@3");
    assert_eq!(slice(""), "p?b@2 p?c@3");
    assert_eq!(world.stored(), "a@1 at 5");
}
