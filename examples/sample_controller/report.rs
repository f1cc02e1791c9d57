//! Output of the example on the terminal.

use std::error::Error;
use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Lines on standard output, coloured on a terminal.
#[derive(Clone)]
pub(crate) struct Report {
    colours: bool,
    started: Instant,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Default)]
struct Counts {
    steps: u32,
    writes: u32,
}

const BOLD: &str = "1";
const GREEN: &str = "32";
const RED: &str = "31";
const BLUE: &str = "34";
const DIM: &str = "2";

impl Report {
    pub(crate) fn new() -> Self {
        let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self {
            colours,
            started: Instant::now(),
            counts: Arc::default(),
        }
    }

    pub(crate) fn title(&self, text: &str) {
        Self::line(&self.paint(BOLD, text));
    }

    pub(crate) fn fact(&self, name: &str, text: &str) {
        Self::line(&format!(
            "  {}  {text}",
            self.paint(DIM, &format!("{name:<9}"))
        ));
    }

    /// Prints an action of the user.
    pub(crate) fn step(&self, text: &str) {
        let number = {
            let mut counts = self.counts.lock();
            counts.steps += 1;
            counts.steps
        };
        Self::line("");
        Self::line(&self.paint(BOLD, &format!("{number}. {text}")));
    }

    /// Prints an action of the controller.
    pub(crate) fn controller(&self, text: &str) {
        Self::line(&format!("   {} {text}", self.paint(BLUE, "controller")));
    }

    /// Counts a write of the controller that the server has accepted.
    pub(crate) fn written(&self) {
        self.counts.lock().writes += 1;
    }

    /// Prints the outcome of a step.
    pub(crate) fn outcome(&self, good: bool, text: &str) {
        let mark = if good {
            self.paint(GREEN, "reached   ")
        } else {
            self.paint(RED, "MISSED    ")
        };
        Self::line(&format!("   {mark} {text}"));
    }

    pub(crate) fn summary(&self, good: bool) {
        let Counts { steps, writes } = *self.counts.lock();
        let seconds = self.started.elapsed().as_secs_f64();
        Self::line("");
        if good {
            let text = format!("All {steps} states reached: {writes} writes, {seconds:.1} s.");
            Self::line(&self.paint(GREEN, &text));
        } else {
            Self::line(&self.paint(
                RED,
                &format!("State {steps} was not reached: {writes} writes."),
            ));
        }
    }

    /// Prints a whole line, because workers and the user write concurrently.
    fn line(text: &str) {
        // A closed pipe does not stop the example.
        let _ = writeln!(std::io::stdout().lock(), "{text}");
    }

    fn paint(&self, colour: &str, text: &str) -> String {
        if self.colours {
            format!("\x1b[{colour}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Formats an error with its causes in one line.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        // Some errors include the text of their cause.
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}
