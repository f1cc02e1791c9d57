//! Parts of pages, as HTML: the frame, states, figures, tables and lines. Pure.

use std::collections::VecDeque;
use std::fmt;

use maud::{DOCTYPE, Markup, Render, html};

use crate::series::{POINT, POINTS};
use crate::text::number;

/// Height of a line, in its own units.
const HEIGHT: u64 = 24;

/// Meaning of a state, shown as a colour beside its text: a class of the style sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tone(pub(crate) &'static str);

/// Cell of a table.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Title of its column.
    title: &'static str,
    is_number: bool,
    content: Markup,
}

// === impl Tone ===

impl Tone {
    pub(crate) const IDLE: Self = Self("idle");
    pub(crate) const GOOD: Self = Self("good");
    pub(crate) const WARN: Self = Self("warn");
    pub(crate) const BAD: Self = Self("bad");
}

// === impl Cell ===

impl Cell {
    pub(crate) fn text(title: &'static str, content: impl Render) -> Self {
        Self {
            title,
            is_number: false,
            content: content.render(),
        }
    }

    pub(crate) fn number(title: &'static str, content: impl Render) -> Self {
        Self {
            title,
            is_number: true,
            content: content.render(),
        }
    }
}

/// Returns a page. The links on it are relative to `root`, because the service can be mounted
/// anywhere.
pub(crate) fn page(root: &str, title: &str, nav: &Markup, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · informer" }
                link rel="icon" href={ (root) "icon.svg" };
                link rel="stylesheet" href={ (root) "style.css" };
            }
            body {
                a .skip href="#main" { "Skip to the content" }
                header .top {
                    a .brand href={ "./" (root) } { "informer" }
                    (nav)
                }
                main #main { (content) }
            }
        }
    };
    page.into_string()
}

pub(crate) fn pill(tone: Tone, state: &str) -> Markup {
    html! {
        span class={ "pill " (tone.0) } { (state) }
    }
}

/// Returns a number, coloured unless it is 0.
pub(crate) fn alert(tone: Tone, count: impl fmt::Display) -> Markup {
    let text = number(count);
    let class = (text != "0").then_some(tone.0);
    html! {
        span class=[class] { (text) }
    }
}

pub(crate) fn or_dash(content: Option<impl Render>) -> Markup {
    match content {
        Some(content) => content.render(),
        None => "–".render(),
    }
}

/// Returns a value with a note below it, which may be empty.
pub(crate) fn noted(content: impl Render, note: impl Render) -> Markup {
    html! {
        (content)
        small { (note) }
    }
}

/// Returns an entry of a list of figures or facts.
pub(crate) fn figure(title: &str, content: impl Render) -> Markup {
    html! {
        div {
            dt { (title) }
            dd { (content) }
        }
    }
}

/// Returns a table, whose first column names the rows. On a narrow page each row is a card.
pub(crate) fn table<R: AsRef<[Cell]>>(rows: impl IntoIterator<Item = R>) -> Markup {
    let table: Vec<R> = rows.into_iter().collect();
    html! {
        table {
            thead {
                tr {
                    @if let Some(row) = table.first() {
                        @for cell in row.as_ref() {
                            th scope="col" .n[cell.is_number] { (cell.title) }
                        }
                    }
                }
            }
            tbody {
                @for row in &table {
                    tr { (cells(row.as_ref())) }
                }
            }
        }
    }
}

fn cells(row: &[Cell]) -> Markup {
    html! {
        @if let [name, others @ ..] = row {
            th scope="row" data-label=(name.title) { (name.content) }
            @for cell in others {
                td .n[cell.is_number] data-label=(cell.title) { (cell.content) }
            }
        }
    }
}

/// Draws the increases of a counter in the last ten minutes, the last one last. `what` is counted.
pub(crate) fn spark(points: &VecDeque<u64>, what: &str) -> Markup {
    let most = points.iter().copied().max().unwrap_or_default();
    let first = POINTS.saturating_sub(points.len());
    let last = POINTS - 1;
    let mut places = Vec::new();
    for (x, count) in (first..).zip(points) {
        // One unit stays free at the top and at the bottom, for the width of the line.
        let height = count.saturating_mul(HEIGHT - 2).checked_div(most);
        let y = HEIGHT - 1 - height.unwrap_or_default();
        places.push(format!("{x},{y}"));
    }
    let line = places.join(" ");
    let total = number(points.iter().sum::<u64>());
    let highest = number(most);
    let seconds = POINT.as_secs();
    let label = format!("{total} {what} in ten minutes, at most {highest} in {seconds} s");
    html! {
        svg .spark
            viewBox="0 0 120 24"
            preserveAspectRatio="none"
            role="img"
            aria-label=(label)
        {
            title { (label) }
            polygon points={ (first) "," (HEIGHT) " " (line) " " (last) "," (HEIGHT) } {}
            polyline points=(line) {}
        }
    }
}
