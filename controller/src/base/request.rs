//! [`within`]: the limit of a request.

use std::time::Duration;

use tokio::time::timeout;

/// Error of a request without an answer.
#[derive(Debug, thiserror::Error)]
#[error("no answer within {} s", .0.as_secs_f64())]
struct NoAnswer(Duration);

/// Awaits the answer to a request for a limited time: a proxy may swallow a request and keep the
/// connection open. Each request of this package is an argument of this function.
pub(crate) async fn within<T>(
    limit: Duration,
    request: impl Future<Output = kube::Result<T>>,
) -> kube::Result<T> {
    // kube's future of a request is large, and each function that it passes through holds it twice.
    match timeout(limit, Box::pin(request)).await {
        Ok(answer) => answer,
        Err(_) => Err(kube::Error::Service(Box::new(NoAnswer(limit)))),
    }
}
