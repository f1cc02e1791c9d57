//! Tests of the retry watcher, Z-01 of docs/CONFORMANCE.md.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::FusedStream as _;
use futures::{FutureExt as _, StreamExt as _};
use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::object::ResourceVersion;
use crate::source::{Request, ScriptedListerWatcher, WatchAnswer};
use crate::status::SourceError;
use crate::wire::{ApiStatus, RawEvent, RawObject, Rejected};

fn status(code: u16, reason: &str) -> ApiStatus {
    ApiStatus::new(code, reason, "no")
}

fn refused() -> SourceError {
    SourceError::from_transport(io::Error::from(io::ErrorKind::ConnectionRefused))
}

fn reset() -> SourceError {
    SourceError::from_transport(io::Error::from(io::ErrorKind::ConnectionReset))
}

/// Parses `+@4`, `~@5`, `-@6` as events of the object `a`, `b@7` as a bookmark, `410 Expired` as an
/// error event, `?@8` as an event of an unknown type, and `!` as a rejected event.
fn event(text: &str) -> RawEvent {
    if let Some((code, reason)) = text.split_once(' ') {
        return RawEvent::Error(status(code.parse().unwrap(), reason));
    }
    let (sign, version) = text.split_once('@').unwrap_or((text, ""));
    let object = || {
        let metadata = json!({"name": "a", "resourceVersion": version});
        RawObject::from_value(&json!({ "metadata": metadata })).unwrap()
    };
    match sign {
        "+" => RawEvent::Added(object()),
        "~" => RawEvent::Modified(object()),
        "-" => RawEvent::Deleted(object()),
        "b" => RawEvent::bookmark(version),
        "?" => RawEvent::Unknown {
            event_type: "NEW".to_owned(),
            resource_version: ResourceVersion::new(version),
        },
        "!" => RawEvent::Rejected(Rejected {
            key: None,
            reason: "odd".to_owned(),
        }),
        other => panic!("{other}"),
    }
}

fn events(text: &str) -> Vec<RawEvent> {
    text.split(" | ")
        .filter(|t| !t.is_empty())
        .map(event)
        .collect()
}

fn text(item: Result<RawEvent, RetryWatchError>) -> String {
    let with = |sign: char, object: &RawObject| format!("{sign}@{}", object.resource_version());
    match item {
        Ok(RawEvent::Added(object)) => with('+', &object),
        Ok(RawEvent::Modified(object)) => with('~', &object),
        Ok(RawEvent::Deleted(object)) => with('-', &object),
        Ok(RawEvent::Rejected(_)) => "!".to_owned(),
        Ok(other) => format!("not to be forwarded: {other:?}"),
        Err(RetryWatchError::Expired(_)) => "expired".to_owned(),
        Err(RetryWatchError::Denied(_)) => "denied".to_owned(),
        Err(RetryWatchError::MissingResourceVersion(key)) => format!("{key} has no version"),
    }
}

/// Returns the versions from which watches were requested.
fn versions(source: &ScriptedListerWatcher) -> String {
    let requests = source.requests();
    let versions = requests.iter().map(|request| match request {
        Request::Watch(options) => {
            assert!(options.allow_bookmarks && !options.send_initial_events);
            let seconds = options.timeout.as_secs();
            assert!((300..600).contains(&seconds), "{seconds}");
            options.resource_version.to_string()
        }
        Request::List(options) => panic!("a list: {options:?}"),
    });
    versions.collect::<Vec<_>>().join(" ")
}

/// Watches from version 1 with these answers, until the stream ends or all answers are used. Checks
/// the yielded events and the requested versions.
async fn check(answers: Vec<WatchAnswer>, yields: &str, from: &str) {
    let source = ScriptedListerWatcher::new();
    for answer in answers {
        source.on_watch(answer);
    }
    let version = ResourceVersion::new("1");
    let watcher = RetryWatcher::new(Arc::new(source.clone()), version).unwrap();
    let mut times = Vec::new();
    let seen: Vec<String> = watcher
        // The request after the last answer is never answered.
        .take_until(tokio::time::sleep(Duration::from_secs(3600)))
        .map(text)
        .inspect(|_| times.push(Instant::now()))
        .collect()
        .await;
    assert_eq!(seen.join(" "), yields);
    assert_eq!(versions(&source), from);
    let starts = source.request_times();
    for pair in starts.windows(2) {
        let between = pair[1] - pair[0];
        assert!(between >= Duration::from_secs(1), "{between:?}");
    }
}

