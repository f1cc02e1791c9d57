//! Status of an informer, and results of waiting for it.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use super::support::{
    Running, SECOND, Waiter, broken, config, informer, raw, recorder, script, source_with,
};
use crate::lister::GetError;
use crate::object::{Object, ObjectKey, ResourceVersion, Selector};
use crate::reflector::ErrorHandler;
use crate::shared_informer::{InformerConfig, SharedInformer, SyncError};
use crate::source::{ListAnswer, ScriptedListerWatcher, WatchAnswer};
use crate::status::{
    InformerState, InformerStatus, ReflectorError, SourceError, StopCause, TimeoutPhase,
};
use crate::storage::{ObjectError, Typed};
use crate::wire::{ApiStatus, ListMeta, RawEvent};

pub(super) fn refusal(code: u16) -> SourceError {
    ApiStatus::new(code, "Reason", "no").into()
}

fn silence() -> SourceError {
    SourceError::Timeout {
        phase: TimeoutPhase::Progress,
        after: 180 * SECOND,
    }
}

/// Waits until the informer's state has this `Display` form.
async fn reach<K: Object>(informer: &SharedInformer<K, Typed>, state: &str) -> InformerStatus {
    let status = &informer.inner.status;
    let reached = status.wait_for(|status| (status.state.as_str() == state).then_some(()));
    timeout(600 * SECOND, reached).await.expect(state);
    informer.status()
}

/// N-06: a list and a bookmark are progress. The time of the last one, and the sync, outlast the stop.
#[tokio::test(start_paused = true)]
async fn n06_the_status_has_the_time_of_the_last_progress() {
    let source = script();
    let informer = informer(source.clone());
    let running = Running::start(&informer);
    source.wait_for_requests(1).await;
    assert_eq!(informer.status().last_progress, None);
    let listed = Instant::now();
    let (watch, answer) = WatchAnswer::controlled();
    source.on_list(ListAnswer::items([], ListMeta::at("1")));
    source.on_watch(answer);
    let status = reach(&informer, "synced").await;
    assert_eq!(status.last_progress, Some(listed));

    tokio::time::advance(100 * SECOND).await;
    watch.send(RawEvent::bookmark("2")).await.unwrap();
    let reached = ResourceVersion::new("2");
    informer.indexer().wait_for_in("", &reached).await.unwrap();
    let latest = Some(Instant::now());
    assert_eq!(informer.status().last_progress, latest);

    running.stop().await;
    let status = informer.status();
    let InformerState::Stopped { cause } = &status.state else {
        panic!("not stopped: {status:?}");
    };
    assert_eq!(*cause, StopCause::Requested);
    assert_eq!((status.has_synced, status.last_progress), (true, latest));
}

/// N-07, C-12.
#[tokio::test(start_paused = true)]
async fn n07_a_silent_watch_is_stale_and_recovers_and_stays_synced() {
    let source = script();
    source.on_list(ListAnswer::items(
        [raw(config("a", "1"), "1")],
        ListMeta::at("1"),
    ));
    source.on_watch(WatchAnswer::breaks_off(
        [RawEvent::bookmark("2")],
        silence(),
    ));
    let informer = informer(source.clone());
    let running = Running::start(&informer);
    let status = reach(&informer, "stale").await;
    assert!(
        matches!(&status.state, InformerState::Stale { cause }
            if matches!(cause.source_error(), Some(SourceError::Timeout { .. }))),
        "{status:?}"
    );
    assert!(status.has_synced && informer.has_synced());
    assert_eq!(informer.lister().len(), 1);

    source.on_list(ListAnswer::items([], ListMeta::at("2")));
    source.on_watch(WatchAnswer::stays_open([]));
    let status = reach(&informer, "synced").await;
    assert!(status.has_synced);
    assert_eq!(
        source.requests().len(),
        4,
        "a probe, and no list: {:?}",
        source.requests()
    );
    running.stop().await;
}

