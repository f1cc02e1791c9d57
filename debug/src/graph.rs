//! The graph of relations, as SVG: informers on the left, controllers on the right.

use maud::{Markup, html};

use crate::html::Tone;
use crate::read::{Read, state_of};
use crate::shared::Watched;

/// Height of a row.
const ROW: usize = 50;
const INFORMERS: Column = Column { x: 1, width: 330 };
const CONTROLLERS: Column = Column { x: 561, width: 258 };
/// Begin of arrows, behind the informers.
const FROM: usize = 332;
/// End of arrows, before the tip at the controllers.
const TO: usize = 551;
/// Middle of an arrow, with its label.
const BETWEEN: usize = 440;

/// Place of a column of nodes in the drawing, which is 820 wide.
struct Column {
    x: usize,
    width: usize,
}

/// Relation through which changes of an informer's objects queue keys of a controller.
struct Arrow<'r> {
    /// Row of the informer.
    from: usize,
    /// Row of the controller.
    to: usize,
    /// Name of the relation; `None` for the controller's own objects.
    relation: Option<&'r str>,
}

// === impl Arrow ===

impl Arrow<'_> {
    /// Returns the curve as the data of an SVG path.
    fn curve(&self) -> String {
        let from = middle(self.from);
        let to = middle(self.to);
        format!("M{FROM} {from} C{BETWEEN} {from} {BETWEEN} {to} {TO} {to}")
    }

    /// Returns the height of the label: near that of the informer, so that the labels of arrows to
    /// one controller do not meet.
    fn label_height(&self) -> usize {
        29 + 42 * self.from + 8 * self.to
    }

    fn label(&self) -> &str {
        self.relation.unwrap_or("reconciles")
    }
}

/// Draws the relations through which changes of an informer's objects queue keys of a controller.
pub(crate) fn draw(informers: &[Read], controllers: &[Watched]) -> Markup {
    let arrows = arrows_of(informers, controllers);
    let height = top(informers.len().max(controllers.len()));
    let label = "informers, controllers, and the relations through which changes queue keys";
    html! {
        div .card.scroll tabindex="0" role="group" aria-label="Relations" {
            svg .graph viewBox={ "0 0 820 " (height) } role="img" aria-label=(label) {
                marker #tip
                    viewBox="0 0 8 8"
                    refX="1"
                    refY="4"
                    markerWidth="9"
                    markerHeight="9"
                    markerUnits="userSpaceOnUse"
                    orient="auto"
                {
                    path d="M0 0 8 4 0 8z" {}
                }
                @for arrow in &arrows {
                    path .edge
                        .own[arrow.relation.is_none()]
                        marker-end="url(#tip)"
                        d=(arrow.curve()) {}
                }
                @for arrow in &arrows {
                    text .label x="432" y=(arrow.label_height()) text-anchor="middle" {
                        (arrow.label())
                    }
                }
                @for (row, one) in informers.iter().enumerate() {
                    (node(row, &INFORMERS, one.tone(), &one.short_name()))
                }
                g .controllers {
                    @for (row, one) in controllers.iter().enumerate() {
                        @let (tone, _) = state_of(&one.handle);
                        (node(row, &CONTROLLERS, tone, one.handle.name()))
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

/// Returns the height at which arrows meet the node in a row.
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
            svg x=(x + 29) y=(y) width=(width - 36) height="34" {
                text y="22" { (name) }
            }
        }
    }
}

/// Finds the handlers that queue keys of a controller. Their names are that of its queue, and the
/// relation.
fn arrows_of<'r>(informers: &'r [Read], controllers: &[Watched]) -> Vec<Arrow<'r>> {
    let mut arrows = Vec::new();
    for (from, read) in informers.iter().enumerate() {
        for handler in &read.metrics.handlers {
            let (queue, relation) = match handler.name.split_once(": ") {
                Some((queue, relation)) => (queue, Some(relation)),
                None => (&*handler.name, None),
            };
            let target = controllers
                .iter()
                .position(|one| one.handle.queue().name() == queue);
            if let Some(to) = target {
                arrows.push(Arrow { from, to, relation });
            }
        }
    }
    arrows
}
