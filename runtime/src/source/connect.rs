//! [`connect`]: creates a client for informers.

use kube::{Client, Config};

#[cfg(feature = "http2")]
mod http2;

/// Creates a client for an API server that reports all errors to informers.
///
/// kube's default client retries on 429, 503 and 504 by itself, below the informer. The informer's
/// backoff, metrics and error handler then do not see these errors. This client does not retry.
///
/// With TLS it negotiates HTTP/2, if feature `http2` is enabled and no proxy is configured: up to
/// 100 requests and watches share one connection, where HTTP/1 needs a connection for each watch. A
/// watch that is not read delays no other. Dead connections are found within 45 seconds: by pings, and
/// without TLS or with a server that speaks only HTTP/1, by TCP's keep-alive. All requests share one
/// attempt to connect, and attempts that fail are at least 200 ms apart, so that many informers do not
/// besiege a server that just starts. `kube::Client` itself speaks HTTP/1, without keep-alive: for that,
/// set `default_retry` to `false` and call `Client::try_from`. This function does so with a proxy and
/// without the feature, where a dead connection is found after 3 minutes, by the silence of the watch.
///
/// # Errors
///
/// Fails if the configuration is invalid: a bad certificate, or missing TLS support. The function
/// does not contact the server.
pub fn connect(mut config: Config) -> Result<Client, kube::Error> {
    config.default_retry = false;
    #[cfg(feature = "http2")]
    if config.proxy_url.is_none() {
        return http2::client(&config);
    }
    Client::try_from(config)
}