/// N-14: a proxy hands the events of a watch on when the watch ends.
#[tokio::test(start_paused = true)]
async fn n14_a_watch_whose_bookmarks_come_late_is_stale_until_one_comes_in_time() {
    let source = script();
    let informer = informer(source.clone());
    let running = Running::start(&informer);
    source.on_list(ListAnswer::items([], ListMeta::at("1")));
    let (watch, answer) = WatchAnswer::controlled();
    source.on_watch(answer);
    reach(&informer, "synced").await;
    // It is not known yet whether the server sends bookmarks.
    tokio::time::sleep(400 * SECOND).await;
    assert_eq!(informer.status().state.as_str(), "synced");

    // Held back until the end.
    watch.send(RawEvent::bookmark("2")).await.unwrap();
    drop(watch);
    for version in ["3", "4"] {
        let (watch, answer) = WatchAnswer::controlled();
        source.on_watch(answer);
        let status = reach(&informer, "stale").await;
        assert!(
            status.to_string().contains("no bookmark for 150 s"),
            "{status}"
        );
        tokio::time::sleep(300 * SECOND).await;
        watch.send(RawEvent::bookmark(version)).await.unwrap();
        drop(watch);
        let reached = ResourceVersion::new(version);
        informer.indexer().wait_for_in("", &reached).await.unwrap();
        assert_eq!(informer.status().state.as_str(), "stale");
    }
    assert_eq!(informer.metrics().failures, 1, "told once");

    let (watch, answer) = WatchAnswer::controlled();
    source.on_watch(answer);
    tokio::time::sleep(60 * SECOND).await;
    watch.send(RawEvent::bookmark("5")).await.unwrap();
    reach(&informer, "synced").await;
    tokio::time::sleep(600 * SECOND).await;
    assert_eq!(informer.status().state.as_str(), "synced");
    running.stop().await;
}

/// C-12, R-15.
#[tokio::test(start_paused = true)]
async fn c12_synced_stays_synced_whatever_fails_later() {
    let source = source_with(&["a"]);
    let informer = informer(source.clone());
    let running = Running::synced(&informer).await;
    source.list_error(refusal(403));
    source.watch_error(refusal(410));
    source.reset_watch();
    let status = reach(&informer, "degraded").await;
    assert!(status.has_synced && informer.has_synced());
    assert!(informer.wait_for_sync().await.is_ok());
    assert!(informer.snapshot().is_synced());
    assert_eq!(informer.lister().len(), 1);
    running.stop().await;
    assert!(informer.has_synced());
    // The cache is readable, but follows the server no more.
    let stopped = informer.wait_for_sync().await;
    assert!(matches!(stopped, Err(SyncError::Stopped)), "{stopped:?}");
}

/// E-13, F-06.
#[tokio::test(start_paused = true)]
async fn e13_what_waiting_does_not_cure_is_said_at_once_while_retries_go_on() {
    let causes = [
        (401, "unauthorized: check the client's credentials"),
        (403, "forbidden: grant `list` and `watch` on it"),
        (
            404,
            "not served: is its CustomResourceDefinition installed?",
        ),
        (
            400,
            "rejected as invalid: check the selectors, and that the resource supports list and watch",
        ),
        (
            405,
            "rejected as invalid: check the selectors, and that the resource supports list and watch",
        ),
    ];
    for (code, message) in causes {
        let source = source_with(&["a"]);
        source.list_error(refusal(code));
        source.watch_error(refusal(code));
        let informer = informer(source.clone());
        let started = Instant::now();
        let running = Running::start(&informer);
        let mut waiters = [
            Waiter::new(informer.wait_for_sync()),
            Waiter::new(informer.wait_for_sync()),
        ];
        let error = informer.wait_for_sync().await.unwrap_err();
        assert!(error.to_string().starts_with(message), "{error}");
        assert!(error.to_string().contains("no (HTTP"), "{error}");
        assert_eq!(started.elapsed(), Duration::ZERO);
        assert!(waiters.iter().all(Waiter::is_woken));
        assert!(waiters.iter_mut().all(|waiter| waiter.poll().is_ready()));

        let requests = source.requests().len();
        source.wait_for_requests(requests + 5).await;
        let status = informer.status();
        assert!(
            matches!(&status.state, InformerState::Degraded { cause }
                if cause.status().is_some_and(|status| status.code == code)),
            "{status:?}"
        );
        source.list_error(None);
        source.watch_error(None);
        reach(&informer, "synced").await;
        assert!(informer.wait_for_sync().await.is_ok());
        running.stop().await;
    }
}

