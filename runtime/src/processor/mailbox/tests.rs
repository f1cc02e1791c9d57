use proptest::prelude::*;

use super::*;
use crate::event::Origin;
use crate::object::ObjectKey;
use crate::processor::tests::support::{View, event, events, replay, text};

fn mailbox(capacity: usize, when_full: WhenFull) -> Mailbox {
    sized(capacity, usize::MAX, when_full)
}

fn sized(capacity: usize, bytes: usize, when_full: WhenFull) -> Mailbox {
    let number = |number| NonZeroUsize::new(number).unwrap();
    Mailbox::new(number(capacity), number(bytes), when_full)
}

/// Returns all waiting items as text, in order. The sync marker is `|`.
fn drain(mailbox: &mut Mailbox) -> String {
    let mut seen = Vec::new();
    while let Some(item) = mailbox.pop() {
        match item {
            Item::Event(event) => seen.push(text(&event)),
            Item::Synced => seen.push("|".to_owned()),
            Item::Replay(mut replaying) => {
                while let Some(event) = replaying.next_event() {
                    seen.push(text(&event));
                }
            }
        }
    }
    assert_eq!(mailbox.pending(), 0);
    seen.join(" ")
}

/// Pops the oldest item, which has to be a notification.
fn popped(mailbox: &mut Mailbox) -> String {
    match mailbox.pop() {
        Some(Item::Event(event)) => text(&event),
        other => panic!("{other:?}"),
    }
}

fn push_all(mailbox: &mut Mailbox, text: &str) {
    for event in events(text) {
        let _pushed = mailbox.push(event);
    }
}

/// H-03: a mailbox is full by the size of old objects, too. An object in the store costs nothing,
/// and one notification of any size fits.
#[test]
fn h03_a_mailbox_is_full_by_bytes() {
    let mut mailbox = sized(100, 50, WhenFull::Block);
    for event in events("+a@900 s~b@900>900 ~c@20>900") {
        assert!(matches!(mailbox.push(event), Pushed::Queued));
    }
    assert_eq!((mailbox.bytes(), mailbox.is_full()), (20, false));
    assert!(matches!(mailbox.push(event("-d@700")), Pushed::Queued));
    assert!(matches!(mailbox.push(event("+e@1")), Pushed::Full(_)));
    assert_eq!(popped(&mut mailbox), "+a@900");
    assert_eq!(popped(&mut mailbox), "s~b@900>900");
    assert_eq!(popped(&mut mailbox), "~c@20>900");
    assert_eq!((mailbox.bytes(), mailbox.is_half_empty()), (700, false));
    assert_eq!(popped(&mut mailbox), "-d@700");
    assert_eq!((mailbox.bytes(), mailbox.is_half_empty()), (0, true));
}

/// H-04, H-20, T-04: the merged notification has the place of the first one, and an origin that is
/// true.
#[test]
fn h04_when_full_two_notifications_of_a_key_become_one() {
    for (pushed, expected) in [
        ("+a@1 ~a@1>2 ~a@2>3", "+a@3"),
        ("~a@1>2 ~a@2>3 ~a@3>4", "~a@1>4"),
        ("~a@1>2 -a@3", "-a@3"),
        ("~a@1>2 r?a@2", "r?a@2"),
        ("+a@1 -a@1", ""),
        ("-a@1 +a@2", "-a@1 +a@2"),
        ("-a@1 +a@2 ~a@2>3 ~a@3>4", "-a@1 +a@4"),
        ("-a@1 +a@2 -a@2", "-a@1"),
        ("-a@1 +a@2 -a@2 +a@3", "-a@1 +a@3"),
        ("r?a@1 -a@2", "-a@2"),
        ("-a@2 r?a@1", "-a@2"),
        ("+a@1 +b@1 +c@1 ~b@1>2 ~a@1>2 -c@1", "+a@2 +b@2"),
        ("i+a@1 ~a@1>2", "i+a@2"),
        ("r+a@1 ~a@1>2", "r+a@2"),
        ("~a@1>2 r~a@2>3", "r~a@1>3"),
        ("~a@1>2 s~a@2>2", "~a@1>2"),
        ("s~a@1>1 ~a@1>2", "~a@1>2"),
    ] {
        let mut mailbox = mailbox(1, WhenFull::Coalesce);
        push_all(&mut mailbox, pushed);
        assert_eq!(drain(&mut mailbox), expected, "{pushed}");
    }
}

