//! What is logged, and how often.

use std::time::Duration;

use tokio::time::Instant;
use tracing::Level;

use super::world::{Whole, listing, pass};
use crate::logged::{self, Line, Logged};
use crate::reflector::ReflectorConfig;
use crate::reflector::report::LogLimit;

/// What is logged above `debug`, and failures at any level.
fn noted(log: &Logged) -> Vec<Line> {
    let mut lines = log.lines();
    lines.retain(|line| line.level <= Level::WARN || line.text.contains("failed"));
    lines
}

/// E-12.
#[test]
fn e12_ten_lines_a_minute_and_a_count_of_the_others() {
    let mut limit = LogLimit::default();
    let start = Instant::now();
    let passed = |limit: &mut LogLimit, after: u64| limit.pass(start + Duration::from_secs(after));
    for _ in 0..10 {
        assert_eq!(passed(&mut limit, 0), Some(0));
    }
    for second in 1..60 {
        assert_eq!(passed(&mut limit, second), None);
    }
    assert_eq!(passed(&mut limit, 60), Some(59));
    assert_eq!(passed(&mut limit, 61), Some(0));
}

/// E-12: as seen from outside.
#[tokio::test(start_paused = true)]
async fn e12_an_outage_is_logged_at_a_bounded_rate() {
    let log = logged::capture();
    let objects = (0..1000)
        .map(|n| format!(" a{n}@{}!", n + 1))
        .collect::<Vec<_>>()
        .concat();
    let whole = Whole::start(listing(), &format!("list 5{objects} | watch"));
    whole.at("5").await;
    assert_eq!(whole.informer.metrics().undecodable_objects, 1000);
    assert_eq!(noted(&log).len(), 10);
    whole.stop().await;
}

/// E-11: expired versions and lost connections are part of every server's day.
#[tokio::test(start_paused = true)]
async fn e11_the_expected_is_logged_at_debug_and_the_rest_as_a_warning() {
    for (kind, level) in [
        ("410", Level::DEBUG),
        ("gone", Level::DEBUG),
        ("cut", Level::DEBUG),
        ("eof", Level::DEBUG),
        ("lost", Level::WARN),
        ("403", Level::WARN),
        ("silent", Level::WARN),
    ] {
        let log = logged::capture();
        let whole = Whole::start(listing(), &format!("list 5 | watch then {kind}"));
        whole.source.wait_for_requests(3).await;
        let lines = noted(&log);
        assert_eq!(lines.len(), 1, "{kind}: {lines:?}");
        assert_eq!(lines[0].level, level, "{kind}: {lines:?}");
        whole.stop().await;
    }
}

/// L-12.
#[tokio::test(start_paused = true)]
async fn l12_a_silent_streaming_list_is_complained_about_every_ten_seconds() {
    let log = logged::capture();
    let whole = Whole::start(ReflectorConfig::default(), "watch +a@1");
    for (seconds, lines) in [(9, 0), (2, 1), (10, 2)] {
        pass(seconds).await;
        assert_eq!(noted(&log).len(), lines, "{}", log.text());
    }
    assert!(log.text().contains("no event and no closing bookmark"));
    whole.stop().await;

    let log = logged::capture();
    let whole = Whole::start(ReflectorConfig::default(), "watch end@5");
    pass(60).await;
    assert_eq!(noted(&log).len(), 0, "a watch may be silent");
    whole.stop().await;
}

/// W-20: a continue token holds the key of an object.
#[tokio::test(start_paused = true)]
async fn w20_no_log_line_holds_a_continue_token() {
    let log = logged::capture();
    let whole = Whole::start(listing(), "list 5 a@1 more=t0ken | list 5 b@2 | watch");
    whole.at("5").await;
    assert!(log.text().contains("LIST"), "{}", log.text());
    assert!(!log.text().contains("t0ken"), "{}", log.text());
    whole.stop().await;
}
