//! Kinds of faults.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize};

/// A fault of a request, or an incident on the server that a request triggers.
///
/// The JSON form is a part of a [`FaultScript`](crate::FaultScript): `{"cutAfter": 700}`,
/// `"compact"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Fault {
    /// Answers with a `Status` of kind `Failure`; the request is not executed.
    Status {
        /// HTTP status code, for example 500.
        code: u16,
        /// Machine-readable reason, for example `InternalError`.
        reason: String,
        /// Human-readable message.
        #[serde(default)]
        message: String,
        /// Seconds, sent as `details.retryAfterSeconds` and as the header `Retry-After`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<u32>,
    },
    /// Answers with the given bytes, for example a proxy's error page; the request is not executed.
    Raw {
        /// HTTP status code.
        code: u16,
        /// Header `Content-Type`.
        content_type: String,
        /// Complete body.
        #[serde(serialize_with = "<[u8]>::serialize", deserialize_with = "read_bytes")]
        body: Bytes,
    },
    /// Sends no response until the client gives up or the server shuts down; the request is not
    /// executed.
    Stall,
    /// Executes the request, but stops the body after this many bytes and keeps the connection
    /// open. [`Control::disconnect_watches`](crate::Control::disconnect_watches) breaks the
    /// connection of a stalled watch.
    StallAfter(u64),
    /// Executes the request, but breaks the connection after this many bytes of the body.
    CutAfter(u64),
    /// Executes the request, but ends the body cleanly after this many bytes.
    TruncateAfter(u64),
    /// Executes the request after this time.
    Delay(Duration),
    /// Executes the request, but sends the body in small pieces, as over a slow network.
    Slow {
        /// Maximum number of bytes in a piece, at least one.
        bytes: usize,
        /// Pause before each piece.
        pause: Duration,
    },
    /// Executes the watch without its first bookmarks, as many as given; the bookmark that ends the
    /// initial events counts as well.
    LoseBookmarks(usize),
    /// Executes the watch, but sends each of its first events, as many as given, twice.
    DuplicateEvents(usize),
    /// Executes the watch, but ends it cleanly after this many events, even if further events are
    /// pending.
    CloseAfter(usize),
    /// Executes the watch, but ends it after this many events with an `ERROR` event of code 410, as
    /// a server does that cannot continue from that position.
    ExpireAfter(usize),
    /// Executes the request, but makes the first objects in the response, as many as given,
    /// undecodable. In JSON, their `metadata.labels` is a number; in protobuf, they are truncated
    /// after their content. The surrounding list or event stays well formed, and the stored objects
    /// do not change. The server buffers the body, unless the request is a watch. An error response
    /// is not changed.
    Undecodable(usize),
    /// Discards the event log as [`Control::compact`](crate::Control::compact) does, then executes
    /// the request.
    Compact,
    /// Rewinds the state by this many versions as [`Control::rewind_to`](crate::Control::rewind_to)
    /// does, or as far as possible, then executes the request.
    Rewind(u64),
    /// Breaks the connections of all running watches, then executes the request.
    DisconnectWatches,
    /// Ends all running watches cleanly, then executes the request.
    CloseWatches,
    /// Shifts the server's clock by this many seconds, as
    /// [`Control::set_clock_skew`](crate::Control::set_clock_skew) does, then executes the request.
    /// The shift stays in effect.
    ClockSkew(i64),
}

// === impl Fault ===

impl Fault {
    /// Creates a [`Fault::Status`] without `Retry-After`.
    #[must_use]
    pub fn status(code: u16, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Status {
            code,
            reason: reason.into(),
            message: message.into(),
            retry_after: None,
        }
    }
}

fn read_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
    Vec::<u8>::deserialize(deserializer).map(Bytes::from)
}
