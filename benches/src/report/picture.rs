//! Picture with a panel of bars for each of the first columns, as SVG, for light and dark pages.

use std::fmt::Write as _;

use super::data::Block;
use super::page::{COLUMNS, heading, short};
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
    for (title, unit, id) in &COLUMNS[..4] {
        y += 2.0 * LINE;
        let _ = writeln!(
            body,
            r#"<text class="title" x="8" y="{y}">{title}{unit}</text>"#
        );
        let bar = |peer: Peer| Some((peer, block.spread(peer.name, id)?.median));
        let bars = Peer::ALL.into_iter().filter_map(bar);
        let most = bars.clone().map(|(_, value)| value).fold(0.0, f64::max);
        let base = block.spread(BASE, id);
        for (peer, value) in bars {
            y += LINE;
            let length = LENGTH * value / most.max(f64::MIN_POSITIVE);
            let is_own = peer.is_informer();
            let class = if is_own { "informer" } else { "peer" };
            let times = base.map(|base| format!(" ×{}", short(value / base.median)));
            let times = times.unwrap_or_default();
            let number = short(value);
            let top = y - 11.0;
            let end = 326.0 + length;
            let peer = peer.title();
            let _ = writeln!(
                body,
                r#"<text x="8" y="{y}">{peer}</text><rect class="{class}" x="320" y="{top}" width="{length:.1}" height="14" rx="2"/><text x="{end:.1}" y="{y}">{number}{times}</text>"#
            );
        }
    }
    let height = y + LINE;
    let heading = heading(block);
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {height}" width="960" height="{height}" role="img" aria-label="informer and its peers, {heading}; less is better, except for events per s">
<style>{STYLE}
</style>
{body}</svg>
"#
    )
}