/// F-06, L-06: a server that rejects a streaming list may still accept a plain list.
#[tokio::test(start_paused = true)]
async fn f06_a_refused_streaming_list_is_no_answer_yet() {
    for code in [403, 404, 422] {
        let source = ScriptedListerWatcher::new();
        source.on_watch(WatchAnswer::error(refusal(code)));
        let informer = informer(source.clone());
        let running = Running::start(&informer);
        let mut waiter = Waiter::new(informer.wait_for_sync());
        source.wait_for_requests(2).await;
        assert!(waiter.poll().is_pending(), "{code}");
        source.on_list(ListAnswer::items([], ListMeta::at("1")));
        source.wait_for_requests(3).await;
        // A list without a watch is no sync, so the answer to the watch counts, too.
        let is_doubtful = code != 422;
        assert_eq!(waiter.poll().is_pending(), is_doubtful, "{code}");
        source.on_watch(WatchAnswer::stays_open([]));
        informer.wait_for_sync().await.unwrap();
        assert!(waiter.is_woken());
        running.stop().await;
    }
}

/// F-06, E-13: `list` without `watch` is no sync, although the cache can be read.
#[tokio::test(start_paused = true)]
async fn f06_a_list_without_a_watch_is_no_sync() {
    for code in [403, 405] {
        let source = source_with(&["a"]);
        source.watch_error(refusal(code));
        let informer = informer(source.clone());
        let running = Running::start(&informer);
        let error = informer.wait_for_sync().await.unwrap_err();
        assert!(
            error.to_string().contains("watch could not be opened"),
            "{error}"
        );
        assert!(informer.has_synced() && !informer.is_ready());
        assert_eq!(informer.lister().len(), 1);
        let state = informer.status().state.to_string();
        assert!(state.starts_with("degraded: "), "{state}");
        assert!(
            state.contains("`watch` on it") || state.contains("list and watch"),
            "{state}"
        );

        source.watch_error(None);
        reach(&informer, "synced").await;
        informer.wait_for_sync().await.unwrap();
        // A right that is revoked later leaves a cache that was followed.
        source.watch_error(refusal(code));
        source.reset_watch();
        reach(&informer, "degraded").await;
        assert!(informer.is_ready() && informer.wait_for_sync().await.is_ok());
        running.stop().await;
    }
}

/// N-06: whoever prints a state or a status has the cause and the remedy.
#[tokio::test(start_paused = true)]
async fn n06_a_status_is_displayed_with_its_cause_and_the_remedy() {
    let source = script();
    source.on_list(ListAnswer::error(refusal(404)));
    let informer = informer(source);
    let status = informer.status();
    assert_eq!(status.to_string(), "pending for 0 s");
    assert_eq!(status.state.to_string(), "pending");
    let running = Running::start(&informer);
    let status = reach(&informer, "degraded").await;
    let cause = "not served: is its CustomResourceDefinition installed?: list failed: no (HTTP 404, \
                 Reason)";
    assert_eq!(status.state.to_string(), format!("degraded: {cause}"));
    assert_eq!(status.to_string(), format!("degraded for 0 s: {cause}"));
    assert_eq!(status.causes(), [cause]);
    running.stop().await;
    let stopped = informer.status().to_string();
    assert_eq!(stopped, "stopped for 0 s: on request");
}

/// F-06: transient failures do not end the wait.
#[tokio::test(start_paused = true)]
async fn f06_passing_failures_do_not_end_the_wait() {
    let source = script();
    for code in [429, 500, 503, 410] {
        source.on_list(ListAnswer::error(refusal(code)));
    }
    source.on_list(ListAnswer::error(silence()));
    source.on_list(ListAnswer::items([], ListMeta::at("1")));
    let informer = informer(source.clone());
    let running = Running::start(&informer);
    informer.wait_for_sync().await.unwrap();
    running.stop().await;

    let source = script();
    source.on_list(ListAnswer::error(SourceError::Malformed("html".into())));
    let informer = super::support::informer(source);
    let running = Running::start(&informer);
    let error = informer.wait_for_sync().await.unwrap_err();
    assert!(matches!(error, SyncError::Malformed(_)), "{error:?}");
    running.stop().await;
}

