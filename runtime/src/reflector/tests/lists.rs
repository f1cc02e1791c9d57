//! Options of lists, and the actions after their outcomes.

use std::time::Duration;

use tokio::time::Instant;

use super::machine_support::{Run, listing};
use crate::reflector::machine::Machine;
use crate::reflector::step::Step;
use crate::shared_informer::InformerConfig;
use crate::wire::ListMeta;

/// B-01: a relist requests the last version or newer; W-06: without pages.
#[test]
fn b01_a_relist_asks_for_the_last_version() {
    Run::new(listing()).check(
        "begins               => list 0 limit=500
         page 10              => complete 10, watch 10
         +11 ~12 watch-fails 403 => !Watch, wait 1s, list 12
         page 13              => complete 13, watch 13",
    );
}

/// B-01, B-02, B-03, B-04: after the last version was rejected, the most recent state is requested,
/// at once and in pages, until a list succeeds.
#[test]
fn b02_an_expired_list_is_asked_for_again_at_the_most_recent_version() {
    for kind in ["410", "gone", "large"] {
        Run::new(listing()).check(&format!(
            "begins           => list 0 limit=500
             page 10          => complete 10, watch 10
             watch-fails 410  => !Watch, wait 1s, list 10
             list-fails {kind} => !List, list - limit=500
             list-fails 500   => !List, wait 2s, list - limit=500
             page 20          => complete 20, watch 20
             watch-fails 403  => !Watch, wait 4s, list 20"
        ));
    }
}

#[test]
fn b05_a_version_that_is_too_large_is_recognised_in_three_shapes() {
    for kind in ["large-cause", "large-message-of-cause", "large"] {
        Run::new(listing()).check(&format!(
            "begins            => list 0 limit=500
             list-fails {kind} => !List, list - limit=500
             page 4            => complete 4, watch 4"
        ));
    }
}

/// B-01: with a limit and a version but no match, a server lists exactly that version, and rejects
/// the watch from it each time.
#[test]
fn b01_a_limited_list_of_a_version_takes_newer_ones_too() {
    Run::new(listing().page_size(7)).check(
        "begins          => list 0 limit=7
         page 230        => complete 230, watch 230
         watch-fails 410 => !Watch, wait 1s, list >=230 limit=7
         page 252 t      => list - limit=7 continue=t
         list-fails 410  => !List, list 230
         page 253        => complete 253, watch 253",
    );
}

/// W-07: a continue request has neither version nor match. The version of the first page counts.
#[test]
fn w07_the_version_of_a_paged_list_is_its_first_pages() {
    Run::new(listing()).check(
        "begins   => list 0 limit=500
         page 5 t1 => list - limit=500 continue=t1
         page 6 t2 => list - limit=500 continue=t2
         page 7    => complete 5, watch 5",
    );
}

#[test]
fn w06_the_page_size_follows_from_setting_version_and_memory() {
    Run::new(listing().page_size(50)).check(
        "begins          => list 0 limit=50
         page 5          => complete 5, watch 5
         watch-fails 403 => !Watch, wait 1s, list >=5 limit=50
         list-fails 410  => !List, list - limit=50",
    );
    // Only a list at "0" identifies a server without a watch cache.
    Run::new(listing().page_size(50)).check(
        "begins          => list 0 limit=50
         page 5          => complete 5, watch 5
         watch-fails 403 => !Watch, wait 1s, list >=5 limit=50
         page 6 t        => list - limit=50 continue=t
         page 6          => complete 6, watch 6",
    );
    Run::new(listing().page_size(0)).check("begins => list 0 limit=500");
    Run::new(listing()).check(
        "begins          => list 0 limit=500
         page 5 t        => list - limit=500 continue=t
         page 5          => complete 5, watch 5
         watch-fails 403 => !Watch, wait 1s, list >=5 limit=500
         page 6          => complete 6, watch 6
         watch-fails 403 => !Watch, wait 2s, list >=6 limit=500",
    );
}

/// W-06: this also holds if the pages then expired.
#[test]
fn w06_a_list_that_came_back_paged_once_is_remembered_though_it_expired() {
    Run::new(listing()).check(
        "begins          => list 0 limit=500
         page 5 t        => list - limit=500 continue=t
         list-fails 410  => !List, list 0
         page 7          => complete 7, watch 7
         watch-fails 403 => !Watch, wait 1s, list >=7 limit=500",
    );
}

