//! [`shutdown_signal`]: waits for a signal that ends the process.

use std::future::pending;
use std::io;

/// Completes when the process receives SIGTERM, which Kubernetes sends to end a container, or
/// Ctrl-C.
///
/// Each call listens from its first poll on. After the first call, neither signal ends the process
/// by default any more, not even a second one: the program must end itself. If the process cannot
/// listen for a signal, the failure is logged, and that signal is ignored. The counterpart is
/// controller-runtime's `signals.SetupSignalHandler`.
///
/// # Panics
///
/// Panics if polled outside a tokio runtime with I/O enabled, as tokio's signals do.
///
/// # Cancel safety
///
/// Dropping the future only ends the wait.
///
/// # Examples
///
/// ```
/// # async fn doc() {
/// # use informer_controller::shutdown_signal;
/// shutdown_signal().await;
/// println!("shutting down");
/// # }
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
    tracing::error!(signal, %error, "cannot listen for this signal");
    pending::<()>().await;
}
