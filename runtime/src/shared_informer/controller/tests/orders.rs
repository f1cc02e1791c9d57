//! Both orders of the queue, in front of the same store, with arbitrary deltas.

use std::collections::BTreeMap;

use futures::FutureExt as _;
use proptest::prelude::*;

use super::support::{World, event_text};
use crate::delta_fifo::tests::support::delta;
use crate::delta_fifo::{Delta, DeltaFifo, Order};
use crate::event::Event;
use crate::processor::tests::support::{Versioned as _, View};
use crate::storage::Entry;

/// Plays a script through a queue and a store, as the controller does; `pop` processes a batch.
/// Returns the final state of the store, and the events.
fn play(order: Order, words: &[String]) -> (String, Vec<Event<Entry>>) {
    let world = World::new();
    let fifo = world.queue(order);
    let mut events = Vec::new();
    let mut process = || {
        let Some(Some(batch)) = fifo.pop().now_or_never() else {
            return false;
        };
        events.extend(world.batch(batch));
        true
    };
    for word in words {
        if word.starts_with("pop") {
            process();
        } else {
            push(&fifo, word);
        }
    }
    while process() {}
    (world.stored(), events)
}

fn push(fifo: &DeltaFifo, word: &str) {
    fifo.push(delta(word)).now_or_never().unwrap().unwrap();
}

/// Processes a batch.
fn pop(world: &World, fifo: &DeltaFifo) -> Vec<Event<Entry>> {
    world.batch(fifo.pop().now_or_never().flatten().unwrap())
}

/// N-03: a list that was compared with the store while a newer version waited in the queue counts,
/// because it is the server's later word. A stale deletion does not undo a recreation.
#[test]
fn n03_the_later_word_of_the_server_counts_whatever_waits_in_the_queue() {
    for order in [Order::Global, Order::PerKey] {
        for (script, stored) in [
            ("[5,a@1] pop ~a@8 [9,a@1]", "a@1 at 9"),
            ("[5,a@1] pop ~a@8 ~a@9 [9,a@7] ~a@10", "a@10 at 10"),
            ("[5,a@1#one] pop +a@7#two -a@6#one", "a@7 at 6"),
            ("[5,a@1] pop -a@8 [9,a@8]", "a@8 at 9"),
        ] {
            let words: Vec<_> = script.split(' ').map(str::to_owned).collect();
            assert_eq!(play(order, &words).0, stored, "{order:?}: {script}");
        }
    }
}

/// N-03: the lists of two slices are not in one order, so an older version of an object that both
/// contain, one after the other, does not undo the newer one.
#[test]
fn n03_the_list_of_another_slice_does_not_undo_a_newer_version() {
    let world = World::sharded();
    world.apply("[5,a@5] ~a@8 [9,a@7]");
    assert_eq!(world.stored(), "a@8 at 9");
    world.apply("[10,a@10]");
    assert_eq!(world.stored(), "a@10 at 10");
}

/// Generates the messages of a server: versions grow, and a watch sends only legal events.
fn history() -> impl Strategy<Value = Vec<String>> {
    let name = prop::sample::select(vec!["a", "b", "c"]);
    let step = (name, 0..16_u8);
    (prop::collection::vec(step, 0..100)).prop_map(|steps| {
        let mut objects: BTreeMap<&str, (String, u32)> = BTreeMap::new();
        let mut words = Vec::new();
        let mut version = 0_u32;
        let list = |objects: &BTreeMap<&str, (String, u32)>, version: u32| {
            let items: String = objects
                .iter()
                .map(|(name, (text, uid))| match text.strip_prefix('!') {
                    Some(text) => format!(",!{name}@{text}#{uid}"),
                    None => format!(",{name}@{text}#{uid}"),
                })
                .collect();
            format!("[{version}{items}]")
        };
        words.push("[1]".to_owned());
        for (name, step) in steps {
            version += 2;
            let alive = objects.get(name).map(|(_, uid)| *uid);
            match (step, alive) {
                (0..=3, None) => {
                    objects.insert(name, (version.to_string(), version));
                    words.push(format!("+{name}@{version}#{version}"));
                }
                (0..=3, Some(uid)) => {
                    objects.insert(name, (version.to_string(), uid));
                    words.push(format!("~{name}@{version}#{uid}"));
                }
                (4, uid) => {
                    let uid = uid.unwrap_or(version);
                    objects.insert(name, (format!("!{version}"), uid));
                    words.push(format!("!{name}@{version}#{uid}"));
                }
                (5..=6, Some(uid)) => {
                    objects.remove(name);
                    words.push(format!("-{name}@{version}#{uid}"));
                }
                // While the watch is down, an object is recreated or deleted, and a list follows.
                (7, _) => {
                    objects.insert(name, (version.to_string(), version));
                    words.push(list(&objects, version + 1));
                }
                (8, _) => {
                    objects.remove(name);
                    words.push(list(&objects, version + 1));
                }
                (9, _) => words.push(format!("b@{version}")),
                _ => words.push("pop".to_owned()),
            }
        }
        words
    })
}

