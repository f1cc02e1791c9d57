use std::sync::Arc;

use super::*;

#[tokio::test]
async fn a_goal_may_be_reached_before_or_after_it_is_set() {
    let tally = Arc::new(Tally::new());
    tally.increment();
    tally.reach(1).await;
    let waiting = {
        let tally = Arc::clone(&tally);
        async move { tally.reach(3).await }
    };
    let counting = async {
        tokio::task::yield_now().await;
        tally.increment();
        tally.increment();
    };
    tokio::join!(waiting, counting);
    assert_eq!(tally.get(), 3);
}

#[test]
fn times_are_recorded_only_on_request() {
    let tally = Tally::new();
    tally.increment();
    tally.begin_times(2);
    tally.increment();
    tally.increment();
    let times = tally.end_times();
    tally.increment();
    assert!(times.is_sorted() && times.len() == 2, "{times:?}");
    assert!(tally.end_times().is_empty());
}
