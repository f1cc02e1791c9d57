//! Picture with a panel of bars for each main figure, as SVG, for light and dark pages.

use std::fmt::Write as _;

use super::block::Block;
use super::text::ratio;
use crate::figures::{EVENTS, Figure, RELIST, RESIDENT, SYNC};
use crate::peers::{BASE, Peer, Program};

/// Panels, with the better direction in the title.
const PANELS: [(&str, Figure); 4] = [
    ("Sync, s (less is better)", SYNC),
    ("Resident per object, KiB (less is better)", RESIDENT),
    ("Relist without changes, s (less is better)", RELIST),
    ("Watch events per s (more is better)", EVENTS),
];

const WIDTH: f64 = 960.0;
const LABEL: f64 = 270.0;
/// Space at the right edge for the number after the longest bar.
const NUMBER: f64 = 150.0;
const BAR: f64 = 14.0;
const LINE: f64 = 20.0;
const TITLE: f64 = 44.0;

const STYLE: &str = "
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 14px }
.kube { fill: #8c959f } .go { fill: #57a6c9 } .typed { fill: #c2702c } .packed { fill: #7a4fb5 }
.dynamic { fill: #2f8f6b } .bytes { fill: #c9b458 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .kube { fill: #6e7681 } .go { fill: #3f8fb5 } .typed { fill: #d98a48 } .packed { fill: #a77be0 }
  .dynamic { fill: #45b08a } .bytes { fill: #d9c468 }
}";

/// Draws the results of one world.
pub(super) fn draw(block: &Block) -> String {
    let mut body = String::new();
    let mut top = 0.0;
    for (title, figure) in &PANELS {
        top = panel(block, title, figure, top, &mut body);
    }
    let height = top + LINE;
    let label = format!("informer and its peers, {}", block.title());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{label}\">\n\
         <style>{STYLE}\n</style>\n{body}</svg>\n"
    )
}

/// Adds a panel that begins at `top`, and returns its end.
fn panel(block: &Block, title: &str, figure: &Figure, top: f64, body: &mut String) -> f64 {
    let bars = block.results.iter().filter_map(|results| {
        let spread = results.spread(figure)?;
        Some((&results.peer, spread.median))
    });
    let bars: Vec<(&Peer, f64)> = bars.collect();
    let most = bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
    let base = block.spread(BASE, figure).map(|spread| spread.median);
    let mut y = top + TITLE;
    let _ = writeln!(
        body,
        "<text class=\"title\" x=\"8\" y=\"{}\">{title}</text>",
        y - LINE / 2.0
    );
    for (peer, value) in bars {
        let length = (WIDTH - LABEL - NUMBER) * value / most.max(f64::MIN_POSITIVE);
        let class = match peer.program {
            Program::Kube => "kube",
            Program::ClientGo => "go",
            Program::Typed => "typed",
            Program::Packed => "packed",
            Program::Dynamic => "dynamic",
            Program::Bytes => "bytes",
        };
        let times = base.map_or_else(String::new, |base| format!(" ×{}", ratio(value / base)));
        let text_y = y + BAR - 3.0;
        let _ = writeln!(
            body,
            "<text x=\"8\" y=\"{text_y}\">{}</text>\
             <rect class=\"{class}\" x=\"{LABEL}\" y=\"{y}\" width=\"{length:.1}\" height=\"{BAR}\" rx=\"2\"/>\
             <text x=\"{:.1}\" y=\"{text_y}\">{value:.*}{times}</text>",
            peer.title(),
            LABEL + length + 6.0,
            figure.decimals,
        );
        y += LINE;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use crate::world::{Kind, World};

    #[test]
    fn the_longest_bar_ends_before_its_number() {
        let sample = |elapsed: f64| {
            let mut sample = Sample::default();
            sample.sync.elapsed = elapsed;
            sample
        };
        let [base, .., other] = Peer::ALL;
        let world = World {
            kind: Kind::Uniform,
            objects: 1,
            events: 1,
        };
        let samples = vec![(base, vec![sample(2.0)]), (other, vec![sample(1.0)])];
        let block = Block::new(world, 1, samples);
        let svg = draw(&block);
        assert!(svg.contains("width=\"540.0\""), "{svg}");
        assert!(svg.contains("width=\"270.0\""), "{svg}");
        assert!(svg.contains("2.000 ×1.00"), "{svg}");
        assert_eq!(svg.matches("class=\"title\"").count(), PANELS.len());
    }
}
