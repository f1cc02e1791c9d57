//! [`Buckets`]: a histogram of durations.

use std::time::Duration;

/// Prometheus histogram with `N` upper bounds, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buckets<const N: usize> {
    bounds: &'static [Duration; N],
    counts: Counts<N, u64>,
    sum: Duration,
}

/// One `C` for each bound, and one for durations above the last bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts<const N: usize, C> {
    within: [C; N],
    longer: C,
}

// === impl Buckets ===

impl<const N: usize> Buckets<N> {
    /// Creates an empty histogram.
    #[must_use]
    pub fn new(bounds: &'static [Duration; N]) -> Self {
        Self::of(bounds, Counts::default(), Duration::ZERO)
    }

    /// Creates a histogram from existing counts.
    #[must_use]
    pub fn of(bounds: &'static [Duration; N], counts: Counts<N, u64>, sum: Duration) -> Self {
        Self {
            bounds,
            counts,
            sum,
        }
    }

    /// Counts a duration.
    pub fn record(&mut self, duration: Duration) {
        *self.counts.of_mut(self.bounds, duration) += 1;
        self.sum = self.sum.saturating_add(duration);
    }

    /// Returns the number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.within.iter().sum::<u64>() + self.counts.longer
    }

    /// Returns the sum of all durations.
    #[must_use]
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// Returns, for each bound, the number of durations up to and including that bound.
    pub fn cumulative(&self) -> impl Iterator<Item = (Duration, u64)> + use<N> {
        let mut total = 0;
        let counted = self.bounds.iter().zip(self.counts.within);
        counted.map(move |(le, count)| {
            total += count;
            (*le, total)
        })
    }
}

// === impl Counts ===

impl<const N: usize, C> Counts<N, C> {
    /// Returns the counter of the bucket to which `duration` belongs.
    #[must_use]
    pub fn of(&self, bounds: &[Duration; N], duration: Duration) -> &C {
        let bucket = bucket_of(bounds, duration);
        self.within.get(bucket).unwrap_or(&self.longer)
    }

    fn of_mut(&mut self, bounds: &[Duration; N], duration: Duration) -> &mut C {
        let bucket = bucket_of(bounds, duration);
        self.within.get_mut(bucket).unwrap_or(&mut self.longer)
    }

    pub fn each<T>(&self, read: impl Fn(&C) -> T) -> Counts<N, T> {
        Counts {
            within: self.within.each_ref().map(&read),
            longer: read(&self.longer),
        }
    }
}

impl<const N: usize, C: Default> Default for Counts<N, C> {
    fn default() -> Self {
        Self {
            within: std::array::from_fn(|_| C::default()),
            longer: C::default(),
        }
    }
}

fn bucket_of(bounds: &[Duration], duration: Duration) -> usize {
    bounds.partition_point(|bound| *bound < duration)
}

#[cfg(test)]
mod tests;
