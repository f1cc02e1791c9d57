//! [`Tone`] of a state.

/// Meaning of a state, shown as a colour beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    #[default]
    Idle,
    Good,
    Warn,
    Bad,
}

// === impl Tone ===

impl Tone {
    /// Returns the class of the style sheet.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }
}
