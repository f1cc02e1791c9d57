//! How many threads can work at once.

use std::sync::LazyLock;
use std::thread;

/// How many threads can work at once, as it was when it was first asked for: each answer of the
/// standard library costs a look into the file system, for the limits of the process's cgroup.
pub(crate) fn cores() -> usize {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks")]
    static CORES: LazyLock<usize> =
        LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));
    *CORES
}
