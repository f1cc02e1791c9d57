//! Checks the table of `docs/recovery.md` row by row.

use std::path::Path;
use std::time::Duration;

use super::machine_support::Run;
use crate::reflector::WatchListMode;
use crate::reflector::collect::Versions;
use crate::shared_informer::InformerConfig;

/// Rows of the table: state and failure, and scripts that reach the state and end with the failure.
const ROWS: &str = "
- list: the connection is lost
    begins | list-fails refused
    begins | list-fails lost
    begins | list-fails cut
    begins | list-fails silent
- list: 429
    begins | list-fails 429
- list: another status, or a malformed answer
    begins | list-fails 403
    begins | list-fails 500
    begins | list-fails malformed
- list: 410, or the version is too large
    begins | list-fails 410
    begins | list-fails large
- list: the same at no version
    begins | list-fails 410 | list-fails 410
- list: 410 for a further page
    begins | page 5 token | list-fails 410
- list: it is older than what was seen
    begins | page 5 | +6 watch-fails 410 | page 3
- streaming list: the connection is lost before the answer
    begins | 29s connect-fails refused
    begins | 29s connect-fails lost
- streaming list: no answer within 30 s
    begins | 30s unanswered
    begins | 30s connect-fails silent
- streaming list: the connection is lost after the answer
    begins | +1 watch-fails lost
    begins | watch-fails cut
- streaming list: answered, but no event and no end for 30 s
    begins | 30s silence
    begins | 30s watch-fails lost
- streaming list: closed early
    begins | +1 closes
- streaming list: closed within 1 s, empty
    begins | closes
- streaming list: 429
    begins | 29s connect-fails 429
- streaming list: 410, or the version is too large
    begins | +4 end5 +6 300s closes | watch-fails 410 | connect-fails 410
    begins | +4 end5 +6 300s closes | watch-fails 410 | connect-fails large
- streaming list: 400, 405, 406, 415, 422, 501
    begins | connect-fails 400
    begins | connect-fails 405
    begins | connect-fails 406
    begins | connect-fails 415
    begins | connect-fails 422
    begins | connect-fails 501
- streaming list: a malformed answer
    begins | watch-fails malformed
- streaming list: 401, 403, 404
    begins | connect-fails 401
    begins | connect-fails 403
    begins | connect-fails 404
- streaming list: 401, 403, 404, as for the list before
    begins | connect-fails 403 | list-fails 403 | connect-fails 403
    begins | connect-fails 404 | list-fails 401 | connect-fails 404
- streaming list: another status
    begins | connect-fails 500
    begins | connect-fails 503
    begins | watch-fails 500
- watch: the connection is lost while it is opened
    begins | page 5 | connect-fails refused
    begins | page 5 | connect-fails lost
    begins | page 5 | connect-fails silent
- watch: 429 while it is opened
    begins | page 5 | connect-fails 429
- watch: 410 or another status while it is opened
    begins | page 5 | connect-fails 410
    begins | page 5 | connect-fails 403
    begins | page 5 | connect-fails 500
- watch: the connection is lost
    begins | page 5 | watch-fails lost
    begins | page 5 | +6 watch-fails cut
    begins | page 5 | watch-fails silent
- watch: 429 as an event
    begins | page 5 | watch-fails 429
- watch: 410 or another status as an event
    begins | page 5 | watch-fails 410
    begins | page 5 | watch-fails 403
    begins | page 5 | watch-fails 503
- watch: 500 as an event, within `internal_error_retry`
    begins | page 5 | watch-fails 500
- watch: an index lacks objects whose bodies were evicted
    begins | page 5 | lacks
    begins | page 5 | 1s +6 lacks
- watch: closed by the server
    begins | page 5 | 1s closes
    begins | page 5 | +6 closes
- watch: closed by the server after 10 s, then 410 before any event
    begins | page 5 | 10s closes | watch-fails 410
    begins | page 5 | 10s closes | connect-fails 410
- watch: closed within 1 s, with nothing new
    begins | page 5 | b5 closes
- watch: closed within 1 s, empty
    begins | page 5 | closes
- watch: silent to its end, for the second time in a row
    begins | page 5 | 300s closes | 300s closes
- watch: a bookmark is older than what was seen
    begins | page 5 | b3
- probe: the server has the version
    begins | page 5 | 300s closes | 300s closes | probe 5
