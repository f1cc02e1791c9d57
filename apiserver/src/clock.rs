//! The server's clock, which tests can shift.

use http::HeaderValue;
use jiff::{SignedDuration, Timestamp, fmt::rfc2822};

/// The server's clock.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    /// Offset from the correct time, in seconds.
    skew: i64,
}

/// Formats seconds since 1970 as Kubernetes writes times; seconds out of range give the latest
/// representable time.
pub(crate) fn format_time(seconds: i64) -> String {
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
        // A skew that leaves the representable range is ignored.
        now.checked_add(SignedDuration::from_secs(self.skew))
            .unwrap_or(now)
    }

    /// Returns the current time as Kubernetes writes times: whole seconds, UTC.
    pub(crate) fn timestamp(self) -> String {
        format_time(self.seconds())
    }

    /// Returns the current time in seconds since 1970.
    pub(crate) fn seconds(self) -> i64 {
        self.now().as_second()
    }

    /// Returns the header `Date`, or `None` if the clock is not skewed: hyper then writes the
    /// correct time.
    pub(crate) fn date(self) -> Option<HeaderValue> {
        if self.skew == 0 {
            return None;
        }
        let printer = rfc2822::DateTimePrinter::new();
        let text = printer.timestamp_to_rfc9110_string(&self.now()).ok()?;
        HeaderValue::try_from(text).ok()
    }
}
