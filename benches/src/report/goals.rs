//! Performance goals, and the ratios that informer reaches.

use super::block::Block;
use super::text::{align, interval, ratio, table, thousands};
use crate::figures::{
    EVENTS, Figure, GET_P99, GETS, INDEX_LIST, LABEL_LIST, RELIST, RESIDENT, SYNC, SYNC_PEAK,
    SYNC_PER_OBJECT, Spread,
};

/// Goal of a peer.
struct Goal {
    /// Name of the peer that has to reach it.
    peer: &'static str,
    /// Title of the figure.
    what: &'static str,
    figure: Figure,
    against: Against,
    need: Need,
}

/// Baseline of a goal.
#[derive(Clone, Copy)]
enum Against {
    /// Best result of these peers in the same world, with a title for the group.
    Best(&'static str, &'static [&'static str]),
    /// The same figure in the smallest world.
    Smallest,
    /// No baseline: the goal is absolute.
    Nothing,
}

#[derive(Clone, Copy)]
enum Need {
    /// Minimum speed-up, as the inverse ratio of times.
    Faster(f64),
    /// Minimum ratio of a rate.
    More(f64),
    /// Maximum ratio.
    AtMost(f64),
}

const KUBE: Against = Against::Best("kube-runtime", &["kube-runtime"]);
const GO_JSON: Against = Against::Best("client-go JSON", &["client-go"]);
const GO_PROTOBUF: Against = Against::Best("client-go protobuf", &["client-go/protobuf"]);
const GO_BEST: Against = Against::Best(
    "the best of client-go",
    &[
        "client-go",
        "client-go/streaming",
        "client-go/protobuf",
        "client-go/protobuf-streaming",
    ],
);

const GOALS: [Goal; 21] = [
    goal("typed", "sync", SYNC, KUBE, Need::Faster(3.0)),
    goal("typed/mimalloc", "sync", SYNC, KUBE, Need::Faster(5.0)),
    goal("typed", "sync", SYNC, GO_JSON, Need::Faster(5.0)),
    goal(
        "typed/protobuf",
        "sync",
        SYNC,
        GO_PROTOBUF,
        Need::Faster(2.0),
    ),
    goal("packed", "sync", SYNC, KUBE, Need::Faster(10.0)),
    goal(
        "packed/protobuf",
        "sync",
        SYNC,
        GO_PROTOBUF,
        Need::Faster(8.0),
    ),
    goal(
        "projection/protobuf",
        "sync",
        SYNC,
        KUBE,
        Need::Faster(10.0),
    ),
    goal("typed", "resident", RESIDENT, KUBE, Need::AtMost(0.6)),
    goal("packed", "resident", RESIDENT, GO_BEST, Need::AtMost(0.1)),
    goal("packed", "peak", SYNC_PEAK, GO_BEST, Need::AtMost(0.25)),
    goal("typed", "relist", RELIST, GO_BEST, Need::Faster(6.0)),
    goal("packed", "relist", RELIST, GO_BEST, Need::Faster(6.0)),
    goal("typed", "events per s", EVENTS, KUBE, Need::More(3.0)),
    goal(
        "typed/protobuf",
        "events per s",
        EVENTS,
        GO_PROTOBUF,
        Need::More(1.2),
    ),
    goal(
        "packed/protobuf",
        "events per s",
        EVENTS,
        GO_PROTOBUF,
        Need::More(6.0),
    ),
    goal("typed", "gets per s", GETS, GO_BEST, Need::More(0.7)),
    goal(
        "typed",
        "list by index",
        INDEX_LIST,
        GO_BEST,
        Need::Faster(0.5),
    ),
    goal(
        "typed",
        "list by labels",
        LABEL_LIST,
        GO_BEST,
        Need::Faster(1.5),
    ),
    goal(
        "typed",
        "get p99 in µs",
        GET_P99,
        Against::Nothing,
        Need::AtMost(10.0),
    ),
    goal(
        "typed",
        "sync per object",
        SYNC_PER_OBJECT,
        Against::Smallest,
        Need::AtMost(1.25),
    ),
    goal(
        "packed",
        "resident per object",
        RESIDENT,
        Against::Smallest,
        Need::AtMost(1.1),
    ),
];

const fn goal(
    peer: &'static str,
    what: &'static str,
    figure: Figure,
    against: Against,
    need: Need,
) -> Goal {
    Goal {
        peer,
        what,
        figure,
        against,
        need,
    }
}

// === impl Goal ===

impl Goal {
    fn title(&self) -> String {
        let against = match self.against {
            Against::Best(name, _) => format!(" against {name}"),
            Against::Smallest => " against the smallest world".to_owned(),
            Against::Nothing => String::new(),
        };
        format!("{}: {}{against}", self.peer, self.what)
    }

    fn need(&self) -> String {
        match self.need {
            Need::Faster(times) => format!("≥ {times} times as fast"),
            Need::More(times) => format!("≥ {times} times"),
            Need::AtMost(limit) => format!("≤ {}", ratio(limit)),
        }
    }

    /// Returns the ratio in this world with its range over all runs, or `None` if a figure is
    /// missing.
    fn reached(&self, block: &Block, blocks: &[Block]) -> Option<Spread> {
        let own = block.spread(self.peer, &self.figure)?;
        let base = match self.against {
            Against::Best(_, peers) => {
                let others = peers
                    .iter()
                    .filter_map(|peer| block.spread(peer, &self.figure));
                others.reduce(|best, other| {
                    let is_better = match self.need {
                        Need::More(_) => other.median > best.median,
                        Need::Faster(_) | Need::AtMost(_) => other.median < best.median,
                    };
                    if is_better { other } else { best }
                })?
            }
            Against::Smallest => {
                let smallest = blocks.iter().min_by_key(|block| block.world.objects)?;
                if smallest.world == block.world {
                    return None;
                }
                smallest.spread(self.peer, &self.figure)?
            }
            Against::Nothing => Spread {
                least: 1.0,
                median: 1.0,
                most: 1.0,
            },
        };
        let reached = match self.need {
            Need::Faster(_) => base.over(&own),
            Need::More(_) | Need::AtMost(_) => own.over(&base),
        };
        reached.median.is_finite().then_some(reached)
    }

    /// Reports whether the whole range satisfies the goal.
    fn is_met(&self, reached: &Spread) -> bool {
        match self.need {
            Need::Faster(least) | Need::More(least) => reached.least >= least,
            Need::AtMost(most) => reached.most <= most,
        }
    }

    fn cell(&self, block: &Block, blocks: &[Block]) -> String {
        let Some(reached) = self.reached(block, blocks) else {
            return "–".to_owned();
        };
        let verdict = if self.is_met(&reached) {
            "met"
        } else {
            "NOT met"
        };
        format!("{} {verdict}", interval(&reached))
    }
}

fn heads<'a>(blocks: impl Iterator<Item = &'a Block>) -> Vec<String> {
    let worlds = blocks.map(|block| format!("{} Pods", thousands(block.world.objects)));
    ["needed".to_owned()].into_iter().chain(worlds).collect()
}

/// Returns the goals with a cell for each world of at least this size.
fn rows(blocks: &[Block], least: usize) -> Vec<(String, Vec<String>)> {
    let row = |goal: &Goal| {
        let shown = blocks.iter().filter(|block| block.world.objects >= least);
        let cells = shown.map(|block| goal.cell(block, blocks));
        let cells = [goal.need()].into_iter().chain(cells);
        (goal.title(), cells.collect())
    };
    GOALS.iter().map(row).collect()
}

pub(super) fn to_terminal(blocks: &[Block]) -> String {
    let mut lines = vec![("Goals".to_owned(), heads(blocks.iter()))];
    lines.extend(rows(blocks, 0));
    align(&lines)
}

/// Renders the goals in worlds of at least this size.
pub(super) fn to_markdown(blocks: &[Block], least: usize) -> String {
    let shown = blocks.iter().filter(|block| block.world.objects >= least);
    let mut all = vec![String::new()];
    all.extend(heads(shown));
    let mut rows = rows(blocks, least);
    for cell in rows.iter_mut().flat_map(|(_, cells)| cells) {
        *cell = cell.replace("NOT met", "**not met**");
    }
    table(&all, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::World;
    use crate::peers::Peer;
    use crate::sample::Sample;

    fn block(objects: usize, times: &[(&str, f64)]) -> Block {
        let results = times.iter().map(|&(name, elapsed)| {
            let mut sample = Sample::default();
            sample.sync.elapsed = elapsed;
            sample.events.elapsed = elapsed;
            (name.parse::<Peer>().unwrap(), vec![sample])
        });
        Block::new(World { objects, events: 1 }, 1, results.collect())
    }

    fn cells(blocks: &[Block], title: &str) -> Vec<String> {
        let row = rows(blocks, 0).into_iter().find(|(name, _)| name == title);
        row.unwrap().1
    }

    #[test]
    fn every_goal_names_peers_that_exist() {
        for goal in &GOALS {
            assert!(goal.peer.parse::<Peer>().is_ok(), "{}", goal.peer);
            if let Against::Best(_, peers) = goal.against {
                for peer in peers {
                    assert!(peer.parse::<Peer>().is_ok(), "{peer}");
                }
            }
        }
    }

    #[test]
    fn a_ratio_is_met_not_met_or_not_measured() {
        let blocks = [
            block(1, &[("kube-runtime", 3.0), ("typed", 1.0)]),
            block(2, &[("kube-runtime", 2.9), ("typed", 1.0)]),
        ];
        let title = "typed: sync against kube-runtime";
        let expected = ["≥ 3 times as fast", "3.00 met", "2.90 NOT met"];
        assert_eq!(cells(&blocks, title), expected);
        let title = "packed: sync against kube-runtime";
        assert_eq!(cells(&blocks, title)[1..], ["–", "–"]);
        let title = "typed: events per s against kube-runtime";
        assert_eq!(cells(&blocks, title)[1..], ["3.00 met", "2.90 NOT met"]);
    }

    #[test]
    fn a_goal_is_met_when_the_whole_range_meets_it() {
        let mut block = block(1, &[("kube-runtime", 3.0), ("typed", 1.0)]);
        let figures = &mut block.results[1].figures;
        let (_, sync) = figures.iter_mut().find(|(id, _)| *id == SYNC.id).unwrap();
        sync.most = 1.5;
        let title = "typed: sync against kube-runtime";
        let expected = "3.00 (2.00–3.00) NOT met";
        assert_eq!(cells(&[block], title)[1..], [expected]);
    }

    #[test]
    fn growth_is_seen_against_the_smallest_world() {
        let blocks = [block(10, &[("typed", 1.0)]), block(20, &[("typed", 4.0)])];
        let title = "typed: sync per object against the smallest world";
        assert_eq!(cells(&blocks, title)[1..], ["–", "2.00 NOT met"]);
    }
}
