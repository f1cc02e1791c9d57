//! The server's clock, which can be wrong.

use http::HeaderValue;
use jiff::{SignedDuration, Timestamp, fmt::rfc2822};

/// What the server takes for the time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    /// Seconds that it is ahead.
    skew: i64,
}

/// Seconds since 1970, as Kubernetes writes times; the end of time if they are beyond it.
pub(crate) fn written(seconds: i64) -> String {
    Timestamp::from_second(seconds)
        .unwrap_or(Timestamp::MAX)
        .to_string()
}

// === impl Clock ===

impl Clock {
    pub(crate) fn set_skew(&mut self, seconds: i64) {
        self.skew = seconds;
    }

    fn now(self) -> Timestamp {
        let now = Timestamp::now();
        // Beyond the end of time it is right.
        now.checked_add(SignedDuration::from_secs(self.skew))
            .unwrap_or(now)
    }

    /// Now, as Kubernetes writes times: whole seconds, UTC.
    pub(crate) fn timestamp(self) -> String {
        written(self.seconds())
    }

    /// Seconds since 1970.
    pub(crate) fn seconds(self) -> i64 {
        self.now().as_second()
    }

    /// The header `Date`, if it is not the one that everybody would write.
    pub(crate) fn date(self) -> Option<HeaderValue> {
        if self.skew == 0 {
            return None;
        }
        let printer = rfc2822::DateTimePrinter::new();
        let text = printer.timestamp_to_rfc9110_string(&self.now()).ok()?;
        HeaderValue::try_from(text).ok()
    }
}
