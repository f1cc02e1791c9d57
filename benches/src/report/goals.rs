//! Performance goals, and whether informer meets them.

use std::fmt::Write as _;

use super::{Block, align, ratio, thousands};
use crate::figures::{
    EVENT_CPU, EVENTS, Figure, GET_P50, GET_P99, RELIST, RELIST_PEAK, RESIDENT, SYNC, SYNC_PEAK,
    SYNC_PER_OBJECT,
};

/// Goal of a peer.
struct Goal {
    /// Name of the peer.
    peer: &'static str,
    /// Name of the figure.
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
    /// Another figure of the same peer.
    Own(&'static str, Figure),
    /// The same figure in the smallest world.
    Smallest,
    /// No baseline: the figure is an absolute limit.
    Nothing,
}

#[derive(Clone, Copy)]
enum Need {
    /// Minimum speed-up. A time counts by its inverse.
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

const GOALS: [Goal; 36] = [
    goal("typed", "sync", SYNC, KUBE, Need::Faster(3.0)),
    goal("typed/mimalloc", "sync", SYNC, KUBE, Need::Faster(5.0)),
    goal("typed", "sync", SYNC, GO_JSON, Need::Faster(5.0)),
    goal("typed", "resident", RESIDENT, KUBE, Need::AtMost(0.6)),
    goal("typed", "peak", SYNC_PEAK, KUBE, Need::AtMost(0.55)),
    goal("packed", "sync", SYNC, KUBE, Need::Faster(10.0)),
    goal("packed", "sync", SYNC, GO_JSON, Need::Faster(15.0)),
    goal("packed", "sync", SYNC, GO_PROTOBUF, Need::Faster(4.0)),
    goal(
        "packed",
        "resident",
        RESIDENT,
        KUBE,
        Need::AtMost(1.0 / 30.0),
    ),
    goal("packed", "peak", SYNC_PEAK, KUBE, Need::AtMost(0.1)),
    goal("packed", "resident", RESIDENT, GO_BEST, Need::AtMost(0.1)),
    goal("packed", "peak", SYNC_PEAK, GO_BEST, Need::AtMost(0.25)),
    goal("typed", "events per s", EVENTS, KUBE, Need::More(3.0)),
    goal(
        "typed",
        "CPU per event",
        EVENT_CPU,
        KUBE,
        Need::AtMost(1.0 / 3.0),
    ),
    goal(
        "typed",
        "events per s",
        EVENTS,
        GO_PROTOBUF,
        Need::More(1.2),
    ),
    goal("packed", "events per s", EVENTS, KUBE, Need::More(6.0)),
    goal(
        "packed",
        "events per s",
        EVENTS,
        GO_PROTOBUF,
        Need::More(2.5),
    ),
    goal("typed", "relist", RELIST, KUBE, Need::Faster(15.0)),
    goal("typed", "relist", RELIST, GO_BEST, Need::Faster(6.0)),
    goal("packed", "relist", RELIST, KUBE, Need::Faster(15.0)),
    goal("packed", "relist", RELIST, GO_BEST, Need::Faster(6.0)),
    goal(
        "typed",
        "peak with relist",
        RELIST_PEAK,
        OWN_PEAK,
        Need::AtMost(1.02),
    ),
    goal("typed/protobuf", "sync", SYNC, KUBE, Need::Faster(4.0)),
    goal(
        "typed/protobuf",
        "sync",
        SYNC,
        GO_PROTOBUF,
        Need::Faster(2.0),
    ),
    goal("packed/protobuf", "sync", SYNC, KUBE, Need::Faster(20.0)),
    goal(
        "packed/protobuf",
        "sync",
        SYNC,
        GO_PROTOBUF,
        Need::Faster(8.0),
    ),
    goal(
        "packed/protobuf",
        "events per s",
        EVENTS,
        KUBE,
        Need::More(15.0),
    ),
    goal(
        "packed/protobuf",
        "events per s",
        EVENTS,
        GO_PROTOBUF,
        Need::More(6.0),
    ),
    goal(
        "projection/protobuf",
        "sync",
        SYNC,
        KUBE,
        Need::Faster(10.0),
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
        "sync per object",
        SYNC_PER_OBJECT,
        Against::Smallest,
        Need::AtMost(1.25),
    ),
    goal(
        "typed",
        "resident per object",
        RESIDENT,
        Against::Smallest,
        Need::AtMost(1.1),
    ),
    goal(
        "packed",
        "resident per object",
        RESIDENT,
        Against::Smallest,
        Need::AtMost(1.1),
    ),
    goal(
        "typed",
        "get, p50",
        GET_P50,
        Against::Smallest,
        Need::AtMost(1.5),
    ),
    goal(
        "typed",
        "get p99 in µs",
        GET_P99,
        Against::Nothing,
        Need::AtMost(10.0),
    ),
    goal(
        "packed",
        "get p99 in µs",
        GET_P99,
        Against::Nothing,
        Need::AtMost(10.0),
    ),
];

const OWN_PEAK: Against = Against::Own("its own peak of sync", SYNC_PEAK);

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
            Against::Best(name, _) | Against::Own(name, _) => format!(" against {name}"),
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

