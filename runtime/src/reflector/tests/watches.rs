//! Actions after the end of a watch.

use std::time::Duration;

use super::machine_support::{Run, listing, streaming};

const SYNCED: &str = "begins => list 0 limit=500
                      page 5 => complete 5, watch 5";

/// Returns a machine that watches from version 5.
fn watching() -> Run {
    let mut run = Run::new(listing());
    run.check(SYNCED);
    run
}

#[test]
fn r06_a_watch_that_the_server_ends_is_resumed_at_once() {
    watching().check(
        "300s closes       => watch 5
         +7 300s closes    => watch 7
         1s closes         => watch 7
         b9 closes         => watch 9",
    );
}

/// a server whose definition of the resource changed ends the watches, and has forgotten what
/// was before. The list follows at once, but once only until a watch is healthy again.
#[test]
fn r12_a_watch_that_the_server_ended_and_cannot_resume_is_listed_at_once() {
    watching().check(
        "10s closes        => watch 5
         watch-fails 410   => !Watch, wait 0s, list 5
         page 6            => complete 6, watch 6
         10s closes        => watch 6
         connect-fails 410 => !Connect, wait 0s, list 6
         page 6            => complete 6, watch 6
         9s closes         => watch 6
         watch-fails 410   => !Watch, wait 1s, list 6
         page 6            => complete 6, watch 6
         10s closes        => watch 6
         +7 watch-fails 410 => !Watch, wait 1s, list 7
         page 7            => complete 7, watch 7
         10s closes        => watch 7
         connect-fails 403 => !Connect, wait 1s, list 7",
    );
}

#[test]
fn r07_a_watch_that_ends_at_once_and_empty_is_a_failure() {
    watching().check(
        "999ms closes => !VeryShortWatch, wait 1s, list 5
         page 5       => complete 5, watch 5
         closes       => !VeryShortWatch, wait 2s, list 5",
    );
}

#[test]
fn r17_a_server_that_closes_every_watch_at_once_is_not_asked_faster_than_the_backoff_allows() {
    for (config, list) in [(listing(), "page 5"), (streaming(), "+5 end5 closes")] {
        let mut run = Run::new(config);
        let start = run.now;
        run.happens("begins");
        let mut cycles = 0;
        while run.now - start < Duration::from_secs(600) {
            assert!(run.happens(list).contains("watch 5"));
            run.happens("closes");
            cycles += 1;
            assert!(cycles < 1000, "hot loop");
        }
        assert!((20..30).contains(&cycles), "{cycles} cycles in 10 minutes");
    }
}

/// a watch that delivers nothing new and ends at once is not progress either.
#[test]
fn r17_a_watch_that_repeats_a_bookmark_and_closes_is_not_resumed_in_a_hot_loop() {
    watching().check(
        "b5 closes => wait 1s, watch 5
         b5 closes => wait 1s, watch 5
         rejected closes => wait 1s, watch 5
         b6 closes => watch 6",
    );
}

/// R-08, B-07, B-08.
#[test]
fn r08_the_version_is_the_last_events_even_if_smaller() {
    watching().check(
        "+55 ~32 300s closes      => watch 32
         rejected 300s closes     => watch 32
         ~40 rejected 300s closes => watch 40",
    );
}

/// B-07: initial events of a watch without a version are unordered. Without a version the watch
/// cannot be resumed, because it would miss deletions.
#[test]
fn b07_a_watch_without_a_version_counts_from_the_first_event_on_that_is_not_added() {
    let mut run = Run::new(listing());
    run.check(
        "begins               => list 0 limit=500
         page 0               => complete 0, watch 0
         +9 +4 300s closes    => wait 1s, list 0 limit=500
         page 0               => complete 0, watch 0
         +9 watch-fails lost  => !Watch, wait 1s, list 0 limit=500
         page 0               => complete 0, watch 0
         connect-fails 429    => !Connect, wait 1s, list 0 limit=500
         page 0               => complete 0, watch 0
         +9 ~4 300s closes    => watch 4
         +9 300s closes       => watch 9",
    );
}

