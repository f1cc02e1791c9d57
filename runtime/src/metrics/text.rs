//! The text format of `OpenMetrics`: families, samples, and how label values are escaped.
//!
//! Written here and not by a library: those are registries of live metrics, which nothing here is,
//! and what is left of the format is this.

use std::fmt::{self, Write};
use std::time::Duration;

/// What kind of numbers a family has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// Writes a page, family by family.
pub(super) struct Writer<'w> {
    out: &'w mut dyn Write,
    name: &'static str,
}

/// Labels as written between braces: `a="x",b="y"`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Labels(String);

// === impl Kind ===

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

// === impl Writer ===

impl<'w> Writer<'w> {
    pub(super) fn new(out: &'w mut dyn Write) -> Self {
        Self { out, name: "" }
    }

    /// Begins a family; its samples follow. `name` is without the `_total` of a counter.
    pub(super) fn family(
        &mut self,
        kind: Kind,
        name: &'static str,
        help: &'static str,
    ) -> fmt::Result {
        self.name = name;
        writeln!(self.out, "# TYPE {name} {}", kind.as_str())?;
        writeln!(self.out, "# HELP {name} {help}")
    }

    pub(super) fn gauge(&mut self, labels: &Labels, value: impl fmt::Display) -> fmt::Result {
        writeln!(self.out, "{}{labels} {value}", self.name)
    }

    pub(super) fn counter(&mut self, labels: &Labels, value: u64) -> fmt::Result {
        writeln!(self.out, "{}_total{labels} {value}", self.name)
    }

    pub(super) fn histogram(
        &mut self,
        labels: &Labels,
        buckets: impl Iterator<Item = (Duration, u64)>,
        count: u64,
        sum: Duration,
    ) -> fmt::Result {
        let name = self.name;
        for (le, count) in buckets {
            let labels = labels.and("le", &bound(le));
            writeln!(self.out, "{name}_bucket{labels} {count}")?;
        }
        let last = labels.and("le", "+Inf");
        writeln!(self.out, "{name}_bucket{last} {count}")?;
        writeln!(self.out, "{name}_count{labels} {count}")?;
        writeln!(self.out, "{name}_sum{labels} {}", sum.as_secs_f64())
    }

    /// Ends the page.
    pub(super) fn end(&mut self) -> fmt::Result {
        writeln!(self.out, "# EOF")
    }
}

/// Seconds with a point, as the format wants bounds to be written.
fn bound(le: Duration) -> String {
    let mut text = le.as_secs_f64().to_string();
    if !text.contains('.') {
        text.push_str(".0");
    }
    text
}

// === impl Labels ===

impl Labels {
    /// These labels and one more.
    #[must_use]
    pub(super) fn and(&self, name: &str, value: &str) -> Self {
        let mut text = String::with_capacity(self.0.len() + name.len() + value.len() + 4);
        text.push_str(&self.0);
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(name);
        text.push_str("=\"");
        for char in value.chars() {
            match char {
                '\\' => text.push_str("\\\\"),
                '"' => text.push_str("\\\""),
                '\n' => text.push_str("\\n"),
                other => text.push(other),
            }
        }
        text.push('"');
        Self(text)
    }
}

impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, "{{{}}}", self.0)
    }
}