/// Replays events. An illegal sequence is an error.
fn replay(events: &[Event<Entry>]) -> Result<String, String> {
    let mut view = View::default();
    for event in events {
        let known = view.0.get(event.key()).map(String::as_str);
        if let Event::Deleted(deleted) = event
            && deleted.final_state_unknown
            && known != Some(deleted.object.version())
        {
            return Err(format!("{} after {known:?}", event_text(event)));
        }
        view.apply(event)?;
    }
    let objects = view.0.iter();
    let objects: Vec<_> = objects
        .map(|(key, object)| format!("{key}@{object}"))
        .collect();
    Ok(objects.join(" "))
}

/// Returns the objects of a stored state, without marks and version.
fn objects(stored: &str) -> String {
    let words = stored.split(" at ").next().unwrap_or_default();
    let is_object = |word: &&str| !word.starts_with('!') && word.contains('@');
    let objects: Vec<_> = words.split_whitespace().filter(is_object).collect();
    objects.join(" ")
}

fn texts(events: &[Event<Entry>]) -> String {
    let texts: Vec<String> = events.iter().map(event_text).collect();
    texts.join(" ")
}

fn words(script: &str) -> Vec<String> {
    script.split_whitespace().map(str::to_owned).collect()
}

proptest! {
    /// Q-18, C-13, C-14, N-08: both orders end with the same store, including undecodable marks,
    /// and with legal events that yield the store. The event of a missed deletion contains the
    /// object that the handlers received last (T-01).
    #[test]
    fn q18_both_orders_end_in_the_same_store(words in history()) {
        let (global, events) = play(Order::Global, &words);
        prop_assert_eq!(replay(&events).map_err(TestCaseError::fail)?, objects(&global));
        let (per_key, events) = play(Order::PerKey, &words);
        prop_assert_eq!(replay(&events).map_err(TestCaseError::fail)?, objects(&per_key));
        let without_version = |text: &str| text.split("at ").next().unwrap_or_default().to_owned();
        prop_assert_eq!(without_version(&global), without_version(&per_key));
    }

    /// C-13, Q-18: sequences that no server sends do not break it either.
    #[test]
    fn c13_any_deltas_are_told_as_a_legal_sequence(
        words in prop::collection::vec(crate::delta_fifo::tests::properties::word(), 0..60),
    ) {
        for order in [Order::Global, Order::PerKey] {
            let (stored, events) = play(order, &words);
            prop_assert_eq!(replay(&events).map_err(TestCaseError::fail)?, objects(&stored));
        }
    }
}

/// W-13, Q-04: an object that never decoded is still known, so its mark is removed with it.
#[test]
fn w13_a_mark_without_an_object_goes_in_both_orders() {
    for gone in ["-a@7", "[9]"] {
        for order in [Order::Global, Order::PerKey] {
            let script = format!("[5] !a@6 pop pop pop {gone}");
            let (stored, _) = play(order, &words(&script));
            assert!(!stored.contains('!'), "{gone} {order:?}: {stored}");
        }
    }
}

/// a stored version implies that all messages up to that version were applied. It never
/// decreases, whatever delta overtakes another.
#[test]
fn q18_a_version_is_reached_when_nothing_up_to_it_waits() {
    let check = |script: &str, reached: &str| {
        let world = World::new();
        let fifo = world.queue(Order::PerKey);
        let mut versions = Vec::new();
        for word in script.split_whitespace() {
            if word == "pop" {
                pop(&world, &fifo);
                versions.push(world.store.snapshot().resource_version().to_string());
            } else {
                push(&fifo, word);
            }
        }
        assert_eq!(versions.join(" "), reached, "{script}");
    };
    check("[5] pop +a@6 ~a@7 pop b@8 pop", "5 7 8");
    // The later delta of one key left the queue before the earlier delta of the other key.
    check("[5] pop +a@6 +b@7 ~a@8 pop", "5 8");
    // The delta leaves the queue with the list.
    check("[5,a@1] pop [7,a@6] ~a@8 pop", "5 8");
    check("[5,a@1] pop [7,a@6] ~a@8 +b@9 pop pop", "5 7 9");
    // The delta left the queue before an older one that waits behind a resync.
    check("[5] pop +a@6 sync +b@7 ~a@8 pop pop pop", "5 5 5 8");
    // A resync has no version.
    check("[5] pop +a@6 sync ~a@8 pop pop", "5 8 8");
    // The server was restored from backup, which a list reveals.
    check("[5,a@1] pop ~a@9 pop [6,a@6] pop", "5 9 6");
}

