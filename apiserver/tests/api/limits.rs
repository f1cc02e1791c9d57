//! Requests beyond the limits: they are rejected, or get less, and the server continues.

use std::fmt::Write as _;
use std::time::Duration;

use http::Request;
use informer_apiserver::ApiServer;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Lines, crd, fill, get, put, send, server, started};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const MAP: &str = "/api/v1/namespaces/default/configmaps/a";

/// Patches the config map `a` with these operations of a JSON patch.
async fn patch(server: &ApiServer, operations: &[Value]) -> (u16, Value) {
    let body = serde_json::to_vec(operations).unwrap();
    let request = Request::patch(MAP)
        .header("content-type", "application/json-patch+json")
        .body(body)
        .unwrap();
    send(server, request).await
}

#[tokio::test]
async fn bookmarks_may_have_any_interval() {
    let server = started(ApiServer::builder().bookmark_interval(Duration::MAX)).await;
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

/// Forty copies of the whole object would amount to a terabyte.
#[tokio::test]
async fn a_json_patch_that_doubles_the_object_is_rejected() {
    let server = server().await;
    put(&server, "a");
    let mut operations =
        vec![json!({ "op": "add", "path": "/data", "value": { "a": "x".repeat(1000) } })];
    operations.extend((0..40).map(
        |number| json!({ "op": "copy", "from": "/data", "path": format!("/data/b{number}") }),
    ));
    assert_eq!(patch(&server, &operations).await, (422, inapplicable()));
    let (_, map) = get(&server, MAP).await;
    assert_eq!(map["data"], Value::Null);
}

/// The server shortens the prefix, which must be valid nevertheless.
#[tokio::test]
async fn a_generated_name_fits_a_label_and_its_prefix_a_name() {
    let server = server().await;
    for (length, code, size) in [(1, 201, 6), (58, 201, 63), (253, 201, 63), (254, 422, 0)] {
        let map = json!({ "metadata": { "generateName": "x".repeat(length) } });
        let request = Request::post(MAPS)
            .header("content-type", "application/json")
            .body(map.to_string().into_bytes())
            .unwrap();
        let (found, answer) = send(&server, request).await;
        let name = answer["metadata"]["name"].as_str().unwrap_or_default();
        assert_eq!((found, name.len()), (code, size), "{length}: {answer}");
    }
}

/// The limit applies to the copied bytes of all operations, and includes the last byte of 3 MiB.
#[tokio::test]
async fn a_json_patch_may_copy_three_mebibytes_in_all() {
    let server = server().await;
    put(&server, "a");
    let all = 3 * 1024 * 1024;
    let copies = 4;
    // The JSON of a string has two quotes.
    for (len, code) in [(all / copies - 2, 200), (all / copies - 1, 422)] {
        let mut operations =
            vec![json!({ "op": "add", "path": "/data", "value": { "a": "x".repeat(len) } })];
        operations.extend(
            (0..copies).map(|_| json!({ "op": "copy", "from": "/data/a", "path": "/data/b" })),
        );
        // The object itself may be smaller.
        operations.push(json!({ "op": "remove", "path": "/data" }));
        let (found, answer) = patch(&server, &operations).await;
        assert_eq!(found, code, "{len}: {}", answer["message"]);
    }
}

/// Covers each operation that can move a value deeper. Reading or dropping any of the results would
/// overflow the stack.
#[tokio::test]
async fn a_json_patch_that_nests_without_end_is_rejected() {
    let server = server().await;
    put(&server, "a");
    let at = |levels: usize| format!("/data{}", "/n".repeat(levels));
    let nested = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({ "n": inner }));
    let start = |levels| json!({ "op": "add", "path": "/data", "value": nested(levels) });

    // Doubles the depth: 1, 2, 4, .. levels below `/data`.
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

/// Server-side apply reads YAML like the files.
#[tokio::test]
async fn yaml_of_an_apply_is_read_as_kubectl_reads_it() {
    let server = server().await;
    let document =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {on: x, 010: w, on: z}\n";
    let (code, answer) = apply(&server, MAP, document).await;
    assert_eq!(code, 201, "{answer}");
    assert_eq!(answer["data"], json!({ "true": "z", "8": "w" }));
}

/// Nine lists, each of nine aliases of the previous one: half a billion strings, from one kilobyte.
#[tokio::test]
async fn aliases_of_yaml_do_not_multiply() {
    let server = server().await;
    let mut document = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let alias = format!("*a{}, ", level - 1).repeat(9);
        writeln!(document, "a{level}: &a{level} [{alias}]").unwrap();
    }
    let (code, answer) = apply(&server, MAP, &document).await;
    assert_eq!(
        (code, &answer["reason"]),
        (400, &json!("BadRequest")),
        "{answer}"
    );
    let message = answer["message"].as_str().unwrap();
    assert!(message.starts_with("error decoding patch: "), "{message}");
}

