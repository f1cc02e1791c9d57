//! Reviews of permissions and identities: they are answered and not stored.

use http::{Response, StatusCode};

use super::call::{HttpCall, json_document};
use super::options::write_options;
use crate::auth::reviews::{self, Reviewer};
use crate::http::negotiate::form;
use crate::http::response::{AnswerBody, document};
use crate::registry::target::RequestTarget;
use crate::shared::Shared;
use crate::status::ApiError;

/// Answers a review.
pub(super) fn review(
    shared: &Shared,
    target: &RequestTarget,
    call: &HttpCall,
) -> Result<Response<AnswerBody>, ApiError> {
    let (_, encoding) = form(&call.headers, true)?;
    let question = json_document(call)?;
    let options = write_options(shared, target, call, "CreateOptions")?;
    let forbidden = shared.switches().forbidden.clone();
    let state = shared.state();
    let reviewer = Reviewer {
        state: &state,
        forbidden: &forbidden,
        access: shared.access.as_ref(),
        user: &call.user,
    };
    let outcome = reviews::answer(&reviewer, target, question, options)?;
    drop(state);
    Ok(document(StatusCode::CREATED, &outcome, encoding))
}
