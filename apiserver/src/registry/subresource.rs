//! Subresources.

/// The object itself, or a subresource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subresource {
    /// The object itself.
    None,
    /// `status`
    Status,
    /// `scale`
    Scale,
}

// === impl Subresource ===

impl Subresource {
    /// Returns the name in paths; empty for the object itself.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Status => "status",
            Self::Scale => "scale",
        }
    }
}
