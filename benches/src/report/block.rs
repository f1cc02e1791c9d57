//! Figures of one world, in [`Block`].

use std::fmt::Write as _;

use super::text::{align, ratio, thousands};
use crate::figures::{Figure, GROUPS, Group, Spread};
use crate::peers::{BASE, Peer};
use crate::sample::Sample;
use crate::world::{Kind, World};

/// Figures of all peers in one world.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) world: World,
    /// Number of runs of each peer that did not fail.
    pub(crate) runs: usize,
    pub(crate) results: Vec<Results>,
}

/// Figures of one peer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Results {
    pub(crate) peer: Peer,
    /// Figures by their ids. A figure that the peer does not have is missing.
    pub(crate) figures: Vec<(&'static str, Spread)>,
}

// === impl Block ===

impl Block {
    pub(crate) fn new(world: World, runs: usize, samples: Vec<(Peer, Vec<Sample>)>) -> Self {
        let results = samples.into_iter().map(|(peer, samples)| Results {
            peer,
            figures: Figure::all()
                .filter_map(|figure| Some((figure.id, figure.spread(&samples, &world)?)))
                .collect(),
        });
        Self {
            world,
            runs,
            results: results.collect(),
        }
    }

    /// Returns the name of the world in tables.
    pub(super) fn name(&self) -> String {
        let objects = thousands(self.world.objects);
        match self.world.kind {
            Kind::Uniform => format!("uniform, {objects} Pods"),
            Kind::Mixed => format!("mixed, {objects} Pods"),
            Kind::File => format!("{objects} objects of the file"),
            Kind::Sustained => format!("{objects} Pods"),
            Kind::Certificates => "Certificates".to_owned(),
            Kind::Routes => "HTTPRoutes".to_owned(),
            Kind::Applications => "Applications".to_owned(),
            Kind::Types => format!("{objects} types"),
        }
    }

    pub(super) fn title(&self) -> String {
        let runs = match self.runs {
            1 => "one run".to_owned(),
            runs => format!("median of {runs} runs"),
        };
        let events = thousands(self.world.events);
        format!("{}, {events} events, {runs}", self.name())
    }

    /// Returns the figure of the peer of this name, if it was measured.
    pub(super) fn spread(&self, peer: &str, figure: &Figure) -> Option<Spread> {
        let results = self.results.iter().find(|of| of.peer.name == peer)?;
        results.spread(figure)
    }

    /// Renders all tables for a terminal.
    pub(crate) fn to_terminal(&self) -> String {
        let mut text = format!("\n{}, times that of {BASE}\n", self.title());
        let has = |figure: &Figure| self.results.iter().any(|of| of.spread(figure).is_some());
        let groups = GROUPS.iter().filter(|group| group.figures.iter().any(has));
        for group in groups {
            let heads = group.figures.iter().map(|figure| figure.name.to_owned());
            let mut lines = vec![(group.name.to_owned(), heads.collect())];
            for results in &self.results {
                let (medians, ranges) = self.cells(group, results);
                lines.push((results.peer.title(), medians));
                lines.push((String::new(), ranges));
            }
            text.push('\n');
            text.push_str(&align(&lines));
        }
        text
    }

    /// Returns the medians of a peer with their ratios to the baseline, and their ranges.
    fn cells(&self, group: &Group, results: &Results) -> (Vec<String>, Vec<String>) {
        let cells = group.figures.iter().map(|figure| {
            let base = self.spread(BASE, figure).map(|spread| spread.median);
            let spread = results.spread(figure);
            spread.map_or_else(Default::default, |spread| cell(figure, &spread, base))
        });
        cells.unzip()
    }
}

// === impl Results ===

impl Results {
    pub(super) fn spread(&self, figure: &Figure) -> Option<Spread> {
        let found = self.figures.iter().find(|(id, _)| *id == figure.id);
        found.map(|(_, spread)| *spread)
    }
}

/// Returns the median with its ratio, and the range.
fn cell(figure: &Figure, spread: &Spread, base: Option<f64>) -> (String, String) {
    let number = |value: f64| format!("{value:.*}", figure.decimals);
    let mut median = number(spread.median);
    if let Some(base) = base
        && base > 0.0
    {
        let _ = write!(median, " ×{}", ratio(spread.median / base));
    }
    (
        median,
        format!("{}..{}", number(spread.least), number(spread.most)),
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a world of 20,480 Pods with two peers. The first peer is the baseline.
    pub(in super::super) fn block() -> Block {
        let sample = |elapsed: f64| {
            let mut sample = Sample::default();
            sample.sync.elapsed = elapsed;
            sample.resident = Some(20_480 * 1024);
            sample
        };
        let world = World {
            kind: Kind::Uniform,
            objects: 20_480,
            events: 1_000_000,
        };
        let [base, .., other] = Peer::ALL;
        let samples = vec![
            (other, vec![sample(2.0)]),
            (base, vec![sample(0.5), sample(0.4), sample(0.9)]),
        ];
        Block::new(world, 3, samples)
    }

    #[test]
    fn a_cell_has_the_median_its_ratio_and_the_range() {
        let text = block().to_terminal();
        assert!(
            text.contains("uniform, 20,480 Pods, 1,000,000 events"),
            "{text}"
        );
        assert!(text.contains("2.000 ×4.00"), "{text}");
        assert!(text.contains("0.500 ×1.00"), "{text}");
        assert!(text.contains("0.400..0.900"), "{text}");
    }

    #[test]
    fn the_title_says_how_many_runs_there_were() {
        let titles = [7, 1].map(|runs| Block { runs, ..block() }.title());
        assert!(titles[0].ends_with("median of 7 runs"), "{titles:?}");
        assert!(titles[1].ends_with("one run"), "{titles:?}");
    }
}
