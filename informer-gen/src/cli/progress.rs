//! Shows the current step in one transient line on a terminal.

use std::env;
use std::io::{self, IsTerminal};

use informer_gen::Config;

/// Width of every terminal. A line that wraps could not be erased.
const WIDTH: usize = 79;

/// Erases the line.
const CLEAR: &str = "\r\x1b[2K";

/// Shows lines if enabled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Display {
    enabled: bool,
}

/// Runs `work` with a configuration that shows its steps, and erases the last step.
pub(super) fn shown<T>(config: Config, work: impl FnOnce(&Config) -> T) -> T {
    let display = Display::stderr();
    let config = config.on_progress(move |step| display.show(&step.to_string()));
    let outcome = work(&config);
    display.clear();
    outcome
}

// === impl Display ===

impl Display {
    /// Shows steps on stderr, if stderr is a terminal that supports escape sequences.
    pub(super) fn stderr() -> Self {
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            enabled: io::stderr().is_terminal() && !is_dumb,
        }
    }

    pub(super) fn show(self, step: &str) {
        eprint!("{}", self.text(step));
    }

    pub(super) fn clear(self) {
        if self.enabled {
            eprint!("{CLEAR}");
        }
    }

    /// Returns the text that replaces the previous line with `step`.
    fn text(self, step: &str) -> String {
        if !self.enabled {
            return String::new();
        }
        let letters = step.chars().count();
        if letters <= WIDTH {
            return format!("{CLEAR}{step}");
        }
        // Keeps the end of a long path, which is more specific than its beginning.
        let verb = step.split_inclusive(' ').next().unwrap_or_default();
        let kept = WIDTH.saturating_sub(verb.chars().count() + 2);
        let end: String = step.chars().skip(letters - kept).collect();
        format!("{CLEAR}{verb}..{end}")
    }
}

#[cfg(test)]
mod tests;
