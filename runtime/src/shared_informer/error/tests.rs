use std::io;

use super::*;
use crate::status::SourceError;
use crate::wire::ApiStatus;

/// E-14: each cause can be downcast to its own type, at every level of the chain.
#[test]
fn e14_causes_can_be_downcast_at_every_level() {
    let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
    let failure = ReflectorError::List(SourceError::from_transport(refused));
    let cause = Arc::new(failure);
    let reason = Arc::from("enough");
    for error in [
        SyncError::Forbidden(Arc::clone(&cause)),
        SyncError::NotServed(Arc::clone(&cause)),
        SyncError::Unauthorized(Arc::clone(&cause)),
        SyncError::Invalid(Arc::clone(&cause)),
        SyncError::Malformed(Arc::clone(&cause)),
        SyncError::Timeout {
            after: Duration::ZERO,
            cause: Some(Arc::clone(&cause)),
        },
        SyncError::Cancelled {
            reason,
            cause: Some(cause),
        },
    ] {
        let failure = error.source().unwrap();
        assert!(
            failure.downcast_ref::<ReflectorError>().is_some(),
            "{error:?}"
        );
        let source = failure.source().unwrap();
        assert!(source.downcast_ref::<SourceError>().is_some());
        let io = source.source().unwrap().downcast_ref::<io::Error>();
        assert_eq!(io.unwrap().kind(), io::ErrorKind::ConnectionRefused);
    }
    assert!(SyncError::Stopped.source().is_none());
}

/// E-14: the message of the API server appears once in the chain.
#[test]
fn e14_a_status_is_one_line_of_the_chain() {
    let status = ApiStatus::new(403, "Forbidden", "no");
    let cause = Arc::new(ReflectorError::List(status.into()));
    let error = SyncError::Forbidden(cause);
    let text = "forbidden: grant `list` and `watch` on it: list failed: no (HTTP 403, Forbidden)";
    assert_eq!(crate::base::chain::Chain(&error).to_string(), text);
    assert_eq!(
        error.to_string(),
        text,
        "whoever prints it without its sources"
    );
}

/// E-14: a wait that ends names what failed last, and what to do about it.
#[test]
fn e14_a_wait_that_ends_names_the_last_failure() {
    let status = ApiStatus::new(404, "NotFound", "no");
    let cause = Some(Arc::new(ReflectorError::List(status.into())));
    let after = Duration::from_secs(7);
    let error = SyncError::Timeout { after, cause };
    let text = "not synced within 7 s: not served: is its CustomResourceDefinition installed?: \
                list failed: no (HTTP 404, NotFound)";
    assert_eq!(error.to_string(), text);
    assert_eq!(crate::base::chain::Chain(&error).to_string(), text);
}