/// W-13, B-09, E-10, E-14: the status, the error handler and the lister name the key and the
/// version.
#[tokio::test(start_paused = true)]
async fn w13_an_undecodable_change_is_not_passed_off_as_current() {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let errors = Arc::clone(&reported);
    let handler = ErrorHandler::new(move |error| errors.lock().push(error.clone()));
    let source = source_with(&["a", "b"]);
    let informer = SharedInformer::<ConfigMap>::builder(source.clone())
        .config(InformerConfig::new().error_handler(handler))
        .build()
        .unwrap();
    let (recorder, mut seen) = recorder();
    informer.add_event_handler(recorder).unwrap();
    let running = Running::synced(&informer).await;
    let key = ObjectKey::namespaced("ns", "a");
    let lister = informer.lister().namespace("ns").into_owned();
    let good = lister.try_get("a").unwrap();

    let bad = source.modify(&broken("a")).unwrap();
    source.add(&config("c", "1")).unwrap();
    let events = seen.take(3).await;
    assert_eq!(
        events.last().unwrap(),
        "add ns/c=1 live",
        "the rest goes on"
    );

    let undecodable = informer.status().undecodable;
    assert_eq!(undecodable.len(), 1);
    assert_eq!(
        (&undecodable[0].key, &undecodable[0].resource_version),
        (&key, &bad)
    );
    assert!(matches!(informer.status().state, InformerState::Synced));
    let snapshot = informer.snapshot();
    assert_eq!(snapshot.undecodable(&key).unwrap().resource_version, bad);
    assert!(
        Arc::ptr_eq(&lister.get("a").unwrap(), &good),
        "the last good one stays readable"
    );
    let error = lister.try_get("a").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("configmaps \"ns/a\" does not decode at resourceVersion \"{bad}\"")
    );
    assert!(matches!(error, GetError::Undecodable { .. }));
    let cause = std::error::Error::source(&error).unwrap();
    assert!(cause.to_string().contains("data"), "{cause}");
    assert!(cause.downcast_ref::<ObjectError>().is_some(), "E-14");
    let errors = reported.lock().clone();
    let [ReflectorError::Object(error)] = errors.as_slice() else {
        panic!("{errors:?}");
    };
    assert!(error.to_string().contains("ns/a"), "{error}");
    assert_eq!(informer.metrics().undecodable_objects, 1);

    source.modify(&config("a", "2")).unwrap();
    assert_eq!(seen.next().await, "update ns/a=1>2 live");
    assert!(informer.status().undecodable.is_empty());
    assert!(lister.try_get("a").is_ok());
    running.stop().await;
}

/// W-12, W-13, W-14: an object that never decoded is not readable, and its deletion leaves no
/// trace.
#[tokio::test(start_paused = true)]
async fn w12_an_object_that_never_decoded_is_undecodable_and_not_missing() {
    let source = source_with(&["a"]);
    source.add(&broken("b")).unwrap();
    let informer = informer(source.clone());
    let running = Running::synced(&informer).await;
    let lister = informer.lister().namespace("ns").into_owned();
    assert_eq!(informer.lister().len(), 1);
    assert!(lister.get("b").is_none());
    assert!(matches!(
        lister.try_get("b"),
        Err(GetError::Undecodable { .. })
    ));
    source.delete(&broken("b")).unwrap();
    let version = source.resource_version();
    informer.indexer().wait_for_in("", &version).await.unwrap();
    assert!(matches!(
        lister.try_get("b"),
        Err(GetError::NotFound { .. })
    ));
    assert!(informer.status().undecodable.is_empty());
    running.stop().await;
}

/// F-19: the four errors of a read, and a successful read.
#[tokio::test(start_paused = true)]
async fn f19_an_empty_cache_and_one_that_is_not_read_yet_are_told_apart() {
    let source = source_with(&["a"]);
    source.add(&broken("bad")).unwrap();
    let informer = SharedInformer::<ConfigMap>::builder(source)
        .namespace("ns")
        .build()
        .unwrap();
    let lister = informer.lister();
    let (cached, other) = (lister.namespace("ns"), lister.namespace("other"));
    let text = |error: GetError| error.to_string();
    assert_eq!(
        cached.try_get("a").map_err(text),
        Err("configmaps \"ns/a\" is not known yet: the cache has not synced".to_owned())
    );
    assert!(cached.get("a").is_none());
    let out_of_scope =
        "configmaps \"other/a\" is out of scope: only namespace `ns` is cached".to_owned();
    assert_eq!(other.try_get("a").map_err(text), Err(out_of_scope.clone()));

    let running = Running::synced(&informer).await;
    assert!(cached.try_get("a").is_ok());
    assert_eq!(
        cached.try_get("b").map_err(text),
        Err("configmaps \"ns/b\" not found".to_owned())
    );
    assert_eq!(other.try_get("a").map_err(text), Err(out_of_scope));
    assert!(matches!(
        cached.try_get("bad"),
        Err(GetError::Undecodable { .. })
    ));
    running.stop().await;
    assert!(cached.try_get("a").is_ok());
    assert!(matches!(
        cached.try_get("b"),
        Err(GetError::NotFound { .. })
    ));
}

