//! Fault scripts, and faults that affect a watch or the whole server.

use informer_apiserver::{ApiServer, Fault, FaultScript, Matcher, Verb};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::support::{Lines, fill, get, put, send, server, soon};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const WATCH: &str = "/api/v1/namespaces/default/configmaps?watch=1";

/// Returns the codes of `count` lists in sequence.
async fn codes(server: &ApiServer, count: usize) -> Vec<u16> {
    let mut codes = Vec::new();
    for _ in 0..count {
        codes.push(get(server, MAPS).await.0);
    }
    codes
}

/// Opens a watch that the fault applies to.
async fn watch_with(server: &ApiServer, fault: Fault, path: &str) -> Lines {
    let watches = Matcher::any().verb(Verb::Watch);
    server.control().fail_next(1, watches, fault);
    Lines::open(server, path).await
}

#[tokio::test]
async fn each_step_applies_to_its_request() {
    let server = server().await;
    let control = server.control();
    let script: FaultScript = r#"
        {"request": {"verb": "list", "resource": "configmaps"}, "nth": 2,
         "fault": {"status": {"code": 500, "reason": "InternalError", "message": "boom"}}}
        {"request": {"verb": "list", "namespace": "default"}, "nth": 4,
         "fault": {"status": {"code": 503, "reason": "ServiceUnavailable"}}}
        {"request": {"verb": "get"}, "nth": 1, "fault": {"status": {"code": 418, "reason": ""}}}
        {"request": {"verb": "list", "resource": "pods"}, "nth": 1, "fault": "stall"}
    "#
    .parse()
    .unwrap();
    let run = control.play(script.clone());
    assert_eq!(run.script(), &script);
    assert_eq!((run.left(), control.faults_left()), (4, 4));
    assert_eq!(codes(&server, 5).await, [200, 500, 200, 503, 200]);
    assert_eq!(run.left(), 2);
    // Dropping the run removes its pending steps.
    drop(run);
    assert_eq!(control.faults_left(), 0);
    assert_eq!(get(&server, &format!("{MAPS}/a")).await.0, 404);

    // Each play counts from the start, in addition to other faults.
    control.fail_next(1, Matcher::any(), Fault::status(429, "", ""));
    let run = control.play(script);
    assert_eq!(codes(&server, 5).await, [429, 500, 200, 503, 200]);
    control.clear_faults();
    assert_eq!(run.left(), 0);
}

#[tokio::test]
async fn a_wrong_clock_shows_in_timestamps_and_in_the_date() {
    let server = server().await;
    let control = server.control();
    for hours in [-5, 0, 3] {
        control.set_clock_skew(hours * 3600);
        let name = format!("a{}", hours + 10);
        put(&server, &name);
        let request = http::Request::get(format!("{MAPS}/{name}"));
        let request = request.body(kube::client::Body::empty()).unwrap();
        let response = soon(server.client().unwrap().send(request)).await.unwrap();
        let date = response.headers()["date"].to_str().unwrap();
        let date = jiff::fmt::rfc2822::DateTimeParser::new()
            .parse_timestamp(date)
            .unwrap();
        let body = soon(response.into_body().collect_bytes()).await.unwrap();
        let object: Value = serde_json::from_slice(&body).unwrap();
        let created = object["metadata"]["creationTimestamp"].as_str().unwrap();
        let expected = Timestamp::now() + SignedDuration::from_hours(hours);
        for time in [date, created.parse().unwrap()] {
            let error = expected.duration_since(time).abs();
            assert!(error < SignedDuration::from_secs(60), "{time} at {hours}");
        }
    }
}

/// The client has not been notified of the end, so its connection can still be broken.
#[tokio::test]
async fn a_stalled_watch_that_was_closed_can_be_disconnected() {
    let server = server().await;
    let control = server.control();
    let mut silent = watch_with(&server, Fault::StallAfter(0), WATCH).await;
    control.close_watches();
    soon(control.await_watches("configmaps", 0)).await;
    let ended = silent.ends_cleanly();
    let disconnected = async {
        control.disconnect_watches();
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        clean = ended => assert!(!clean),
        () = disconnected => {}
    }
}

/// Covers a limit of a past implementation: a response in flight is not idle.
#[tokio::test]
async fn a_response_in_flight_is_not_idle() {
    let server = server().await;
    let control = server.control();
    fill(&server, 10);
    let any = Matcher::any();
    control.fail_next(1, any.clone(), Fault::StallAfter(100));
    let request = http::Request::get(MAPS).body(Vec::new()).unwrap();
    let half = send(&server, request);
    tokio::select! {
        _ = half => panic!("should not come to its end"),
        () = async {
            soon(control.await_request(any)).await;
            // The headers of the response have arrived.
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            let idle = control.await_idle();
            assert!(futures::poll!(std::pin::pin!(idle)).is_pending());
        } => {}
    }
    // The client has dropped the connection.
    soon(control.await_idle()).await;
    control.assert_idle();
}
