//! A client fit for informers.

use kube::{Client, Config};

/// Connects to an API server with a client that hides no errors from informers.
///
/// kube's client tries again by itself on 429, 503 and 504, below the informer, whose backoff,
/// metrics and error handler then see nothing of it. This one does not; otherwise it is the same.
///
/// # Errors
///
/// The configuration does not make a client: a bad certificate, no TLS support compiled in, ...
/// Whether the server answers is found out later.
pub fn connect(mut config: Config) -> Result<Client, kube::Error> {
    config.default_retry = false;
    Client::try_from(config)
}
