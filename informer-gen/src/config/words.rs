//! Settings in the words of the tool that the user has, to be pasted.

use super::Config;
use crate::error::OptionName;

/// The front end that options are given with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tool {
    /// The builder, in a build script.
    #[default]
    Builder,
    /// Flags on the command line.
    #[cfg(feature = "cli")]
    Flags,
    /// A configuration file.
    #[cfg(feature = "config-file")]
    File,
}

// === impl Config ===

impl Config {
    /// The front end to propose settings for: the file, if there is one.
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
    /// The lines that set each key to its value, indented.
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
