//! Contents of the inputs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::files;
use crate::error::{Error, OptionName};
use crate::ir::{Resource, Skipped};

/// Contents of the inputs.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) resources: Vec<Resource>,
    pub(crate) skipped: Vec<Skipped>,
    /// Files that were read, and directories that were searched.
    pub(crate) read: BTreeSet<PathBuf>,
}

/// Contents of the source files.
#[derive(Default)]
pub(crate) struct Sources {
    pub(crate) resources: Vec<Resource>,
    pub(crate) skipped: Vec<Skipped>,
}

// === impl Loaded ===

impl Loaded {
    /// Returns the text of a file, and records the file as an input.
    pub(super) fn text(&mut self, path: &Path) -> Result<String, Error> {
        let text = files::read(path)?;
        self.read.insert(path.to_owned());
        Ok(text)
    }

    /// Returns the matching files, and records their directory as an input.
    pub(super) fn find(
        &mut self,
        pattern: &str,
        option: OptionName,
    ) -> Result<Vec<PathBuf>, Error> {
        let found = files::find(pattern, option)?;
        self.read.extend(found.directory);
        Ok(found.files)
    }
}
