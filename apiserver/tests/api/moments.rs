//! Held and slow requests, rewinds, waits for a state, and idleness.

use std::time::Duration;

use informer_apiserver::{ApiServer, Fault, Matcher, Verb};
use kube::api::ListParams;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::protobuf::definition;
use crate::support::{Lines, config_maps, fill, get, put, server, soon, started};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECRET: &str = "/api/v1/namespaces/default/secrets/s";

#[tokio::test]
async fn requests_are_held_and_released_one_by_one() {
    let server = server().await;
    let control = server.control();
    control.pause_requests();
    let api = config_maps(&server);
    let params = ListParams::default();
    let (mut first, mut second) = (Box::pin(api.list(&params)), Box::pin(api.list(&params)));
    tokio::select! {
        _ = &mut first => panic!("should be held"),
        _ = &mut second => panic!("should be held"),
        () = soon(control.await_held_requests(2)) => {}
    }
    // A change while the requests are held appears in the response.
    put(&server, "late");
    control.step_request();
    let (list, other) = tokio::select! {
        list = &mut first => (list, second),
        list = &mut second => (list, first),
    };
    assert_eq!(list.unwrap().items.len(), 1);
    assert_eq!(control.held_requests(), 1);
    control.resume_requests();
    assert!(soon(other).await.is_ok());
    soon(control.await_idle()).await;
    control.assert_idle();
}

#[tokio::test]
async fn a_server_with_an_up_to_date_watch_is_idle() {
    let server = server().await;
    let control = server.control();
    control.assert_idle();
    let mut watch = Lines::open(&server, &format!("{MAPS}?watch=1")).await;
    fill(&server, 200);
    soon(control.await_idle()).await;
    watch.shorts(200).await;
    control.assert_idle();
    control.hold_garbage_collection(true);
    for owner in ["a", "b"] {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": owner },
        });
        let owner = control.create_direct(object).unwrap();
        let dependent = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {
                "name": owner["metadata"]["name"], "ownerReferences": [{
                    "apiVersion": "v1", "kind": "ConfigMap",
                    "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
                }],
            },
        });
        control.create_direct(dependent).unwrap();
    }
    soon(control.await_idle()).await;
    control.delete_direct(&format!("{MAPS}/a")).unwrap();
    let mut idle = Box::pin(control.await_idle());
    tokio::select! {
        biased;
        () = &mut idle => panic!("there is an object to collect"),
        _ = watch.shorts(3) => {}
    }
    assert!(control.step_garbage_collection());
    soon(idle).await;
    assert_eq!(control.objects("secrets").len(), 1);
}

#[tokio::test]
#[should_panic(expected = "1 requests without a complete response")]
async fn a_held_request_is_not_idle() {
    let server = server().await;
    let control = server.control();
    control.pause_requests();
    let api = config_maps(&server);
    let params = ListParams::default();
    tokio::select! {
        _ = api.list(&params) => {}
        () = soon(control.await_held_requests(1)) => control.assert_idle(),
    }
}

#[tokio::test]
async fn a_server_with_held_requests_shuts_down() {
    let server = server().await;
    let control = server.control();
    control.pause_requests();
    let client = server.client().unwrap();
    let ((), answer) = tokio::join!(
        async {
            soon(control.await_held_requests(1)).await;
            soon(server.shutdown()).await;
        },
        client.apiserver_version()
    );
    assert!(answer.is_err());
}

#[tokio::test]
async fn a_slow_response_is_late_and_in_pieces_but_complete() {
    let server = server().await;
    fill(&server, 20);
    let control = server.control();
    let pause = Duration::from_millis(2);
    let lists = Matcher::any().verb(Verb::List);
    for fault in [Fault::Slow { bytes: 500, pause }, Fault::Delay(pause)] {
        let (_, usual) = get(&server, MAPS).await;
        control.fail_next(1, lists.clone(), fault);
        let start = tokio::time::Instant::now();
        let (code, slow) = get(&server, MAPS).await;
        assert_eq!((code, slow), (200, usual));
        assert!(start.elapsed() >= pause);
        assert_eq!(control.faults_left(), 0);
    }
}

fn map(name: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name },
        "data": { "value": value },
    })
}

fn path(name: &str) -> String {
    format!("{MAPS}/{name}")
}

