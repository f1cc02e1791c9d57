//! Priorities: urgent items come first, and no item starves.

use std::num::NonZeroU32;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::super::{Action, AddOptions, ItemExponentialFailure, LOW_PRIORITY, PriorityOrder};
use super::*;

fn queue() -> Queue {
    Queue::builder("test").order(PriorityOrder::new()).build()
}

fn priority(priority: i32) -> AddOptions {
    AddOptions {
        priority,
        ..AddOptions::default()
    }
}

fn after(after: Duration) -> AddOptions {
    AddOptions {
        after,
        ..AddOptions::default()
    }
}

#[tokio::test(start_paused = true)]
async fn k18_the_highest_priority_comes_first_and_of_one_the_first() {
    let queue = queue();
    queue.add_with("low 1", priority(LOW_PRIORITY));
    queue.add("normal 1");
    queue.add_with("high 1", priority(7));
    queue.add_with("low 2", priority(LOW_PRIORITY));
    queue.add("normal 2");
    queue.add_with("high 2", priority(7));
    let expected = ["high 1", "high 2", "normal 1", "normal 2", "low 1", "low 2"];
    assert_eq!(queue.len(), 6);
    assert_eq!(drain(&queue), expected);
    assert!(queue.is_empty() && would_wait(&queue));
}

/// K-18, K-27.
#[tokio::test(start_paused = true)]
async fn k18_the_short_constructor_has_priorities_and_the_controllers_limiter() {
    let queue = Queue::priority("test");
    queue.add_with("low", priority(LOW_PRIORITY));
    queue.add("changed");
    assert_eq!(drain(&queue), ["changed", "low"]);
    queue.add_rate_limited("failed");
    assert!(would_wait(&queue));
    advance(ms(100)).await;
    assert_eq!(drain(&queue), ["failed"]);
    assert_eq!(queue.num_requeues(&"failed"), 1);
}

/// K-18, K-01.
#[tokio::test(start_paused = true)]
async fn k18_an_item_has_the_highest_priority_with_which_it_was_added() {
    let queue = queue();
    queue.add("before");
    queue.add_with("raised", priority(-1));
    queue.add("after");
    queue.add("raised");
    queue.add_with("before", priority(-5));
    queue.add_with("raised", priority(-5));
    queue.add("later");
    // Moved behind the other items of its new priority, and never lowered.
    assert_eq!(drain(&queue), ["before", "after", "raised", "later"]);
}

/// K-18, K-02: the mark of an item in work has its own priority.
#[tokio::test(start_paused = true)]
async fn k18_an_item_in_work_is_queued_again_with_the_priority_of_its_mark() {
    let queue = queue();
    queue.add_with("a", priority(9));
    let first = take(&queue).unwrap();
    assert_eq!(first.priority(), 9);
    queue.add_with("a", priority(LOW_PRIORITY));
    queue.add_with("a", priority(-1));
    queue.add_with("a", priority(LOW_PRIORITY));
    first.done();
    queue.add("b");
    assert_eq!(take(&queue).as_deref(), Some(&"b"));
    assert_eq!(take(&queue).unwrap().priority(), -1);
}

/// K-09, K-18: controller-runtime's rule for delayed items.
#[tokio::test(start_paused = true)]
async fn k09_add_with_leaves_an_item_in_one_place_at_the_earlier_time() {
    let queue = queue();
    // Delayed, then added without delay: queued now, and only once.
    queue.add_with(
        "a",
        AddOptions {
            priority: 3,
            ..after(secs(10))
        },
    );
    queue.add_with("a", priority(-3));
    assert_eq!(queue.metrics().delayed, 0);
    assert_eq!(take(&queue).unwrap().priority(), 3, "the higher priority");

    // Queued, then added with a delay: queued now, and only once.
    queue.add("b");
    queue.add_with("b", after(secs(10)));
    assert_eq!(queue.metrics().delayed, 0);

    // Delayed twice: the earlier time and the higher priority apply.
    for (delay, level) in [(30, 1), (20, 5), (40, 2)] {
        let options = AddOptions {
            priority: level,
            ..after(secs(delay))
        };
        queue.add_with("c", options);
    }
    assert_eq!(drain(&queue), ["b"]);
    advance(secs(20)).await;
    assert_eq!(take(&queue).unwrap().priority(), 5);
    advance(secs(100)).await;
    assert!(would_wait(&queue));
}

/// K-12: the shorter of the limiter's delay and the own delay applies.
#[tokio::test(start_paused = true)]
async fn k12_add_with_takes_the_shorter_of_delay_and_rate_limit() {
    let limiter = ItemExponentialFailure::new(secs(4), secs(4));
    let queue = Queue::builder("test").rate_limiter(limiter).build();
    let options = |after| AddOptions {
        after,
        rate_limited: true,
        priority: 0,
    };
    queue.add_with("limiter alone", options(Duration::ZERO));
    queue.add_with("limiter", options(secs(5)));
    queue.add_with("own", options(secs(3)));
    assert_eq!(queue.metrics().retries, 3);
    assert_eq!(queue.num_requeues(&"own"), 1);
    let started = Instant::now();
    for (at, expected) in [(3, "own"), (4, "limiter alone"), (4, "limiter")] {
        assert_eq!(queue.get().await.as_deref(), Some(&expected));
        assert_eq!(started.elapsed().as_secs(), at);
    }
}

