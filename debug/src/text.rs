//! Numbers, sizes and times as people read them. Pure.

use std::fmt;
use std::time::Duration;

pub(crate) use informer_runtime::engine::size;
use k8s_openapi::jiff::Timestamp;
use tokio::time::Instant;

/// Returns a number with a separator after each group of three digits.
pub(crate) fn number(count: impl fmt::Display) -> String {
    let digits = count.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups
        .map(String::from_utf8_lossy)
        .collect::<Vec<_>>()
        .join("\u{202f}")
}

pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    let millis = time.as_millis();
    match seconds {
        0 if millis == 0 && !time.is_zero() => format!("{} µs", time.as_micros()),
        0 => format!("{millis} ms"),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// Returns increasing numbers as ranges, such as `0–3, 7`.
pub(crate) fn ranges(numbers: &[usize]) -> String {
    numbers
        .chunk_by(|one, next| one + 1 == *next)
        .map(|run| match run {
            [first, .., last] => format!("{first}–{last}"),
            [only] => only.to_string(),
            [] => String::new(),
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the time since an earlier moment.
pub(crate) fn ago(at: Instant) -> String {
    time(at.elapsed())
}

/// Returns the time of day of an earlier moment, in UTC.
pub(crate) fn clock(at: Instant) -> String {
    Timestamp::now()
        .checked_sub(at.elapsed())
        .unwrap_or_default()
        .strftime("%T")
        .to_string()
}