/// Z-01.
#[tokio::test(start_paused = true)]
async fn z01_it_resumes_after_the_last_version_and_yields_each_event_once() {
    // Closed by the server: with events, without events, and at once.
    let close = |text: &str| WatchAnswer::events(events(text));
    check(vec![close("+@2")], "+@2", "1 2").await;
    check(
        vec![close("+@2 | ~@3"), close("-@4 | +@5")],
        "+@2 ~@3 -@4 +@5",
        "1 3 5",
    )
    .await;
    check(vec![close(""), close(""), close("+@2")], "+@2", "1 1 1 2").await;
    // The last version applies, not the greatest, because versions are opaque.
    check(
        vec![close("+@9 | ~@32 | ~@abc | ~@7")],
        "+@9 ~@32 ~@abc ~@7",
        "1 7",
    )
    .await;
}

/// Z-01.
#[tokio::test(start_paused = true)]
async fn z01_bookmarks_and_unknown_events_move_the_version_and_are_not_forwarded() {
    let close = |text: &str| WatchAnswer::events(events(text));
    check(vec![close("+@2 | b@5")], "+@2", "1 5").await;
    check(vec![close("b@5"), close("b@6 | ~@7 | b@9")], "~@7", "1 5 9").await;
    check(vec![close("?@4")], "", "1 4").await;
    check(vec![close("+@2 | !")], "+@2 !", "1 2").await;
    // A bookmark without a version, or with "0", identifies no state.
    check(vec![close("+@2 | b@ | b@0")], "+@2", "1 2").await;
}

/// Z-01: transient failures are retried.
#[tokio::test(start_paused = true)]
async fn z01_it_recovers_from_failures() {
    let resumed = || WatchAnswer::events(events("~@3"));
    let failures = [
        refused(),
        reset(),
        SourceError::Truncated { bytes: 7 },
        SourceError::Malformed("not JSON".to_owned()),
        status(500, "InternalError").into(),
        status(504, "Timeout").into(),
        status(429, "TooManyRequests").into(),
        status(404, "NotFound").into(),
        status(418, "").into(),
    ];
    for failure in failures {
        // As the response to the request.
        check(
            vec![WatchAnswer::error(failure.clone()), resumed()],
            "~@3",
            "1 1 3",
        )
        .await;
        // In the middle of the stream.
        let breaks_off = WatchAnswer::breaks_off(events("+@2"), failure);
        check(vec![breaks_off, resumed()], "+@2 ~@3", "1 2 3").await;
    }
    for error in ["500 InternalError", "504 Timeout", "429 TooManyRequests"] {
        // As an event. Later events of the same stream are not read.
        let answer = WatchAnswer::stays_open(events(&format!("+@2 | {error} | ~@9")));
        check(vec![answer, resumed()], "+@2 ~@3", "1 2 3").await;
    }
}

/// Z-01. (client-go retries a 410 response without limit.)
#[tokio::test(start_paused = true)]
async fn z01_it_stops_when_the_version_has_expired_or_access_is_denied() {
    let cases = [
        (410, "Expired", "expired"),
        (410, "Gone", "expired"),
        (410, "", "expired"),
        (403, "Forbidden", "denied"),
        (401, "Unauthorized", "denied"),
    ];
    for (code, reason, end) in cases {
        let error = || SourceError::from(status(code, reason));
        check(vec![WatchAnswer::error(error())], end, "1").await;
        let event = WatchAnswer::stays_open(events(&format!("+@2 | {code} {reason}")));
        check(vec![event], &format!("+@2 {end}"), "1").await;
        let breaks_off = WatchAnswer::breaks_off(events("+@2"), error());
        check(vec![breaks_off], &format!("+@2 {end}"), "1").await;
    }
    let without_version = WatchAnswer::stays_open(events("+@2 | ~@"));
    check(vec![without_version], "+@2 a has no version", "1").await;
}

