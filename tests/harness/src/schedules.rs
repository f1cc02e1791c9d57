//! The checker of schedules.

use proptest::test_runner::Config;
use shuttle::future::JoinHandle;
use shuttle::scheduler::{PctScheduler, RandomScheduler, ReplayScheduler, Scheduler};

/// Depth of [`PctScheduler`], which limits the number of forced task switches in a schedule.
const DEPTH: usize = 4;
/// Unoptimized code that uses `serde` needs more stack than shuttle's default.
const STACK: usize = 1 << 20;

/// Runs `test` under many schedules: random ones, and ones with few task switches at the most
/// adverse points.
pub fn check<F>(test: impl Fn() -> F + Send + Sync + Clone + 'static)
where
    F: Future<Output = ()>,
{
    // Timers are created but never fire, because the clock is paused.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let _entered = runtime.enter();
    if let Ok(schedule) = std::env::var("INFORMER_CHECK_SCHEDULE") {
        return play(ReplayScheduler::new_from_encoded(&schedule), test);
    }
    let iterations = Config::default().cases as usize;
    play(RandomScheduler::new_from_seed(1, iterations), test.clone());
    play(PctScheduler::new_from_seed(1, DEPTH, iterations), test);
}

fn play<F>(scheduler: impl Scheduler + 'static, test: impl Fn() -> F + Send + Sync + 'static)
where
    F: Future<Output = ()>,
{
    let mut config = shuttle::Config::new();
    config.stack_size = STACK;
    config.silence_warnings = true;
    shuttle::Runner::new(scheduler, config).run(move || shuttle::future::block_on(test()));
}

pub fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    shuttle::future::spawn(task)
}
