//! Servers whose versions went back.

use std::time::Duration;

use super::machine_support::{Run, listing, streaming};
use super::world::Whole;
use crate::reflector::collect::Versions;
use crate::reflector::step::Page;
use crate::shared_informer::InformerConfig;
use crate::status::{Reason, SourceError};
use crate::wire::ListMeta;

/// Returns a machine that watches from version 5.
fn watching() -> Run {
    let mut run = Run::new(listing());
    run.check(
        "begins => list 0 limit=500
         page 5 => complete 5, watch 5",
    );
    run
}

/// N-05: a real server accepts a watch from a version that it has not reached, and sends neither
/// events nor bookmarks. After two such watches the server is probed.
#[test]
fn n05_a_server_that_shows_nothing_is_asked_whether_it_is_behind() {
    watching().check(
        "300s closes       => watch 5
         300s closes       => probe 5
         probe-fails large => !WentBack, list - limit=500
         page 3            => complete 3 anew, watch 3",
    );
    // A server that ignores the requested version answers with an older version.
    watching().check(
        "300s closes => watch 5
         300s closes => probe 5
         probe 4     => !WentBack, list - limit=500",
    );
    Run::new(streaming()).check(
        "begins            => stream -
         +1 end5 300s closes => complete 5, watch 5
         300s closes       => watch 5
         300s closes       => probe 5
         probe-fails large => !WentBack, stream -
         +2 end3 +4 300s closes => complete 3 anew, watch 4",
    );
}

/// N-05: a lost connection may mean that the server was restored, so its version is asked before
/// the watch, until it answers.
#[test]
fn n05_a_server_that_came_back_is_asked_at_once() {
    watching().check(
        "+6 watch-fails lost   => !Watch, wait 1s, probe 6
         probe-fails refused   => !List, wait 2s, probe 6
         probe-fails silent    => !List, wait 4s, probe 6
         probe 6               => watch 6
         connect-fails lost    => !Connect, wait 8s, probe 6
         probe-fails large     => !WentBack, list - limit=500
         page 3                => complete 3 anew, watch 3
         300s closes           => watch 3
         watch-fails cut       => !Watch, wait 1s, probe 3
         probe-fails 403       => !List, wait 1s, probe 3
         probe-fails lost      => !List, wait 2s, probe 3
         probe 3               => watch 3",
    );
}

/// N-05, R-06: a server that sends events is not probed, and a quiet server only rarely.
#[test]
fn n05_a_healthy_server_is_not_asked() {
    watching().check(
        "300s closes    => watch 5
         b5 300s closes => watch 5
         300s closes    => watch 5
         +7 300s closes => watch 7
         300s closes    => watch 7
         300s closes    => probe 7
         probe 7        => watch 7
         300s closes    => watch 7
         300s closes    => probe 7",
    );
}

/// N-05: a probe that fails decides nothing, so it is repeated before any watch from the old version.
#[test]
fn n05_a_probe_without_an_answer_is_repeated() {
    for lost in [
        "watch-fails lost",
        "connect-fails refused",
        "300s closes 300s closes",
    ] {
        for kind in ["401", "403", "429", "500", "503", "malformed"] {
            let mut run = watching();
            let mut follows = String::new();
            for words in lost.split(' ').collect::<Vec<_>>().chunks(2) {
                follows = run.happens(&words.join(" "));
            }
            assert!(follows.ends_with("probe 5"), "{lost}: {follows}");
            for _ in 0..3 {
                let follows = run.happens(&format!("probe-fails {kind}"));
                let (delay, next) = follows.rsplit_once(", ").unwrap();
                assert!(delay.starts_with("!List, wait "), "{kind}: {follows}");
                assert_eq!(next, "probe 5", "{kind}");
            }
            run.check("probe 5 => watch 5");
        }
    }
}

/// N-05: a server that refuses the probe itself, or whose version does not compare, is listed.
#[test]
fn n05_a_list_replaces_a_probe_that_cannot_be_answered() {
    for kind in ["400", "405", "410", "422", "501"] {
        watching().check(&format!(
            "watch-fails lost   => !Watch, wait 1s, probe 5
             probe-fails {kind} => !List, wait 1s, list 5
             list-fails large   => !List, list - limit=500
             page 3             => !WentBack, wait 2s, list - limit=500
             page 3             => complete 3 anew, watch 3"
        ));
    }
    watching().check(
        "watch-fails lost => !Watch, wait 1s, probe 5
         probe x          => list 5
         page x           => complete x, watch x",
    );
    watching().check(
        "watch-fails lost => !Watch, wait 1s, probe 5
         panics           => !List, wait 1s, list 5",
    );
}

