//! [`RetryWatcher`]: executes the decisions of the [`Machine`].

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use futures::stream::FusedStream;
use futures::{FutureExt as _, Stream, StreamExt as _};
use tokio::time::{Instant, Sleep, sleep_until};

use super::error::{NoResourceVersion, RetryWatchError};
use super::machine::{Machine, Reaction};
use crate::object::ResourceVersion;
use crate::source::{ListerWatcher, WatchStream};
use crate::status::SourceError;
use crate::wire::RawEvent;

/// Stream of watch events that resumes a lost or closed watch from the last version it has seen.
///
/// Yields added, modified, deleted and rejected events in the API server's order, each version
/// once. Bookmarks only advance the version. A watch is started at most once per second, or later
/// if the API server requests a longer pause. The stream ends with an error if the version has
/// expired (410, as a response or as an event) or if access is denied (401, 403). It retries all
/// other failures without limit, so the caller must bound it.
///
/// Dropping the stream cancels the request. No task runs in the background: the stream reads only
/// when polled.
///
/// # Examples
///
/// ```
/// # use std::sync::Arc;
/// # use futures::StreamExt;
/// # use informer_runtime::ResourceVersion;
/// # use informer_runtime::tools::RetryWatcher;
/// # use informer_runtime::source::ListerWatcher;
/// # use informer_runtime::wire::RawEvent;
/// # use k8s_openapi::api::batch::v1::Job;
/// # async fn doc(source: Arc<dyn ListerWatcher>, created_at: ResourceVersion)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// let mut events = RetryWatcher::new(source, created_at)?;
/// while let Some(event) = events.next().await {
///     if let RawEvent::Modified(object) = event? {
///         let job: Job = object.decode()?;
///         println!("{:?}", job.status);
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a stream does nothing unless it is polled"]
pub struct RetryWatcher {
    source: Arc<dyn ListerWatcher>,
    machine: Machine,
    phase: Phase,
}

enum Phase {
    /// Waits until the next watch may start.
    Waiting(Pin<Box<Sleep>>),
    Connecting(BoxFuture<'static, Result<WatchStream, SourceError>>),
    Watching(WatchStream),
    Between,
    Ended,
}

// === impl RetryWatcher ===

impl RetryWatcher {
    /// Creates a watch of the changes after `resource_version`.
    ///
    /// # Errors
    ///
    /// Fails if the version is `""` or `"0"`.
    pub fn new(
        source: Arc<dyn ListerWatcher>,
        resource_version: ResourceVersion,
    ) -> Result<Self, NoResourceVersion> {
        Ok(Self {
            source,
            machine: Machine::new(resource_version)?,
            phase: Phase::Between,
        })
    }

    /// Returns the version from which the watch would be resumed.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        self.machine.resource_version()
    }

    fn begin(&mut self) -> Phase {
        let now = Instant::now();
        if let Some(at) = self.machine.not_before().filter(|at| *at > now) {
            return Phase::Waiting(Box::pin(sleep_until(at)));
        }
        let options = self.machine.start(now);
        let source = Arc::clone(&self.source);
        Phase::Connecting(async move { source.watch(options).await }.boxed())
    }

    /// Applies a reaction, and returns the item to yield, if there is one.
    fn react(&mut self, reaction: Reaction) -> Option<Result<RawEvent, RetryWatchError>> {
        match reaction {
            Reaction::Forward(event) => return Some(Ok(event)),
            Reaction::Keep => {}
            Reaction::Restart => self.phase = Phase::Between,
            Reaction::End(error) => {
                self.phase = Phase::Ended;
                return Some(Err(error));
            }
        }
        None
    }
}

impl Stream for RetryWatcher {
    type Item = Result<RawEvent, RetryWatchError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            let reaction = match &mut this.phase {
                Phase::Ended => return Poll::Ready(None),
                Phase::Between => {
                    this.phase = this.begin();
                    continue;
                }
                Phase::Waiting(until) => {
                    ready!(until.as_mut().poll(cx));
                    this.phase = Phase::Between;
                    continue;
                }
                Phase::Connecting(answer) => match ready!(answer.as_mut().poll(cx)) {
                    Ok(events) => {
                        this.phase = Phase::Watching(events);
                        continue;
                    }
                    Err(error) => this.machine.on_error(error, Instant::now()),
                },
                Phase::Watching(events) => match ready!(events.poll_next_unpin(cx)) {
                    Some(Ok(event)) => this.machine.on_event(event, Instant::now()),
                    Some(Err(error)) => this.machine.on_error(error, Instant::now()),
                    None => Reaction::Restart,
                },
            };
            if let Some(item) = this.react(reaction) {
                return Poll::Ready(Some(item));
            }
        }
    }
}

impl FusedStream for RetryWatcher {
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }
}

impl fmt::Debug for RetryWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryWatcher")
            .field("resource_version", self.resource_version())
            .finish_non_exhaustive()
    }
}
