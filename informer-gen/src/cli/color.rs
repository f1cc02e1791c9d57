//! Colours of terminal output.

use std::env;
use std::fmt::Display;

/// Colours text if enabled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    enabled: bool,
}

// === impl Style ===

impl Style {
    /// Enables colours on a terminal, unless the environment sets `NO_COLOR`.
    pub(super) fn new(is_terminal: bool) -> Self {
        let disabled = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            enabled: is_terminal && !disabled,
        }
    }

    pub(super) fn error(self, text: impl Display) -> String {
        self.paint("1;31", text)
    }

    pub(super) fn added(self, text: impl Display) -> String {
        self.paint("32", text)
    }

    pub(super) fn removed(self, text: impl Display) -> String {
        self.paint("31", text)
    }

    pub(super) fn faint(self, text: impl Display) -> String {
        self.paint("2", text)
    }

    fn paint(self, code: &str, text: impl Display) -> String {
        if self.enabled {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }
}
