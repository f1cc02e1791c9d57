//! Picture with a panel of bars for each main figure, as SVG, for light and dark pages.

use std::fmt::Write as _;

use super::data::Block;
use super::page::{heading, ratio};
use crate::peers::{BASE, Program};

/// Panels, with the better direction in the title: figure, number of decimals.
const PANELS: [(&str, &str, usize); 4] = [
    ("Sync, s (less is better)", "sync_seconds", 3),
    (
        "Resident per object, KiB (less is better)",
        "resident_kib_per_object",
        2,
    ),
    (
        "Relist without changes, s (less is better)",
        "relist_seconds",
        3,
    ),
    (
        "Watch events per s (more is better)",
        "events_per_second",
        0,
    ),
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
    let mut y = 0.0;
    for (title, id, decimals) in PANELS {
        y += TITLE;
        let title_y = y - LINE / 2.0;
        let _ = writeln!(
            body,
            "<text class=\"title\" x=\"8\" y=\"{title_y}\">{title}</text>"
        );
        y = panel(block, id, decimals, y, &mut body);
    }
    let height = y + LINE;
    let label = format!("informer and its peers, {}", heading(block));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{label}\">\n\
         <style>{STYLE}\n</style>\n{body}</svg>\n"
    )
}

/// Adds the bars of a figure that begin at `y`, and returns their end.
fn panel(block: &Block, id: &str, decimals: usize, mut y: f64, body: &mut String) -> f64 {
    let of = |peer: &str| block.spread(peer, id).map(|spread| spread.median);
    let bars = block.peers().into_iter();
    let bars: Vec<_> = bars
        .filter_map(|peer| Some((peer, of(peer.name)?)))
        .collect();
    let most = bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
    let base = of(BASE);
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
             <text x=\"{:.1}\" y=\"{text_y}\">{value:.decimals$}{times}</text>",
            peer.title(),
            LABEL + length + 6.0,
        );
        y += LINE;
    }
    y
}