/// R-09, E-04: after 429 and refused connections follow watches, not lists. Whether the server that
/// comes back has the version is asked once.
#[test]
fn r09_a_refused_connection_is_tried_again_without_a_list() {
    watching().check(
        "connect-fails 429 => !Connect, wait 1s, watch 5
         connect-fails 429 => !Connect, wait 2s, watch 5
         connect-fails 429 => !Connect, wait 4s, watch 5
         connect-fails 429 => !Connect, wait 8s, watch 5",
    );
    watching().check(
        "connect-fails refused => !Connect, wait 1s, probe 5
         probe-fails refused   => !List, wait 2s, probe 5
         probe-fails refused   => !List, wait 4s, probe 5
         probe 9               => watch 5
         connect-fails 429     => !Connect, wait 1s, watch 5",
    );
}

#[test]
fn r10_too_many_requests_in_the_stream_costs_a_backoff_and_no_list() {
    watching().check(
        "watch-fails 429 => !Watch, wait 1s, watch 5
         watch-fails 429 => !Watch, wait 2s, watch 5",
    );
}

#[test]
fn r11_an_internal_error_ends_the_cycle_by_default() {
    watching().check("watch-fails 500 => !Watch, wait 1s, list 5");
}

/// 31 errors at intervals of one second; a minute without an internal error resets the
/// window.
#[test]
fn r11_internal_errors_are_watched_through_within_the_retry_window() {
    let mut run = Run::new(listing().internal_error_retry(Duration::from_secs(30)));
    run.check(SYNCED);
    for round in 0..2 {
        for nth in 0..31 {
            assert_eq!(
                run.happens("watch-fails 500"),
                "!Watch, watch 5",
                "{round} {nth}"
            );
            run.now += Duration::from_secs(1);
        }
        assert!(
            run.happens("watch-fails 500").ends_with("list 5"),
            "{round}"
        );
        run.happens("page 5");
        run.now += Duration::from_secs(60);
    }
    // Other errors do not change the window.
    assert_eq!(run.happens("watch-fails 500"), "!Watch, watch 5");
    assert!(run.happens("29s watch-fails 403").ends_with("list 5"));
    run.happens("page 5");
    assert_eq!(run.happens("watch-fails 500"), "!Watch, watch 5");
    assert!(run.happens("2s watch-fails 500").ends_with("list 5"));
}

/// every other error response leads to a list.
#[test]
fn r12_other_failures_lead_to_a_relist() {
    for kind in [
        "410", "gone", "500", "corrupt", "401", "403", "404", "large",
    ] {
        watching().check(&format!("+6 watch-fails {kind} => !Watch, wait 1s, list 6"));
        watching().check(&format!(
            "connect-fails {kind} => !Connect, wait 1s, list 5"
        ));
    }
    watching().check("connect-fails malformed => !Connect, wait 1s, list 5");
    watching().check("+6 watch-fails malformed => !Watch, wait 1s, list 6");
}

/// R-12, N-05, differs: a lost connection does not invalidate the version, also while the watch is
/// opened again, for example through a load balancer without a backend. The server that answers next
/// may have been restored, so it is probed.
#[test]
fn r12_a_connection_lost_while_the_watch_is_opened_again_is_resumed_by_a_watch() {
    for kind in ["refused", "lost", "eof", "cut", "silent"] {
        watching().check(&format!(
            "+6 watch-fails {kind} => !Watch, wait 1s, probe 6
             probe-fails {kind}   => !List, wait 2s, probe 6
             probe 6              => watch 6
             connect-fails {kind} => !Connect, wait 4s, probe 6
             probe 7              => watch 6"
        ));
    }
}

#[test]
fn r20_a_panic_of_the_source_is_a_failure_like_another() {
    Run::new(listing()).check(
        "begins => list 0 limit=500
         panics => !List, wait 1s, list 0 limit=500
         page 5 => complete 5, watch 5
         panics => !Watch, wait 2s, list 5",
    );
}

/// R-20, L-06: a source that panics in a streaming list may still list.
#[test]
fn r20_a_panic_in_a_streaming_list_leads_to_a_list() {
    Run::new(streaming()).check(
        "begins => stream -
         panics => !Watch, wait 1s, list 0 limit=500",
    );
}
