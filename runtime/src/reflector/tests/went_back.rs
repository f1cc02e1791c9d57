//! Servers whose versions went back.

use std::time::Duration;

use super::machine_support::{Run, check, listing, streaming};
use super::world::Whole;
use crate::shared_informer::InformerConfig;
use crate::status::Reason;

/// A machine that watches from version 5.
fn watching() -> Run {
    let mut run = Run::new(listing());
    run.check(
        "begins => list 0 limit=500
         page 5 => complete 5, watch 5",
    );
    run
}

/// N-05: a real server that is asked to watch from a version that it has yet to get to waits, and
/// says nothing: no event, and no bookmark. Two such watches, and it is asked.
#[test]
fn n05_a_server_that_shows_nothing_is_asked_whether_it_is_behind() {
    watching().check(
        "300s closes       => watch 5
         300s closes       => probe 5
         probe-fails large => !WentBack, wait 1s, list - limit=500
         page 3            => complete 3 anew, watch 3",
    );
    // A server that does not know what it is asked for answers with an older version.
    watching().check(
        "300s closes => watch 5
         300s closes => probe 5
         probe 4     => !WentBack, wait 1s, list - limit=500",
    );
    check(
        streaming(),
        "begins            => stream -
         +1 end5 300s closes => complete 5, watch 5
         300s closes       => watch 5
         300s closes       => probe 5
         probe-fails large => !WentBack, wait 1s, stream -
         +2 end3 +4 300s closes => complete 3 anew, watch 4",
    );
}

/// N-05: after a lost or refused connection one silent watch is enough.
#[test]
fn n05_a_server_that_came_back_is_asked_sooner() {
    watching().check(
        "+6 watch-fails lost   => !Watch, wait 1s, watch 6
         300s closes           => probe 6
         probe 6               => watch 6
         connect-fails refused => !Connect, wait 1s, watch 6
         300s watch-fails silent => !Watch, wait 1s, probe 6
         probe 9               => watch 6",
    );
}

/// N-05, R-06: whoever shows something is not asked, and a quiet server not all the time.
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

/// N-05: a question that fails otherwise decides nothing, and is asked again.
#[test]
fn n05_a_question_that_fails_is_reported_and_the_watch_goes_on() {
    for kind in ["lost", "403", "500", "410"] {
        watching().check(&format!(
            "300s closes        => watch 5
             300s closes        => probe 5
             probe-fails {kind} => !List, wait 1s, watch 5
             300s closes        => probe 5
             probe 5            => watch 5
             300s closes        => watch 5"
        ));
    }
    watching().check(
        "300s closes => watch 5
         300s closes => probe 5
         panics      => !List, wait 1s, list 5",
    );
}

/// N-05: a bookmark says how far the server is.
#[test]
fn n05_a_bookmark_of_the_past_ends_the_watch() {
    let mut run = watching();
    run.check("+7 b3 => !WentBack, wait 1s, list - limit=500");
    // It is no progress: such a server is not listed in a hot loop.
    run.check(
        "page 5 => complete 5 anew, watch 5
         b3     => !WentBack, wait 2s, list - limit=500",
    );
}

/// N-05: a relist is a question as well, whatever led to it; its answer is the report. It was compared
/// with versions that mean nothing any more, so it is asked for once more.
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
        // Once: from here on the server is measured by what it has now.
        run.check(
            "watch-fails 403 => !Watch, wait 4s, list 4
             page 4          => complete 4, watch 4",
        );
    }
    // One that does not look at the version that it is asked for.
    watching().check(
        "watch-fails 403 => !Watch, wait 1s, list 5
         page 3          => !WentBack, wait 2s, list - limit=500
         page 3          => complete 3 anew, watch 3",
    );
}

/// N-05: the same of a streaming list, whose events move the version on before it is whole.
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
        check(streaming(), &format!("{synced}\n{script}"));
    }
}

/// N-05: a list that fails for a moment only, or whose versions have no order, says nothing.
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

/// What a server that was restored at version 3 answers.
struct Restored {
    /// Its watches from version 5, in turn; the last for ever.
    watches: &'static [&'static str],
    /// Its answers to the question whether it has version 5, likewise.
    probes: &'static [&'static str],
}

// === impl Restored ===

impl Restored {
    /// How long it takes until it is found out.
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

/// N-05: a report, once, and then the server is followed. The list that showed it is given up, and
/// the status is that of the watch behind the next one.
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
        assert_eq!(whole.informer.status().state.to_string(), "synced");
        let metrics = whole.informer.metrics();
        let lists = [metrics.list_attempts, metrics.streaming_list_attempts];
        let ended = |reason| lists.iter().map(|lists| lists.ended(reason)).sum::<u64>();
        assert_eq!((ended(Reason::Completed), ended(Reason::Failed)), (2, 1));
        assert_eq!(metrics.watch_attempts.began(Reason::Failed), 0);
        whole.stop().await;
    }
    // A stream that is whole is a watch that works, before it says anything more.
    let script = "watch +a@8 +b@9 end@9 then 410 | watch fails large | watch +a@3 end@4 \
                  | watch +a@3 end@4";
    let whole = Whole::start(streaming(), script);
    whole.at("4").await;
    assert_eq!(whole.errors.text(), "Watch Connect WentBack");
    assert_eq!(whole.informer.status().state.to_string(), "synced");
    whole.stop().await;
}

/// N-05: however the server came back and whatever its watches do, two watch periods (of 10 min at
/// most) and the delays between requests are the longest that it takes; a question that gets no
/// answer costs another period.
#[test]
fn n05_the_time_until_it_is_noticed_is_bounded() {
    const TOO_LARGE: &[&str] = &["probe-fails large"];
    let cases: [(&'static [&'static str], &'static [&'static str], u64); 14] = [
        // Restored behind a proxy that keeps the watch open: silent up to its end.
        (&["600s closes"], TOO_LARGE, 1210),
        (&["b5 600s closes", "600s closes"], TOO_LARGE, 1810),
        (&["600s watch-fails silent"], TOO_LARGE, 1210),
        // Connections that break, or end at once.
        (&["600s watch-fails lost", "600s closes"], TOO_LARGE, 1210),
        (&["b5 watch-fails lost", "600s closes"], TOO_LARGE, 610),
        (&["b5 watch-fails lost", "watch-fails lost"], TOO_LARGE, 10),
        (&["watch-fails eof"], TOO_LARGE, 10),
        (&["closes"], TOO_LARGE, 10),
        (&["1s closes"], TOO_LARGE, 10),
        // Nobody was there for some time, or was too busy.
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
        // It says itself how far it is.
        (&["b3"], TOO_LARGE, 10),
        (&["600s closes"], &["probe 3"], 1210),
        // The question is lost, once.
        (
            &["600s closes"],
            &["probe-fails lost", "probe-fails large"],
            1810,
        ),
    ];
    for (watches, probes, limit) in cases {
        for config in [listing(), streaming()] {
            let took = Restored { watches, probes }.time_to_notice(config);
            assert!(took.as_secs() <= limit, "{watches:?}: {took:?}");
        }
    }
}
