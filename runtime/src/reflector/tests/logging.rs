//! Content and rate of log lines.

use std::time::Duration;

use tokio::time::Instant;
use tracing::Level;

use super::support::{event, raw};
use super::world::{Whole, listing, pass};
use crate::base::log_limit::LogLimit;
use crate::logged::{self, Line, Logged};
use crate::shared_informer::{InformerConfig, SyncError};
use crate::source::{ListAnswer, ListPart, WatchAnswer};
use crate::status::SourceError;
use crate::wire::ListMeta;

/// Returns the lines at `WARN` and above, and failures at any level.
fn noted(log: &Logged) -> Vec<Line> {
    let mut lines = log.lines();
    lines.retain(|line| line.level <= Level::WARN || line.text.contains("reflector failure"));
    lines
}

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

/// E-12: the same through an informer.
#[tokio::test(start_paused = true)]
async fn e12_an_outage_is_logged_at_a_bounded_rate() {
    let log = logged::capture(module_path!());
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

/// E-11: expired versions and lost connections are routine, and logged at `DEBUG`.
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
        let log = logged::capture(module_path!());
        let whole = Whole::start(listing(), &format!("list 5 | watch then {kind}"));
        whole.source.wait_for_requests(3).await;
        let lines = noted(&log);
        assert_eq!(lines.len(), 1, "{kind}: {lines:?}");
        assert_eq!(lines[0].level, level, "{kind}: {lines:?}");
        whole.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn l12_a_silent_streaming_list_is_logged_every_ten_seconds() {
    let log = logged::capture(module_path!());
    let whole = Whole::start(InformerConfig::new(), "watch +a@1");
    for (seconds, lines) in [(9, 0), (2, 1), (10, 2)] {
        pass(seconds).await;
        assert_eq!(noted(&log).len(), lines, "{}", log.text());
    }
    assert!(log.text().contains("no event and no closing bookmark"));
    whole.stop().await;

    let log = logged::capture(module_path!());
    let whole = Whole::start(InformerConfig::new(), "watch end@5");
    pass(60).await;
    assert_eq!(noted(&log).len(), 0, "a watch may be silent");
    whole.stop().await;

    let log = logged::capture(module_path!());
    let whole = Whole::empty(InformerConfig::new(), |builder| builder);
    let (stream, answer) = WatchAnswer::controlled();
    whole.source.on_watch(answer);
    for number in 1..5 {
        stream.send(event(&format!("+a{number}@1"))).await.unwrap();
        pass(9).await;
        assert_eq!(noted(&log).len(), 0, "event {number}");
    }
    whole.stop().await;
}

/// Returns the log lines about slow lists.
fn slow_lists(log: &Logged) -> Vec<String> {
    let lines = log.lines().into_iter();
    let slow = lines.filter(|line| line.text.starts_with("slow list"));
    slow.map(|line| line.to_string()).collect()
}

/// O-03: the duration and number of objects include all pages.
#[tokio::test(start_paused = true)]
async fn o03_a_list_of_more_than_ten_seconds_is_logged_with_the_number_of_its_objects() {
    let items = |names: &[&str]| ListPart::Items(names.iter().map(|name| Ok(raw(name))).collect());
    for (millis, expected) in [
        (9_999, vec![]),
        (
            10_001,
            vec!["WARN slow list informer=\"configmaps.v1\" objects=3 seconds=10.001"],
        ),
    ] {
        let log = logged::capture(module_path!());
        let whole = Whole::empty(listing(), |builder| builder);
        let (first, answer) = ListAnswer::controlled();
        whole.source.on_list(answer);
        let (second, answer) = ListAnswer::controlled();
        whole.source.on_list(answer);
        first.send(items(&["a@1", "b@2"])).await.unwrap();
        let more = ListMeta::page("5", "more");
        first.send(ListPart::End(more)).await.unwrap();
        whole.source.wait_for_requests(2).await;
        tokio::time::sleep(Duration::from_millis(millis)).await;
        second.send(items(&["c@3"])).await.unwrap();
        let end = ListPart::End(ListMeta::at("5"));
        second.send(end).await.unwrap();
        whole.at("5").await;
        assert_eq!(slow_lists(&log), expected);
        whole.stop().await;
    }
}

/// O-03: a streaming list counts as a list.
#[tokio::test(start_paused = true)]
async fn o03_a_streaming_list_of_more_than_ten_seconds_is_logged_too() {
    for (seconds, expected) in [
        (9, vec![]),
        (
            11,
            vec!["WARN slow list informer=\"configmaps.v1\" objects=1 seconds=11.0"],
        ),
    ] {
        let log = logged::capture(module_path!());
        let whole = Whole::empty(InformerConfig::new(), |builder| builder);
        let (stream, answer) = WatchAnswer::controlled();
        whole.source.on_watch(answer);
        stream.send(event("+a@1")).await.unwrap();
        whole.source.wait_for_requests(1).await;
        pass(seconds).await;
        stream.send(event("end@5")).await.unwrap();
        whole.at("5").await;
        // The watch after the list does not count.
        pass(60).await;
        assert_eq!(slow_lists(&log), expected);
        whole.stop().await;
    }
}

/// W-20: a continue token contains the key of an object.
#[tokio::test(start_paused = true)]
async fn w20_no_log_line_holds_a_continue_token() {
    let log = logged::capture(module_path!());
    let whole = Whole::start(listing(), "list 5 a@1 more=t0ken | list 5 b@2 | watch");
    whole.at("5").await;
    assert!(log.text().contains("LIST"), "{}", log.text());
    assert!(!log.text().contains("t0ken"), "{}", log.text());
    whole.stop().await;
}

/// Returns the lines at `INFO` and above.
fn story(log: &Logged) -> Vec<String> {
    let lines = log.lines().into_iter();
    let told = lines.filter(|line| line.level <= Level::INFO);
    told.map(|line| line.to_string()).collect()
}

/// E-12: the start of an outage is a warning, its end a line, and what lies between is silent.
#[tokio::test(start_paused = true)]
async fn e12_an_outage_is_told_once_and_so_is_its_end() {
    let log = logged::capture(module_path!());
    let refused = " | list 5 | watch fails refused".repeat(3);
    let script = format!("list 5 a@1 b@2 | watch then lost{refused} | list 5 | watch b@6");
    let whole = Whole::start(listing(), &script);
    pass(30).await;
    let told = story(&log);
    assert_eq!(told.len(), 3, "{}", log.text());
    assert!(told[0].starts_with("WARN retrying informer"), "{told:#?}");
    let synced = "INFO cache synced informer=configmaps.v1 objects=2 seconds=0.0";
    assert_eq!(told[1], synced);
    assert!(told[2].starts_with("INFO recovered informer"), "{told:#?}");
    assert!(told[2].ends_with(" failures=4"), "{told:#?}");
    whole.stop().await;
}

/// E-12: another reason of the same outage is news, and the same reason is not.
#[tokio::test(start_paused = true)]
async fn e12_a_warning_says_what_to_do_and_another_reason_is_another_warning() {
    let log = logged::capture(module_path!());
    let script = "list fails refused | list fails 404 | list fails 404 | list fails 403 | \
                  list fails 403 | list 5 a@1 | watch";
    let whole = Whole::start(listing(), script);
    whole.at("5").await;
    let told = story(&log);
    let warnings: Vec<_> = told
        .iter()
        .filter(|line| line.starts_with("WARN"))
        .collect();
    assert_eq!(warnings.len(), 3, "{told:#?}");
    for (warning, advice) in warnings.iter().zip([
        "WARN retrying informer",
        "WARN retrying: not served: is its CustomResourceDefinition installed?",
        "WARN retrying: forbidden: grant `list` and `watch` on it",
    ]) {
        assert!(warning.starts_with(advice), "{told:#?}");
    }
    assert!(told[3].contains("failures=5"), "{told:#?}");
    whole.stop().await;
}

/// E-12: an informer that loses its server again and again does not fill the log.
#[tokio::test(start_paused = true)]
async fn e12_an_informer_that_flaps_is_told_at_a_bounded_rate() {
    let log = logged::capture(module_path!());
    let flapping = " | watch then lost | list 5".repeat(100);
    let whole = Whole::start(listing(), &format!("list 5{flapping} | watch"));
    pass(59).await;
    let told = story(&log);
    assert!((5..=11).contains(&told.len()), "{told:#?}");
    whole.stop().await;
}

/// A `CustomResourceDefinition` that is installed late is found after about 2 s, however long it
/// was missing.
#[tokio::test(start_paused = true)]
async fn e13_a_kind_that_is_not_served_is_asked_for_every_two_seconds() {
    let missing = "list fails 404 | ".repeat(30);
    let whole = Whole::start(listing(), &format!("{missing}list 5 a@1 | watch"));
    let began = Instant::now();
    let refused = whole.informer.wait_for_sync().await;
    assert!(matches!(refused, Err(SyncError::NotServed(_))));
    whole.informer.wait_until_served().await.unwrap();
    let took = began.elapsed().as_secs();
    assert!((48..=72).contains(&took), "30 requests took {took} s");
    whole.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_kind_outlasts_a_missing_right_and_ends_at_rejected_credentials() {
    let script = "list fails 404 | list fails 403 | list 5 | watch";
    let whole = Whole::start(listing(), script);
    whole.informer.wait_until_served().await.unwrap();
    whole.stop().await;
    let whole = Whole::start(listing(), &script.replace("list 5", "list fails 401"));
    whole.informer.wait_until_served().await.unwrap_err();
    whole.stop().await;
}

/// O-04: a list has one span for all of its pages, and a watch one for all of its events.
#[tokio::test(start_paused = true)]
async fn o04_each_list_and_each_watch_has_one_span() {
    let log = logged::capture(module_path!());
    let script = "list 5 a@1 more=t | list 5 b@2 | watch +c@6 ~a@7 then closes | \
                  watch +d@8 then 410 | list 9 a@9 | watch";
    let whole = Whole::start(listing(), script);
    whole.source.wait_for_requests(6).await;
    let informer = whole.informer.name();
    let expected = [
        ("list", "initial"),
        ("watch", "completed"),
        ("watch", "closed"),
        ("list", "expired"),
        ("watch", "completed"),
    ];
    let expected = expected
        .map(|(request, reason)| format!("{request} informer={informer:?} reason={reason:?}"));
    assert_eq!(log.spans(), expected);
    whole.stop().await;
}

/// E-12: a failure for another cause is news, and one that was told is not.
#[tokio::test(start_paused = true)]
async fn e12_a_cause_is_told_once_an_outage() {
    let log = logged::capture(module_path!());
    let whole = Whole::empty(listing(), |builder| builder);
    let broken = |text: &'static str| SourceError::from_transport(std::io::Error::other(text));
    let refused = || std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
    for _ in 0..3 {
        let refused = SourceError::from_transport(refused());
        whole.source.on_list(ListAnswer::error(refused));
        let certificate = broken("certificate has expired");
        whole.source.on_list(ListAnswer::error(certificate));
    }
    whole.source.wait_for_requests(7).await;
    let told = story(&log);
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(told[0].contains("connection refused"), "{told:#?}");
    assert!(told[1].contains("certificate has expired"), "{told:#?}");
    whole.stop().await;
}

/// E-12, E-13: `list` without `watch` is told once, with its remedy, and is never a recovery.
#[tokio::test(start_paused = true)]
async fn e12_a_list_is_no_recovery_of_a_watch() {
    let log = logged::capture(module_path!());
    let round = "watch fails 403 | list 5 | watch fails 403 | ";
    let whole = Whole::start(InformerConfig::new(), &format!("{}list 5", round.repeat(5)));
    whole.source.wait_for_requests(12).await;
    let told = story(&log);
    assert_eq!(told.len(), 2, "{told:#?}");
    let count = |text: &str| told.iter().filter(|line| line.contains(text)).count();
    assert_eq!(count("INFO cache synced"), 1, "{told:#?}");
    assert_eq!(
        count("WARN retrying: forbidden: grant `list` and `watch` on it"),
        1
    );
    assert_eq!(count("recovered"), 0);
    whole.stop().await;
}