/// H-04: notifications that were queued before stay unmerged; only the last one of a key takes
/// part.
#[test]
fn h04_merging_starts_when_full_and_ends_when_there_is_room() {
    let mut mailbox = mailbox(3, WhenFull::Coalesce);
    push_all(&mut mailbox, "+a@1 ~a@1>2 +b@1 ~a@2>3 ~b@1>2");
    assert!(matches!(mailbox.pop(), Some(Item::Event(Event::Added(_)))));
    push_all(&mut mailbox, "~b@2>3 ~b@3>4");
    assert_eq!(drain(&mut mailbox), "~a@1>3 +b@2 ~b@2>4");
}

/// Y-07, H-06: notifications after a replay or the sync marker stay after it, and are not merged
/// with earlier ones.
#[test]
fn y07_nothing_is_merged_across_a_replay_or_the_marker() {
    let mut mailbox = mailbox(1, WhenFull::Coalesce);
    mailbox
        .push_replay(ReplayKind::Initial, replay("a@1 b@1"))
        .unwrap();
    mailbox.push_synced();
    push_all(&mut mailbox, "~a@1>2 ~a@2>3");
    mailbox
        .push_replay(ReplayKind::Resync, replay("a@3 b@1"))
        .unwrap();
    push_all(&mut mailbox, "~a@3>4 ~a@4>5");
    mailbox.push_synced();
    assert_eq!(
        drain(&mut mailbox),
        "i+a@1 i+b@1 | ~a@1>3 s~a@3>3 s~b@1>1 ~a@3>5"
    );
}

#[test]
fn y06_a_second_resync_waits_only_once_the_first_has_begun() {
    let mut mailbox = mailbox(1, WhenFull::Coalesce);
    let resync = |mailbox: &mut Mailbox| {
        mailbox
            .push_replay(ReplayKind::Resync, replay("a@1"))
            .is_ok()
    };
    assert!(resync(&mut mailbox));
    assert!(!resync(&mut mailbox));
    assert!(matches!(mailbox.pop(), Some(Item::Replay(_))));
    assert!(resync(&mut mailbox));
}

/// H-03: memory is bounded for a stuck handler, under a million changes and repeats of 100 keys.
#[test]
fn h03_memory_is_bounded_by_keys() {
    let mut mailbox = mailbox(64, WhenFull::Coalesce);
    let lives: Vec<_> = (0..100)
        .map(|key| events(&format!("+k{key}@1 ~k{key}@1>2 s~k{key}@2>2 -k{key}@2")))
        .collect();
    for round in 0..2_500 {
        for life in &lives {
            for event in life {
                let _pushed = mailbox.push(event.clone());
            }
            assert!(mailbox.pending() <= 64 + 200, "round {round}");
            assert!(mailbox.slots.len() <= 2 * (64 + 200) + MIN_CANCELLED + 1);
        }
    }
}

/// H-03: memory is released after a flood of keys.
#[test]
fn h03_memory_is_given_back_after_a_flood() {
    let mut mailbox = mailbox(16, WhenFull::Coalesce);
    for key in 0..100_000 {
        let _pushed = mailbox.push(event(&format!("+k{key}@1")));
    }
    assert!(mailbox.slots.capacity() >= 100_000);
    while mailbox.pop().is_some() {}
    assert!(mailbox.slots.capacity() < 1_000);
    assert!(mailbox.latest.is_none());
}

