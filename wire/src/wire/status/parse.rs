//! Parses a status from the response of a server, or of a proxy in front of it.

use std::time::Duration;

use http::{HeaderMap, StatusCode, header};
use serde::Deserialize;

use super::{ApiStatus, StatusCause};
use crate::wire::text;

/// Maximum length of a message, in bytes.
const MAX_MESSAGE: usize = 1024;
/// Maximum length of a reason, in bytes.
const MAX_REASON: usize = 128;
/// Maximum length of a media type in a message, in bytes.
const MAX_MEDIA_TYPE: usize = 128;
/// Maximum number of causes.
const MAX_CAUSES: usize = 16;
/// Maximum delay that a server can request.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60 * 60);

/// `meta/v1.Status`, parsed leniently: every part may be missing or null.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    kind: Option<String>,
    api_version: Option<String>,
    code: Option<i64>,
    reason: Option<String>,
    message: Option<String>,
    details: Option<Details>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    causes: Option<Vec<Cause>>,
    retry_after_seconds: Option<i64>,
}

#[derive(Deserialize)]
struct Cause {
    reason: Option<String>,
    message: Option<String>,
}

// === impl ApiStatus ===

impl ApiStatus {
    /// Parses the response to a failed request: a `Status` in JSON or protobuf, or any other body.
    ///
    /// Other bodies are not quoted, because a proxy may echo a request with its token, or return an
    /// object. The message is then derived from the code, and states the length and the media type
    /// of the body.
    #[must_use]
    pub fn from_response(code: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let mut status = parse(body).unwrap_or_else(|| Self {
            message: describe(code, headers, body.trim_ascii()),
            ..Self::default()
        });
        // The status line takes precedence: a Status may lack a code, or a proxy may have changed
        // it.
        status.code = code.as_u16();
        if status.message.is_empty() {
            status.message = describe(code, headers, b"");
        }
        status.retry_after = status.retry_after.or_else(|| retry_after_header(headers));
        status
    }

    /// Parses the object of an ERROR event.
    #[must_use]
    pub fn from_error_event(object: &[u8]) -> Self {
        parse(object).unwrap_or_else(|| {
            let code = StatusCode::INTERNAL_SERVER_ERROR.as_u16();
            Self::new(code, "", "an ERROR event without a Status")
        })
    }
}

/// Describes a failure whose `body` is not a `Status`.
fn describe(code: StatusCode, headers: &HeaderMap, body: &[u8]) -> String {
    let reason = code.canonical_reason().unwrap_or("unknown error");
    if body.is_empty() {
        return reason.to_owned();
    }
    let media_type = media_type(headers).unwrap_or("an unknown type");
    let length = body.len();
    format!("{reason}: the body is {length} bytes of {media_type}, not a Status")
}

/// Returns the media type of the headers without its parameters, if it is well formed.
fn media_type(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let media_type = value.split(';').next()?.trim();
    let (main, sub) = media_type.split_once('/')?;
    let is_name = |name: &str| {
        let mut bytes = name.bytes();
        !name.is_empty() && bytes.all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    let is_well_formed = media_type.len() <= MAX_MEDIA_TYPE && is_name(main) && is_name(sub);
    is_well_formed.then_some(media_type)
}

fn parse(body: &[u8]) -> Option<ApiStatus> {
    let wire: Wire = if body.starts_with(&informer_protobuf::PREFIX) {
        informer_protobuf::from_slice(body).ok()?
    } else {
        serde_json::from_slice(body).ok()?
    };
    let is_status = wire.kind.as_deref() == Some("Status")
        && wire.api_version.is_none_or(|version| version == "v1");
    if !is_status {
        return None;
    }
    let (causes, retry_after) = wire.details.map_or((None, None), |details| {
        (details.causes, details.retry_after_seconds)
    });
    let causes = causes.unwrap_or_default().into_iter().take(MAX_CAUSES);
    Some(ApiStatus {
        code: wire
            .code
            .and_then(|code| u16::try_from(code).ok())
            .unwrap_or_default(),
        reason: shorten(wire.reason, MAX_REASON),
        message: shorten(wire.message, MAX_MESSAGE),
        causes: causes
            .map(|cause| StatusCause {
                reason: shorten(cause.reason, MAX_REASON),
                message: shorten(cause.message, MAX_MESSAGE),
            })
            .collect(),
        retry_after: retry_after
            .and_then(|seconds| u64::try_from(seconds).ok())
            .and_then(wait),
    })
}

fn shorten(text: Option<String>, max: usize) -> String {
    text.map_or_else(String::new, |text| text::printable(&text, max))
}

/// Parses `Retry-After` in seconds. Ignores a date, which API servers do not send.
fn retry_after_header(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    wait(value.parse().unwrap_or(u64::MAX))
}

fn wait(seconds: u64) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(seconds).min(MAX_RETRY_AFTER))
}
