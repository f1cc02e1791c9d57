//! Times at which an item comes back: after a failure, after work that is incomplete, and for a
//! periodic refresh.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::super::{Action, AddOptions, RateLimiter as _, per_item};
use super::*;

type Keys = WorkQueue<u32>;

/// Items of the calls, and the times since the start.
type Calls = Arc<Mutex<Vec<(u32, Duration)>>>;

/// Runs workers whose calls return what `result` says for an item and the time since the start.
/// Returns the queue, and the calls.
fn running(
    queue: Keys,
    workers: usize,
    result: impl Fn(u32, Duration) -> Result<Action, String> + Clone + Send + Sync + 'static,
) -> (JoinSet<()>, Calls) {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&calls);
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let call = move |item| {
            let result = result(item, start.elapsed());
            seen.lock().push((item, start.elapsed()));
            async move {
                sleep(ms(1)).await;
                result
            }
        };
        queue.run_workers(workers, call).await;
    });
    (tasks, calls)
}

#[tokio::test(start_paused = true)]
async fn k27_the_default_doubles_from_100_ms_to_60_s() {
    let mut limiter = per_item();
    let mut now = Instant::now();
    let mut delays = Vec::new();
    for _ in 0..12 {
        let delay = limiter.when(&"a", now);
        delays.push(delay.as_millis());
        now += delay;
    }
    assert_eq!(delays[..5], [100, 200, 400, 800, 1600]);
    assert_eq!(delays[9..], [51_200, 60_000, 60_000]);
    assert_eq!(limiter.num_requeues(&"a"), 12);
    limiter.forget(&"a");
    assert_eq!(limiter.when(&"a", now), ms(100));
}

/// A failure of something that all items need costs seconds after its end, not minutes.
#[tokio::test(start_paused = true)]
async fn k27_after_a_failure_of_a_second_all_items_are_done_within_seconds() {
    for queue in [Keys::rate_limited("test"), Keys::priority("test")] {
        for item in 0..1500 {
            queue.add(item);
        }
        let (_tasks, calls) = running(queue.clone(), 4, |_, at| {
            (at >= secs(1))
                .then_some(Action::Done)
                .ok_or_else(|| "down".to_owned())
        });
        sleep(secs(4)).await;
        let metrics = queue.metrics();
        assert_eq!((metrics.depth, metrics.delayed), (0, 0), "{metrics:?}");
        assert!(calls.lock().len() < 8000, "{}", calls.lock().len());
        queue.shut_down();
    }
}

/// Attempts that events start leave the schedule of retries as it is.
#[tokio::test(start_paused = true)]
async fn k27_events_do_not_delay_the_next_retry() {
    let queue = Keys::rate_limited("test");
    let healed = secs(2);
    queue.add(1);
    let (_tasks, calls) = running(queue.clone(), 1, move |_, at| {
        (at >= healed)
            .then_some(Action::Done)
            .ok_or_else(|| "down".to_owned())
    });
    for _ in 0..20 {
        sleep(ms(90)).await;
        queue.add_with(1, AddOptions::default());
    }
    sleep(secs(60)).await;
    let (_, last) = *calls.lock().last().unwrap();
    assert!(last >= healed && last < 2 * healed, "{last:?}");
    assert_eq!(queue.num_requeues(&1), 0);
    queue.shut_down();
}

/// Any mix of events, failures and times: an item that has failed is tried again within a minute.
#[tokio::test(start_paused = true)]
async fn k27_no_item_waits_longer_than_the_maximum() {
    for seed in 0..20 {
        let queue = Keys::priority("test");
        let mut random = fastrand::Rng::with_seed(seed);
        queue.add(1);
        let (_tasks, calls) = running(queue.clone(), 1, |_, _| Err("down".to_owned()));
        for _ in 0..50 {
            sleep(ms(random.u64(0..5000))).await;
            queue.add_with(1, AddOptions::default());
        }
        sleep(secs(300)).await;
        let calls = calls.lock();
        let gaps = calls
            .windows(2)
            .map(|pair| pair[1].1.saturating_sub(pair[0].1));
        let longest = gaps.max().unwrap();
        assert!(longest <= secs(61), "{seed}: {longest:?}");
        assert!(calls.last().unwrap().1 > secs(200));
        queue.shut_down();
    }
}

/// Work that waits for something outside is looked at again by a schedule of its own.
#[tokio::test(start_paused = true)]
async fn k28_incomplete_work_is_polled_within_ten_seconds() {
    for poll in [Action::Poll, Action::RequeueAfter(Duration::ZERO)] {
        let queue = Keys::rate_limited("test");
        queue.add(1);
        let ready = secs(125);
        let (_tasks, calls) = running(queue.clone(), 1, move |_, at| {
            Ok(if at < ready { poll } else { Action::Done })
        });
        sleep(secs(200)).await;
        let calls = calls.lock();
        let (_, last) = *calls.last().unwrap();
        assert!(last < ready + secs(11), "{poll:?}: seen at {last:?}");
        assert!(calls.len() < 25, "{poll:?}: {} calls", calls.len());
        assert_eq!(queue.metrics().failures, 0);
        queue.shut_down();
    }
}

/// A success of another kind resets the schedule.
#[tokio::test(start_paused = true)]
async fn k28_a_poll_begins_anew_after_the_work_was_complete() {
    let queue = Keys::rate_limited("test");
    for round in 0..2 {
        queue.add(1);
        let (mut tasks, calls) = running(queue.clone(), 1, |_, at| {
            Ok(if at < secs(3) {
                Action::Poll
            } else {
                Action::Done
            })
        });
        sleep(secs(5)).await;
        let times: Vec<_> = calls.lock().iter().map(|(_, at)| at.as_millis()).collect();
        assert_eq!(times, [0, 501, 1502, 3503], "{round}");
        tasks.abort_all();
    }
    queue.shut_down();
}

/// Periodic refreshes wait behind changes, also those of objects that came while the program ran.
#[tokio::test(start_paused = true)]
async fn k29_a_change_does_not_wait_for_two_thousand_refreshes() {
    let queue = Keys::priority("test");
    for item in 0..2000 {
        queue.add(item);
    }
    let (_tasks, calls) = running(queue.clone(), 4, |_, _| Ok(Action::RequeueAfter(ms(500))));
    sleep(secs(5)).await;
    let added = Instant::now();
    let before = calls.lock().len();
    queue.add(9999);
    let is_called = || calls.lock()[before..].iter().any(|(item, _)| *item == 9999);
    while !is_called() {
        sleep(ms(1)).await;
    }
    assert!(added.elapsed() < ms(10), "{:?}", added.elapsed());
    queue.shut_down();
}

/// A refresh waits behind changes, but not for ever.
#[tokio::test(start_paused = true)]
async fn k29_refreshes_are_not_starved_by_changes() {
    let queue = Keys::priority("test");
    queue.add(0);
    let (_tasks, calls) = running(queue.clone(), 1, |item, _| {
        Ok(if item == 0 {
            Action::RequeueAfter(ms(100))
        } else {
            Action::Done
        })
    });
    for change in 1..60_000 {
        queue.add(change);
        if change % 10 == 0 {
            sleep(ms(8)).await;
        }
    }
    let refreshes = calls.lock().iter().filter(|(item, _)| *item == 0).count();
    assert!(refreshes >= 2, "{refreshes}");
    queue.shut_down();
}
