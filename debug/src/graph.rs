//! The graph of relations, as SVG: informers on the left, controllers on the right.

use maud::{Markup, html};

use crate::html::Tone;
use crate::read::{Read, state_of};
use crate::shared::Watched;

/// Height of a row.
const ROW: usize = 50;
const INFORMERS: Column = Column { x: 1, width: 330 };
const CONTROLLERS: Column = Column { x: 561, width: 258 };
/// Begin of edges, behind the informers.
const FROM: usize = 332;
/// End of edges, before the tip at the controllers.
const TO: usize = 551;
/// Middle of an edge, with its label.
const BETWEEN: usize = 440;

/// Place of a column of nodes in the drawing, which is 820 wide.
struct Column {
    x: usize,
    width: usize,
}

/// Draws the relations through which changes of an informer's objects queue keys of a controller.
pub(crate) fn draw(informers: &[Read], controllers: &[Watched]) -> Markup {
    let edges = edges(informers, controllers);
    let height = top(informers.len().max(controllers.len()));
    let label = "informers, controllers, and the relations through which changes queue keys";
    html! {
        div .card.scroll tabindex="0" role="group" aria-label="Relations" {
            svg .graph viewBox={ "0 0 820 " (height) } role="img" aria-label=(label) {
                marker #tip viewBox="0 0 8 8" refX="1" refY="4" markerWidth="9" markerHeight="9"
                    markerUnits="userSpaceOnUse" orient="auto" { path d="M0 0 8 4 0 8z" {} }
                @for (from, to, relation) in &edges {
                    @let from = middle(*from);
                    @let to = middle(*to);
                    path .edge .own[relation.is_none()] marker-end="url(#tip)"
                        d={ "M" (FROM) " " (from) " C" (BETWEEN) " " (from) " " (BETWEEN) " " (to) " " (TO) " " (to) } {}
                }
                @for (from, to, relation) in &edges {
                    text .label x="432" y=(29 + 42 * from + 8 * to) text-anchor="middle" {
                        (relation.unwrap_or("reconciles"))
                    }
                }
                @for (row, one) in informers.iter().enumerate() {
                    (node(row, &INFORMERS, one.tone(), &one.short_name()))
                }
                g .controllers {
                    @for (row, one) in controllers.iter().enumerate() {
                        (node(row, &CONTROLLERS, state_of(&one.handle).0, one.handle.name()))
                    }
                }
            }
        }
    }
}

/// Returns the top of the node in a row.
fn top(row: usize) -> usize {
    8 + ROW * row
}

/// Returns the height at which edges meet the node in a row.
fn middle(row: usize) -> usize {
    top(row) + 17
}

fn node(row: usize, column: &Column, tone: Tone, name: &str) -> Markup {
    let Column { x, width } = column;
    let y = top(row);
    html! {
        g class={ "node " (tone.0) } {
            title { (name) }
            rect x=(x) y=(y) width=(width) height="34" rx="7" {}
            circle cx=(x + 16) cy=(y + 17) r="4.5" {}
            svg x=(x + 29) y=(y) width=(width - 36) height="34" { text y="22" { (name) } }
        }
    }
}

/// Finds the handlers that queue keys of a controller. Their names are that of its queue, and the
/// relation. Returns the positions of the informer and of the controller, and the relation; `None`
/// for the controller's own objects.
fn edges<'r>(
    informers: &'r [Read],
    controllers: &[Watched],
) -> Vec<(usize, usize, Option<&'r str>)> {
    let mut edges = Vec::new();
    for (from, read) in informers.iter().enumerate() {
        for handler in &read.metrics.handlers {
            let mut parts = handler.name.splitn(2, ": ");
            let queue = parts.next();
            let mut queues = controllers.iter().map(|one| one.handle.queue().name());
            let to = queues.position(|name| Some(name) == queue);
            edges.extend(to.map(|to| (from, to, parts.next())));
        }
    }
    edges
}
