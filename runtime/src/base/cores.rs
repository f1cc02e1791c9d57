//! [`cores`]: number of threads that can run at the same time.

use std::sync::LazyLock;
use std::thread;

/// Returns the number of threads that can run at the same time, as of the first call. The value is
/// cached because each call of the standard library reads the limits of the process's cgroup from
/// the file system.
pub(crate) fn cores() -> usize {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only call; other code uses this function"
    )]
    static CORES: LazyLock<usize> =
        LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));
    *CORES
}
