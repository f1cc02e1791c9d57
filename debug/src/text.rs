//! Numbers, sizes and times as people read them. Pure.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Returns a number with a separator after each group of three digits.
pub(crate) fn number(count: impl fmt::Display) -> String {
    let digits = format!("{count}");
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

pub(crate) fn size(bytes: impl Of<usize>) -> String {
    let bytes = bytes.of();
    let tenth = |unit: usize| {
        let tenths = bytes.saturating_mul(10) / unit;
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", tenth(1024)),
        0x10_0000..0x4000_0000 => format!("{} MiB", tenth(0x10_0000)),
        _ => format!("{} GiB", tenth(0x4000_0000)),
    }
}

pub(crate) fn time(time: impl Of<Duration>) -> String {
    let time = time.of();
    let seconds = time.as_secs();
    match seconds {
        0 if time.as_millis() == 0 && !time.is_zero() => format!("{} µs", time.as_micros()),
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// Returns increasing numbers as ranges, such as `0–3, 7`.
pub(crate) fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let text = |run: &[usize]| match run {
        [first, .., last] => format!("{first}–{last}"),
        run => run.iter().map(ToString::to_string).collect(),
    };
    runs.map(text).collect::<Vec<_>>().join(", ")
}

/// Value, or a reference to one, as templates pass it.
pub(crate) trait Of<T> {
    fn of(self) -> T;
}

impl<T> Of<T> for T {
    fn of(self) -> T {
        self
    }
}

impl<T: Copy> Of<T> for &T {
    fn of(self) -> T {
        *self
    }
}

impl<T: Copy> Of<T> for &&T {
    fn of(self) -> T {
        **self
    }
}

/// Moment in both clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now {
    pub(crate) instant: Instant,
    pub(crate) wall: SystemTime,
}

// === impl Now ===

impl Now {
    pub(crate) fn get() -> Self {
        Self {
            instant: Instant::now(),
            wall: SystemTime::now(),
        }
    }

    pub(crate) fn since(&self, at: Instant) -> Duration {
        self.instant.saturating_duration_since(at)
    }

    /// Returns the time of day of an earlier moment, in UTC.
    pub(crate) fn clock(&self, at: impl Of<Instant>) -> String {
        let at = self.wall.checked_sub(self.since(at.of()));
        let passed = at.unwrap_or(self.wall).duration_since(UNIX_EPOCH);
        let seconds = passed.unwrap_or_default().as_secs();
        let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
        format!("{hours:02}:{minutes:02}:{:02}", seconds % 60)
    }

    /// Returns the time since an earlier moment.
    pub(crate) fn ago(&self, at: impl Of<Instant>) -> String {
        time(self.since(at.of()))
    }
}
