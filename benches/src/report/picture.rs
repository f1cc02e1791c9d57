//! Picture with a panel of bars for each of the first columns, as SVG, for light and dark pages.

use std::fmt::Write as _;

use super::data::Block;
use super::page::{COLUMNS, Column, heading, short};
use crate::peers::{BASE, Peer};

/// Length of the longest bar. Its label is before it, and its number after it.
const LENGTH: f64 = 540.0;
const LINE: f64 = 20.0;

const STYLE: &str = "
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 14px }
.peer { fill: #8c959f } .informer { fill: #7a4fb5 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .peer { fill: #6e7681 } .informer { fill: #a77be0 }
}";

/// Draws the results of one world.
pub(super) fn draw(block: &Block) -> String {
    let mut body = String::new();
    let mut y = 0.0;
    for Column { title, unit, id } in &COLUMNS[..4] {
        y += 2.0 * LINE;
        let _ = writeln!(
            body,
            r#"<text class="title" x="8" y="{y}">{title}{unit}</text>"#
        );
        let mut bars = Vec::new();
        let mut most = f64::MIN_POSITIVE;
        for peer in Peer::ALL {
            if let Some(spread) = block.spread(peer.name, id) {
                bars.push((peer, spread.median));
                most = most.max(spread.median);
            }
        }
        let base = block.spread(BASE, id);
        for (peer, value) in bars {
            y += LINE;
            let mut label = short(value);
            if let Some(base) = base {
                let _ = write!(label, " ×{}", short(value / base.median));
            }
            let class = if peer.is_informer() {
                "informer"
            } else {
                "peer"
            };
            let title = peer.title();
            let top = y - 11.0;
            let length = LENGTH * value / most;
            let end = 326.0 + length;
            let _ = writeln!(
                body,
                r#"<text x="8" y="{y}">{title}</text><rect class="{class}" x="320" y="{top}" width="{length:.1}" height="14" rx="2"/><text x="{end:.1}" y="{y}">{label}</text>"#
            );
        }
    }
    let height = y + LINE;
    let world = heading(block);
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {height}" width="960" height="{height}" role="img" aria-label="informer and its peers, {world}; less is better, except for events per s">
<style>{STYLE}
</style>
{body}</svg>
"#
    )
}