/// A document that is deeper than the parser's limit is rejected, and so is one that is deeper than
/// what an object may store.
#[tokio::test]
async fn documents_that_nest_without_end_are_rejected() {
    let server = server().await;
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
    });
    let open = crd("Open", "Cluster", &json!([version]));
    server.control().create_direct(open).unwrap();
    let path = "/apis/example.com/v1/opens/o";
    for (levels, code) in [
        (100, 201),
        (119, 400),
        (124, 400),
        (300, 400),
        (100_000, 400),
    ] {
        let nested = format!("{}1{}", r#"{"x":"#.repeat(levels), "}".repeat(levels));
        let head = r#""apiVersion":"example.com/v1","kind":"Open","metadata":{"name":"o"}"#;
        let open = format!("{{{head},\"spec\":{nested}}}");
        let (found, answer) = apply(&server, path, &open).await;
        assert_eq!(found, code, "{levels}: {answer}");
        assert_eq!(get(&server, path).await.1["metadata"]["name"], "o");
    }
    let refused = (400, &json!("BadRequest"));
    for levels in [200, 100_000] {
        let nested = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let map = format!(r#"{{"metadata":{{"name":"a"}},"data":{nested}}}"#);
        let request = Request::post(MAPS).header("content-type", "application/json");
        let request = request.body(map.into_bytes()).unwrap();
        let (code, answer) = send(&server, request).await;
        assert_eq!((code, &answer["reason"]), refused, "{levels}");
        let (code, answer) = apply(&server, MAP, &format!("data: {nested}")).await;
        assert_eq!((code, &answer["reason"]), refused, "{levels}");
    }
}

/// As many parameters as fit into the request line, which has 64 KiB at most.
#[tokio::test]
async fn ten_thousand_parameters_are_read() {
    let server = server().await;
    put(&server, "a");
    let many = "a=1&".repeat(10_000);
    let (code, list) = get(&server, &format!("{MAPS}?{many}limit=1")).await;
    assert_eq!((code, list["items"].as_array().unwrap().len()), (200, 1));
}

/// A selector is limited by the request line of 64 KiB. A longer line is rejected before a request
/// exists that a `Status` could answer.
#[tokio::test]
async fn a_selector_of_a_megabyte_is_rejected() {
    let server = server().await;
    let selector = format!("a in ({}b)", "b,".repeat(20_000));
    let selector: String = utf8_percent_encode(&selector, NON_ALPHANUMERIC).to_string();
    let head = |selector: &str| {
        format!("GET {MAPS}?labelSelector={selector} HTTP/1.1\r\nhost: localhost\r\n\r\n")
    };
    for (selector, expected) in [
        ("a+in+%28b%29", "200"),
        (&*selector, "414"),
        (&*selector.repeat(20), "431"),
    ] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        // The server may reject the request while it is being sent.
        let _ = stream.write_all(head(selector).as_bytes()).await;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer[9..], expected.as_bytes());
    }
    assert_eq!(get(&server, MAPS).await.0, 200);
}

/// Applies a document in YAML to the object at a path.
async fn apply(server: &ApiServer, path: &str, document: &str) -> (u16, Value) {
    let request = Request::patch(format!("{path}?fieldManager=me"))
        .header("content-type", "application/apply-patch+yaml");
    send(server, request.body(document.as_bytes().to_vec()).unwrap()).await
}

/// Returns the `Status` of a JSON patch that does not apply.
fn inapplicable() -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "the server rejected our request due to an error in our request",
        "reason": "Invalid", "details": {}, "code": 422,
    })
}
