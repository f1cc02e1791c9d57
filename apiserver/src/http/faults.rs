//! Application of faults to a request and its response.

use std::sync::Arc;

use http::{Response, StatusCode, header};

use super::negotiate::Encoding;
use super::response::{AnswerBody, ConnectionCut, full, status_response};
use super::spoil;
use crate::control::Control;
use crate::fault::watches::Watches;
use crate::fault::{Fault, FaultPlan};
use crate::registry::target::Verb;
use crate::shared::Shared;
use crate::status::ApiError;

/// Applies the faults that precede the request. Returns the response if a fault replaces the
/// execution.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each step handles few faults"
)]
pub(crate) async fn before(
    plan: &FaultPlan,
    control: &Control,
    shared: &Shared,
    encoding: Encoding,
) -> Result<Option<Response<AnswerBody>>, ConnectionCut> {
    for fault in &plan.faults {
        match fault {
            Fault::Compact => control.compact(),
            Fault::Rewind(versions) => control.rewind_by(*versions),
            Fault::DisconnectWatches => control.disconnect_watches(),
            Fault::CloseWatches => control.close_watches(),
            Fault::ClockSkew(seconds) => control.set_clock_skew(*seconds),
            Fault::Stall => {
                shared.shutdown.cancelled().await;
                return Err(ConnectionCut);
            }
            Fault::Delay(time) => tokio::select! {
                () = tokio::time::sleep(*time) => {}
                () = shared.shutdown.cancelled() => return Err(ConnectionCut),
            },
            Fault::Status {
                code,
                reason,
                message,
                retry_after,
            } => {
                let mut error = ApiError::new(status(*code), reason.clone(), message.clone());
                if let Some(seconds) = retry_after {
                    error = error.with_retry_after(*seconds);
                }
                return Ok(Some(status_response(&error, encoding)));
            }
            Fault::Raw {
                code,
                content_type,
                body,
            } => {
                let mut response = full(status(*code), body.clone());
                if let Ok(value) = content_type.parse() {
                    response.headers_mut().insert(header::CONTENT_TYPE, value);
                }
                return Ok(Some(response));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Applies the faults that change the response.
pub(crate) fn after(
    plan: &FaultPlan,
    mut response: Response<AnswerBody>,
    watches: &Arc<Watches>,
) -> Response<AnswerBody> {
    for fault in &plan.faults {
        response = spoil(fault, plan.verb, response, watches);
    }
    response
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each step handles few faults"
)]
fn spoil(
    fault: &Fault,
    verb: Verb,
    response: Response<AnswerBody>,
    watches: &Arc<Watches>,
) -> Response<AnswerBody> {
    let (mut parts, body) = response.into_parts();
    let watch = verb == Verb::Watch && parts.status == StatusCode::OK;
    let spoiled = match fault {
        Fault::StallAfter(bytes) => {
            spoil::stall_after(body, *bytes, watch.then(|| Arc::clone(watches)))
        }
        Fault::CutAfter(bytes) => spoil::cut_after(body, *bytes),
        Fault::TruncateAfter(bytes) => spoil::truncate_after(body, *bytes),
        Fault::Slow { bytes, pause } => spoil::slow(body, (*bytes).max(1), *pause),
        Fault::LoseBookmarks(count) if watch => spoil::without_bookmarks(body, *count),
        Fault::DuplicateEvents(count) if watch => spoil::with_duplicates(body, *count),
        Fault::CloseAfter(count) if watch => spoil::ended_after(body, *count, None),
        Fault::ExpireAfter(count) if watch => {
            let last = spoil::expired(Encoding::of_answer(&parts.headers));
            spoil::ended_after(body, *count, Some(last))
        }
        Fault::Undecodable(count) if watch => {
            spoil::undecodable_events(body, *count, Encoding::of_answer(&parts.headers))
        }
        Fault::Undecodable(count) if parts.status.is_success() => {
            spoil::undecodable_objects(body, *count, Encoding::of_answer(&parts.headers))
        }
        _ => return Response::from_parts(parts, body),
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, spoiled)
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