/// W-08: the versions are "0", "10", "", "10". Gone counts as Expired.
#[test]
fn w08_an_expired_continue_token_leads_to_one_unpaged_list_at_the_version_first_asked_for() {
    for kind in ["410", "gone"] {
        Run::new(listing().page_size(4)).check(&format!(
            "begins            => list 0 limit=4
             page 10           => complete 10, watch 10
             watch-fails 403   => !Watch, wait 1s, list >=10 limit=4
             page 11 t         => list - limit=4 continue=t
             list-fails {kind} => !List, list 10
             page 12           => complete 12, watch 12"
        ));
    }
}

/// W-08: an unpaged list that expires is not an expired page.
#[test]
fn w08_an_unpaged_list_that_expires_too_is_asked_for_at_the_most_recent_version() {
    Run::new(listing()).check(
        "begins         => list 0 limit=500
         page 10 t      => list - limit=500 continue=t
         list-fails 410 => !List, list 0
         list-fails 410 => !List, list - limit=500
         page 12 t      => list - limit=500 continue=t
         list-fails 410 => !List, list -
         list-fails 410 => !List, wait 1s, list - limit=500",
    );
}

/// A failure of a later page restarts the list.
#[test]
fn a_failed_page_starts_the_list_over() {
    Run::new(listing()).check(
        "begins         => list 0 limit=500
         page 10 t      => list - limit=500 continue=t
         list-fails lost => !List, wait 1s, list 0 limit=500",
    );
    let mut machine = Machine::new(&listing().reflector(), true, 1);
    let Step::List { restart, .. } = machine.step(Instant::now()) else {
        panic!("no list");
    };
    assert!(restart);
}

/// A server that repeats a continue token makes no progress, so the list would never end.
#[test]
fn a_list_with_a_repeated_token_is_malformed() {
    Run::new(listing()).check(
        "begins    => list 0 limit=500
         page 10 t => list - limit=500 continue=t
         page 10 u => list - limit=500 continue=u
         page 10 t => list - limit=500 continue=t
         page 10 t => !List, wait 1s, list 0 limit=500
         page 10 t => list - limit=500 continue=t
         page 10   => complete 10, watch 10",
    );
}

/// The number of pages is bounded, even if all tokens differ.
#[test]
fn a_list_without_an_end_is_malformed() {
    let mut machine = Machine::new(&listing().reflector(), true, 1);
    machine.step(Instant::now());
    let mut pages = 0_u32;
    let error = loop {
        match machine.on_page(&ListMeta::page("10", pages.to_string())) {
            Ok(_) => pages += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(pages + 1, 100_000);
    let text = "malformed answer: the list has more than 100000 pages";
    assert_eq!(error.to_string(), text);
}

#[test]
fn r05_watches_are_asked_to_end_within_once_to_twice_the_least_time() {
    let timeouts = |config: InformerConfig| -> Vec<Duration> {
        let timeout = |seed| {
            let mut machine = Machine::new(&config.reflector(), true, seed);
            match machine.step(Instant::now()) {
                Step::Watch(options) => options.timeout,
                other @ (Step::List { .. } | Step::Probe { .. } | Step::Backoff(_)) => {
                    panic!("{other}")
                }
            }
        };
        (0..200).map(timeout).collect()
    };
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    for (asked, min) in [(None, 5), (Some(1), 5), (Some(30), 30)] {
        let config = InformerConfig::new();
        let config = match asked {
            Some(asked) => config.min_watch_timeout(minutes(asked)),
            None => config,
        };
        let timeouts = timeouts(config);
        assert!(
            timeouts
                .iter()
                .all(|t| (minutes(min)..minutes(2 * min)).contains(t))
        );
        let half = minutes(min) + minutes(min) / 2;
        let short = timeouts.iter().filter(|&&timeout| timeout < half).count();
        assert!(
            (60..140).contains(&short),
            "{short} of 200 in the lower half"
        );
    }
}

/// E-09: extreme settings do not overflow.
#[test]
fn extreme_durations_do_not_overflow() {
    let config = || {
        InformerConfig::new()
            .min_watch_timeout(Duration::MAX)
            .initial_events_deadline(Duration::MAX)
            .internal_error_retry(Duration::MAX)
    };
    let mut run = Run::new(config());
    assert_eq!(run.happens("begins"), "stream -");
    assert_eq!(run.machine.silent_at(), None);
    assert_eq!(run.happens("+1 end1"), "complete 1");
    assert_eq!(run.happens("3s watch-fails 500"), "!Watch, watch 1");
}