/// Z-01.
#[tokio::test(start_paused = true)]
async fn z01_it_ends_with_the_error() {
    let source = ScriptedListerWatcher::new();
    source.on_watch(WatchAnswer::error(status(410, "Expired")));
    let version = ResourceVersion::new("1");
    let mut watcher = RetryWatcher::new(Arc::new(source), version).unwrap();
    assert!(watcher.next().await.unwrap().is_err());
    assert!(watcher.is_terminated());
    assert!(watcher.next().await.is_none());
}

/// Z-01.
#[tokio::test(start_paused = true)]
async fn z01_a_version_that_names_no_state_is_refused() {
    for version in ["", "0"] {
        let source = Arc::new(ScriptedListerWatcher::new());
        let version = ResourceVersion::new(version);
        let refused = RetryWatcher::new(source, version.clone()).unwrap_err();
        assert_eq!(refused, NoResourceVersion(version));
    }
}

/// Z-01: measured from start to start, so a watch that lasted longer is resumed at once.
#[tokio::test(start_paused = true)]
async fn z01_it_restarts_at_most_once_per_second_or_as_the_server_asks() {
    let source = ScriptedListerWatcher::new();
    let mut busy = status(429, "TooManyRequests");
    busy.retry_after = Some(Duration::from_secs(7));
    let (control, controlled) = WatchAnswer::controlled();
    source
        .on_watch(WatchAnswer::error(refused()))
        .on_watch(WatchAnswer::events([]))
        .on_watch(WatchAnswer::error(SourceError::from(busy)))
        .on_watch(controlled);
    let version = ResourceVersion::new("1");
    let mut watcher = RetryWatcher::new(Arc::new(source.clone()), version).unwrap();
    let ends = async {
        source.wait_for_requests(4).await;
        tokio::time::sleep(Duration::from_secs(30)).await;
        control.close();
        source.wait_for_requests(5).await;
    };
    tokio::select! {
        item = watcher.next() => panic!("{item:?}"),
        () = ends => {}
    }
    let starts = source.request_times();
    let between: Vec<u64> = starts
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).as_secs())
        .collect();
    assert_eq!(between, [1, 1, 7, 30]);
}

/// Z-01, E-09: a user's source can request any pause.
#[tokio::test(start_paused = true)]
async fn e09_an_absurd_wait_is_capped_and_overflows_nothing() {
    let source = ScriptedListerWatcher::new();
    let mut busy = status(429, "TooManyRequests");
    busy.retry_after = Some(Duration::MAX);
    source.on_watch(WatchAnswer::error(SourceError::from(busy)));
    let version = ResourceVersion::new("1");
    let mut watcher = RetryWatcher::new(Arc::new(source.clone()), version).unwrap();
    tokio::select! {
        item = watcher.next() => panic!("{item:?}"),
        _ = source.wait_for_requests(2) => {}
    }
    let starts = source.request_times();
    assert_eq!(starts[1] - starts[0], Duration::from_secs(3600));
}

/// Z-01: dropping the watcher with unread events drops its request.
#[tokio::test(start_paused = true)]
async fn z01_dropping_it_drops_the_request() {
    let source = ScriptedListerWatcher::new();
    let (control, answer) = WatchAnswer::controlled();
    source.on_watch(answer);
    let version = ResourceVersion::new("1");
    let mut watcher = RetryWatcher::new(Arc::new(source), version).unwrap();
    for text in ["+@2", "~@3"] {
        control.send(event(text)).await.unwrap();
    }
    assert_eq!(text(watcher.next().await.unwrap()), "+@2");
    assert_eq!(watcher.resource_version(), &ResourceVersion::new("2"));
    assert!(!control.is_dropped());
    drop(watcher);
    assert!(control.dropped().now_or_never().is_some());
}
