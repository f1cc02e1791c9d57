use std::time::Duration;

use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::json;

use super::*;

fn respond(code: u16, body: &str) -> ApiStatus {
    let code = StatusCode::from_u16(code).unwrap();
    ApiStatus::from_response(code, &HeaderMap::new(), body.as_bytes())
}

/// W-19, E-14.
#[test]
fn w19_a_status_keeps_code_reason_message_and_causes() {
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 504,
        "reason": "Timeout", "message": "Too\nlarge",
        "details": {"retryAfterSeconds": 1, "causes": [{"reason": "R", "message": "m"}, {}]}
    });
    let status = respond(504, &body.to_string());
    assert_eq!(status.to_string(), "Too\u{fffd}large (HTTP 504, Timeout)");
    assert_eq!(status.retry_after, Some(Duration::from_secs(1)));
    assert_eq!(status.causes[0].reason, "R");
    assert_eq!(status.causes[1], StatusCause::default());
}

/// W-19, W-20: a proxy may echo a request with its token, or return an object. `bodies.txt` has a
/// content type and a body on each line.
#[test]
fn w20_a_body_that_is_not_a_status_is_measured_and_never_quoted() {
    let respond = |code: u16, content_type: &'static str, body: &[u8]| {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        ApiStatus::from_response(StatusCode::from_u16(code).unwrap(), &headers, body)
    };
    for line in include_str!("bodies.txt").lines() {
        let (content_type, body) = line.split_once(" | ").unwrap();
        let body = body.replace("\\0", "\0");
        let status = respond(502, content_type, body.as_bytes());
        assert_eq!((status.code, status.reason.as_str()), (502, ""));
        let text = format!("{status} {status:?}");
        assert!(!text.contains("hunter2"), "{text}");
        let length = format!(" {} bytes of ", body.len());
        assert!(text.starts_with("Bad Gateway: the body is"), "{text}");
        assert!(text.contains(&length), "{text}");
    }
    assert_eq!(
        respond(503, "text/html; charset=utf-8", b"<html>").to_string(),
        "Service Unavailable: the body is 6 bytes of text/html, not a Status (HTTP 503)"
    );
}

#[test]
fn w19_an_answer_without_a_status_or_a_type_has_the_code() {
    assert_eq!(respond(503, "").message, "Service Unavailable");
    assert_eq!(respond(599, " \n").message, "unknown error");
    assert_eq!(
        respond(403, "null").message,
        "Forbidden: the body is 4 bytes of an unknown type, not a Status"
    );
    assert_eq!(respond(403, r#"{"kind":"Pod"}"#).code, 403);
    let bytes = ApiStatus::from_response(StatusCode::FORBIDDEN, &HeaderMap::new(), b"\xff\xfe");
    assert!(bytes.is_forbidden());
}

#[test]
fn e09_an_absurd_retry_after_is_capped() {
    let retry = |value: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static(value));
        ApiStatus::from_response(StatusCode::TOO_MANY_REQUESTS, &headers, b"").retry_after
    };
    assert_eq!(retry("7"), Some(Duration::from_secs(7)));
    assert_eq!(retry("999999999"), Some(Duration::from_secs(3600)));
    assert_eq!(
        retry("99999999999999999999999999"),
        Some(Duration::from_secs(3600))
    );
    for none in ["0", "-1", "", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"] {
        assert_eq!(retry(none), None, "{none}");
    }
    for (seconds, expected) in [(i64::MAX, Some(3600)), (-1, None), (30, Some(30))] {
        let body = json!({"kind": "Status", "details": {"retryAfterSeconds": seconds}});
        let status = respond(429, &body.to_string());
        assert_eq!(status.retry_after, expected.map(Duration::from_secs));
    }
}

#[test]
fn b06_expired_means_reason_expired_or_gone_or_code_410() {
    assert!(ApiStatus::new(410, "Expired", "").is_expired());
    assert!(ApiStatus::new(0, "Gone", "").is_expired());
    assert!(ApiStatus::new(410, "", "").is_expired());
    assert!(!ApiStatus::new(404, "NotFound", "").is_expired());
}

#[test]
fn b05_a_too_large_version_is_recognised_in_three_shapes() {
    let with_cause = |code, reason: &str, cause: &str, message: &str| ApiStatus {
        causes: vec![StatusCause {
            reason: cause.into(),
            message: message.into(),
        }],
        ..ApiStatus::new(code, reason, "")
    };
    for yes in [
        with_cause(504, "Timeout", "ResourceVersionTooLarge", ""),
        with_cause(504, "Timeout", "", "Too large resource version"),
        ApiStatus::new(504, "Timeout", "Too large resource version: 5, current: 3"),
        ApiStatus::new(504, "", "Too large resource version: 5, current: 3"),
    ] {
        assert!(yes.is_too_large_resource_version(), "{yes:?}");
    }
    for no in [
        ApiStatus::new(504, "Timeout", "slow"),
        ApiStatus::new(500, "InternalError", "Too large resource version: 5"),
        with_cause(500, "InternalError", "", "Too large resource version"),
    ] {
        assert!(!no.is_too_large_resource_version(), "{no:?}");
    }
}

/// E-13, R-14.
#[test]
fn e13_the_reason_decides_or_else_the_code() {
    assert!(ApiStatus::new(403, "Forbidden", "").is_forbidden());
    assert!(ApiStatus::new(403, "", "").is_forbidden());
    assert!(!ApiStatus::new(403, "Expired", "").is_forbidden());
    assert!(ApiStatus::new(404, "", "").is_not_found());
    assert!(ApiStatus::new(422, "Invalid", "").is_invalid());
    assert!(ApiStatus::new(429, "Other", "").is_too_many_requests());
    assert!(ApiStatus::new(0, "TooManyRequests", "").is_too_many_requests());
    let corrupt = ApiStatus::new(500, "StorageReadError", "");
    assert!(!corrupt.is_internal_error());
    assert!(ApiStatus::new(500, "InternalError", "").is_internal_error());
}

#[test]
fn an_error_event_gives_a_status_for_any_object() {
    let body = json!({"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"});
    let status = ApiStatus::from_error_event(body.to_string().as_bytes());
    assert!(status.is_expired());
    for odd in ["null", "{}", "7", "", r#"{"kind":"Pod"}"#] {
        assert_eq!(ApiStatus::from_error_event(odd.as_bytes()).code, 500);
    }
}
