//! [`until`]: waits for events that meet a sequence of conditions.

use std::error::Error;
use std::fmt;
use std::pin::pin;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use tokio::time::{Instant, timeout_at};

/// Waits until events have met a sequence of conditions.
///
/// Each condition is first evaluated for the event that met the previous condition, then for each
/// later event. One event can therefore meet several conditions. `events` is any stream: an
/// informer's ([`SharedInformer::events`](crate::SharedInformer::events)), a
/// [`RetryWatcher`](crate::tools::RetryWatcher), or a `&mut` of a stream that is used further
/// afterwards.
///
/// client-go's counterparts are `UntilWithoutRetry`, `Until` (over a `RetryWatcher`) and
/// `UntilWithSync` (over an informer's stream, which starts with the cached objects). For a
/// precondition, read [`SharedInformer::snapshot`](crate::SharedInformer::snapshot).
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

/// Builder of a wait, returned by [`until`].
#[must_use = "a wait does nothing unless `wait` is called"]
pub struct Until<'a, S: Stream> {
    events: S,
    conditions: Vec<Condition<'a, S::Item>>,
    within: Option<Duration>,
}

type Condition<'a, T> = Box<dyn FnMut(&T) -> Result<bool, ConditionError> + Send + 'a>;

/// Error of a condition.
pub type ConditionError = Box<dyn Error + Send + Sync>;

/// Error of a wait whose conditions were not met.
#[derive(thiserror::Error)]
#[error("condition {position} was not met")]
pub struct UntilError<T> {
    /// Position of the unmet condition; 0 is the first.
    pub position: usize,
    /// Last event that was received.
    pub last: Option<T>,
    /// Reason why the wait ended.
    #[source]
    pub cause: UntilErrorCause,
}

/// Reason why a wait ended without meeting its conditions.
#[derive(Debug, thiserror::Error)]
pub enum UntilErrorCause {
    /// The stream of events ended. client-go's counterpart is `ErrWatchClosed`.
    #[error("the stream of events ended")]
    Closed,
    /// The time limit expired.
    #[error("not met within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    /// The condition returned an error.
    #[error("the condition failed")]
    Failed(#[source] ConditionError),
}

// === impl Until ===

impl<'a, S: Stream> Until<'a, S> {
    /// Adds a condition, which is evaluated when the previous ones are met. An error of the
    /// condition ends the wait.
    pub fn condition(
        mut self,
        condition: impl FnMut(&S::Item) -> Result<bool, ConditionError> + Send + 'a,
    ) -> Self {
        self.conditions.push(Box::new(condition));
        self
    }

    /// Sets the time limit of the wait. Default: none.
    pub fn within(mut self, within: Duration) -> Self {
        self.within = Some(within);
        self
    }

    /// Waits, and returns the event that met the last condition; `None` without conditions.
    ///
    /// # Errors
    ///
    /// Fails if the stream ends, a condition fails, or the time limit expires.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses the events that it has received. If the stream was passed as
    /// `&mut`, all later events stay in it.
    pub async fn wait(self) -> Result<Option<S::Item>, UntilError<S::Item>> {
        let start = Instant::now();
        // A limit beyond the range of the clock is no limit.
        let limit = self
            .within
            .and_then(|within| Some((within, start.checked_add(within)?)));
        let mut events = pin!(self.events);
        let mut last = None;
        for (position, mut condition) in self.conditions.into_iter().enumerate() {
            let mut evaluated = last.as_ref().map_or(Ok(false), &mut condition);
            let cause = loop {
                match evaluated {
                    Ok(true) => break None,
                    Ok(false) => {}
                    Err(error) => break Some(UntilErrorCause::Failed(error)),
                }
                let next = match limit {
                    Some((within, at)) => timeout_at(at, events.next()).await.map_err(|_| within),
                    None => Ok(events.next().await),
                };
                match next {
                    Ok(Some(event)) => evaluated = condition(last.insert(event)),
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

/// Omits the event, which may contain the content of an object.
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
