//! Delays after failures.

use std::fmt;
use std::time::Duration;

/// Delays between requests after failures.
///
/// An informer has two: one for error responses, and one for connections that are lost or cannot be
/// opened. Delays grow until [`reset`](Self::reset). An event, a bookmark, and a watch that lasted
/// 10 s reset both. A watch that was answered and then lost its connection resets the one for error
/// responses.
pub trait Backoff: Send + fmt::Debug {
    /// Returns the next delay.
    fn next_delay(&mut self) -> Duration;

    /// Starts again with the first delay.
    fn reset(&mut self);
}

/// Delays that grow exponentially up to a cap, with random jitter.
///
/// The defaults are client-go's: 0.8 s, doubled up to 30 s, multiplied by a random factor from 1 to
/// 2. Unlike client-go's, the delays stay at the cap until a reset.
#[derive(Debug, Clone)]
pub struct ExponentialBackoff {
    base: Duration,
    cap: Duration,
    factor: f64,
    jitter: f64,
    next: Duration,
    rng: fastrand::Rng,
}

// === impl ExponentialBackoff ===

impl ExponentialBackoff {
    /// Creates delays that start at `base` and double up to `cap`. Each is lengthened by at most
    /// its own length.
    #[must_use]
    pub fn new(base: Duration, cap: Duration) -> Self {
        Self {
            base,
            cap,
            factor: 2.0,
            jitter: 1.0,
            next: base,
            rng: fastrand::Rng::new(),
        }
    }

    /// Sets the growth factor of delays. At least 1; default: 2.
    #[must_use]
    pub fn factor(mut self, factor: f64) -> Self {
        self.factor = if factor >= 1.0 { factor } else { 1.0 };
        self
    }

    /// Sets the maximum jitter as a fraction of the delay. Default: 1.
    #[must_use]
    pub fn jitter(mut self, jitter: f64) -> Self {
        self.jitter = if jitter >= 0.0 { jitter } else { 0.0 };
        self
    }

    /// Sets the seed of the jitter, for tests.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.rng = fastrand::Rng::with_seed(seed);
        self
    }
}

impl Default for ExponentialBackoff {
    fn default() -> Self {
        Self::new(Duration::from_millis(800), Duration::from_secs(30))
    }
}

impl Backoff for ExponentialBackoff {
    fn next_delay(&mut self) -> Duration {
        let delay = self.next.min(self.cap);
        // Saturates, because a huge factor must not panic.
        let grown = Duration::try_from_secs_f64(delay.as_secs_f64() * self.factor);
        self.next = grown.unwrap_or(self.cap).min(self.cap);
        let part = 1.0 + self.rng.f64() * self.jitter;
        Duration::try_from_secs_f64(delay.as_secs_f64() * part).unwrap_or(delay)
    }

    fn reset(&mut self) {
        self.next = self.base;
    }
}
