//! Objects and their subresources.

/// The object itself, or a subresource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Object,
    /// `status`
    Status,
    /// `scale`
    Scale,
    /// `binding`, of Pods
    Binding,
    /// `eviction`, of Pods
    Eviction,
    /// `token`, of service accounts
    Token,
}

// === impl Part ===

impl Part {
    /// Returns the name in paths; empty for the object itself.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Object => "",
            Self::Status => "status",
            Self::Scale => "scale",
            Self::Binding => "binding",
            Self::Eviction => "eviction",
            Self::Token => "token",
        }
    }

    /// Returns the group and kind of the subresource's documents, if they differ from the object's.
    /// Their version is `v1`.
    pub(crate) fn foreign_kind(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Object | Self::Status => None,
            Self::Scale => Some(("autoscaling", "Scale")),
            Self::Binding => Some(("", "Binding")),
            Self::Eviction => Some(("policy", "Eviction")),
            Self::Token => Some(("authentication.k8s.io", "TokenRequest")),
        }
    }
}
