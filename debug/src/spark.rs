//! [`Spark`]: a line of the last ten minutes, as SVG.

use std::fmt::Write as _;

use crate::series::{POINT, POINTS};
use crate::text::number;

const HEIGHT: u64 = 24;

/// Line of the last ten minutes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spark {
    /// Points of the line, for the attribute `points`.
    pub(crate) line: String,
    /// The same, closed at the bottom.
    pub(crate) area: String,
    pub(crate) label: String,
}

// === impl Spark ===

impl Spark {
    /// Draws the increases of a counter, the last one last. `what` is counted.
    pub(crate) fn of(points: &[u64], what: &str) -> Self {
        let most = points.iter().copied().max().unwrap_or_default();
        let first = POINTS.saturating_sub(points.len());
        let mut line = String::new();
        for (position, count) in points.iter().enumerate() {
            // One unit stays free at the top and at the bottom, for the width of the line.
            let height = count.saturating_mul(HEIGHT - 2).checked_div(most);
            let y = HEIGHT - 1 - height.unwrap_or_default();
            _ = write!(line, "{},{y} ", first + position);
        }
        let line = line.trim_end().to_owned();
        let area = format!("{first},{HEIGHT} {line} {},{HEIGHT}", POINTS.max(1) - 1);
        let seconds = POINT.as_secs();
        let (total, most) = (number(points.iter().sum::<u64>()), number(most));
        Self {
            line,
            area,
            label: format!("{total} {what} in ten minutes, at most {most} in {seconds} s"),
        }
    }
}
