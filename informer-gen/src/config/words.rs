//! Formats settings for the user's front end, ready to paste.

use super::value::{KindOf, Pair};

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
    /// Returns indented lines that name each group.
    pub(crate) fn groups(self, names: &[Pair]) -> String {
        names
            .iter()
            .map(|Pair { key: group, value }| match self {
                Self::Builder => format!("\n    .group_name({group:?}, {value:?})"),
                #[cfg(feature = "cli")]
                Self::Flags => format!("\n    --group-name {group}={value}"),
            })
            .collect()
    }

    /// Returns indented lines that declare each kind.
    pub(crate) fn kinds(self, declarations: &[KindOf]) -> String {
        let mut lines = String::new();
        for KindOf { kind, declaration } in declarations {
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