/// N-05: a bookmark carries the server's current version.
#[test]
fn n05_a_bookmark_of_the_past_ends_the_watch() {
    let mut run = watching();
    run.check("+7 b3 => !WentBack, wait 1s, list - limit=500");
    // Such a bookmark is not progress, so the server is not listed in a hot loop.
    run.check(
        "page 5 => complete 5 anew, watch 5
         b3     => !WentBack, wait 2s, list - limit=500",
    );
}

/// N-05: a relist detects the older version whatever led to it, and its failure is reported. The
/// list is repeated, because it was compared with versions that are no longer valid.
#[test]
fn n05_a_list_of_an_older_version_says_that_the_server_went_back() {
    for end in ["closes", "watch-fails 410", "connect-fails 410"] {
        let mut run = watching();
        assert!(run.happens(end).ends_with("wait 1s, list 5"), "{end}");
        run.check(
            "list-fails large => !List, list - limit=500
             page 3 t1        => list - limit=500 continue=t1
             list-fails lost  => !List, wait 1s, list - limit=500
             page 4           => !WentBack, wait 2s, list - limit=500
             page 4           => complete 4 anew, watch 4",
        );
        // Reported once: from here on the server's current version is the reference.
        run.check(
            "watch-fails 403 => !Watch, wait 4s, list 4
             page 4          => complete 4, watch 4",
        );
    }
    // The same for a server that ignores the requested version.
    watching().check(
        "watch-fails 403 => !Watch, wait 1s, list 5
         page 3          => !WentBack, wait 2s, list - limit=500
         page 3          => complete 3 anew, watch 3",
    );
}

/// N-05: the same for a streaming list, whose events advance the version before it is complete.
#[test]
fn n05_a_streaming_list_of_an_older_version_says_so_too() {
    let synced = "begins    => stream -
                  +1 end5 300s watch-fails 410 => complete 5, !Watch, wait 1s, stream 5";
    let scripts = [
        "watch-fails large     => !Watch, stream -
         +1 ~2 watch-fails lost => !Watch, wait 1s, stream -
         +1 +2 end3            => !WentBack, wait 2s, stream -
         +1 +2 end3 +4 300s closes => complete 3 anew, watch 4",
        "watch-fails large     => !Watch, stream -
         +1 ~2 watch-fails 422 => !WatchListRefused, list - limit=500
         page 3                => !WentBack, wait 2s, list - limit=500
         page 3                => complete 3 anew, watch 3",
        "watch-fails large     => !Watch, stream -
         +1 ~2 panics          => !Watch, wait 2s, list - limit=500
         page 3                => !WentBack, wait 4s, list - limit=500
         page 3                => complete 3 anew, watch 3",
        "silence               => !BookmarkMissing, list 5
         list-fails large      => !List, list - limit=500
         page 3                => !WentBack, wait 2s, list - limit=500
         page 3                => complete 3 anew, watch 3",
    ];
    for script in scripts {
        Run::new(streaming()).check(&format!("{synced}\n{script}"));
    }
}

/// N-05: a list whose decoding fails does not make the store's versions comparable.
#[test]
fn n05_versions_compare_only_after_the_list_is_decoded() {
    let mut run = watching();
    assert_eq!(run.happens("b3"), "!WentBack, wait 1s, list - limit=500");
    let page = run.machine.on_page(&ListMeta::at("3")).unwrap();
    assert!(matches!(page, Page::Complete(_)), "{page:?}");
    let lost = SourceError::Panicked("the decoding of objects");
    run.machine.on_list_error(lost, run.now);
    assert_eq!(run.machine.versions(), Versions::Restarted);
}

/// N-05: a list with an equal, newer or incomparable version reports nothing.
#[test]
fn n05_a_server_that_did_not_go_back_is_not_said_to() {
    for answer in ["page 5", "page 6", "page x", "page 0"] {
        let mut run = watching();
        run.check(
            "watch-fails 410  => !Watch, wait 1s, list 5
             list-fails large => !List, list - limit=500",
        );
        let follows = run.happens(answer);
        assert!(follows.starts_with("complete"), "{answer}: {follows}");
    }
}

/// Responses of a server that was restored at version 3.
struct Restored {
    /// Watches from version 5, in turn. The last one repeats.
    watches: &'static [&'static str],
    /// Probes for version 5, in turn. The last one repeats.
    probes: &'static [&'static str],
}

// === impl Restored ===