/// F-19: the empty namespace means all namespaces, as in client-go.
#[tokio::test(start_paused = true)]
async fn f19_the_empty_namespace_is_no_scope() {
    let builder = SharedInformer::<ConfigMap>::builder(source_with(&["a"]));
    let informer = builder.namespace("").build().unwrap();
    assert!(informer.namespaces().is_empty());
    let running = Running::synced(&informer).await;
    let missing = informer.lister().namespace("x").try_get("y");
    assert!(
        matches!(missing, Err(GetError::NotFound { .. })),
        "{missing:?}"
    );
    running.stop().await;
}

/// N-06: each change can be awaited, including the current status and the end. A slow reader sees
/// only the latest status.
#[tokio::test(start_paused = true)]
async fn n06_changes_of_the_status_can_be_awaited() {
    let source = script();
    let informer = informer(source.clone());
    let mut changes = informer.status_changes();
    let mut slow = informer.status_changes();
    let describe =
        |status: InformerStatus| format!("{} {}", status.state.as_str(), status.has_synced);
    assert_eq!(describe(changes.next().await.unwrap()), "pending false");
    let mut waiter = Waiter::new(changes.next());
    let running = Running::start(&informer);
    source.wait_for_requests(1).await;
    assert!(waiter.is_woken());
    let std::task::Poll::Ready(Some(status)) = waiter.poll() else {
        panic!("woken without a change");
    };
    assert_eq!(describe(status), "listing false");
    drop(waiter);

    // A cancelled wait loses no change.
    assert!(
        tokio::time::timeout(SECOND, changes.next()).await.is_err(),
        "nothing has changed"
    );
    source.on_list(ListAnswer::error(refusal(403)));
    let status = changes.next().await.unwrap();
    let InformerState::Degraded { cause } = &status.state else {
        panic!("{status:?}");
    };
    assert_eq!(cause.status().unwrap().code, 403);
    source.on_list(ListAnswer::items([], ListMeta::at("1")));
    let listed = changes.wait_for(|status| status.has_synced).await.unwrap();
    assert!(listed.last_progress.is_some());
    // A list alone does not show that the cache will follow the server.
    assert_eq!(describe(listed), "degraded true");
    source.on_watch(WatchAnswer::stays_open([]));
    assert_eq!(describe(changes.next().await.unwrap()), "synced true");
    running.stop().await;
    assert_eq!(describe(changes.next().await.unwrap()), "stopped true");
    assert!(changes.next().await.is_none());

    assert_eq!(describe(slow.next().await.unwrap()), "stopped true");
    assert!(slow.wait_for(|_| true).await.is_none());
}

/// F-19: a read before the first list is logged once an informer, with the way out.
#[tokio::test(start_paused = true)]
async fn f19_a_read_before_the_first_list_is_logged_once() {
    let log = crate::logged::capture("informer_runtime::lister");
    let informer = SharedInformer::<ConfigMap>::builder(source_with(&["a"]))
        .build()
        .unwrap();
    let (one, other) = (informer.lister(), informer.lister());
    let key = ObjectKey::namespaced("ns", "a");
    assert!(one.try_get_by_key(&key).is_err());
    assert!(log.lines().is_empty(), "who asks so is told");
    assert!(one.get_by_key(&key).is_none() && one.namespace("ns").get("a").is_none());
    assert!(other.list(&Selector::everything()).is_empty());
    let lines = log.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let text = lines[0].to_string();
    assert!(
        text.starts_with("WARN cache read before its first list"),
        "{text}"
    );
    assert!(
        text.contains("`try_get`") && text.contains("configmaps.v1"),
        "{text}"
    );

    let informer = SharedInformer::<ConfigMap>::builder(source_with(&["a"]))
        .build()
        .unwrap();
    let running = Running::synced(&informer).await;
    let lister = informer.lister();
    assert!(
        lister
            .get_by_key(&ObjectKey::namespaced("ns", "b"))
            .is_none()
    );
    assert_eq!(lister.list(&Selector::everything()).len(), 1);
    let early = |line: &crate::logged::Line| line.text.starts_with("cache read before");
    assert_eq!(log.lines().iter().filter(|line| early(line)).count(), 1);
    running.stop().await;
}