/// H-03: cancelled slots are released together, once they outnumber the others by more than
/// sixteen.
#[test]
fn h03_cancelled_slots_are_given_back_once_they_outnumber_the_others() {
    let mut mailbox = mailbox(1, WhenFull::Coalesce);
    for key in 0..40 {
        let _pushed = mailbox.push(event(&format!("+k{key}@1")));
    }
    let mut max_empty = 0;
    // The last key keeps cancelled slots away from the end, where each would be released at once.
    for key in 0..39 {
        let cancelled = mailbox.push(event(&format!("-k{key}@1")));
        assert!(matches!(cancelled, Pushed::Cancelled(..)));
        let empty = mailbox.slots.len() - mailbox.pending();
        assert!(empty <= mailbox.pending() + MIN_CANCELLED, "{key}");
        max_empty = max_empty.max(empty);
    }
    assert_eq!(max_empty, 28, "when 12 wait");
    assert_eq!(drain(&mut mailbox), "+k39@1");
}

/// H-03, H-06: the barrier stays correct when slots before and after it are released.
#[test]
fn h03_nothing_is_merged_across_a_barrier_that_has_moved() {
    let mut mailbox = mailbox(1, WhenFull::Coalesce);
    push_all(&mut mailbox, "+w@1 +x@1 +y@1 +z@1 +a@1 ~b@1>2");
    for first in ["+w@1", "+x@1", "+y@1", "+z@1"] {
        assert_eq!(popped(&mut mailbox), first);
    }
    mailbox.push_synced();
    push_all(&mut mailbox, "~c@1>2");
    for key in 0..40 {
        push_all(&mut mailbox, &format!("+k{key}@1"));
    }
    push_all(&mut mailbox, "~d@1>2");
    for key in 0..40 {
        push_all(&mut mailbox, &format!("-k{key}@1"));
    }
    assert!(mailbox.slots.len() < 40, "slots were given back");
    push_all(&mut mailbox, "~a@1>2 ~b@2>3 ~c@2>3 ~d@2>3");
    assert_eq!(
        drain(&mut mailbox),
        "+a@1 ~b@1>2 | ~c@1>3 ~d@1>3 ~a@1>2 ~b@2>3"
    );
}

/// H-05: half of the capacity, rounded down. A full mailbox refuses.
#[test]
fn h05_a_mailbox_is_half_empty_at_half_of_its_capacity() {
    for (capacity, half) in [(1, 0), (4, 2), (7, 3)] {
        let mut mailbox = mailbox(capacity, WhenFull::Block);
        for waiting in 0..=capacity {
            assert_eq!(mailbox.is_half_empty(), waiting <= half, "{waiting}");
            let pushed = mailbox.push(event("~a@1>2"));
            assert_eq!(matches!(pushed, Pushed::Full(_)), waiting == capacity);
        }
    }
}

/// Operation on the mailbox or on the objects behind it.
#[derive(Debug, Clone)]
enum Step {
    Change(Kind, u8),
    /// The handler takes one notification.
    Take,
    Resync,
    Synced,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Adds or changes a key.
    Write,
    /// Repeats a key without a change.
    Repeat,
    Delete,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..4u8).prop_map(|key| Step::Change(Kind::Write, key)),
        3 => (0..4u8).prop_map(|key| Step::Change(Kind::Repeat, key)),
        4 => (0..4u8).prop_map(|key| Step::Change(Kind::Delete, key)),
        4 => Just(Step::Take),
        1 => Just(Step::Resync),
        1 => Just(Step::Synced),
    ];
    prop::collection::vec(step, 0..200)
}

/// Objects, a mailbox, and a handler that checks its notifications.
struct Model {
    world: View,
    version: u64,
    mailbox: Mailbox,
    replaying: Option<Replaying>,
    handler: View,
}

