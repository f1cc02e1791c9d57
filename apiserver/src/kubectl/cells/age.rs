//! Durations as kubectl writes them.

use jiff::Timestamp;

/// Returns the time since `time`; `<unknown>` if `time` is not a timestamp.
pub(super) fn elapsed(time: &str) -> String {
    match time.parse::<Timestamp>() {
        Ok(time) => human(Timestamp::now().as_second() - time.as_second()),
        Err(_) => "<unknown>".to_owned(),
    }
}

/// Writes a duration in its two largest units, without the smaller unit where it hardly matters.
pub(super) fn human(seconds: i64) -> String {
    let minutes = seconds / 60;
    let hours = minutes / 60;
    let days = hours / 24;
    let years = days / 365;
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        _ if minutes < 10 => with_rest(format!("{minutes}m"), seconds % 60, "s"),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => with_rest(format!("{hours}h"), minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if days < 8 => with_rest(format!("{days}d"), hours % 24, "h"),
        _ if days < 730 => format!("{days}d"),
        _ if years < 8 => with_rest(format!("{years}y"), days % 365, "d"),
        _ => format!("{years}y"),
    }
}

/// Appends a count of a smaller unit, unless it is zero.
fn with_rest(large: String, rest: i64, unit: &str) -> String {
    if rest == 0 {
        large
    } else {
        format!("{large}{rest}{unit}")
    }
}

#[cfg(test)]
mod tests;