- probe: the server does not have the version yet
    begins | page 5 | 300s closes | 300s closes | probe-fails large
- probe: the two versions cannot be compared
    begins | page 5 | watch-fails lost | probe x
- probe: the connection is lost
    begins | page 5 | 300s closes | 300s closes | probe-fails lost
    begins | page 5 | 10s watch-fails lost | 10s probe-fails refused
- probe: 400, 404, 405, 406, 410, 415, 422, 501
    begins | page 5 | watch-fails lost | probe-fails 400
    begins | page 5 | watch-fails lost | probe-fails 404
    begins | page 5 | watch-fails lost | probe-fails 405
    begins | page 5 | watch-fails lost | probe-fails 410
    begins | page 5 | watch-fails lost | probe-fails 501
- probe: another status, or a malformed answer
    begins | page 5 | watch-fails lost | probe-fails 401
    begins | page 5 | watch-fails lost | probe-fails 403
    begins | page 5 | watch-fails lost | probe-fails 429
    begins | page 5 | watch-fails lost | probe-fails 500
    begins | page 5 | watch-fails lost | probe-fails 503
    begins | page 5 | watch-fails lost | probe-fails malformed
    begins | page 5 | 300s closes | 300s closes | probe-fails 403
- any: the `ListerWatcher` panics
    begins | panics
";

/// R-12, L-06, L-09, B-01, E-01, E-04.
#[test]
fn the_machine_follows_every_row_of_the_recovery_table() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/recovery.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("| State |").unwrap();
    let documented: Vec<Vec<&str>> = table
        .lines()
        .skip(2)
        .map_while(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|line| line.split(" | ").collect())
        .collect();
    for (row, rows) in documented.iter().zip(ROWS.split("\n- ").skip(1)) {
        let (title, scripts) = rows.split_once('\n').unwrap();
        let (state, failure) = title.split_once(": ").unwrap();
        for script in scripts.lines() {
            let (next, delay) = play(state == "streaming list", script);
            assert_eq!(row, &[state, failure, &next, delay], "{script}");
        }
    }
    assert_eq!(documented.len(), ROWS.matches("\n- ").count());
}

/// Plays a script. Returns the next request and the kind of delay before it, in the words of the
/// table.
fn play(streams: bool, script: &str) -> (String, &'static str) {
    let config = InformerConfig::new().internal_error_retry(Duration::from_secs(30));
    let mode = if streams {
        WatchListMode::Auto
    } else {
        WatchListMode::Never
    };
    let mut run = Run::new(config.watch_list(mode));
    let mut follows = String::new();
    for part in script.split('|') {
        follows = run.happens(part);
    }
    let delay = match follows
        .split(", ")
        .find_map(|word| word.strip_prefix("wait "))
    {
        None => "none",
        Some("0s") => "spread",
        Some(wait) if wait.trim_end_matches('s').parse::<f64>().unwrap() < 0.1 => "loss",
        Some(_) => "refusal",
    };
    let request = follows.rsplit(", ").next().unwrap();
    let synced = script.contains("end5");
    (next_request(&mut run, streams, synced, request), delay)
}

fn next_request(run: &mut Run, streams: bool, synced: bool, request: &str) -> String {
    let words: Vec<&str> = request.split(' ').collect();
    let next = match words[..] {
        ["watch", _] => "watch",
        ["probe", _] => "probe",
        ["stream", "-"] if synced => "streaming list at no version",
        ["stream", _] if has_whole_deadline(run) => "streaming list, with its whole deadline",
        ["stream", _] => "streaming list",
        ["list", ..] if streams => return list_instead(run),
        ["list", "-", ..] if run.machine.versions() == Versions::Restarted => {
            "list at no version, nothing is known"
        }
        ["list", "-", ..] => "list at no version",
        ["list", "0", _] => "list",
        ["list", "0"] => "list without pages",
        ["list", _] => "list at the last version",
        _ => panic!("no such request: {request}"),
    };
    next.to_owned()
}

fn has_whole_deadline(run: &Run) -> bool {
    run.machine.silent_at() == Some(run.now + Duration::from_secs(30))
}

/// Completes the list, and finds out whether the next one is streamed.
fn list_instead(run: &mut Run) -> String {
    run.happens("page 5");
    if run.happens("+6 watch-fails 410").contains("stream") {
        "list, this time".to_owned()
    } else {
        "list, for 30 min".to_owned()
    }
}
