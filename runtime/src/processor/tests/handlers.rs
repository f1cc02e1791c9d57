//! Kinds of handlers, and their treatment of notifications.

use std::sync::Arc;

use parking_lot::Mutex;

use super::support::{Log, Running, Version, events};
use crate::base::panic::{Panicked, catch_async};
use crate::event::{Deleted, Event};
use crate::processor::{EventHandler, EventHandlerFuncs, HandlerOptions, filtered};

async fn call_all(handler: &mut impl EventHandler<Version>, text: &str) {
    for event in events(text) {
        handler.on_event(event.typed()).await;
    }
}

/// Returns the notifications that pass a filter for even versions.
async fn even(text: &str) -> String {
    let seen = Log::default();
    let is_even = |version: &Version| version.parse::<u32>().unwrap() % 2 == 0;
    call_all(&mut filtered(is_even, seen.clone()), text).await;
    seen.text()
}

/// H-19, T-06: a deletion that was not observed is judged by the last known object.
#[tokio::test]
async fn h19_a_filter_turns_flips_into_adds_and_deletions() {
    for (script, expected) in [
        ("i+a@2 +a@1", "i+a@2"),
        ("~a@2>4", "~a@2>4"),
        ("~a@1>3", ""),
        ("~a@1>2", "+a@2"),
        ("i~a@1>2", "+a@2"),
        ("r~a@1>2", "r+a@2"),
        ("~a@2>3", "-a@2"),
        ("-a@2 -b@1", "-a@2"),
        ("r?a@2 r?b@1", "r?a@2"),
    ] {
        assert_eq!(even(script).await, expected, "{script}");
    }
}

#[tokio::test]
async fn h19_of_an_update_the_new_object_is_judged_before_the_old() {
    let judged = Arc::new(Mutex::new(Vec::new()));
    let predicate = {
        let judged = judged.clone();
        move |version: &Version| {
            judged.lock().push(version.clone());
            true
        }
    };
    call_all(&mut filtered(predicate, Log::default()), "~a@1>2").await;
    assert_eq!(*judged.lock(), ["2", "1"]);
}

/// H-19: an object that the predicate cannot judge matches, and the panic is the handler's.
#[tokio::test]
async fn h19_an_event_that_a_filter_cannot_judge_passes_it() {
    for script in ["+a@1", "~a@1>2", "-a@1"] {
        let seen = Log::default();
        let mut filter = filtered(|_: &Version| panic!("no judgement"), seen.clone());
        let call = catch_async(call_all(&mut filter, script)).await;
        assert_eq!(call, Err(Panicked));
        assert_eq!(seen.text(), script);
    }
}

/// H-20, H-21, T-06.
#[tokio::test]
async fn h21_unset_closures_ignore_their_event_and_set_ones_get_theirs() {
    let script = "i+a@1 +b@1 ~a@1>2 ?a@2";
    call_all(&mut EventHandlerFuncs::<Version>::new(), script).await;

    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = |what: &'static str| {
        let lines = lines.clone();
        move |detail: String| lines.lock().push(format!("{what} {detail}"))
    };
    let (add, update, delete) = (log("add"), log("update"), log("delete"));
    let mut handler = EventHandlerFuncs::<Version>::new()
        .on_add(move |object, initial| add(format!("{object} {initial}")))
        .on_update(move |old, new| update(format!("{old} {new}")))
        .on_delete(move |deleted| {
            delete(format!("{} {}", deleted.key, deleted.final_state_unknown));
        });
    call_all(&mut handler, script).await;
    assert_eq!(
        *lines.lock(),
        ["add 1 true", "add 1 false", "update 1 2", "delete a true"]
    );
}

/// Implements only two of the methods.
#[derive(Default)]
struct Count {
    adds: usize,
    deletions: usize,
}

impl EventHandler<Version> for Count {
    async fn on_add(&mut self, _: Arc<Version>, _is_in_initial_list: bool) {
        self.adds += 1;
    }

    async fn on_delete(&mut self, _: Deleted<Version>) {
        tokio::task::yield_now().await;
        self.deletions += 1;
    }
}

#[tokio::test]
async fn h21_methods_that_are_not_implemented_ignore_their_event() {
    let mut count = Count::default();
    for event in events("i+a@1 ~a@1>2 -a@2 +a@3") {
        count.on_event(event.typed()).await;
    }
    assert_eq!((count.adds, count.deletions), (2, 1));
}

/// H-20, Y-06: a resync is an update with the same object twice, as in client-go. Its origin tells
/// it apart.
#[tokio::test]
async fn h20_a_resync_is_an_update_with_its_own_origin() {
    let script = "~a@1>2 s~a@2>2 r~a@2>3 ~a@3>3";
    let lines = Arc::new(Mutex::new(Vec::new()));
    let updates = lines.clone();
    let update = move |old: Arc<Version>, new: Arc<Version>| {
        updates.lock().push(format!("update {old}>{new}"));
    };
    let mut funcs = EventHandlerFuncs::<Version>::new().on_update(update);
    call_all(&mut funcs, script).await;
    let expected = ["update 1>2", "update 2>2", "update 2>3", "update 3>3"];
    assert_eq!(*lines.lock(), expected);
    // A filter preserves a resync.
    assert_eq!(even("s~a@2>2").await, "s~a@2>2");

    let is_resync = |event: Event<Version>| match &event {
        Event::Updated(change) => change.is_resync(),
        Event::Added(_) | Event::Deleted(_) => panic!("{event:?}"),
    };
    let resyncs: Vec<bool> = events(script)
        .into_iter()
        .map(Event::typed)
        .map(is_resync)
        .collect();
    assert_eq!(resyncs, [false, true, false, false]);
}

/// The name of a handler is that of its type unless its options set another one.
#[tokio::test(start_paused = true)]
async fn a_handler_is_named_after_its_type() {
    let running = Running::created();
    let options = HandlerOptions::new();
    let registration = running.add_with(Count::default(), options.clone());
    assert!(registration.name().ends_with("::Count"));
    let registration = running.add_with(Count::default(), options.name("mine"));
    assert_eq!(registration.name(), "mine");
}
