//! Formats settings for the user's front end, ready to paste.

use super::Config;
use crate::error::OptionName;

/// Front end that sets the options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Builder, in a build script.
    #[default]
    Builder,
    /// Flags on the command line.
    #[cfg(feature = "cli")]
    Flags,
    /// Configuration file.
    #[cfg(feature = "config-file")]
    File,
}

// === impl Config ===

impl Config {
    /// Returns the front end for proposed settings: the file, if one was read.
    pub(crate) fn tool(&self) -> Tool {
        #[cfg(feature = "config-file")]
        if !self.texts.is_empty() {
            return Tool::File;
        }
        self.front_end
    }
}

// === impl Tool ===

impl Tool {
    /// Returns indented lines that set each key to its value.
    pub(crate) fn lines(self, option: OptionName, pairs: &[(String, String)]) -> String {
        let mut lines: Vec<String> = Vec::new();
        #[cfg(feature = "config-file")]
        if self == Self::File {
            lines.push(format!("[{}]", option.key()));
        }
        lines.extend(pairs.iter().map(|(key, value)| match self {
            Self::Builder => format!("{}({key:?}, {value:?})", option.call()),
            #[cfg(feature = "cli")]
            Self::Flags => format!("{} {key}={value}", option.flag()),
            #[cfg(feature = "config-file")]
            Self::File => format!("{key:?} = {value:?}"),
        }));
        format!("\n    {}", lines.join("\n    "))
    }
}