/// C-13, Q-18: the event of an unchanged object comes at its place among the changes, never after a
/// later change.
#[test]
fn c13_an_unchanged_object_is_shown_at_its_place_among_the_changes() {
    for (later, expected) in [
        ("", "s~a@1>1 s~b@2>2"),
        ("~a@8", "s~a@1>1 ~a@1>8 s~b@2>2"),
        ("-a@8", "s~a@1>1 -a@8 s~b@2>2"),
        ("~b@8 ~b@9 -a@10", "s~a@1>1 -a@10 s~b@2>2 ~b@2>8 ~b@8>9"),
        ("~a@1", "s~a@1>1 s~a@1>1 s~b@2>2"),
        ("[8,a@8,b@2]", "s~a@1>1 r~a@1>8 s~b@2>2 s~b@2>2"),
    ] {
        let world = World::new();
        let fifo = world.queue(Order::PerKey);
        push(&fifo, "[5,a@1,b@2]");
        pop(&world, &fifo);
        push(&fifo, "[7,a@1,b@2]");
        for word in later.split_whitespace() {
            push(&fifo, word);
        }
        let events = pop(&world, &fifo);
        assert_eq!(texts(&events), expected, "after the list: {later}");
    }
}

/// C-09, H-20, Q-09: a watch event of a key that still waits in the first list is live.
#[test]
fn h20_a_change_that_leaves_with_the_first_list_is_live() {
    for (script, expected) in [
        ("[5,a@1,b@2] ~a@6", "i+a@1 ~a@1>6 i+b@2"),
        ("[5,a@1,b@2] -a@6", "i+a@1 -a@6 i+b@2"),
        ("[5,a@1,b@2] -a@6 +a@7", "i+a@1 -a@6 +a@7 i+b@2"),
        ("[5,a@1] ~a@1", "i+a@1 s~a@1>1"),
        ("[5,a@1] [6,b@2]", "i+a@1 i?a@1 r+b@2"),
    ] {
        let (_, events) = play(Order::PerKey, &words(script));
        assert_eq!(texts(&events), expected, "{script}");
    }
}

/// a batch is one transaction, and its events are in order.
#[test]
fn q16_a_batch_is_one_transaction() {
    let world = World::new();
    let fifo = world.queue(Order::Global);
    for word in ["[5,a@1]", "+b@6", "~a@7", "-x@8", "!c@9", "~a@10"] {
        push(&fifo, word);
    }
    for (generation, expected) in [(1, "i+a@1"), (2, "+b@6 ~a@1>7"), (3, "~a@7>10")] {
        assert_eq!(texts(&pop(&world, &fifo)), expected);
        assert_eq!(world.store.snapshot().generation(), generation);
    }
}

/// Q-05, T-01: the event of a missed deletion contains the newest queued object, or the stored one.
#[test]
fn q05_a_missed_deletion_is_told_with_the_last_state() {
    for (script, last) in [
        ("[5,a@1] pop ~a@6 [9]", "r?a@6"),
        ("[5,a@1] pop ~a@6 pop [9]", "r?a@6"),
        ("[5,a@1] pop [9]", "r?a@1"),
        ("[5,a@1#one] pop +a@7#two pop [9]", "r?a@7"),
        ("[5,a@1#one] pop +a@7#two [9]", "r?a@7"),
    ] {
        for order in [Order::Global, Order::PerKey] {
            let (stored, events) = play(order, &words(script));
            let event = events.last().map(event_text);
            assert_eq!(event.as_deref(), Some(last), "{script} {order:?}");
            assert_eq!(objects(&stored), "");
        }
    }
}

/// a resync does not change the store.
#[test]
fn q10_a_sync_does_not_change_the_store() {
    let world = World::new();
    world.apply("[5,a@1]");
    let before = world.store.snapshot().generation();
    assert_eq!(world.apply("sync"), "");
    assert_eq!(world.store.snapshot().generation(), before);
    assert!(matches!(delta("sync"), Delta::Sync(_)));
}
