//! Property: every request is answered, an error is a `Status`, and the store can still be listed.
//!
//! An input is read as a sentence of a small grammar: a method, a path, a query, a content type and
//! a body, one a line. Each part is a word of its table, selected by its index (`#3`), or literal
//! text; so mutated bytes select other words as often as they produce other texts.

use std::cell::RefCell;
use std::time::Duration;

use informer_apiserver::ApiServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// Words that an index after `#` selects.
const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

const PATHS: &[&str] = &[
    "/api/v1/namespaces/default/configmaps",
    "/api/v1/namespaces/default/configmaps/a",
    "/api/v1/configmaps",
    "/api/v1/namespaces/default/secrets",
    "/api/v1/namespaces/default/events/a",
    "/apis/events.k8s.io/v1/namespaces/default/events",
    "/apis/apps/v1/namespaces/default/deployments/a/scale",
    "/apis/apps/v1/namespaces/default/deployments/a/status",
    "/apis/apps/v1/namespaces/default/deployments",
    "/api/v1/namespaces/default/pods/a/eviction",
    "/api/v1/namespaces/default/serviceaccounts/a/token",
    "/api/v1/namespaces/a",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/apis/authentication.k8s.io/v1/tokenreviews",
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    "/apis/coordination.k8s.io/v1/namespaces/default/leases/a",
    "/openapi/v3/api/v1",
    "/apis",
    "/version",
    "/",
];

const TYPES: &[&str] = &[
    "application/json",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/vnd.kubernetes.protobuf",
    "text/plain",
];

const OBJECT: &str =
    r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}"#;

/// Maximum response to an input of 32 KiB; the largest `OpenAPI` document is shorter.
const MAX_ANSWER: usize = 8 << 20;

/// Timeout of a response; a watch is not read to its end.
const PATIENCE: Duration = Duration::from_secs(20);

struct World {
    runtime: Runtime,
    server: ApiServer,
}

thread_local! {
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

/// Checks the property.
pub fn server(input: &[u8]) {
    WORLD.with_borrow_mut(|world| {
        let world = world.get_or_insert_with(start);
        world.runtime.block_on(ask(&world.server, input));
    });
}

fn start() -> World {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("the runtime starts");
    // A small window, so that earlier writes do not accumulate.
    let server = ApiServer::builder().event_window(100).start();
    let server = runtime.block_on(server).expect("the server starts");
    World { runtime, server }
}

async fn ask(server: &ApiServer, input: &[u8]) {
    let mut parts = input.splitn(5, |byte| *byte == b'\n');
    let mut part = || parts.next().unwrap_or_default();
    let method = line(word(part(), METHODS));
    let path = line(word(part(), PATHS));
    let query = line(part());
    let content_type = line(word(part(), TYPES));
    let body = match part() {
        b"#" => OBJECT.as_bytes(),
        body => body,
    };
    let target = if query.is_empty() {
        path
    } else {
        format!("{path}?{query}")
    };
    let (code, answer) = send(server, &method, &target, &content_type, body).await;
    assert!((200..600).contains(&code), "{code}");
    assert!(answer.len() <= MAX_ANSWER, "{} bytes", answer.len());
    // A request that violates HTTP is rejected below this server; an unknown path is answered with
    // a page.
    let is_status = String::from_utf8_lossy(&answer).contains("\"Status\"");
    let is_page = answer.is_empty() || answer.starts_with(b"404 page not found");
    assert!(
        code < 400 || is_status || is_page,
        "{code} {}",
        answer.escape_ascii()
    );
    let (code, list) = send(server, "GET", "/api/v1/configmaps", "", b"").await;
    assert_eq!(code, 200);
    assert!(list.starts_with(b"{\"kind\":\"ConfigMapList\""));
}

/// Returns the selected word of the table, or the text itself.
fn word<'a>(text: &'a [u8], table: &'a [&'a str]) -> &'a [u8] {
    let number = text
        .strip_prefix(b"#")
        .and_then(|number| std::str::from_utf8(number).ok());
    let number: Option<usize> = number.and_then(|number| number.parse().ok());
    match number.and_then(|number| table.get(number % table.len())) {
        Some(word) => word.as_bytes(),
        None => text,
    }
}

/// Removes the bytes that must not occur in the head of a request.
fn line(text: &[u8]) -> String {
    let is_fit = |byte: &&u8| byte.is_ascii_graphic() && **byte != b'#';
    text.iter()
        .filter(is_fit)
        .map(|byte| char::from(*byte))
        .collect()
}

/// Sends a request and reads the response: its code, and its body unless it is a watch.
async fn send(
    server: &ApiServer,
    method: &str,
    target: &str,
    content_type: &str,
    body: &[u8],
) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(server.address())
        .await
        .expect("the server accepts connections");
    let method = if method.is_empty() { "GET" } else { method };
    let slash = if target.starts_with('/') { "" } else { "/" };
    let head = format!(
        "{method} {slash}{target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: {content_type}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    // The server may close the connection of a rejected request while it is being sent.
    let _ = stream.write_all(&[head.as_bytes(), body].concat()).await;
    let mut answer = Vec::new();
    let is_watch = target.contains("watch");
    let read = async {
        let mut block = vec![0; 64 << 10];
        while let Ok(count @ 1..) = stream.read(&mut block).await {
            answer.extend_from_slice(&block[..count]);
            let is_read = is_watch && answer.windows(4).any(|window| window == b"\r\n\r\n");
            if is_read || answer.len() > 2 * MAX_ANSWER {
                break;
            }
        }
    };
    assert!(
        timeout(PATIENCE, read).await.is_ok(),
        "the response timed out"
    );
    let text = String::from_utf8_lossy(&answer);
    let code = text.split(' ').nth(1).and_then(|code| code.parse().ok());
    let code = code.unwrap_or_else(|| panic!("no answer to {method} {target}: {text:?}"));
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
    let mut body = answer.split_off(end.map_or(0, |end| end + 4).min(answer.len()));
    if String::from_utf8_lossy(&answer).contains("transfer-encoding: chunked") {
        body = unchunked(&body);
    }
    if is_watch && code == 200 {
        body.clear();
    }
    (code, body)
}

/// Joins the chunks of a body.
fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let length = std::str::from_utf8(&rest[..end]).ok();
        let length = length.and_then(|length| usize::from_str_radix(length, 16).ok());
        let Some(chunk) = length.and_then(|length| rest.get(end + 2..end + 2 + length)) else {
            break;
        };
        body.extend_from_slice(chunk);
        rest = rest.get(end + 4 + chunk.len()..).unwrap_or_default();
    }
    body
}
