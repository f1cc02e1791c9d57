//! Sizes and durations as people read them.

use std::time::Duration;

/// Returns a size with one decimal of its largest unit, such as `1.5 MiB`.
#[must_use]
pub fn size(bytes: usize) -> String {
    for (power, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes >> power > 0 {
            let tenths = (bytes >> (power - 10)) * 10 / 1024;
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
    }
    format!("{bytes} B")
}

/// Returns seconds with at most three decimals, for the fields of log lines.
#[must_use]
pub fn seconds(time: Duration) -> f64 {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_three_decimals() {
        let outage = Duration::from_nanos(14_633_777_244);
        assert_eq!(seconds(outage).to_string(), "14.633");
        assert_eq!(seconds(Duration::from_millis(6200)).to_string(), "6.2");
        assert_eq!(seconds(Duration::from_micros(7)).to_string(), "0");
    }
}
