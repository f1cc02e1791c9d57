//! Processor time, wake-ups and memory of a process.

use std::fs;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::Result;

/// Returns the user and system time of all threads of this process, in microsecond resolution.
pub(crate) fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanos)
}

/// Returns the time of the machine's monotonic clock, which all processes share.
pub(crate) fn monotonic_nanos() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u64::try_from(time.tv_nsec).unwrap_or_default();
    seconds * 1_000_000_000 + nanos
}

/// Sleeps until the monotonic clock reaches `nanos`.
pub(crate) fn sleep_until(nanos: u64) {
    let left = nanos.saturating_sub(monotonic_nanos());
    #[expect(clippy::disallowed_methods, reason = "the server has no other clock")]
    std::thread::sleep(Duration::from_nanos(left));
}

/// Returns how often the threads of this process woke up after waiting: their voluntary context
/// switches in `/proc/self/task`.
pub(crate) fn wake_ups() -> Result<u64> {
    let mut sum = 0;
    for thread in fs::read_dir("/proc/self/task")? {
        // A thread that ends meanwhile has no file.
        let status = fs::read_to_string(thread?.path().join("status")).unwrap_or_default();
        sum += switches(&status).unwrap_or_default();
    }
    Ok(sum)
}

fn switches(status: &str) -> Option<u64> {
    field(status, "voluntary_ctxt_switches:")?.parse().ok()
}

/// Returns the value in the line that starts with `name`.
fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim())
}

/// Memory of this process, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    /// Currently resident memory: `VmRSS`.
    pub(crate) resident: u64,
    /// Peak of resident memory: `VmHWM`.
    pub(crate) peak: u64,
}

// === impl Memory ===

impl Memory {
    /// Reads `/proc/self/status`.
    pub(crate) fn now() -> Result<Self> {
        Self::parse(&fs::read_to_string("/proc/self/status")?)
            .ok_or_else(|| "/proc/self/status contains no VmRSS or VmHWM".into())
    }

    fn parse(status: &str) -> Option<Self> {
        let kibibytes = |name: &str| {
            let value = field(status, name)?.strip_suffix("kB")?;
            value.trim().parse::<u64>().ok()
        };
        Some(Self {
            resident: kibibytes("VmRSS:")? * 1024,
            peak: kibibytes("VmHWM:")? * 1024,
        })
    }
}

#[cfg(test)]
mod tests;
