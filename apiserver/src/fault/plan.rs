//! What is to go wrong with one request.

use http::{Response, StatusCode, header};

use super::{Fault, spoil};
use crate::control::Control;
use crate::http::negotiate::Encoding;
use crate::http::response::{Body, Cut, full, status_response};
use crate::registry::target::Verb;
use crate::shared::Shared;
use crate::status::ApiError;

/// The faults of one request, in the order in which they work.
#[derive(Debug)]
pub(crate) struct Plan {
    verb: Verb,
    faults: Vec<Fault>,
}

// === impl Plan ===

impl Plan {
    pub(super) fn new(verb: Verb, mut faults: Vec<Fault>) -> Self {
        // What reads events must have them whole.
        faults.sort_by_key(Fault::order);
        Self { verb, faults }
    }

    /// What happens before the request is carried out; an answer, if it is not to be.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "each step is about a few faults"
    )]
    pub(crate) async fn before(
        &self,
        control: &Control,
        shared: &Shared,
        encoding: Encoding,
    ) -> Result<Option<Response<Body>>, Cut> {
        for fault in &self.faults {
            fault.strike(control);
        }
        for fault in &self.faults {
            match fault {
                Fault::Stall => {
                    shared.shutdown.cancelled().await;
                    return Err(Cut);
                }
                Fault::Delay(time) => tokio::select! {
                    () = tokio::time::sleep(*time) => {}
                    () = shared.shutdown.cancelled() => return Err(Cut),
                },
                _ => {}
            }
        }
        Ok(self.faults.iter().find_map(|fault| fault.answer(encoding)))
    }

    /// What becomes of the answer.
    pub(crate) fn after(self, mut response: Response<Body>) -> Response<Body> {
        for fault in &self.faults {
            response = fault.spoil(self.verb, response);
        }
        response
    }
}

// === impl Fault ===

impl Fault {
    /// Whole events first, bytes then, their pace at last.
    fn order(&self) -> u8 {
        match self {
            Self::LoseBookmarks(_) | Self::Undecodable(_) => 0,
            Self::DuplicateEvents(_) => 1,
            Self::CloseAfter(_) | Self::ExpireAfter(_) => 2,
            Self::StallAfter(_) | Self::CutAfter(_) | Self::TruncateAfter(_) => 3,
            Self::Slow { .. } => 4,
            Self::Status { .. }
            | Self::Raw { .. }
            | Self::Stall
            | Self::Delay(_)
            | Self::Compact
            | Self::Rewind(_)
            | Self::DisconnectWatches
            | Self::CloseWatches
            | Self::ClockSkew(_) => 5,
        }
    }

    /// Does to the server what this fault does when the request comes.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "each step is about a few faults"
    )]
    fn strike(&self, control: &Control) {
        match self {
            Self::Compact => control.compact(),
            Self::Rewind(versions) => control.rewind_by(*versions),
            Self::DisconnectWatches => control.disconnect_watches(),
            Self::CloseWatches => control.close_watches(),
            Self::ClockSkew(seconds) => control.set_clock_skew(*seconds),
            _ => {}
        }
    }

    /// The answer that replaces the request's own, if this fault does that.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "each step is about a few faults"
    )]
    fn answer(&self, encoding: Encoding) -> Option<Response<Body>> {
        match self {
            Self::Status {
                code,
                reason,
                message,
                retry_after,
            } => {
                let mut error = ApiError::new(status(*code), reason.clone(), message.clone());
                if let Some(seconds) = retry_after {
                    error = error.with_retry_after(*seconds);
                }
                Some(status_response(&error, encoding))
            }
            Self::Raw {
                code,
                content_type,
                body,
            } => {
                let mut response = full(status(*code), body.clone());
                if let Ok(value) = content_type.parse() {
                    response.headers_mut().insert(header::CONTENT_TYPE, value);
                }
                Some(response)
            }
            _ => None,
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "each step is about a few faults"
    )]
    fn spoil(&self, verb: Verb, response: Response<Body>) -> Response<Body> {
        let (mut parts, body) = response.into_parts();
        let watch = verb == Verb::Watch && parts.status == StatusCode::OK;
        let body = match self {
            Self::StallAfter(bytes) => spoil::stall_after(body, *bytes),
            Self::CutAfter(bytes) => spoil::cut_after(body, *bytes),
            Self::TruncateAfter(bytes) => spoil::truncate_after(body, *bytes),
            Self::Slow { bytes, pause } => spoil::slow(body, (*bytes).max(1), *pause),
            Self::LoseBookmarks(count) if watch => spoil::without_bookmarks(body, *count),
            Self::DuplicateEvents(count) if watch => spoil::with_duplicates(body, *count),
            Self::CloseAfter(count) if watch => spoil::ended_after(body, *count, None),
            Self::ExpireAfter(count) if watch => {
                let last = spoil::expired(Encoding::of_answer(&parts.headers));
                spoil::ended_after(body, *count, Some(last))
            }
            Self::Undecodable(count) if watch => {
                spoil::undecodable_events(body, *count, Encoding::of_answer(&parts.headers))
            }
            Self::Undecodable(count) if parts.status.is_success() => {
                spoil::undecodable_objects(body, *count, Encoding::of_answer(&parts.headers))
            }
            _ => return Response::from_parts(parts, body),
        };
        parts.headers.remove(header::CONTENT_LENGTH);
        Response::from_parts(parts, body)
    }
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