    /// Returns the result in this world, or `None` if a required figure was not measured.
    fn reached(&self, block: &Block, blocks: &[Block]) -> Option<f64> {
        let median = |block: &Block, peer: &str, figure: &Figure| {
            block.spread(peer, figure).map(|spread| spread.median)
        };
        let own = median(block, self.peer, &self.figure)?;
        let is_more_better = matches!(self.need, Need::More(_));
        let base = match self.against {
            Against::Best(_, peers) => {
                let others = peers.iter().map(|peer| median(block, peer, &self.figure));
                others.flatten().reduce(|one, other| {
                    if is_more_better {
                        one.max(other)
                    } else {
                        one.min(other)
                    }
                })?
            }
            Against::Own(_, figure) => median(block, self.peer, &figure)?,
            Against::Smallest => {
                let smallest = blocks.iter().min_by_key(|block| block.world.objects)?;
                let is_itself = smallest.world.objects == block.world.objects;
                (!is_itself).then(|| median(smallest, self.peer, &self.figure))??
            }
            Against::Nothing => 1.0,
        };
        let reached = match self.need {
            Need::Faster(_) => base / own,
            Need::More(_) | Need::AtMost(_) => own / base,
        };
        reached.is_finite().then_some(reached)
    }

    fn is_met(&self, reached: f64) -> bool {
        match self.need {
            Need::Faster(least) | Need::More(least) => reached >= least,
            Need::AtMost(most) => reached <= most,
        }
    }

    fn cell(&self, block: &Block, blocks: &[Block]) -> String {
        match self.reached(block, blocks) {
            None => "–".to_owned(),
            Some(reached) if self.is_met(reached) => format!("{} met", ratio(reached)),
            Some(reached) => format!("{} NOT met", ratio(reached)),
        }
    }
}

fn heads(blocks: &[Block]) -> Vec<String> {
    let worlds = blocks.iter().map(|block| thousands(block.world.objects));
    ["needed".to_owned()]
        .into_iter()
        .chain(worlds.map(|objects| format!("{objects} Pods")))
        .collect()
}

fn rows(blocks: &[Block]) -> impl Iterator<Item = (String, Vec<String>)> {
    GOALS.iter().map(move |goal| {
        let mut cells = vec![goal.need()];
        cells.extend(blocks.iter().map(|block| goal.cell(block, blocks)));
        (goal.title(), cells)
    })
}

pub(super) fn to_terminal(blocks: &[Block]) -> String {
    let mut lines = vec![("Goals".to_owned(), heads(blocks))];
    lines.extend(rows(blocks));
    align(&lines)
}

pub(super) fn to_markdown(blocks: &[Block]) -> String {
    let heads = heads(blocks);
    let mut text = "### Goals\n\n".to_owned();
    let _ = writeln!(text, "| | {} |", heads.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(heads.len()));
    for (title, cells) in rows(blocks) {
        let cells: Vec<String> = cells
            .iter()
            .map(|cell| cell.replace("NOT met", "**not met**"))
            .collect();
        let _ = writeln!(text, "| {title} | {} |", cells.join(" | "));
    }
    text.push('\n');
    text
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
        Block {
            world: World { objects, events: 1 },
            runs: 1,
            results: results.collect(),
        }
    }

    fn cells(blocks: &[Block], title: &str) -> Vec<String> {
        let row = rows(blocks).find(|(name, _)| name == title);
        row.unwrap().1
    }

    #[test]
    fn every_goal_names_existing_peers() {
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
    fn growth_is_relative_to_the_smallest_world() {
        let blocks = [block(10, &[("typed", 1.0)]), block(20, &[("typed", 4.0)])];
        let title = "typed: sync per object against the smallest world";
        assert_eq!(cells(&blocks, title)[1..], ["–", "2.00 NOT met"]);
    }
}