impl Restored {
    /// Returns the time until the older version is detected.
    fn time_to_notice(&self, config: InformerConfig) -> Duration {
        let mut run = Run::new(config);
        let mut follows = run.happens("begins");
        follows = if follows == "stream -" {
            run.happens("+1 end5 600s closes")
        } else {
            run.happens("page 5")
        };
        let start = run.now;
        let (mut watches, mut probes) = (0, 0);
        for _ in 0..100 {
            if follows.contains("!WentBack") {
                return run.now - start;
            }
            let request = follows.rsplit(", ").next().unwrap();
            follows = match request.split(' ').collect::<Vec<_>>()[..] {
                ["stream", "-"] => run.happens("+1 end3"),
                ["list", "-", ..] => run.happens("page 3"),
                ["stream", "5"] => run.happens("connect-fails large"),
                ["list", "5", ..] => run.happens("list-fails large"),
                ["probe", "5"] => run.happens(in_turn(self.probes, &mut probes)),
                ["watch", "5"] => run.happens(in_turn(self.watches, &mut watches)),
                _ => panic!("{follows}"),
            };
        }
        panic!("not noticed after {:?}: {follows}", run.now - start);
    }
}

fn in_turn(words: &'static [&'static str], nth: &mut usize) -> &'static str {
    *nth += 1;
    words.get(*nth - 1).or(words.last()).unwrap()
}

/// N-05: the failure is reported once, and then the server is followed. The list that revealed it
/// is discarded, and the status is that of the watch after the next list.
#[tokio::test(start_paused = true)]
async fn n05_whoever_handles_errors_is_told_and_the_informer_goes_on() {
    let scripts = [
        (
            listing(),
            "list 9 a@8 b@9 | watch fails 410 | list fails large | list 4 a@3 \
             | list 4 a@3 | watch +c@5",
            "Connect List WentBack",
        ),
        (
            streaming(),
            "watch +a@8 +b@9 end@9 then 410 | watch fails large | watch +a@3 end@4 \
             | watch +a@3 end@4 +c@5",
            "Watch Connect WentBack",
        ),
    ];
    for (config, script, errors) in scripts {
        let whole = Whole::start(config, script);
        whole.at("5").await;
        assert_eq!(whole.errors.text(), errors);
        assert_eq!(whole.cached(), "a@3 c@5");
        assert_eq!(whole.informer.status().state.as_str(), "synced");
        let metrics = whole.informer.metrics();
        let lists = [metrics.list_attempts, metrics.streaming_list_attempts];
        let ended = |reason| lists.iter().map(|lists| lists.ended(reason)).sum::<u64>();
        assert_eq!((ended(Reason::Completed), ended(Reason::Failed)), (2, 1));
        assert_eq!(metrics.watch_attempts.began(Reason::Failed), 0);
        whole.stop().await;
    }
    // A complete streaming list counts as a working watch before further events.
    let script = "watch +a@8 +b@9 end@9 then 410 | watch fails large | watch +a@3 end@4 \
                  | watch +a@3 end@4";
    let whole = Whole::start(streaming(), script);
    whole.at("4").await;
    assert_eq!(whole.errors.text(), "Watch Connect WentBack");
    assert_eq!(whole.informer.status().state.as_str(), "synced");
    whole.stop().await;
}

/// N-05: the time until detection is bounded by two watch periods (of at most 10 min) and the
/// delays between requests. A probe without an answer costs another period.
#[test]
fn n05_the_time_until_it_is_noticed_is_bounded() {
    const TOO_LARGE: &[&str] = &["probe-fails large"];
    let cases: [(&'static [&'static str], &'static [&'static str], u64); 14] = [
        // Restored behind a proxy that keeps the watch open: silent until its end.
        (&["600s closes"], TOO_LARGE, 1210),
        (&["b5 600s closes", "600s closes"], TOO_LARGE, 1810),
        (&["600s watch-fails silent"], TOO_LARGE, 1210),
        // Connections that break or end at once.
        (&["600s watch-fails lost", "600s closes"], TOO_LARGE, 1210),
        (&["b5 watch-fails lost", "600s closes"], TOO_LARGE, 610),
        (&["b5 watch-fails lost", "watch-fails lost"], TOO_LARGE, 10),
        (&["watch-fails eof"], TOO_LARGE, 10),
        (&["closes"], TOO_LARGE, 10),
        (&["1s closes"], TOO_LARGE, 10),
        // The server was unreachable or overloaded for some time.
        (
            &[
                "b5 closes",
                "connect-fails refused",
                "connect-fails refused",
                "connect-fails 429",
                "600s closes",
            ],
            TOO_LARGE,
            620,
        ),
        (
            &[
                "b5 closes",
                "connect-fails lost",
                "connect-fails lost",
                "600s closes",
            ],
            TOO_LARGE,
            620,
        ),
        // The server sends its version.
        (&["b3"], TOO_LARGE, 10),
        (&["600s closes"], &["probe 3"], 1210),
        // The first probe is lost.
        (
            &["600s closes"],
            &["probe-fails lost", "probe-fails large"],
            1810,
        ),
    ];
    for (watches, probes, limit) in cases {
        for config in [listing(), streaming()] {
            let elapsed = Restored { watches, probes }.time_to_notice(config);
            assert!(elapsed.as_secs() <= limit, "{watches:?}: {elapsed:?}");
        }
    }
}