#[tokio::test]
async fn a_wait_for_an_object_ends_with_its_state_or_deletion() {
    let server = server().await;
    let control = server.control();
    let waiting = |wanted: fn(&Value) -> bool| {
        let control = control.clone();
        spawned(async move { control.await_object(&path("a"), wanted).await })
    };
    let mut second = waiting(|map| map["data"]["value"] == "2");
    control.create_direct(map("a", "1")).unwrap();
    // The object exists already.
    let first = control.await_object(&path("a"), |map| !map.is_null()).await;
    assert_eq!(first["data"]["value"], "1");
    control.update_direct(map("a", "2")).unwrap();
    let second = soon(second.join_next()).await.unwrap().unwrap();
    assert_eq!(second["data"]["value"], "2");
    let mut deletion = waiting(Value::is_null);
    tokio::task::yield_now().await;
    control.delete_direct(&path("a")).unwrap();
    let deleted = soon(deletion.join_next()).await.unwrap().unwrap();
    assert!(deleted.is_null());
}

#[tokio::test]
async fn a_wait_for_a_list_covers_one_namespace_or_all() {
    let server = server().await;
    let control = server.control();
    let waiting = control.clone();
    let mut waits = spawned(async move {
        let in_namespace = waiting.await_list(MAPS, |maps| maps.len() == 2).await;
        let all = waiting
            .await_list("/api/v1/configmaps", |maps| maps.len() == 3)
            .await;
        (in_namespace, all)
    });
    let mut elsewhere = map("c", "1");
    elsewhere["metadata"]["namespace"] = "other".into();
    control.create_direct(map("b", "1")).unwrap();
    control.create_direct(map("a", "1")).unwrap();
    let namespace =
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "other" } });
    control.create_direct(namespace).unwrap();
    control.create_direct(elsewhere).unwrap();
    let (in_namespace, all) = soon(waits.join_next()).await.unwrap().unwrap();
    let names = |maps: &[Value]| -> Vec<_> {
        let names = maps.iter().map(|map| map["metadata"]["name"].clone());
        names.collect()
    };
    assert_eq!(names(&in_namespace), ["a", "b"]);
    assert_eq!(names(&all), ["a", "b", "c"]);
}

/// A restore of etcd from a backup wakes a wait like any other change.
#[tokio::test]
async fn a_wait_for_an_object_survives_a_rewind() {
    let server = server().await;
    let control = server.control();
    control.create_direct(map("a", "1")).unwrap();
    let before = control.current_resource_version();
    control.update_direct(map("a", "2")).unwrap();
    let waiting = control.clone();
    let (started, has_started) = tokio::sync::oneshot::channel();
    let mut started = Some(started);
    let mut seen = spawned(async move {
        let is_first = |map: &Value| {
            started.take().map(|started| started.send(()));
            map["data"]["value"] == "1"
        };
        waiting.await_object(&path("a"), is_first).await
    });
    has_started.await.unwrap();
    control.rewind_to(before).unwrap();
    let seen = soon(seen.join_next()).await.unwrap().unwrap();
    assert_eq!(seen["data"]["value"], "1");
}

/// Spawns a task that ends with the test.
fn spawned<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> JoinSet<T> {
    let mut tasks = JoinSet::new();
    tasks.spawn(future);
    tasks
}

/// Returns the message of a failed wait.
async fn failure<T: Send + 'static>(waiting: impl Future<Output = T> + Send + 'static) -> String {
    let mut waiting = spawned(waiting);
    let error = soon(waiting.join_next()).await.unwrap().err().unwrap();
    let message = error.into_panic().downcast::<String>().unwrap();
    *message
}

#[tokio::test]
async fn a_failed_wait_shows_the_last_state_without_secrets() {
    let server = server().await;
    let control = server.control().with_deadline(Duration::from_millis(20));
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": { "name": "s", "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": "aHVudGVyMg==", "team": "shop",
        } },
        "data": { "password": "aHVudGVyMg==" },
    });
    control.create_direct(secret).unwrap();
    control.create_direct(map("a", "seen")).unwrap();

    let failed = |path: String, wanted: fn(&Value) -> bool| {
        let waiting = control.clone();
        failure(async move { waiting.await_object(&path, wanted).await })
    };
    let message = failed(path("a"), Value::is_null).await;
    let begin =
        "after 20ms the condition does not hold for `/api/v1/namespaces/default/configmaps/a`";
    for part in [begin, "\"value\": \"seen\"", "moments.rs:"] {
        assert!(message.contains(part), "no {part} in {message}");
    }
    let message = failed(path("b"), |map| !map.is_null()).await;
    assert!(message.contains("the object does not exist"), "{message}");
    let message = failed(SECRET.to_owned(), Value::is_null).await;
    for part in ["\"password\": \"<redacted>\"", "\"team\": \"shop\""] {
        assert!(message.contains(part), "no {part} in {message}");
    }
    assert!(!message.contains("aHVudGVyMg"), "{message}");
}

