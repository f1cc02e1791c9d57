//! Responses that are neither lists nor watches: failures and discovery.

use std::error::Error as _;
use std::fmt::Write as _;

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use serde_json::Value;

use informer_runtime::wire::ApiStatus;
use informer_runtime::{GroupVersionResource, Scope, SharedInformerFactory};

use crate::mark;

/// Checks the response to a failed request: its status is bounded, and quotes only a `Status`.
pub fn api_status(input: &[u8]) {
    let (code, headers, body) = answer(input);
    let status = ApiStatus::from_response(code, &headers, body);
    assert_eq!(status.code, code.as_u16());
    assert!(!status.message.is_empty());
    is_bounded(&status);
    let event = ApiStatus::from_error_event(body);
    is_bounded(&event);
    assert!(event.reason.is_empty() || event.reason == status.reason);

    let object = serde_json::from_slice::<Value>(body).ok();
    // Decoders skip members that no field reads, whatever their content.
    let lossy = String::from_utf8_lossy(body);
    let is_status =
        serde_json::from_str::<Value>(&lossy).is_ok_and(|object| object["kind"] == "Status");
    if let Some(Ok(bytes)) = object.as_ref().map(informer_protobuf::encode) {
        let protobuf = ApiStatus::from_response(code, &headers, &bytes);
        if is_status {
            assert_eq!(protobuf, status);
        }
    }
    let marked = match &object {
        Some(object) => mark::object(object).to_string(),
        None => mark::text(&lossy),
    };
    if !is_status {
        let status = ApiStatus::from_response(code, &headers, marked.as_bytes());
        mark::is_absent_from(&format!("{status} {status:?}"));
    }
}

/// Checks the response to discovery: the resource agrees with the response, and an error is
/// bounded.
pub fn discovery(input: &[u8]) {
    let (code, headers, body) = answer(input);
    let document = serde_json::from_slice::<Value>(body).ok();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    for (group, resource) in [("", "pods"), ("example.com", "foos")] {
        let requested = GroupVersionResource {
            group: group.to_owned(),
            version: "v1".to_owned(),
            resource: resource.to_owned(),
        };
        let found = runtime.block_on(async {
            let client = answering(code, &headers, body);
            let factory = SharedInformerFactory::builder(client).build();
            factory.expect("a factory").discover(&requested).await
        });
        match found {
            Ok(info) => {
                let document = document.as_ref().expect("the response is JSON");
                let served = document["resources"].as_array().into_iter().flatten();
                let mut served = served.filter(|served| served["name"] == resource);
                let served = served.next().expect("the resource is listed");
                assert_eq!(info.api_resource.kind, served["kind"]);
                assert_eq!(info.api_resource.plural, resource);
                assert_eq!(info.api_resource.group, group);
                let is_namespaced = info.scope == Scope::Namespaced;
                // As in Go, a missing value is `false`.
                assert_eq!(is_namespaced, served["namespaced"] == true);
                let verbs = served["verbs"].as_array().expect("the resource has verbs");
                assert!(
                    ["list", "watch"]
                        .iter()
                        .all(|verb| verbs.contains(&(*verb).into()))
                );
            }
            Err(error) => {
                let mut text = error.to_string();
                let mut source = error.source();
                while let Some(error) = source {
                    let _ = write!(text, ": {error}");
                    source = error.source();
                }
                assert!(text.len() <= MAX_ERROR, "{} bytes: {text}", text.len());
                assert!(!text.chars().any(char::is_control), "{text:?}");
            }
        }
    }
}

/// Maximum length of an error of discovery, in bytes.
const MAX_ERROR: usize = 4 << 10;

/// Parses an input in the form of a response: a code, headers, an empty line, a body.
fn answer(input: &[u8]) -> (StatusCode, HeaderMap, &[u8]) {
    let mut code = StatusCode::OK;
    let mut headers = HeaderMap::new();
    let mut rest = input;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let (line, tail) = rest.split_at(end);
        rest = tail.get(1..).unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        match line.split_once(": ") {
            Some((name, value)) => {
                let name = HeaderName::try_from(name);
                if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value)) {
                    headers.append(name, value);
                }
            }
            None if line.is_empty() => break,
            None => code = line.parse().unwrap_or(code),
        }
    }
    (code, headers, rest)
}

fn is_bounded(status: &ApiStatus) {
    assert!(status.message.len() <= 1024 && status.reason.len() <= 128);
    assert!(status.causes.len() <= 16);
    for cause in &status.causes {
        assert!(cause.message.len() <= 1024 && cause.reason.len() <= 128);
    }
    let seconds = status.retry_after.map_or(1, |wait| wait.as_secs());
    assert!((1..=3600).contains(&seconds), "{seconds}");
    let text = format!("{status} {status:?}");
    assert!(!text.chars().any(char::is_control), "{text:?}");
}

/// Creates a client whose requests all get this response.
fn answering(code: StatusCode, headers: &HeaderMap, body: &[u8]) -> Client {
    let mut answer = Response::new(());
    *answer.status_mut() = code;
    *answer.headers_mut() = headers.clone();
    let body = body.to_vec();
    let service = tower::service_fn(move |_| {
        let answer = answer.clone().map(|()| Body::from(body.clone()));
        async { Ok::<_, std::convert::Infallible>(answer) }
    });
    Client::new(service, "default")
}
