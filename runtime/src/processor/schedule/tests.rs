use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn id(number: u64) -> HandlerId {
    HandlerId::new(number)
}

/// Y-02, Y-04: periods of 2 and 3 s are due at 2, 3, 4, 6, 6, 8, 9 s ..; a period of zero never
/// is.
#[tokio::test(start_paused = true)]
async fn y02_each_handler_is_due_at_exactly_its_own_times() {
    let start = Instant::now();
    let mut schedule = Schedule::default();
    assert!(!schedule.add(id(0), Duration::ZERO, start));
    assert!(schedule.add(id(2), 2 * SECOND, start));
    assert!(schedule.add(id(3), 3 * SECOND, start));
    assert_eq!(schedule.next(), None, "not started");
    schedule.start(start);

    let mut seen = Vec::new();
    while let Some(at) = schedule.next().filter(|at| *at <= start + 9 * SECOND) {
        for handler in schedule.take_due(at) {
            seen.push(((at - start).as_secs(), handler));
        }
    }
    let expected = [(2, 2), (3, 3), (4, 2), (6, 2), (6, 3), (8, 2), (9, 3)];
    assert_eq!(seen, expected.map(|(at, handler)| (at, id(handler))));
}

#[tokio::test(start_paused = true)]
async fn y03_a_period_below_a_second_is_a_second() {
    let start = Instant::now();
    let mut schedule = Schedule::default();
    schedule.start(start);
    schedule.add(id(1), Duration::from_nanos(1), start);
    assert_eq!(schedule.next(), Some(start + SECOND));
}

#[tokio::test(start_paused = true)]
async fn y04_missed_periods_are_skipped_and_the_rhythm_is_kept() {
    let start = Instant::now();
    let mut schedule = Schedule::default();
    schedule.start(start);
    schedule.add(id(1), 2 * SECOND, start);
    let late = start + Duration::from_millis(7500);
    assert_eq!(schedule.take_due(late), [id(1)]);
    assert_eq!(schedule.next(), Some(start + 8 * SECOND));
    assert_eq!(schedule.take_due(start + 8 * SECOND), [id(1)]);
    assert_eq!(schedule.next(), Some(start + 10 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn a_huge_period_is_never_due_and_does_not_overflow() {
    let start = Instant::now();
    let mut schedule = Schedule::default();
    schedule.start(start);
    schedule.add(id(1), Duration::MAX, start);
    assert_eq!(schedule.next(), None);
    assert_eq!(schedule.take_due(start + SECOND), []);
}

#[tokio::test(start_paused = true)]
async fn a_removed_handler_is_never_due() {
    let start = Instant::now();
    let mut schedule = Schedule::default();
    schedule.start(start);
    schedule.add(id(1), SECOND, start);
    schedule.add(id(2), 2 * SECOND, start);
    schedule.remove(id(1));
    assert_eq!(schedule.take_due(start + 10 * SECOND), [id(2)]);
}
