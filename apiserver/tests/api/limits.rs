//! Requests that ask for too much: they are refused, or get less, and the server goes on.

use std::time::Duration;

use http::Request;
use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::{Lines, fill, get, put, send, server};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Patches the config map `a` with these operations of JSON patch.
async fn patch(server: &ApiServer, operations: &[Value]) -> (u16, Value) {
    let body = serde_json::to_vec(operations).unwrap();
    let request = Request::patch(format!("{MAPS}/a"))
        .header("content-type", "application/json-patch+json")
        .body(body)
        .unwrap();
    send(server, request).await
}

#[tokio::test]
async fn a_watch_may_ask_for_any_number_of_seconds() {
    let server = server().await;
    put(&server, "a");
    for seconds in [i64::MAX, i64::MAX / 1000, 1 << 40] {
        for bookmarks in [false, true] {
            let path =
                format!("{MAPS}?watch=1&timeoutSeconds={seconds}&allowWatchBookmarks={bookmarks}");
            let mut lines = Lines::open(&server, &path).await;
            assert_eq!(lines.short().await, "ADDED a", "{path}");
        }
    }
}

#[tokio::test]
async fn watches_and_bookmarks_may_be_set_to_take_for_ever() {
    let server = ApiServer::builder()
        .watch_timeout(Duration::MAX)
        .bookmark_interval(Duration::MAX)
        .start()
        .await
        .unwrap();
    put(&server, "a");
    let path = format!("{MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=0");
    let mut lines = Lines::open(&server, &path).await;
    assert_eq!(lines.shorts(2).await, ["ADDED a", "BOOKMARK"]);
}

#[tokio::test]
async fn a_json_patch_may_have_ten_thousand_operations() {
    let server = server().await;
    put(&server, "a");
    let operations = vec![json!({ "op": "add", "path": "/data", "value": {} }); 10_001];
    let (code, answer) = patch(&server, &operations[1..]).await;
    assert_eq!(code, 200, "{answer}");
    let (code, answer) = patch(&server, &operations).await;
    let message = "Request entity too large: The allowed maximum operations in a JSON patch is \
                   10000, got 10001";
    let expected = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": "RequestEntityTooLarge", "code": 413,
    });
    assert_eq!((code, answer), (413, expected));
}

/// Forty copies, each of all that is there, would be a terabyte.
#[tokio::test]
async fn a_json_patch_that_doubles_the_object_is_refused() {
    let server = server().await;
    put(&server, "a");
    let mut operations =
        vec![json!({ "op": "add", "path": "/data", "value": { "a": "x".repeat(1000) } })];
    operations.extend((0..40).map(
        |number| json!({ "op": "copy", "from": "/data", "path": format!("/data/b{number}") }),
    ));
    assert_eq!(patch(&server, &operations).await, (422, rejected()));
    let (_, map) = get(&server, &format!("{MAPS}/a")).await;
    assert_eq!(map["data"], Value::Null);
}

/// What may be copied is counted over all operations, and includes the last byte of 3 MiB.
#[tokio::test]
async fn a_json_patch_may_copy_three_mebibytes_in_all() {
    let server = server().await;
    put(&server, "a");
    let all = 3 * 1024 * 1024;
    let copies = 4;
    // As JSON a text has two quotes more.
    for (len, code) in [(all / copies - 2, 200), (all / copies - 1, 422)] {
        let mut operations =
            vec![json!({ "op": "add", "path": "/data", "value": { "a": "x".repeat(len) } })];
        operations.extend(
            (0..copies).map(|_| json!({ "op": "copy", "from": "/data/a", "path": "/data/b" })),
        );
        let (found, answer) = patch(&server, &operations).await;
        assert_eq!(found, code, "{len}: {}", answer["message"]);
    }
}

/// Each way in which one operation puts a value deeper: all would end the process if what they make
/// were looked at, or dropped.
#[tokio::test]
async fn a_json_patch_that_nests_without_end_is_refused() {
    let server = server().await;
    put(&server, "a");
    let at = |levels: usize| format!("/data{}", "/n".repeat(levels));
    let nested = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({ "n": inner }));
    let start = |levels| json!({ "op": "add", "path": "/data", "value": nested(levels) });

    // The depth of 1, 2, 4, .. levels below `/data` doubles.
    let mut copies = vec![start(1)];
    copies.extend(
        (0..17).map(|times| json!({ "op": "copy", "from": "/data", "path": at(1 << times) })),
    );
    let mut adds = vec![start(100)];
    adds.extend(
        (1..120).map(|times| json!({ "op": "add", "path": at(times * 100), "value": nested(100) })),
    );
    let mut replaces = vec![start(100)];
    replaces.extend(
        (1..120)
            .map(|times| json!({ "op": "replace", "path": at(times * 99), "value": nested(100) })),
    );
    let mut moves = vec![start(100)];
    for times in 1..120 {
        moves.push(json!({ "op": "add", "path": "/more", "value": nested(100) }));
        moves.push(json!({ "op": "move", "from": "/more", "path": at(times * 100) }));
    }
    for operations in [copies, adds, replaces, moves] {
        let (code, answer) = patch(&server, &operations).await;
        let expected = json!("the patched object is nested too deeply");
        assert_eq!(
            (code, &answer["message"]),
            (400, &expected),
            "{}",
            operations[1]
        );
    }
    fill(&server, 1);
    assert_eq!(
        get(&server, MAPS).await.1["items"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

/// The `Status` of a JSON patch that does not apply.
fn rejected() -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "the server rejected our request due to an error in our request",
        "reason": "Invalid", "details": {}, "code": 422,
    })
}
