//! [`until`]: waiting for things to happen, one after the other.

use std::error::Error;
use std::fmt;
use std::pin::pin;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use tokio::time::{Instant, timeout_at};

/// Waits until events have met some conditions, one after the other.
///
/// A condition is judged first against the event that met the one before, then against each that
/// follows; so one event may meet several. `events` can be any stream: an informer's
/// ([`SharedInformer::events`](crate::SharedInformer::events)) or a
/// [`RetryWatcher`](crate::tools::RetryWatcher), or a `&mut` of one that is to be read on
/// afterwards.
///
/// client-go's counterparts are `UntilWithoutRetry`, `Until` (over a `RetryWatcher`) and
/// `UntilWithSync` (over an informer's stream, which starts with what is cached; look at
/// [`SharedInformer::snapshot`](crate::SharedInformer::snapshot) for a precondition).
///
/// # Examples
///
/// ```
/// # use std::time::Duration;
/// # use informer_runtime::{Event, HandlerOptions, SharedInformer};
/// # use informer_runtime::tools::until;
/// # use k8s_openapi::api::core::v1::Pod;
/// # async fn doc(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let events = pods.events(HandlerOptions::new())?;
/// let deleted = until(events)
///     .condition(|event| Ok(event.key().name() == "web"))
///     .condition(|event| Ok(event.key().name() == "web" && matches!(event, Event::Deleted(_))))
///     .within(Duration::from_secs(60))
///     .wait()
///     .await?;
/// # drop(deleted);
/// # Ok(())
/// # }
/// ```
pub fn until<'a, S: Stream>(events: S) -> Until<'a, S> {
    Until {
        events,
        conditions: Vec::new(),
        within: None,
    }
}

/// See [`until`].
#[must_use = "nothing is waited for unless `wait` is called"]
pub struct Until<'a, S: Stream> {
    events: S,
    conditions: Vec<Condition<'a, S::Item>>,
    within: Option<Duration>,
}

type Condition<'a, T> = Box<dyn FnMut(&T) -> Result<bool, ConditionError> + Send + 'a>;

/// What a condition may fail with.
pub type ConditionError = Box<dyn Error + Send + Sync>;

/// Why events have not met the conditions.
#[derive(thiserror::Error)]
#[error("waiting for condition {position}")]
pub struct UntilError<T> {
    /// Which condition was not met: 0 is the first.
    pub position: usize,
    /// The last event that was seen.
    pub last: Option<T>,
    /// Why it is waited for no longer.
    #[source]
    pub cause: UntilErrorCause,
}

/// Why it is waited for no longer.
#[derive(Debug, thiserror::Error)]
pub enum UntilErrorCause {
    /// There are no more events. client-go's `ErrWatchClosed`.
    #[error("the events ended")]
    Closed,
    /// Time is up.
    #[error("not within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    /// The condition failed.
    #[error("the condition failed")]
    Failed(#[source] ConditionError),
}

// === impl Until ===

impl<'a, S: Stream> Until<'a, S> {
    /// Adds a condition, to be judged when those before it are met. Its error ends the wait.
    pub fn condition(
        mut self,
        condition: impl FnMut(&S::Item) -> Result<bool, ConditionError> + Send + 'a,
    ) -> Self {
        self.conditions.push(Box::new(condition));
        self
    }

    /// For how long to wait; for ever by default.
    pub fn within(mut self, within: Duration) -> Self {
        self.within = Some(within);
        self
    }

    /// Waits, and gives the event that met the last condition; `None` if there are no conditions.
    ///
    /// # Errors
    ///
    /// The events ended, a condition failed, or time is up.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses the events that were seen. Those not seen stay in the stream, if
    /// that was lent.
    pub async fn wait(self) -> Result<Option<S::Item>, UntilError<S::Item>> {
        let start = Instant::now();
        // A time too far away to be counted is no limit.
        let limit = self
            .within
            .and_then(|within| Some((within, start.checked_add(within)?)));
        let mut events = pin!(self.events);
        let mut last = None;
        for (position, mut condition) in self.conditions.into_iter().enumerate() {
            let mut judged = last.as_ref().map_or(Ok(false), &mut condition);
            let cause = loop {
                match judged {
                    Ok(true) => break None,
                    Ok(false) => {}
                    Err(error) => break Some(UntilErrorCause::Failed(error)),
                }
                let next = match limit {
                    Some((within, at)) => timeout_at(at, events.next()).await.map_err(|_| within),
                    None => Ok(events.next().await),
                };
                match next {
                    Ok(Some(event)) => judged = condition(last.insert(event)),
                    Ok(None) => break Some(UntilErrorCause::Closed),
                    Err(within) => break Some(UntilErrorCause::Timeout(within)),
                }
            };
            if let Some(cause) = cause {
                return Err(UntilError {
                    position,
                    last,
                    cause,
                });
            }
        }
        Ok(last)
    }
}

impl<S: Stream> fmt::Debug for Until<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Until")
            .field("conditions", &self.conditions.len())
            .field("within", &self.within)
            .finish_non_exhaustive()
    }
}

// === impl UntilError ===

/// Without the event, which may be anything.
impl<T> fmt::Debug for UntilError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UntilError")
            .field("position", &self.position)
            .field("cause", &self.cause)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
