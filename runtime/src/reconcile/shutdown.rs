//! [`shutdown_signal`]: when the process is asked to end.

use std::future::pending;
use std::io;

/// Ends when the process is asked to end: by SIGTERM, as Kubernetes ends a container, or by Ctrl-C.
///
/// Each call listens from its first poll on. Once there was a call, neither signal ends the process by
/// itself any more, a second one neither: see that what waits for this does end the program. A signal that
/// cannot be listened for is logged and never comes. The counterpart of controller-runtime's
/// `signals.SetupSignalHandler`.
///
/// # Panics
///
/// Polled outside a tokio runtime with I/O enabled, as tokio's own signals do.
///
/// # Cancel safety
///
/// Dropping the future loses nothing but the wait.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use informer::Workers;
///
/// let workers = Workers::new(4).graceful_shutdown_on(informer::shutdown_signal());
/// ```
pub async fn shutdown_signal() {
    tokio::select! {
        () = interrupt() => {}
        () = terminate() => {}
    }
}

async fn interrupt() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        never("SIGINT", &error).await;
    }
}

#[cfg(unix)]
async fn terminate() {
    use tokio::signal::unix::{SignalKind, signal};

    match signal(SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(error) => never("SIGTERM", &error).await,
    }
}

#[cfg(not(unix))]
async fn terminate() {
    pending::<()>().await;
}

async fn never(signal: &str, error: &io::Error) {
    tracing::error!(signal, %error, "this signal cannot be listened for");
    pending::<()>().await;
}
