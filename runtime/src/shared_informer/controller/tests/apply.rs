//! What a delta does to the store, and whom it is told.

use super::support::World;
use crate::delta_fifo::tests::support::entry;
use crate::delta_fifo::{Delta, Listed, Replacement};
use crate::event::{Event, Origin};
use crate::object::ObjectKey;
use crate::storage::IndexFunctionError;

/// Applies the first words in silence, and then checks what the others say and leave.
fn check(before: &str, then: &str, told: &str, stored: &str) {
    let mut world = World::new();
    world.apply(before);
    let text = format!("{before} / {then}");
    assert_eq!(world.apply(then), told, "{text}");
    assert_eq!(world.stored(), stored, "{text}");
}

/// C-01.
#[test]
fn c01_the_store_decides_what_is_an_add() {
    check("[5,a@1]", "+a@6", "~a@1>6", "a@6 at 6");
    check("[5]", "~a@6", "+a@6", "a@6 at 6");
    check("[5]", "-a@6", "", "at 6");
    check("[5,a@1]", "-a@6", "-a@6", "at 6");
}

/// C-03, C-04, C-09: deletions in key order, then the list's order; initial the first time only.
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

/// C-05, C-09: an object that the first list holds twice is told once.
#[test]
fn c05_what_the_first_list_repeats_is_no_event() {
    check("", "[5,a@1,a@1]", "i+a@1", "a@1 at 5");
}

/// C-05: the unchanged are told apart from events, for those who want to know.
#[test]
fn c05_what_a_relist_finds_unchanged_is_no_event() {
    check(
        "[5,a@1,b@2]",
        "[9,a@1,b@3]",
        "s~a@1>1 r~b@2>3",
        "a@1 b@3 at 9",
    );
    // Another uid is another object, whatever its version.
    check("[5,a@1#one]", "[9,a@1#two]", "r?a@1 r+a@1", "a@1 at 9");
}

/// C-06: by uid and version; an object without a version always counts as changed.
#[test]
fn c06_an_event_with_the_stored_version_is_no_change() {
    check("[5,a@6]", "~a@6", "s~a@6>6", "a@6 at 6");
    check("[5,a@6]", "+a@6", "s~a@6>6", "a@6 at 6");
    // Another uid is another object.
    check("[5,a@6#one]", "~a@6#two", "?a@6 +a@6", "a@6 at 6");
    check("[5,a@]", "~a@", "~a@>", "a@ at 5");
    check("[5,a@]", "[9,a@]", "r~a@>", "a@ at 9");
}

/// B-11: the store keeps its version where a delta has none.
#[test]
fn b11_a_delta_without_a_version_does_not_take_the_stores_away() {
    for delta in ["+a@", "~a@", "-a@", "!a@", "b@"] {
        let mut world = World::new();
        world.apply("[5,a@1]");
        world.apply(delta);
        assert_eq!(
            world.store.snapshot().resource_version().to_string(),
            "5",
            "{delta}"
        );
    }
}

/// B-11: the last one counts, even if it is smaller.
#[test]
fn b11_the_stores_version_is_the_last_deltas() {
    check("[55,a@1]", "~a@32", "~a@1>32", "a@32 at 32");
    check("[5,a@1]", "b@9", "", "a@1 at 9");
    check("[5,a@1]", "!a@9", "", "a@1 !a@9 at 9");
}

/// C-10.
#[test]
fn c10_a_missed_recreation_is_a_deletion_and_an_add() {
    check("[5,a@1#one]", "[9,a@7#two]", "r?a@1 r+a@7", "a@7 at 9");
    check("[5,a@1#one]", "+a@7#two", "?a@1 +a@7", "a@7 at 7");
    check("[5,a@1#one]", "~a@7#two", "?a@1 +a@7", "a@7 at 7");
}

/// T-01.
#[test]
fn t01_a_live_deletion_has_the_final_object_and_a_relists_the_last_known() {
    check("[5,a@1]", "-a@7", "-a@7", "at 7");
    check("[5,a@1]", "[9]", "r?a@1", "at 9");
}

/// T-03.
#[test]
fn t03_a_deletion_found_twice_is_told_once() {
    check("[5,a@1]", "[9] -a@7", "r?a@1", "at 7");
    check("[5,a@1]", "-a@7 [9]", "-a@7", "at 9");
}

/// T-05.
#[test]
fn t05_what_nobody_saw_is_not_deleted() {
    check("[5]", "[9] -x@8 [10]", "", "at 10");
}

/// T-07: the deletion of what came before does not touch what came after.
#[test]
fn t07_a_late_deletion_does_not_touch_the_successor() {
    let mut world = World::new();
    let by_uid = world
        .store
        .add_index("version", |entry| {
            Ok::<_, IndexFunctionError>(vec![entry.handle.clone()])
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

/// T-07, W-13: but what is held in place of a successor that nobody could read goes with it.
#[test]
fn w13_the_deletion_of_an_unread_successor_deletes_what_is_held_in_its_place() {
    check("[5,a@1#one] !a@6", "-a@7#two", "?a@1", "at 7");
    // Versions that cannot be compared: the server said it last.
    check("[5,a@x#one]", "-a@y#two", "?a@x", "at y");
}

/// W-13: a mark goes with a good version, a deletion, or a list without the object.
#[test]
fn w13_a_mark_lasts_until_a_good_version_or_a_deletion() {
    check("[5,a@1] !a@6", "~a@7", "~a@1>7", "a@7 at 7");
    check("[5,a@1] !a@6", "-a@7", "-a@7", "at 7");
    check("[5] !a@6", "-a@7", "", "at 7");
    check("[5] !a@6", "[9]", "", "at 9");
    check("[5,a@1] !a@6", "[9]", "r?a@1", "at 9");
    check("[5,a@1] !a@6", "[9,!a@6]", "", "a@1 !a@6 at 9");
    // The server went back, and may have given the stored version a second time.
    check("[5,a@1] !a@6", "[9,a@1]", "r~a@1>1", "a@1 at 9");
}

/// C-05: pointer-equal, and one notification for a key that comes twice.
#[test]
fn c05_the_store_keeps_its_handle() {
    let world = World::new();
    let list = |items: Vec<Listed<String>>| {
        let deltas = vec![Delta::ReplacedAll(Replacement {
            items,
            resource_version: "5".into(),
        })];
        world.batch(crate::delta_fifo::Batch {
            deltas,
            is_initial: false,
            completes_initial: false,
            resource_version: None,
        })
    };
    list(vec![Listed::Changed(entry("a@1"))]);
    let first = world
        .store
        .snapshot()
        .get(&ObjectKey::cluster("a"))
        .unwrap()
        .handle
        .as_ptr();
    let events = list(vec![Listed::Changed(entry("a@1"))]);
    let second = world
        .store
        .snapshot()
        .get(&ObjectKey::cluster("a"))
        .unwrap()
        .handle
        .as_ptr();
    let told: Vec<Origin> = events.iter().map(Event::origin).collect();
    assert_eq!(told, [Origin::Resync]);
    // A clone of a `String` has another buffer; the entry itself was not replaced.
    assert_eq!(first, second);
}
