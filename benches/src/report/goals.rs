//! Performance goals, and the ratios that informer reaches.

use super::block::Block;
use super::text::{align, interval, ratio, table};
use crate::figures::{
    EVENTS, Figure, GET, HEAP, IDLE_CPU, INDEX_LIST, INDEX_VISIT, LABEL_LIST, RESIDENT,
    RESIDENT_AFTER, RESIDENT_TOTAL, SYNC, Spread, TASKS,
};
use crate::world::Kind;

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
    /// Figure of another peer in the same world.
    Peer(&'static str, Figure),
    /// Another figure of the same peer, with its title.
    Own(&'static str, Figure),
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

const CLIENT_GO: &str = "client-go/protobuf";

/// Goals in the worlds of Pods.
const OF_PODS: [Goal; 11] = [
    goal("typed/protobuf", "sync", SYNC, Need::Faster(2.0)),
    goal("packed/protobuf", "sync", SYNC, Need::Faster(7.0)),
    Goal {
        against: Against::Peer("bytes/protobuf", SYNC),
        ..goal("packed/protobuf", "sync", SYNC, Need::AtMost(2.5))
    },
    Goal {
        against: Against::Nothing,
        ..goal(
            "packed/protobuf",
            "resident KiB per object",
            RESIDENT,
            Need::AtMost(2.2),
        )
    },
    goal("typed/protobuf", "events per s", EVENTS, Need::More(1.2)),
    goal(
        "typed/protobuf-mimalloc",
        "events per s",
        EVENTS,
        Need::More(1.5),
    ),
    goal("packed/protobuf", "events per s", EVENTS, Need::More(5.0)),
    goal("typed/protobuf", "get", GET, Need::Faster(0.7)),
    goal(
        "typed/protobuf",
        "list by index",
        INDEX_LIST,
        Need::Faster(0.5),
    ),
    Goal {
        against: Against::Peer(CLIENT_GO, INDEX_LIST),
        ..goal(
            "typed/protobuf",
            "list by index, borrowed",
            INDEX_VISIT,
            Need::Faster(1.0),
        )
    },
    goal(
        "typed/protobuf",
        "list by labels",
        LABEL_LIST,
        Need::Faster(5.0),
    ),
];

/// Goals in the sustained world.
const SUSTAINED: [Goal; 3] = [
    goal(
        "typed/protobuf",
        "sustained events per s",
        EVENTS,
        Need::More(1.0),
    ),
    goal(
        "typed/protobuf-mimalloc",
        "sustained events per s",
        EVENTS,
        Need::More(1.4),
    ),
    Goal {
        against: Against::Own("after the sync", RESIDENT_TOTAL),
        ..goal(
            "typed/protobuf",
            "resident after them",
            RESIDENT_AFTER,
            Need::AtMost(1.3),
        )
    },
];

/// Goals in the largest world of many types.
const OF_TYPES: [Goal; 5] = [
    of_types("resident of 200 types", RESIDENT_TOTAL),
    of_types("heap of 200 types", HEAP),
    of_types("tasks of 200 types", TASKS),
    of_types("sync of 200 types", SYNC),
    of_types("idle CPU of 200 types", IDLE_CPU),
];

const fn of_types(what: &'static str, figure: Figure) -> Goal {
    Goal {
        against: Against::Peer("client-go", figure),
        ..goal("typed", what, figure, Need::AtMost(1.0))
    }
}

/// Creates a goal against the same figure of client-go with protobuf.
const fn goal(peer: &'static str, what: &'static str, figure: Figure, need: Need) -> Goal {
    Goal {
        peer,
        what,
        figure,
        against: Against::Peer(CLIENT_GO, figure),
        need,
    }
}

// === impl Goal ===

impl Goal {
    fn title(&self) -> String {
        let against = match self.against {
            Against::Peer(name, _) | Against::Own(name, _) => format!(" against {name}"),
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
    fn reached(&self, block: &Block) -> Option<Spread> {
        let own = block.spread(self.peer, &self.figure)?;
        let base = match self.against {
            Against::Peer(peer, figure) => block.spread(peer, &figure)?,
            Against::Own(_, figure) => block.spread(self.peer, &figure)?,
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

    fn cell(&self, block: &Block) -> String {
        let Some(reached) = self.reached(block) else {
            return "–".to_owned();
        };
        let verdict = if self.is_met(&reached) {
            "met"
        } else {
            "**not met**"
        };
        format!("{} {verdict}", interval(&reached))
    }

    /// Returns the row of the goal, with a cell for each world, or `None` if no world measured it.
    fn row(&self, blocks: &[&Block]) -> Option<(String, Vec<String>)> {
        blocks.iter().find_map(|block| self.reached(block))?;
        let cells = blocks.iter().map(|block| self.cell(block));
        let cells = [self.need()].into_iter().chain(cells);
        Some((self.title(), cells.collect()))
    }
}

/// Heads and rows of a table.
type Table = (Vec<String>, Vec<(String, Vec<String>)>);

/// Returns the goals in the worlds of at least `least` Pods, then the goals in the other worlds.
/// Tables without goals are left out.
fn tables(blocks: &[Block], least: usize) -> Vec<Table> {
    let are_shown = |block: &&Block| block.world.kind.is_sized() && block.world.objects >= least;
    let pods: Vec<&Block> = blocks.iter().filter(are_shown).collect();
    let worlds = pods.iter().map(|block| block.name());
    let heads = ["goal".to_owned(), "needed".to_owned()];
    let heads = heads.into_iter().chain(worlds).collect();
    let of_pods = OF_PODS.iter().filter_map(|goal| goal.row(&pods)).collect();

    let of_kind = |kind| {
        let blocks = blocks.iter().filter(move |block| block.world.kind == kind);
        blocks.max_by_key(|block| block.world.objects)
    };
    let others = [
        (Kind::Sustained, &SUSTAINED[..]),
        (Kind::Types, &OF_TYPES[..]),
    ];
    let others = others.into_iter().flat_map(|(kind, goals)| {
        let block = of_kind(kind).into_iter();
        block.flat_map(move |block| goals.iter().filter_map(|goal| goal.row(&[block])))
    });
    let other_heads = ["goal", "needed", "reached"].map(str::to_owned);
    let mut tables = vec![(heads, of_pods), (other_heads.into(), others.collect())];
    tables.retain(|(_, rows): &Table| !rows.is_empty());
    tables
}

/// Renders the goals in all worlds.
pub(super) fn to_terminal(blocks: &[Block]) -> String {
    let mut text = String::new();
    for (heads, rows) in tables(blocks, 0) {
        let mut heads = heads.into_iter();
        let mut lines = vec![(heads.next().unwrap_or_default(), heads.collect())];
        lines.extend(rows);
        text.push_str(&align(&lines));
    }
    text
}

/// Renders the goals in worlds of at least this size.
pub(super) fn to_markdown(blocks: &[Block], least: usize) -> String {
    let tables = tables(blocks, least).into_iter();
    let texts: Vec<String> = tables.map(|(heads, rows)| table(&heads, &rows)).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Peer;
    use crate::sample::{Phase, Sample};
    use crate::world::World;

    fn block(kind: Kind, times: &[(&str, f64)]) -> Block {
        let results = times.iter().map(|&(name, elapsed)| {
            let phase = Phase {
                elapsed,
                ..Phase::default()
            };
            let sample = Sample {
                sync: phase,
                events: Some(phase),
                ..Sample::default()
            };
            (name.parse::<Peer>().unwrap(), vec![sample])
        });
        let world = World {
            kind,
            objects: 20_000,
            events: 1,
        };
        Block::new(world, 1, results.collect())
    }

    fn cells(blocks: &[Block], title: &str) -> Vec<String> {
        let mut rows = tables(blocks, 0).into_iter().flat_map(|(_, rows)| rows);
        let row = rows.find(|(name, _)| name == title);
        row.unwrap_or_else(|| panic!("no goal {title}")).1
    }

    #[test]
    fn every_goal_names_peers_that_its_worlds_measure() {
        let kinds = [
            (Kind::Mixed, &OF_PODS[..]),
            (Kind::Sustained, &SUSTAINED[..]),
            (Kind::Types, &OF_TYPES[..]),
        ];
        for (kind, goals) in kinds {
            for goal in goals {
                let mut peers = vec![goal.peer];
                if let Against::Peer(peer, _) = goal.against {
                    peers.push(peer);
                }
                for name in peers {
                    let peer: Peer = name.parse().unwrap();
                    assert!(peer.measures(kind, kind.are_pods()), "{kind}: {name}");
                }
            }
        }
    }

    #[test]
    fn a_ratio_is_met_not_met_or_not_measured() {
        let blocks = [
            block(Kind::Uniform, &[(CLIENT_GO, 2.0), ("typed/protobuf", 1.0)]),
            block(
                Kind::Mixed,
                &[
                    (CLIENT_GO, 1.1),
                    ("typed/protobuf", 1.0),
                    ("packed/protobuf", 0.1),
                ],
            ),
        ];
        let title = "typed/protobuf: sync against client-go/protobuf";
        let expected = ["≥ 2 times as fast", "2.00 met", "1.10 **not met**"];
        assert_eq!(cells(&blocks, title), expected);
        let title = "packed/protobuf: sync against client-go/protobuf";
        assert_eq!(cells(&blocks, title)[1..], ["–", "11.0 met"]);
        let title = "typed/protobuf: events per s against client-go/protobuf";
        assert_eq!(cells(&blocks, title)[1..], ["2.00 met", "1.10 **not met**"]);
    }

    #[test]
    fn a_goal_is_met_when_the_whole_range_meets_it() {
        let times = [(CLIENT_GO, 3.0), ("typed/protobuf", 1.0)];
        let mut block = block(Kind::Mixed, &times);
        let figures = &mut block.results[1].figures;
        let (_, sync) = figures.iter_mut().find(|(id, _)| *id == SYNC.id).unwrap();
        sync.most = 2.0;
        let title = "typed/protobuf: sync against client-go/protobuf";
        let expected = "3.00 (1.50–3.00) **not met**";
        assert_eq!(cells(&[block], title)[1..], [expected]);
    }

    #[test]
    fn other_worlds_have_their_own_goals() {
        let peers = [(CLIENT_GO, 1.0), ("typed/protobuf", 0.5)];
        let title = "typed/protobuf: sustained events per s against client-go/protobuf";
        let expected = ["≥ 1 times", "2.00 met"];
        assert_eq!(cells(&[block(Kind::Sustained, &peers)], title), expected);
    }
}
