//! Every answer to every request: the request that follows, and whether the server has shown its
//! history. After a lost connection, the server may have been restored from a backup; a watch from
//! the last version is then a mistake.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::machine_support::{Run, listing, streaming};
use crate::shared_informer::InformerConfig;

/// Losses of a connection, after which the server may be another one.
const LOSSES: [&str; 5] = ["refused", "lost", "eof", "cut", "silent"];
/// Answers that are no success.
const REFUSALS: [&str; 13] = [
    "400", "401", "403", "404", "405", "410", "415", "422", "429", "500", "501", "503", "large",
];

/// Machine at a request, and what the answers so far prove.
struct Explored {
    run: Run,
    /// Request that waits for its answer, as the machine printed it.
    request: String,
    /// `true` if the server has shown that it has the last version since the last lost connection.
    is_shown: bool,
}

// === impl Explored ===

impl Explored {
    fn new(config: InformerConfig) -> Self {
        let mut run = Run::new(config);
        let request = run.happens("begins");
        Self {
            run,
            request,
            is_shown: false,
        }
    }

    fn play(config: InformerConfig, answers: &[String]) -> Self {
        let mut explored = Self::new(config);
        for answer in answers {
            explored.answer(answer);
        }
        explored
    }

    /// Plays an answer. The proof is judged by the answer alone.
    fn answer(&mut self, answer: &str) {
        let follows = self.run.happens(answer);
        let proves = match self.request.split_once(' ') {
            Some(("probe", version)) => proves(answer, version),
            Some(("watch", version)) => {
                let events = answer
                    .split(' ')
                    .filter_map(|word| word.strip_prefix(['+', 'b']));
                events.into_iter().any(|event| is_reached(version, event))
            }
            _ => follows.contains("complete"),
        };
        self.is_shown |= proves;
        self.is_shown &= !LOSSES.iter().any(|loss| answer.ends_with(loss));
        // An event alone leaves the watch open.
        if let Some(request) = follows.rsplit(", ").next().filter(|text| !text.is_empty()) {
            self.request = request.to_owned();
        }
    }

    /// Answers that this request can have.
    fn answers(&self) -> Vec<String> {
        let (request, _) = self.request.split_once(' ').unwrap();
        let (own, failures): (&[&str], &[&str]) = match request {
            "list" => (
                &["page 9", "page 5", "page 3", "page x", "page 9 token"],
                &["list-fails"],
            ),
            "probe" => (
                &["probe 9", "probe 5", "probe 3", "probe x"],
                &["probe-fails"],
            ),
            "watch" => (
                &[
                    "closes",
                    "300s closes",
                    "+9 300s closes",
                    "b9 closes",
                    "b3",
                    "lacks",
                ],
                &["connect-fails", "watch-fails", "+9 watch-fails"],
            ),
            "stream" => (
                &[
                    "closes",
                    "+1 closes",
                    "40s closes",
                    "+1 end9 300s closes",
                    "+1 end3 300s closes",
                    "silence",
                    "unanswered",
                ],
                &["connect-fails", "watch-fails", "+1 end9 watch-fails"],
            ),
            other => panic!("no such request: {other}"),
        };
        let causes = LOSSES.iter().chain(&REFUSALS).chain(&["malformed"]);
        let failed =
            causes.flat_map(|cause| failures.iter().map(move |word| format!("{word} {cause}")));
        let own = own.iter().map(|word| (*word).to_owned());
        own.chain(failed).chain(["panics".to_owned()]).collect()
    }
}

/// Returns `true` if this answer to a probe shows that the server has `version`.
fn proves(answer: &str, version: &str) -> bool {
    answer
        .strip_prefix("probe ")
        .is_some_and(|found| is_reached(version, found))
}

fn is_reached(version: &str, found: &str) -> bool {
    match (version.parse::<u64>(), found.parse::<u64>()) {
        (Ok(version), Ok(found)) => found >= version,
        _ => version == found,
    }
}

/// Fails if the server is watched although it has shown nothing since the last lost connection.
fn check(explored: &Explored, answers: &[String]) {
    assert!(
        explored.is_shown || !explored.request.starts_with("watch"),
        "{} without proof, after: {}",
        explored.request,
        answers.join(" | ")
    );
}

/// N-05: no sequence of answers leads from a lost connection to a watch without proof. All of three
/// answers, and random ones of twelve.
#[test]
fn n05_no_answers_lead_from_a_lost_connection_to_a_watch_without_proof() {
    for (config, sync) in [
        (listing as fn() -> _, "page 5"),
        (streaming, "+1 end5 300s closes"),
    ] {
        let mut paths = vec![vec![sync.to_owned()]];
        for _ in 0..3 {
            let mut longer = Vec::new();
            for path in paths {
                for answer in Explored::play(config(), &path).answers() {
                    let answers = [path.as_slice(), &[answer]].concat();
                    check(&Explored::play(config(), &answers), &answers);
                    longer.push(answers);
                }
            }
            paths = longer;
        }
    }
    let cases: u64 = std::env::var("PROPTEST_CASES").map_or(32, |cases| cases.parse().unwrap());
    for seed in 0..cases * 50 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut explored = Explored::new(if seed % 2 == 0 {
            listing()
        } else {
            streaming()
        });
        let mut answers = Vec::new();
        for _ in 0..12 {
            let answer = rng.choice(explored.answers()).unwrap();
            explored.answer(&answer);
            answers.push(answer);
            check(&explored, &answers);
        }
    }
}

