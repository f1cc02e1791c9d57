use super::*;

const BOUNDS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];

/// K-15, O-01: a bound belongs to its bucket, and durations above all bounds count as well.
#[test]
fn k15_durations_are_counted_up_to_each_bound() {
    let mut buckets = Buckets::new(&BOUNDS);
    for millis in [0, 1000, 1001, 10_000, 10_001] {
        buckets.record(Duration::from_millis(millis));
    }
    let cumulative: Vec<_> = buckets.cumulative().map(|(_, count)| count).collect();
    assert_eq!((cumulative, buckets.count()), (vec![2, 4], 5));
    assert_eq!(buckets.sum(), Duration::from_millis(22_002));
    buckets.record(Duration::MAX);
    assert_eq!((buckets.count(), buckets.sum()), (6, Duration::MAX));
}
