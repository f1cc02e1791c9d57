//! What is read off the samples: the rows of the table.

use crate::sample::Sample;

/// One row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    /// How many decimals are shown.
    pub(crate) decimals: usize,
    /// Whether it is of the peers, and they are compared by it.
    pub(crate) is_compared: bool,
    read: fn(&Sample, &World) -> f64,
}

/// What was measured on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World {
    pub(crate) objects: usize,
    pub(crate) events: usize,
}

/// The median of some numbers, and how far they spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) median: f64,
    pub(crate) most: f64,
}

/// The rows, in order.
pub(crate) const FIGURES: [Figure; 12] = [
    row("sync, s", 3, |it, _| it.sync.elapsed),
    row("sync, CPU s", 3, |it, _| it.sync.processor),
    row("resident per object, KiB", 1, |it, world| {
        kibibytes(it.resident) / count(world.objects)
    }),
    row("peak of sync per object, KiB", 1, |it, world| {
        kibibytes(it.sync_peak) / count(world.objects)
    }),
    row("relist, s", 3, |it, _| it.relist.elapsed),
    row("relist, CPU s", 3, |it, _| it.relist.processor),
    row("relist, objects shown", 0, |it, _| {
        to_f64(it.relist_notifications)
    }),
    row("peak with relist per object, KiB", 1, |it, world| {
        kibibytes(it.relist_peak) / count(world.objects)
    }),
    row("events per s", 0, |it, world| {
        count(world.events) / it.events.elapsed
    }),
    row("CPU µs per event", 1, |it, world| {
        1e6 * it.events.processor / count(world.events)
    }),
    of_server("server busy in sync, %", |it, _| {
        100.0 * it.sync.server / it.sync.elapsed
    }),
    of_server("server busy with events, %", |it, _| {
        100.0 * it.events.server / it.events.elapsed
    }),
];

const fn row(name: &'static str, decimals: usize, read: fn(&Sample, &World) -> f64) -> Figure {
    Figure {
        name,
        decimals,
        is_compared: true,
        read,
    }
}

const fn of_server(name: &'static str, read: fn(&Sample, &World) -> f64) -> Figure {
    Figure {
        is_compared: false,
        ..row(name, 0, read)
    }
}

fn kibibytes(bytes: u64) -> f64 {
    to_f64(bytes) / 1024.0
}

fn count(number: usize) -> f64 {
    to_f64(number as u64)
}

#[expect(clippy::cast_precision_loss, reason = "shown with four digits at most")]
fn to_f64(number: u64) -> f64 {
    number as f64
}

// === impl Figure ===

impl Figure {
    /// Reads the figure off all samples of one peer; `None` if there are none.
    pub(crate) fn spread(&self, samples: &[Sample], world: &World) -> Option<Spread> {
        let mut values: Vec<f64> = samples.iter().map(|it| (self.read)(it, world)).collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let upper = *values.get(middle)?;
        let median = match values.get(middle.wrapping_sub(1)) {
            Some(lower) if values.len().is_multiple_of(2) => f64::midpoint(*lower, upper),
            _ => upper,
        };
        Some(Spread {
            least: *values.first()?,
            median,
            most: *values.last()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_one_counts_or_the_mean_of_the_middle_two() {
        let world = World {
            objects: 1,
            events: 1,
        };
        let spread = |times: &[f64]| {
            let samples: Vec<Sample> = times
                .iter()
                .map(|&elapsed| {
                    let mut sample = Sample::default();
                    sample.sync.elapsed = elapsed;
                    sample
                })
                .collect();
            let spread = FIGURES[0].spread(&samples, &world)?;
            Some((spread.least, spread.median, spread.most))
        };
        assert_eq!(spread(&[]), None);
        assert_eq!(spread(&[3.0, 1.0, 9.0]), Some((1.0, 3.0, 9.0)));
        assert_eq!(spread(&[4.0, 1.0, 2.0, 9.0]), Some((1.0, 3.0, 9.0)));
    }
}
