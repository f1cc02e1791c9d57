use std::time::Duration;

use super::*;

/// O-01: a batch is as old as its oldest delta, and many deltas share one reading of the clock.
#[tokio::test(start_paused = true)]
async fn o01_a_batch_is_as_old_as_its_oldest_delta() {
    let start = Instant::now();
    let at = |second: u64| start + Duration::from_secs(second);
    let mut arrivals = Arrivals::default();
    let mut readings = 0;
    for second in 0..100 {
        arrivals.pushed(1, || {
            readings += 1;
            at(second)
        });
    }
    assert_eq!(readings, 2, "one reading of the clock for 64 deltas");
    assert_eq!(arrivals.popped(40), Some(at(0)));
    arrivals.pushed(1, || at(200));
    assert_eq!(
        arrivals.popped(40),
        Some(at(0)),
        "40 has no mark of its own"
    );
    assert_eq!(arrivals.popped(20), Some(at(64)));
    assert_eq!(arrivals.popped(1), Some(at(200)));
    assert_eq!(arrivals.popped(0), None);
    arrivals.pushed(1, || at(300));
    assert_eq!(arrivals.popped(1), Some(at(300)));
}
