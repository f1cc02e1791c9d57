//! Delays.

use std::time::Duration;

use super::machine_support::{Run, listing, streaming};
use crate::reflector::{Backoff, ExponentialBackoff};
use crate::shared_informer::InformerConfig;

const MILLI: Duration = Duration::from_millis(1);

#[test]
fn e01_delays_double_up_to_the_cap_and_are_lengthened_at_random() {
    let bounds = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];
    let mut long = 0;
    for seed in 0..200 {
        let mut backoff = ExponentialBackoff::default().seed(seed);
        for min in bounds {
            let min = MILLI * min;
            let delay = backoff.next_delay();
            assert!((min..2 * min).contains(&delay), "{delay:?} of {min:?}");
            long += u32::from(delay > min + min / 2);
        }
        backoff.reset();
        assert!(backoff.next_delay() < MILLI * 1600);
    }
    assert!(
        (600..1000).contains(&long),
        "{long} of 1600 in the upper half"
    );
}

/// E-02: delays stay at the cap during an hour of failing lists.
#[test]
fn e02_delays_stay_at_the_cap_for_as_long_as_nothing_works() {
    let mut run = Run::new(listing());
    let start = run.now;
    run.happens("begins");
    let mut lists = 0;
    while run.now - start < Duration::from_secs(3600) {
        let before = run.now;
        assert_eq!(
            run.happens("list-fails 500").split(',').next(),
            Some("!List")
        );
        lists += 1;
        assert!(lists <= 5 || run.now - before == Duration::from_secs(30));
    }
    // 1 + 2 + 4 + 8 + 16 s, then 30 s each.
    assert_eq!(lists, 5 + (3600 - 31_u32).div_ceil(30));
}

/// E-03: successful lists are not progress of a watch.
#[test]
fn e03_delays_grow_though_every_list_succeeds() {
    Run::new(listing()).check(
        "begins            => list 0 limit=500
         page 5            => complete 5, watch 5
         watch-fails 403   => !Watch, wait 1s, list 5
         page 5            => complete 5, watch 5
         connect-fails 403 => !Connect, wait 2s, list 5
         page 5            => complete 5, watch 5
         closes            => !VeryShortWatch, wait 4s, list 5",
    );
}

/// E-03: the end of a streaming list is not progress either, because it counts as a list.
#[test]
fn e03_delays_grow_though_every_streaming_list_succeeds() {
    Run::new(streaming()).check(
        "begins               => stream -
         +5 end5 watch-fails 403 => complete 5, !Watch, wait 1s, stream 5
         end5 watch-fails 403 => complete 5, !Watch, wait 2s, stream 5
         end5 watch-fails 403 => complete 5, !Watch, wait 4s, stream 5",
    );
}

/// E-03: progress is an event, a bookmark, or a watch of at least ten seconds.
#[test]
fn e03_progress_of_a_watch_resets_the_delays() {
    for (progress, resets) in [("+6", true), ("b6", true), ("10s", true), ("9s", false)] {
        let mut run = Run::new(listing());
        run.check(
            "begins          => list 0 limit=500
             page 5          => complete 5, watch 5
             watch-fails 403 => !Watch, wait 1s, list 5
             page 5          => complete 5, watch 5",
        );
        let follows = run.happens(&format!("{progress} watch-fails 403"));
        let wait = if resets { "wait 1s" } else { "wait 2s" };
        assert!(follows.contains(wait), "{progress}: {follows}");
    }
}

#[test]
fn e05_a_relist_after_a_healthy_cycle_waits_one_first_step() {
    Run::new(listing()).check(
        "begins                => list 0 limit=500
         list-fails 500        => !List, wait 1s, list 0 limit=500
         list-fails 500        => !List, wait 2s, list 0 limit=500
         page 5                => complete 5, watch 5
         +6 300s watch-fails 410 => !Watch, wait 1s, list 6",
    );
}

#[test]
fn e07_a_backoff_of_ones_own_is_honoured() {
    #[derive(Debug)]
    struct Steps(usize);
    impl Backoff for Steps {
        fn next_delay(&mut self) -> Duration {
            self.0 += 1;
            MILLI * [10, 20, 40, 80, 100][self.0.min(5) - 1]
        }
        fn reset(&mut self) {
            self.0 = 0;
        }
    }
    let mut run = Run::new(InformerConfig::new().backoff(|| Steps(0)));
    run.check(
        "begins                => stream -
         connect-fails refused => !Connect, wait 0.01s, stream -
         connect-fails refused => !Connect, wait 0.02s, stream -
         connect-fails refused => !Connect, wait 0.04s, stream -
         connect-fails refused => !Connect, wait 0.08s, stream -
         connect-fails refused => !Connect, wait 0.1s, stream -
         connect-fails refused => !Connect, wait 0.1s, stream -",
    );
}

#[test]
fn e08_refused_connections_cost_what_the_settings_say() {
    let cost = |failures: u32| {
        let mut run =
            Run::new(listing().backoff(|| ExponentialBackoff::new(MILLI, 50 * MILLI).seed(3)));
        run.happens("begins");
        run.happens("page 5");
        let start = run.now;
        run.happens("connect-fails refused");
        for _ in 1..failures {
            assert!(run.happens("probe-fails refused").ends_with("probe 5"));
        }
        run.now - start
    };
    assert!((31 * MILLI..=62 * MILLI).contains(&cost(5)));
    // The sixth delay is 32 ms, and each further one 50 to 100 ms.
    let min = (31 + 32 + 34 * 50) * MILLI;
    // Delays at the cap have jitter, too.
    assert!((min * 9 / 8..=2 * min).contains(&cost(40)));
}

#[test]
fn e09_a_longer_retry_after_is_honoured_and_an_absurd_one_cut() {
    Run::new(listing()).check(
        "begins                       => list 0 limit=500
         list-fails 429-after-9       => !List, wait 9s, list 0 limit=500
         list-fails 429-after-1       => !List, wait 2s, list 0 limit=500
         list-fails 429-after-9999999 => !List, wait 600s, list 0 limit=500
         page 5                       => complete 5, watch 5
         watch-fails 429-after-18446744073709551615 => !Watch, wait 600s, watch 5
         connect-fails 429-after-60   => !Connect, wait 60s, watch 5",
    );
}

/// Extreme settings are clamped and do not panic.
#[test]
fn extreme_backoffs_do_not_overflow() {
    for mut backoff in [
        ExponentialBackoff::new(Duration::MAX, Duration::MAX),
        ExponentialBackoff::default()
            .factor(f64::INFINITY)
            .jitter(f64::INFINITY),
        ExponentialBackoff::default()
            .factor(f64::NAN)
            .jitter(f64::NAN),
        ExponentialBackoff::new(Duration::ZERO, Duration::ZERO).factor(f64::INFINITY),
    ] {
        for _ in 0..100 {
            backoff.next_delay();
        }
    }
}
