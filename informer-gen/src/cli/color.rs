//! Colours, on a terminal only.

use std::env;
use std::fmt::Display;

/// Colours text, or does not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    enabled: bool,
}

// === impl Style ===

impl Style {
    /// Colours on a terminal, unless the environment says `NO_COLOR`.
    pub(super) fn new(is_terminal: bool) -> Self {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            enabled: is_terminal && !refused,
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
