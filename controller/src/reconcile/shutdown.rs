//! [`shutdown_signal`]: waits for a signal that ends the process.

use std::io;

use futures::FutureExt as _;
use futures::future::{self, BoxFuture, select_all};

/// Listens for SIGTERM, which Kubernetes sends to end a container, and for Ctrl-C, from the call on.
/// The returned future completes with the first of them.
///
/// Call it first thing in `main`: a container's process 1 ignores SIGTERM until something listens.
/// From then on, neither signal ends the process by default any more, not even a second one: the
/// program must end itself. A signal that arrives before the future is polled is not lost. If the
/// process cannot listen for a signal, the failure is logged, and that signal is ignored. The
/// counterpart is controller-runtime's `signals.SetupSignalHandler`.
///
/// # Panics
///
/// Panics if called outside a tokio runtime with I/O enabled, as tokio's signals do.
///
/// # Cancel safety
///
/// Dropping the future only ends the wait.
///
/// # Examples
///
/// ```
/// # async fn doc(factory: informer_runtime::SharedInformerFactory) {
/// # use informer_controller::shutdown_signal;
/// let shutdown = shutdown_signal();
/// tokio::select! {
///     synced = factory.wait_for_cache_sync() => println!("{synced:?}"),
///     () = shutdown => println!("shutting down"),
/// }
/// # }
/// ```
pub fn shutdown_signal() -> impl Future<Output = ()> + Send + 'static {
    select_all(listen()).map(drop)
}

#[cfg(unix)]
fn listen() -> [BoxFuture<'static, ()>; 2] {
    use tokio::signal::unix::{SignalKind, signal};

    [
        ("SIGTERM", SignalKind::terminate()),
        ("SIGINT", SignalKind::interrupt()),
    ]
    .map(|(name, kind)| match signal(kind) {
        Ok(mut signal) => async move { _ = signal.recv().await }.boxed(),
        Err(error) => never(name, &error),
    })
}

#[cfg(windows)]
fn listen() -> [BoxFuture<'static, ()>; 1] {
    [match tokio::signal::windows::ctrl_c() {
        Ok(mut signal) => async move { _ = signal.recv().await }.boxed(),
        Err(error) => never("Ctrl-C", &error),
    }]
}

fn never(signal: &str, error: &io::Error) -> BoxFuture<'static, ()> {
    tracing::error!(signal, %error, "cannot listen for this signal");
    future::pending().boxed()
}

#[cfg(all(test, unix))]
mod tests;
