//! What is logged, and how often.

use std::fmt::{Debug, Write as _};
use std::time::Duration;

use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use super::world::{Log, Whole, listing, pass};
use crate::reflector::ReflectorConfig;
use crate::reflector::report::LogLimit;

/// Notes what is logged above `debug`, and failures at any level.
struct Capture(Log);

impl Subscriber for Capture {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        let level = *event.metadata().level();
        if level <= Level::WARN || text.0.contains("failed") {
            self.0.add(format!("[{level} {}]", text.0.trim()));
        }
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if matches!(field.name(), "message" | "error" | "held_back") {
            write!(self.0, "{value:?} ").unwrap();
        }
    }
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
    let log = Log::default();
    let _captured = tracing::subscriber::set_default(Capture(log.clone()));
    let objects = (0..1000)
        .map(|n| format!(" a{n}@{}!", n + 1))
        .collect::<Vec<_>>()
        .concat();
    let whole = Whole::start(listing(), &format!("list 5{objects} | watch"));
    whole.at("5").await;
    assert_eq!(whole.informer.metrics().undecodable_objects, 1000);
    assert_eq!(log.len(), 10);
    whole.stop().await;
}

/// E-11: expired versions and lost connections are part of every server's day.
#[tokio::test(start_paused = true)]
async fn e11_the_expected_is_logged_at_debug_and_the_rest_as_a_warning() {
    for (kind, level) in [
        ("410", "DEBUG"),
        ("gone", "DEBUG"),
        ("cut", "DEBUG"),
        ("eof", "DEBUG"),
        ("lost", "WARN"),
        ("403", "WARN"),
        ("silent", "WARN"),
    ] {
        let log = Log::default();
        let _captured = tracing::subscriber::set_default(Capture(log.clone()));
        let whole = Whole::start(listing(), &format!("list 5 | watch then {kind}"));
        whole.source.wait_for_requests(3).await;
        assert!(
            log.text().starts_with(&format!("[{level} ")),
            "{kind}: {}",
            log.text()
        );
        assert_eq!(log.len(), 1, "{kind}");
        whole.stop().await;
    }
}

/// L-12.
#[tokio::test(start_paused = true)]
async fn l12_a_silent_streaming_list_is_complained_about_every_ten_seconds() {
    let log = Log::default();
    let _captured = tracing::subscriber::set_default(Capture(log.clone()));
    let whole = Whole::start(ReflectorConfig::default(), "watch +a@1");
    for (seconds, lines) in [(9, 0), (2, 1), (10, 2)] {
        pass(seconds).await;
        assert_eq!(log.len(), lines, "{}", log.text());
    }
    assert!(log.text().contains("no event and no closing bookmark"));
    whole.stop().await;

    log.take();
    let whole = Whole::start(ReflectorConfig::default(), "watch end@5");
    pass(60).await;
    assert_eq!(log.text(), "", "a watch may be silent");
    whole.stop().await;
}
