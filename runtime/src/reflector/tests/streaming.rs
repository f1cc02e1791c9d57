//! Streaming lists.

use std::time::Duration;

use super::machine_support::{Run, listing, streaming};
use super::support::{event, failure};
use crate::reflector::WatchListMode;
use crate::reflector::machine::Machine;
use crate::reflector::step::Step;
use tokio::time::Instant;

/// E-13, L-06: a refusal of a streaming list for want of rights says nothing about streaming. It is
/// followed by a list, which may be permitted, this time only. As long as neither is permitted, each
/// try but the first is one request.
#[test]
fn e13_while_forbidden_each_try_is_one_request() {
    for kind in ["403", "401", "404"] {
        for fails in ["connect-fails", "watch-fails"] {
            Run::new(streaming()).check(&format!(
                "begins            => stream -
                 {fails} {kind}    => !WatchListRefused, list 0 limit=500
                 list-fails {kind} => !List, wait 1s, stream -
                 {fails} {kind}    => !WatchListRefused, wait 2s, list 0 limit=500
                 list-fails {kind} => !List, wait 4s, stream -
                 {fails} {kind}    => !WatchListRefused, wait 8s, list 0 limit=500
                 page 5            => complete 5, watch 5
                 watch-fails 410   => !Watch, wait 16s, stream 5
                 {fails} {kind}    => !WatchListRefused, list 5"
            ));
        }
    }
}

/// L-01, L-10, B-13: before the first state no version is requested.
#[test]
fn l01_a_streaming_list_asks_for_the_last_version_and_goes_on_as_the_watch() {
    Run::new(streaming()).check(
        "begins          => stream -
         +3 +2 end5 +6 300s closes => complete 5, watch 6
         300s closes     => watch 6
         watch-fails 410 => !Watch, wait 0s, stream 6
         end9 300s closes => complete 9, watch 9",
    );
}

/// B-04: a completed streaming list, like a list, ends the requests for the most recent state.
#[test]
fn b04_a_streaming_list_that_succeeds_is_followed_by_one_at_its_version() {
    Run::new(streaming()).check(
        "begins                => stream -
         end10 watch-fails 410 => complete 10, !Watch, wait 1s, stream 10
         connect-fails 410     => !Connect, stream -
         end20 watch-fails 403 => complete 20, !Watch, wait 2s, stream 20",
    );
}

/// L-06: errors that reject streaming itself lead to lists for 30 minutes.
#[test]
fn l06_a_refused_streaming_list_is_remembered_for_30_minutes() {
    for kind in ["422", "400", "405", "406", "501", "malformed"] {
        for fails in ["connect-fails", "watch-fails"] {
            let mut run = Run::new(streaming());
            run.check(&format!(
                "begins          => stream -
                 {fails} {kind}  => !WatchListRefused, list 0 limit=500
                 page 5          => complete 5, watch 5
                 +6 1798s watch-fails 410 => !Watch, wait 1s, list 6
                 page 7          => complete 7, watch 7
                 +8 watch-fails 410 => !Watch, wait 1s, stream 8"
            ));
        }
    }
}

/// L-06, L-08: a lost connection is no refusal, before the first event or after it.
#[test]
fn l06_a_connection_lost_before_the_first_event_is_no_refusal() {
    for kind in ["lost", "eof", "cut", "silent"] {
        Run::new(streaming()).check(&format!(
            "begins               => stream -
             connect-fails {kind} => !Connect, wait 1s, stream -
             watch-fails {kind}   => !Watch, wait 2s, stream -
             20s +1 20s +2 20s end5 +6 watch-fails 410 => complete 5, !Watch, wait 1s, stream 6"
        ));
        // A connection lost before the first event repeats nothing, so each event is progress.
        Run::new(streaming()).check(&format!(
            "begins                 => stream -
             watch-fails {kind}     => !Watch, wait 1s, stream -
             20s +1 20s watch-fails lost => !Watch, wait 1s, stream -"
        ));
    }
}

/// L-06, L-09: an unreachable server gave no answer, so the first request after the outage has the
/// whole deadline.
#[test]
fn l09_a_request_after_an_outage_has_its_whole_deadline() {
    for kind in ["refused", "lost", "eof", "cut"] {
        let mut run = Run::new(streaming());
        run.happens("begins");
        for _ in 0..20 {
            let follows = run.happens(&format!("2s connect-fails {kind}"));
            assert!(follows.ends_with("stream -"), "{kind}: {follows}");
        }
        let deadline = run.machine.silent_at();
        assert_eq!(deadline, Some(run.now + Duration::from_secs(30)), "{kind}");
        run.check("29s +1 29s end5 +6 watch-fails 410 => complete 5, !Watch, wait 1s, stream 6");
    }
}

/// L-06, L-09: a server that does not answer may be unreachable: one list, this time only. A source
/// with a shorter response deadline does not extend the deadline of the streaming list.
#[test]
fn l09_a_streaming_list_that_is_not_answered_is_replaced_by_a_list_this_time_only() {
    Run::new(streaming()).check(
        "begins                   => stream -
         20s connect-fails silent => !Connect, wait 1s, stream -
         20s connect-fails silent => !Connect, list 0 limit=500
         page 5                   => complete 5, watch 5
         +6 watch-fails 410       => !Watch, wait 1s, stream 6",
    );
}

