use tokio::time::Instant;

use super::super::{
    Bucket, ItemExponentialFailure, ItemFastSlow, MaxOf, RateLimiter, WithMaxWait,
    default_controller,
};
use super::*;

/// Returns the delays of `count` failures of `item` at one time, in milliseconds.
fn delays<T: Copy>(limiter: &mut impl RateLimiter<T>, item: T, count: usize) -> Vec<u128> {
    let now = Instant::now();
    (0..count)
        .map(|_| limiter.when(&item, now).as_millis())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn k14_exponential_doubles_per_item_up_to_its_maximum() {
    let mut limiter = ItemExponentialFailure::new(ms(1), ms(1000));
    assert_eq!(delays(&mut limiter, "one", 5), [1, 2, 4, 8, 16]);
    assert_eq!(limiter.num_requeues(&"one"), 5);
    assert_eq!(delays(&mut limiter, "two", 2), [1, 2]);
    limiter.forget(&"one");
    assert_eq!(limiter.num_requeues(&"one"), 0);
    assert_eq!(delays(&mut limiter, "one", 1), [1]);
    assert_eq!(delays(&mut limiter, "two", 9)[6..], [256, 512, 1000]);
}

#[tokio::test(start_paused = true)]
async fn k14_exponential_does_not_overflow() {
    let extremes = [
        (ms(1), secs(1000)),
        (Duration::from_nanos(1), secs(1000)),
        (secs(1), Duration::MAX),
        (Duration::MAX, Duration::MAX),
        (Duration::MAX, secs(1)),
    ];
    for (base, max) in extremes {
        let mut limiter = ItemExponentialFailure::new(base, max);
        let now = Instant::now();
        let mut last = Duration::ZERO;
        for failure in 0..5_000 {
            let delay = limiter.when(&"a", now);
            assert!(delay >= last && delay <= max, "{base:?} {max:?} {failure}");
            last = delay;
        }
        assert_eq!(last, max);
    }
    let mut zero = ItemExponentialFailure::new(Duration::ZERO, secs(1));
    assert_eq!(delays(&mut zero, "a", 200), [0; 200]);
}

#[tokio::test(start_paused = true)]
async fn k14_fast_slow_is_fast_a_few_times_per_item() {
    let mut limiter = ItemFastSlow::new(ms(5), secs(10), 3);
    assert_eq!(delays(&mut limiter, "one", 5), [5, 5, 5, 10_000, 10_000]);
    assert_eq!(delays(&mut limiter, "two", 2), [5, 5]);
    assert_eq!(limiter.num_requeues(&"one"), 5);
    limiter.forget(&"one");
    assert_eq!(delays(&mut limiter, "one", 1), [5]);
}

#[tokio::test(start_paused = true)]
async fn k14_max_of_takes_the_longest_delay_and_asks_all() {
    let mut limiter = MaxOf::default()
        .and(ItemFastSlow::new(ms(5), secs(3), 3))
        .and(ItemExponentialFailure::new(ms(1), secs(1000)));
    assert_eq!(delays(&mut limiter, "one", 5), [5, 5, 5, 3000, 3000]);
    assert_eq!(delays(&mut limiter, "one", 8)[7..], [4096]);
    assert_eq!(limiter.num_requeues(&"one"), 13);
    limiter.forget(&"one");
    assert_eq!(limiter.num_requeues(&"one"), 0);
    assert_eq!(delays(&mut limiter, "one", 1), [5]);
    assert_eq!(delays(&mut MaxOf::default(), "one", 1), [0]);
}

#[tokio::test(start_paused = true)]
async fn k14_max_wait_caps_the_delay_only() {
    let mut limiter = WithMaxWait::new(ItemFastSlow::new(ms(5), secs(10), 1), secs(2));
    assert_eq!(delays(&mut limiter, "one", 2), [5, 2000]);
    assert_eq!(limiter.num_requeues(&"one"), 2);
    limiter.forget(&"one");
    assert_eq!(delays(&mut limiter, "one", 1), [5]);
}

#[tokio::test(start_paused = true)]
async fn k14_a_bucket_lets_a_burst_pass_and_then_one_an_interval() {
    let mut bucket = Bucket::new(ms(100), 3);
    assert_eq!(delays(&mut bucket, "a", 6), [0, 0, 0, 100, 200, 300]);
    assert_eq!(
        bucket.num_requeues(&"a"),
        0,
        "a bucket does not distinguish items"
    );
    RateLimiter::<&str>::forget(&mut bucket, &"a");
    // Three tokens are reserved: they are available after 300 ms, and one more after 400 ms.
    advance(ms(400)).await;
    assert_eq!(delays(&mut bucket, "b", 2), [0, 100]);
    advance(secs(3600)).await;
    assert_eq!(
        delays(&mut bucket, "c", 4),
        [0, 0, 0, 100],
        "never above burst"
    );
}

#[tokio::test(start_paused = true)]
async fn k14_a_bucket_takes_any_setting() {
    assert_eq!(
        delays(&mut Bucket::new(Duration::ZERO, 1), "a", 3),
        [0, 0, 0]
    );
    assert_eq!(delays(&mut Bucket::new(ms(100), 0), "a", 2), [100, 200]);
    let mut endless = Bucket::new(Duration::MAX, u32::MAX);
    assert_eq!(delays(&mut endless, "a", 3), [0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn k13_the_default_of_client_go_is_the_longer_of_item_and_bucket() {
    let mut limiter = default_controller();
    assert_eq!(delays(&mut limiter, 0, 4), [5, 10, 20, 40]);
    assert_eq!(delays(&mut limiter, 0, 15)[13..], [655_360, 1_000_000]);
    // 19 of the 100 tokens are used; 81 are available at once, then 10 per second.
    let delays: Vec<u128> = (1..84).flat_map(|i| delays(&mut limiter, i, 1)).collect();
    assert_eq!(delays[..81], [5; 81]);
    assert_eq!(delays[81..], [100, 200]);
}

#[tokio::test(start_paused = true)]
async fn k12_a_rate_limited_add_waits_as_the_limiter_says() {
    let limiter = ItemExponentialFailure::new(ms(1), secs(1));
    let queue = Queue::builder("test").rate_limiter(limiter).build();
    for (failure, delay) in [(1, 1), (2, 2), (3, 4)] {
        queue.add_rate_limited("a");
        assert_eq!(queue.num_requeues(&"a"), failure);
        let started = Instant::now();
        assert_eq!(queue.get().await.as_deref(), Some(&"a"));
        assert_eq!(started.elapsed(), ms(delay));
    }
    assert_eq!(queue.num_requeues(&"b"), 0);
    queue.forget(&"a");
    assert_eq!(queue.num_requeues(&"a"), 0);
}

#[tokio::test(start_paused = true)]
async fn k12_forgetting_an_item_is_not_done() {
    let queue = Queue::rate_limited("test");
    queue.add("a");
    let in_work = take(&queue).unwrap();
    queue.add("a");
    queue.forget(&"a");
    assert!(would_wait(&queue), "a is still in work");
    in_work.done();
    assert_eq!(drain(&queue), ["a"]);

    queue.add_rate_limited("b");
    queue.forget(&"b");
    advance(ms(100)).await;
    assert_eq!(drain(&queue), ["b"], "b is still delayed");
}

/// K-12. Without a limiter, a rate-limited add is a plain add.
#[tokio::test(start_paused = true)]
async fn k12_a_queue_without_a_limiter_adds_at_once_and_counts() {
    let queue = Queue::new("test");
    queue.add_rate_limited("a");
    assert_eq!(drain(&queue), ["a"]);
    assert_eq!(queue.num_requeues(&"a"), 1);
    queue.forget(&"a");
    assert_eq!(queue.num_requeues(&"a"), 0);
}
