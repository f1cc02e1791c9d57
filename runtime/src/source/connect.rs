//! [`connect`]: creates a client for informers.

use kube::{Client, Config};

/// Creates a client for an API server that reports all errors to informers.
///
/// kube's default client retries on 429, 503 and 504 by itself, below the informer. The informer's
/// backoff, metrics and error handler then do not see these errors. This client does not retry;
/// otherwise it is the same.
///
/// # Errors
///
/// Fails if the configuration is invalid: a bad certificate, or missing TLS support. The function
/// does not contact the server.
pub fn connect(mut config: Config) -> Result<Client, kube::Error> {
    config.default_retry = false;
    Client::try_from(config)
}