/// An object that did not change during the wait is a line, and of a changed one only the changed
/// fields are shown.
#[tokio::test]
async fn a_failed_wait_for_a_list_shows_the_changes() {
    let server = server().await;
    let control = server.control().with_deadline(Duration::from_millis(20));
    let secret = |password: &str| {
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" },
            "data": { "password": password }, "immutable": false,
        })
    };
    for name in ["changed", "same"] {
        control.create_direct(map(name, "1")).unwrap();
    }
    control
        .create_direct(map("deleted", &"x".repeat(500)))
        .unwrap();
    control.create_direct(secret("aHVudGVyMg==")).unwrap();
    let changing = control.clone();
    let mut seen = 0;
    let waiting = control.clone();
    let message = failure(async move {
        let condition = |_: &[Value]| {
            seen += 1;
            if seen == 1 {
                changing.update_direct(map("changed", "2")).unwrap();
                changing.delete_direct(&path("deleted")).unwrap();
                changing
                    .create_direct(map("new", &"x".repeat(500)))
                    .unwrap();
            }
            false
        };
        waiting.await_list(MAPS, condition).await
    })
    .await;
    let (_, state) = message.split_once("3 objects\n").unwrap();
    let lines: Vec<&str> = state.lines().map(str::trim).collect();
    assert_eq!(
        lines[0], r#"default/changed.data.value: "1" → "2""#,
        "{message}"
    );
    assert!(lines[1].starts_with("default/changed.metadata.resourceVersion: "));
    assert!(lines[2].starts_with(r#"default/deleted: {"apiVersion":"v1","data":"#));
    assert!(lines[2].ends_with("… → null"), "{message}");
    assert!(lines[3].starts_with("default/new: null → {"), "{message}");
    assert!(lines[3].ends_with("…") && lines[3].len() < 300, "{message}");
    assert_eq!(lines[4], r#"default/same is {"data":{"value":"1"}}"#);
    assert!(lines[5].starts_with("waited for at "), "{message}");

    // The new password is not shown either.
    let (waiting, changing) = (control.clone(), control.clone());
    let message = failure(async move {
        let condition = |_: &[Value]| changing.update_direct(secret("aHVudGVyMQ==")).is_err();
        waiting.await_list("/api/v1/secrets", condition).await
    })
    .await;
    assert!(!message.contains("aHVudGVy"), "{message}");
}

/// An object is read, changed and written at its current version, whatever happens in between.
#[tokio::test]
async fn a_modification_needs_no_version() {
    let server = started(ApiServer::builder().object(&definition())).await;
    let control = server.control();
    let foo = json!({
        "apiVersion": "example.com/v1", "kind": "Foo", "metadata": { "name": "a" }, "spec": {},
    });
    control.create_direct(foo.clone()).unwrap();
    assert_eq!(
        control.get("/apis/example.com/v1/namespaces/default/foos/b"),
        None
    );
    assert_eq!(control.get("/apis/example.com/v1/bars/b"), None);
    let error = control.update_direct(foo).unwrap_err();
    assert_eq!(error.code(), 422, "a custom resource needs its version");

    let path = "/apis/example.com/v1/namespaces/default/foos/a";
    let other = control.clone();
    let mut calls = 0;
    let changed = control.modify(path, |foo| {
        calls += 1;
        if calls == 1 {
            other
                .modify(path, |foo| foo["spec"]["b"] = 1.into())
                .unwrap();
        }
        foo["spec"]["a"] = calls.into();
        foo["status"]["phase"] = "Ready".into();
    });
    assert_eq!(changed.as_ref().unwrap()["spec"], json!({ "a": 2, "b": 1 }));
    assert_eq!(control.get(path), Some(changed.unwrap()));
    assert_eq!(control.get(path).unwrap()["status"]["phase"], "Ready");

    let missing = control.modify("/apis/example.com/v1/namespaces/default/foos/b", |_| {});
    assert_eq!(missing.unwrap_err().code(), 404);
    let stale = control.modify(path, |foo| foo["metadata"]["resourceVersion"] = "1".into());
    assert_eq!(stale.unwrap_err().code(), 409);
}

#[tokio::test]
async fn a_wait_for_an_unknown_path_fails_at_once() {
    let server = server().await;
    let control = server.control().with_deadline(Duration::from_secs(3600));
    for wrong in [MAPS, "/apis/example.com/v1/foos/a", "configmaps/a"] {
        let waiting = control.clone();
        let message = failure(async move { waiting.await_object(wrong, |_| true).await }).await;
        assert!(
            message.contains(&format!("nothing is served at `{wrong}`")),
            "{message}"
        );
    }
    let waiting = control.clone();
    let message = failure(async move { waiting.await_list(&path("a"), |_| true).await }).await;
    assert!(message.contains("nothing is served at"), "{message}");
}