/// K-18. Changes arrive at nearly the rate of one worker, in addition to a flood of unchanged
/// objects. No change waits for more than one other item, and the flood is processed meanwhile.
#[tokio::test(start_paused = true)]
async fn k18_a_flood_holds_up_no_change_and_changes_do_not_starve_the_flood() {
    const WORK: u64 = 100;
    const FLOOD: usize = 300;
    let queue: WorkQueue<usize> = WorkQueue::builder("test")
        .order(PriorityOrder::new())
        .build();
    for unchanged in 0..FLOOD {
        queue.add_with(unchanged, priority(LOW_PRIORITY));
    }
    let (mut flood, mut longest) = (Vec::new(), Duration::ZERO);
    let mut pending: Vec<(usize, Instant)> = Vec::new();
    let mut turn = 0;
    // Three changes in four turns.
    while flood.len() < FLOOD {
        turn += 1;
        assert!(turn <= FLOOD * 5, "the flood has its share");
        if turn % 4 != 3 {
            queue.add(FLOOD + turn);
            pending.push((FLOOD + turn, Instant::now()));
        }
        let item = queue.get().now_or_never().flatten().unwrap();
        if *item < FLOOD {
            flood.push(*item);
        } else {
            let (change, since) = pending.remove(0);
            assert_eq!(change, *item, "changes keep their order");
            longest = longest.max(since.elapsed());
        }
        advance(ms(WORK)).await;
    }
    assert!(longest <= ms(WORK), "{longest:?}");
    assert!(flood.is_sorted());
}

/// K-18. With more changes than the workers can process, an aged item still gets its share.
#[tokio::test(start_paused = true)]
async fn k18_an_aged_item_gets_every_fifth_turn_however_many_changes_there_are() {
    let queue: WorkQueue<u32> = WorkQueue::builder("test")
        .order(PriorityOrder::new())
        .build();
    let (low, mut next) = ([1, 2, 3], 100);
    for item in low {
        queue.add_with(item, priority(LOW_PRIORITY));
    }
    let mut turns = |count: usize| {
        let mut taken = Vec::new();
        for turn in 1..=count {
            queue.add(next);
            queue.add(next + 1);
            next += 2;
            let item = *queue.get().now_or_never().flatten().unwrap();
            if low.contains(&item) {
                taken.push((turn, item));
            }
        }
        taken
    };
    assert_eq!(turns(50), [], "no turn before they have aged");
    advance(secs(10)).await;
    assert_eq!(turns(20), [(5, 1), (10, 2), (15, 3)]);
}

#[tokio::test(start_paused = true)]
async fn k18_ageing_and_share_can_be_set() {
    let share = |turns| NonZeroU32::new(turns).unwrap();
    let aged_first = PriorityOrder::new().ageing(secs(1)).share(share(1));
    let strict = PriorityOrder::new().ageing(Duration::MAX);
    let expected = [["low", "a", "b"], ["a", "b", "low"]];
    for (order, expected) in [aged_first, strict].into_iter().zip(expected) {
        let queue = Queue::builder("test").order(order).build();
        queue.add_with("low", priority(-1));
        advance(secs(1)).await;
        queue.add("a");
        queue.add("b");
        assert_eq!(drain(&queue), expected);
    }
}

/// K-18: failed and requeued items keep their priority.
#[tokio::test(start_paused = true)]
async fn k18_run_workers_adds_an_item_again_with_its_priority() {
    let limiter = ItemExponentialFailure::new(secs(1), secs(1));
    let queue = Queue::builder("test")
        .order(PriorityOrder::new())
        .rate_limiter(limiter)
        .build();
    let seen = Arc::new(Mutex::new(Vec::new()));
    queue.add_with("fails", priority(LOW_PRIORITY));
    queue.add_with("comes again", priority(-7));
    let worker = queue.clone();
    let log = Arc::clone(&seen);
    let run = queue.run_workers(1, move |item| {
        let attempt = log.lock().iter().filter(|known| **known == item).count();
        log.lock().push(item);
        let ends = worker.clone();
        async move {
            match (item, attempt) {
                ("fails", 0) => Err(std::io::Error::other("not yet")),
                ("comes again", 0) => Ok(Action::RequeueAfter(secs(1))),
                _ => {
                    if ends.is_empty() {
                        ends.shut_down();
                    }
                    Ok(Action::Done)
                }
            }
        }
    });
    let added_later = async {
        tokio::time::sleep(ms(500)).await;
        queue.add_after("normal", ms(500));
    };
    tokio::join!(run, added_later);
    let expected = ["comes again", "fails", "normal", "comes again", "fails"];
    assert_eq!(*seen.lock(), expected);
}