/// N-05: the table of all answers to a request of a machine that has synced at version 5, by what
/// follows.
#[test]
fn n05_the_table_of_beliefs_is_complete() {
    let states = [
        ("watch", vec!["page 5"]),
        (
            "probe after a lost connection",
            vec!["page 5", "watch-fails lost"],
        ),
        (
            "probe after two silent watches",
            vec!["page 5", "300s closes", "300s closes"],
        ),
        (
            "list after a lost connection",
            vec!["page 5", "watch-fails lost", "probe-fails 404"],
        ),
        (
            "list at no version after a lost connection",
            vec!["page 5", "watch-fails lost", "probe 3"],
        ),
    ];
    let mut table = String::new();
    for (state, path) in states {
        let path: Vec<String> = path.into_iter().map(str::to_owned).collect();
        let mut rows: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for answer in Explored::play(listing(), &path).answers() {
            let answers = [path.as_slice(), std::slice::from_ref(&answer)].concat();
            let explored = Explored::play(listing(), &answers);
            let history = if explored.is_shown {
                "shown"
            } else {
                "in doubt"
            };
            let follows = format!("{}, {history}", explored.request);
            let (words, last) = answer.rsplit_once(' ').unwrap_or((&answer, ""));
            let row = rows.entry((words.to_owned(), follows)).or_default();
            row.push(last.to_owned());
        }
        writeln!(table, "{state}").unwrap();
        for ((words, follows), last) in rows {
            let answers = format!("{words} {}", last.join(" "));
            writeln!(table, "    {} => {follows}", answers.trim_end()).unwrap();
        }
    }
    assert_eq!(table.trim(), TABLE.trim(), "\n{table}");
}

/// Answers to a request, the request that follows, and whether the server has shown that it has the
/// last version.
const TABLE: &str = "
watch
    +9 300s closes => watch 9, shown
    +9 watch-fails 400 401 403 404 405 410 415 422 500 501 503 large malformed => list 9, shown
    +9 watch-fails refused lost eof cut silent => probe 9, in doubt
    +9 watch-fails 429 => watch 9, shown
    300s closes => watch 5, shown
    b3 => list - limit=500, shown
    b9 closes => watch 9, shown
    closes => list 5, shown
    connect-fails 400 401 403 404 405 410 415 422 500 501 503 large malformed => list 5, shown
    connect-fails refused lost eof cut silent => probe 5, in doubt
    connect-fails 429 => watch 5, shown
    lacks => list 5, shown
    panics => list 5, shown
    watch-fails 400 401 403 404 405 410 415 422 500 501 503 large malformed => list 5, shown
    watch-fails refused lost eof cut silent => probe 5, in doubt
    watch-fails 429 => watch 5, shown
probe after a lost connection
    panics => list 5, in doubt
    probe 3 => list - limit=500, in doubt
    probe x => list 5, in doubt
    probe 9 5 => watch 5, shown
    probe-fails large => list - limit=500, in doubt
    probe-fails 400 404 405 410 415 422 501 => list 5, in doubt
    probe-fails refused lost eof cut silent 401 403 429 500 503 malformed => probe 5, in doubt
probe after two silent watches
    panics => list 5, shown
    probe 3 => list - limit=500, shown
    probe x => list 5, shown
    probe 9 5 => watch 5, shown
    probe-fails large => list - limit=500, shown
    probe-fails 400 404 405 410 415 422 501 => list 5, shown
    probe-fails refused lost eof cut silent => probe 5, in doubt
    probe-fails 401 403 429 500 503 malformed => probe 5, shown
list after a lost connection
    list-fails 410 large => list - limit=500, in doubt
    list-fails refused lost eof cut silent 400 401 403 404 405 415 422 429 500 501 503 malformed => list 5, in doubt
    page 3 => list - limit=500, in doubt
    page 5 => watch 5, shown
    page 9 => watch 9, shown
    page x => watch x, shown
    page 9 token => list - continue=token, in doubt
    panics => list 5, in doubt
list at no version after a lost connection
    list-fails refused lost eof cut silent 400 401 403 404 405 410 415 422 429 500 501 503 large malformed => list - limit=500, in doubt
    page 3 => watch 3, shown
    page 5 => watch 5, shown
    page 9 => watch 9, shown
    page x => watch x, shown
    page 9 token => list - limit=500 continue=token, in doubt
    panics => list - limit=500, in doubt
";
