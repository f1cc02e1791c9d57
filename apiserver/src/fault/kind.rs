//! What can go wrong.

use std::time::Duration;

use bytes::Bytes;

/// What goes wrong with a request, or happens to the server when it comes.
///
/// Written as text it is one line of a [`FaultScript`](crate::FaultScript): `cut 700`, `status 503 ServiceUnavailable`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The answer is a `Status` of kind `Failure`; nothing is done.
    Status {
        /// HTTP status code, for example 500.
        code: u16,
        /// Machine-readable reason, for example `InternalError`.
        reason: String,
        /// The sentence for people.
        message: String,
        /// Seconds, sent as `details.retryAfterSeconds` and as the header `Retry-After`.
        retry_after: Option<u32>,
    },
    /// The answer is this, as it stands; nothing is done. A proxy's error page, for example.
    Raw {
        /// HTTP status code.
        code: u16,
        /// The header `Content-Type`.
        content_type: String,
        /// The whole body.
        body: Bytes,
    },
    /// No answer, until the client gives up or the server shuts down; nothing is done.
    Stall,
    /// The request is carried out, but the body stops after this many bytes and the connection
    /// stays open in silence. That of a watch breaks with
    /// [`Control::disconnect_watches`](crate::Control::disconnect_watches).
    StallAfter(u64),
    /// The request is carried out, but the connection breaks after this many bytes of the body.
    CutAfter(u64),
    /// The request is carried out, but the body ends cleanly after this many bytes.
    TruncateAfter(u64),
    /// The request is carried out, but only after this time.
    Delay(Duration),
    /// The request is carried out, but the body comes in drops: a slow page, a slow network.
    Slow {
        /// At most this many bytes at once, at least one.
        bytes: usize,
        /// The time before each drop.
        pause: Duration,
    },
    /// The watch is carried out, but its first bookmarks, as many as this, are left out; the one
    /// that ends the initial events counts as well.
    LoseBookmarks(usize),
    /// The watch is carried out, but each of its first events, as many as this, comes twice.
    DuplicateEvents(usize),
    /// The watch is carried out, but ends cleanly after this many events: the close overtakes
    /// whatever else had happened before it.
    CloseAfter(usize),
    /// The watch is carried out, but after this many events it ends with an `ERROR` event of code
    /// 410, as a server's does that cannot go on from there.
    ExpireAfter(usize),
    /// The request is carried out, but the first objects in its answer, as many as this, do not
    /// decode: in JSON their `metadata.labels` is a number, in protobuf they break off behind what
    /// they have; lists and events can be read all the same. What is stored stays good. The body is
    /// read whole, unless it is a watch's. A refusal stays as it is.
    Undecodable(usize),
    /// When the request comes, every event is forgotten, as by
    /// [`Control::compact`](crate::Control::compact). It is carried out then.
    Compact,
    /// When the request comes, everything goes back by so many versions, as by
    /// [`Control::rewind_to`](crate::Control::rewind_to), or as far as that goes. It is carried out
    /// then.
    Rewind(u64),
    /// When the request comes, the connections of all running watches break. It is carried out
    /// then.
    DisconnectWatches,
    /// When the request comes, all running watches end cleanly. It is carried out then.
    CloseWatches,
    /// From this request on the server's clock is wrong by so many seconds, as by
    /// [`Control::set_clock_skew`](crate::Control::set_clock_skew). It is carried out then.
    ClockSkew(i64),
}

// === impl Fault ===

impl Fault {
    /// A [`Fault::Status`] without `Retry-After`.
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