#[test]
fn l07_refused_connections_wait_and_lost_versions_are_given_up() {
    Run::new(streaming()).check(
        "begins                => stream -
         connect-fails 429     => !Connect, wait 1s, stream -
         connect-fails refused => !Connect, wait 1s, stream -
         +1 watch-fails 429    => !Watch, wait 2s, stream -
         +1 end5 +6 300s watch-fails 410 => complete 5, !Watch, wait 1s, stream 6",
    );
    for kind in ["410", "gone", "large"] {
        for (fails, reported) in [("connect-fails", "!Connect"), ("watch-fails", "!Watch")] {
            Run::new(streaming()).check(&format!(
                "begins         => stream -
                 +4 end5 +6 watch-fails 403 => complete 5, !Watch, wait 1s, stream 6
                 {fails} {kind} => {reported}, stream -
                 +7 end7 +8 300s closes => complete 7, watch 8
                 watch-fails 403 => !Watch, wait 1s, stream 8"
            ));
        }
    }
}

/// L-07: an error that persists without a version does not concern the version.
#[test]
fn l07_a_version_that_is_lost_twice_leads_to_a_list() {
    for kind in ["410", "large"] {
        Run::new(streaming()).check(&format!(
            "begins             => stream -
             watch-fails {kind} => !Watch, stream -
             watch-fails {kind} => !WatchListRefused, list - limit=500
             page 5             => complete 5, watch 5
             +6 watch-fails 403 => !Watch, wait 1s, list 6"
        ));
    }
}

#[test]
fn l08_a_streaming_list_that_ends_early_is_asked_for_again_and_a_very_short_one_is_not() {
    Run::new(streaming()).check(
        "begins        => stream -
         +1 2s closes  => wait 1s, stream -
         2s closes     => wait 2s, stream -
         +1 end5 300s closes => complete 5, watch 5",
    );
    Run::new(streaming()).check(
        "begins        => stream -
         999ms closes  => !VeryShortWatch, list 0 limit=500",
    );
    // A lost connection is no refusal.
    Run::new(streaming()).check(
        "begins              => stream -
         +1 watch-fails cut  => !Watch, wait 1s, stream -
         +1 watch-fails lost => !Watch, wait 2s, stream -",
    );
}

#[test]
fn l09_silence_leads_to_a_list_that_is_remembered() {
    let mut run = Run::new(streaming());
    run.happens("begins");
    assert_eq!(
        run.machine.silent_at(),
        Some(run.now + Duration::from_secs(30))
    );
    run.happens("20s +1");
    assert_eq!(
        run.machine.silent_at(),
        Some(run.now + Duration::from_secs(30))
    );
    run.check(
        "30s silence => !BookmarkMissing, list 0 limit=500
         page 5      => complete 5, watch 5
         +6 60s watch-fails 410 => !Watch, wait 1s, list 6",
    );
}

/// L-09: streams without an end mark and without new events end, if they stay open or restart.
#[test]
fn l09_streams_that_start_over_and_over_come_to_an_end() {
    for ends in ["closes", "watch-fails cut"] {
        let mut run = Run::new(streaming());
        let start = run.now;
        run.happens("begins");
        let mut streams = 1;
        while run.happens(&format!("+1 +2 {ends}")).ends_with("stream -") {
            streams += 1;
            assert!(streams < 100, "endless loop");
        }
        assert!(
            run.now - start <= Duration::from_secs(60),
            "{streams} streams"
        );
        assert!(run.machine.silent_at().is_none(), "a list is requested");
    }
}

/// L-09: a server that does not support streaming lists sends the current state and then changes,
/// without an end mark in between.
#[test]
fn l09_changes_without_an_end_mark_are_no_progress() {
    let mut run = Run::new(streaming());
    run.happens("begins +1 +2 10s +3 ~4");
    let deadline = run.now + Duration::from_secs(30);
    run.happens("10s ~5 10s +6 b7 5s rejected");
    assert_eq!(run.machine.silent_at(), Some(deadline));
}

/// L-11, B-07.
#[test]
fn l11_while_it_collects_a_version_is_taken_from_other_than_added_events_only() {
    Run::new(streaming()).check(
        "begins             => stream -
         +9 2s closes       => wait 1s, stream -
         +9 ~4 +8 2s closes => wait 2s, stream 4
         +9 b7 2s closes    => wait 4s, stream 7",
    );
}

/// L-13: only one of the four combinations streams.
#[test]
fn l13_a_source_that_cannot_stream_is_listed() {
    for (mode, can, streams) in [
        (WatchListMode::Auto, true, true),
        (WatchListMode::Auto, false, false),
        (WatchListMode::Never, true, false),
        (WatchListMode::Never, false, false),
    ] {
        let mut machine = Machine::new(&listing().watch_list(mode).reflector(), can, 1);
        let step = machine.step(Instant::now());
        assert_eq!(matches!(step, Step::Watch(_)), streams, "{mode:?} {can}");
    }
}

/// L-09: the wait for another informer's `Retry-After` does not count as silence of the server.
#[test]
fn l09_a_streaming_list_after_a_retry_after_has_its_whole_deadline() {
    for waits in [false, true] {
        let mut machine = Machine::new(&streaming().reflector(), true, 1);
        let start = Instant::now();
        machine.step(start);
        machine.on_event(&event("+a@5"), start);
        machine.on_watch_error(failure("lost"), start);
        machine.step(start);
        assert!(!machine.is_waiting(), "the pause was performed");
        if waits {
            machine.on_overload();
        }
        let later = start + Duration::from_secs(31);
        machine.step(later);
        assert_eq!(machine.silent_at().unwrap() > later, waits);
    }
}