impl Model {
    /// Starts with `k1` before the handler is added.
    fn new(capacity: usize, bytes: usize) -> Self {
        let mut model = Self {
            world: View::default(),
            version: 0,
            mailbox: sized(capacity, bytes, WhenFull::Coalesce),
            replaying: None,
            handler: View::default(),
        };
        model.world.apply(&event("+k1@0")).unwrap();
        let initial = model.world.replay();
        let _queued = model.mailbox.push_replay(ReplayKind::Initial, initial);
        model
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Change(kind, key) => {
                self.version += 1;
                let new = self.version;
                let known = self.world.0.get(&ObjectKey::cluster(&format!("k{key}")));
                let change = match (kind, known) {
                    (Kind::Write, None) => format!("+k{key}@{new}"),
                    (Kind::Write, Some(old)) => format!("~k{key}@{old}>{new}"),
                    (Kind::Repeat, Some(same)) => format!("s~k{key}@{same}>{same}"),
                    (Kind::Delete, Some(old)) => format!("-k{key}@{old}"),
                    (Kind::Repeat | Kind::Delete, None) => return Ok(()),
                };
                self.change(&event(&change))
            }
            Step::Take => self.take().map(|_| ()),
            Step::Resync => {
                let world = self.world.replay();
                let _queued = self.mailbox.push_replay(ReplayKind::Resync, world);
                Ok(())
            }
            Step::Synced => {
                self.mailbox.push_synced();
                Ok(())
            }
        }
    }

    fn change(&mut self, change: &Event<Entry>) -> Result<(), String> {
        self.world.apply(change)?;
        let has_room = !self.mailbox.is_full();
        let pushed = self.mailbox.push(change.clone());
        if has_room && !matches!(pushed, Pushed::Queued) {
            return Err("merged below capacity".to_owned());
        }
        self.check_bytes()?;
        // Four keys, with two notifications each, before the first barrier and after each of at
        // most three.
        if self.mailbox.pending() > self.mailbox.capacity.get() + 4 * 2 * 4 {
            return Err(format!("{} notifications wait", self.mailbox.pending()));
        }
        Ok(())
    }

    /// Checks that the bytes are those of the old objects that wait, merged ones included.
    fn check_bytes(&self) -> Result<(), String> {
        let mut sum = 0;
        for slot in &self.mailbox.slots {
            let Some(Item::Event(event)) = slot else {
                continue;
            };
            let expected = match event {
                Event::Updated(updated) if updated.origin != Origin::Resync => {
                    updated.old.footprint.bytes()
                }
                Event::Deleted(deleted) => deleted.object.footprint.bytes(),
                Event::Added(_) | Event::Updated(_) => 0,
            };
            if event.bytes() != expected {
                return Err(format!("{} bytes in {}", event.bytes(), text(event)));
            }
            sum += event.bytes();
        }
        let bytes = self.mailbox.bytes();
        (bytes == sum)
            .then_some(())
            .ok_or_else(|| format!("{bytes} bytes are counted, {sum} wait"))
    }

    /// Returns `true` if there was a notification to take.
    fn take(&mut self) -> Result<bool, String> {
        loop {
            if let Some(event) = self.replaying.as_mut().and_then(Replaying::next_event) {
                return self.handler.apply(&event).map(|()| true);
            }
            self.replaying = None;
            match self.mailbox.pop() {
                None => return Ok(false),
                Some(Item::Synced) => {}
                Some(Item::Event(event)) => return self.handler.apply(&event).map(|()| true),
                Some(Item::Replay(replaying)) => self.replaying = Some(replaying),
            }
        }
    }
}

proptest! {
    /// C-13, C-14, H-03, H-04.
    #[test]
    fn c14_what_a_handler_saw_is_legal_and_replayed_gives_the_world(
        capacity in 1..6usize,
        bytes in 1..100usize,
        steps in steps(),
    ) {
        let mut model = Model::new(capacity, bytes);
        for step in &steps {
            model.step(step).map_err(TestCaseError::fail)?;
        }
        while model.take().map_err(TestCaseError::fail)? {}
        prop_assert_eq!(model.handler, model.world);
        prop_assert_eq!((model.mailbox.pending(), model.mailbox.bytes()), (0, 0));
    }
}
