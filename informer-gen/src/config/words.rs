//! Formats settings for the user's front end, ready to paste.

/// Front end that sets the options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Builder, in a build script.
    #[default]
    Builder,
    /// Flags on the command line.
    #[cfg(feature = "cli")]
    Flags,
}

// === impl Tool ===

impl Tool {
    /// Returns indented lines that set each name of a group to its value.
    pub(crate) fn groups(self, pairs: &[(String, String)]) -> String {
        pairs
            .iter()
            .map(|(group, name)| match self {
                Self::Builder => format!("\n    .group_name({group:?}, {name:?})"),
                #[cfg(feature = "cli")]
                Self::Flags => format!("\n    --group-name {group}={name}"),
            })
            .collect()
    }

    /// Returns indented lines that declare each kind.
    pub(crate) fn kinds(self, pairs: &[(String, String)]) -> String {
        let mut lines = String::new();
        for (kind, declaration) in pairs {
            lines.push_str("\n    ");
            lines.push_str(&self.kind(kind, declaration));
        }
        lines
    }

    /// Returns the setting that declares a kind.
    pub(crate) fn kind(self, kind: &str, declaration: &str) -> String {
        match self {
            Self::Builder => format!(".kind({kind:?}, r#\"{declaration}\"#)"),
            #[cfg(feature = "cli")]
            Self::Flags => format!("--kind '{kind}: {declaration}'"),
        }
    }
}
