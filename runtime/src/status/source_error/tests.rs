use super::*;

#[derive(Debug, thiserror::Error)]
#[error("wrapped")]
struct Wrapped(#[source] io::Error);

/// R-09, E-14.
#[test]
fn r09_a_refused_connection_is_recognised_however_deep() {
    let refused = || io::Error::from(ErrorKind::ConnectionRefused);
    for error in [
        SourceError::from_transport(refused()),
        SourceError::from_transport(Wrapped(refused())),
        SourceError::from_transport(Wrapped(io::Error::other(refused()))),
        SourceError::from_transport(io::Error::other(Wrapped(io::Error::other(refused())))),
    ] {
        assert!(
            matches!(error, SourceError::ConnectionRefused(_)),
            "{error:?}"
        );
        assert!(error.source().is_some());
    }
    let other = SourceError::from_transport(Wrapped(ErrorKind::TimedOut.into()));
    assert!(matches!(other, SourceError::Transport(_)));
}

#[test]
fn e11_an_unexpected_end_is_recognised_when_wrapped() {
    let eof = io::Error::from(ErrorKind::UnexpectedEof);
    assert!(SourceError::from_transport(Wrapped(eof)).is_unexpected_eof());
    assert!(SourceError::Truncated { bytes: 7 }.is_unexpected_eof());
    let reset = io::Error::from(ErrorKind::ConnectionReset);
    assert!(!SourceError::from_transport(reset).is_unexpected_eof());
}

/// E-14, E-09.
#[test]
fn e14_a_status_keeps_code_reason_and_wait() {
    let error = SourceError::from(ApiStatus {
        retry_after: Some(Duration::from_secs(9)),
        ..ApiStatus::new(429, "TooManyRequests", "busy")
    });
    assert_eq!(error.to_string(), "busy (HTTP 429, TooManyRequests)");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(9)));
    assert!(error.is_too_many_requests() && !error.is_expired());
    assert!(!SourceError::Truncated { bytes: 1 }.is_too_many_requests());
}
