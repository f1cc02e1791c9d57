//! Processor time and memory of a process.

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
    #[expect(
        clippy::disallowed_methods,
        reason = "the thread belongs to the server, which has no other clock"
    )]
    std::thread::sleep(Duration::from_nanos(left));
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
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
        };
        Some(Self {
            resident: kibibytes("VmRSS:")? * 1024,
            peak: kibibytes("VmHWM:")? * 1024,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_kernels_text() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t1\n";
        let memory = Memory::parse(status).unwrap();
        assert_eq!((memory.resident, memory.peak), (1 << 20, 2 << 20));
        assert!(Memory::parse("Name:\tx\n").is_none());
        assert!(Memory::now().unwrap().peak > 0);
    }
}
