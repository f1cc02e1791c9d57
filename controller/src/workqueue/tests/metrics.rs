use super::*;

/// Returns the number of durations per bucket, without empty buckets.
fn filled(durations: &super::super::Durations) -> Vec<(Duration, u64)> {
    let mut previous = 0;
    durations
        .buckets()
        .filter_map(|(le, total)| {
            let count = total - std::mem::replace(&mut previous, total);
            (count > 0).then_some((le, count))
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn k15_metrics_are_measured_from_the_first_add_to_the_end_of_the_work() {
    let queue = Queue::new("test");
    queue.add("a");
    assert_eq!((queue.metrics().adds, queue.metrics().depth), (1, 1));
    advance(ms(50)).await;
    queue.add("a");
    assert_eq!(queue.metrics().adds, 1, "a duplicate is not counted");
    let item = take(&queue).unwrap();
    let metrics = queue.metrics();
    assert_eq!(metrics.latency.sum(), ms(50), "from the first add");
    assert_eq!(filled(&metrics.latency), [(ms(100), 1)]);
    assert_eq!(metrics.depth, 0);

    // Added while in work: the item waits, although no worker can take it.
    queue.add("a");
    queue.add("a");
    assert_eq!((queue.metrics().adds, queue.metrics().depth), (2, 1));
    advance(ms(25)).await;
    item.done();
    let metrics = queue.metrics();
    assert_eq!(metrics.work_duration.sum(), ms(25));
    assert_eq!(metrics.work_duration.count(), 1);
    assert_eq!(metrics.depth, 1);

    advance(ms(10)).await;
    let item = take(&queue).unwrap();
    let metrics = queue.metrics();
    assert_eq!(metrics.latency.sum(), ms(50 + 35), "measured from the mark");
    assert_eq!(metrics.latency.count(), 2);
    item.done();
}

#[tokio::test(start_paused = true)]
async fn k15_work_that_is_not_finished_is_measured_while_it_runs() {
    let queue = Queue::new("test");
    queue.add("a");
    queue.add("b");
    let a = take(&queue).unwrap();
    advance(secs(2)).await;
    let b = take(&queue).unwrap();
    advance(secs(1)).await;
    let metrics = queue.metrics();
    assert_eq!(metrics.unfinished, secs(4));
    assert_eq!(metrics.longest_running, secs(3));
    a.done();
    assert_eq!(queue.metrics().longest_running, secs(1));
    b.done();
    let metrics = queue.metrics();
    assert_eq!(
        (metrics.unfinished, metrics.longest_running),
        Default::default()
    );
}

#[tokio::test(start_paused = true)]
async fn k15_retries_count_rate_limited_adds_only() {
    let queue = Queue::rate_limited("test");
    queue.add("a");
    queue.add_after("b", secs(1));
    queue.add_after("b", Duration::ZERO);
    assert_eq!(queue.metrics().retries, 0);
    queue.add_rate_limited("c");
    let metrics = queue.metrics();
    assert_eq!((metrics.retries, metrics.delayed, metrics.adds), (1, 2, 2));
}

/// K-15. The latency of a delayed item excludes its delay.
#[tokio::test(start_paused = true)]
async fn k15_the_latency_of_a_delayed_item_starts_when_it_is_due() {
    let queue = Queue::new("test");
    queue.add_after("a", secs(10));
    advance(secs(13)).await;
    drop(take(&queue));
    assert_eq!(queue.metrics().latency.sum(), secs(3));
}

#[tokio::test(start_paused = true)]
async fn k15_nothing_is_counted_after_shutdown() {
    let queue = Queue::rate_limited("test");
    queue.add("a");
    queue.shut_down();
    take(&queue).unwrap().done();
    let metrics = queue.metrics();
    assert_eq!((metrics.adds, metrics.work_duration.count()), (1, 1));

    queue.add("b");
    queue.add_after("c", secs(1));
    queue.add_rate_limited("d");
    advance(secs(3600)).await;
    assert_eq!(
        queue.metrics(),
        metrics,
        "adds are ignored, and no time passes"
    );
}

#[tokio::test(start_paused = true)]
async fn k15_durations_are_counted_in_buckets_of_powers_of_ten() {
    let queue = Queue::new("test");
    for latency in [ms(0), ms(1), ms(2), secs(1000), secs(1001)] {
        queue.add("a");
        advance(latency).await;
        drop(take(&queue));
    }
    let latency = queue.metrics().latency;
    let expected = [
        (Duration::from_micros(1), 1),
        (ms(1), 1),
        (ms(10), 1),
        (secs(1000), 1),
    ];
    assert_eq!(filled(&latency), expected);
    assert_eq!(latency.count(), 5, "one is longer than the last bound");
    assert_eq!(latency.sum(), secs(2001) + ms(3));
}
