//! Contents of the inputs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::files;
use crate::error::{Error, Result, ShownPath};
use crate::ir::{Resource, Skipped};

/// Contents of the inputs.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) resources: Vec<Resource>,
    pub(crate) skipped: Vec<Skipped>,
    /// Files that were read, and directories that were searched.
    pub(crate) read: BTreeSet<Watched>,
    /// Remarks on the inputs, each in one line.
    pub(crate) notes: Vec<String>,
    /// Names that may differ from what the user expects.
    pub(crate) hints: Vec<String>,
}

/// Path of an input, for cargo to watch.
///
/// The path has no control character. A build script prints it to cargo, which takes each line for
/// a directive, and the names of files may come from a stranger.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Watched(PathBuf);

/// Contents of the source files.
#[derive(Default)]
pub(crate) struct Sources {
    pub(crate) resources: Vec<Resource>,
    pub(crate) skipped: Vec<Skipped>,
}

// === impl Loaded ===

impl Loaded {
    /// Returns the text of a file, and records the file as an input.
    pub(super) fn text(&mut self, path: &Path) -> Result<String> {
        let watched = Watched::new(path)?;
        let text = files::read(path)?;
        self.read.insert(watched);
        Ok(text)
    }

    /// Returns the matching manifests, and records their directory as an input.
    pub(super) fn find(&mut self, pattern: &str) -> Result<Vec<PathBuf>> {
        let found = files::find(pattern)?;
        if let Some(directory) = found.directory {
            self.read.insert(Watched::new(&directory)?);
        }
        Ok(found.files)
    }
}

// === impl Watched ===

impl Watched {
    fn new(path: &Path) -> Result<Self> {
        if path.to_string_lossy().contains(char::is_control) {
            let shown = ShownPath(path);
            return Err(Error::new(format!(
                "the path `{shown}` has a control character, such as a line break: rename it"
            )));
        }
        Ok(Self(path.to_owned()))
    }

    pub(crate) fn into_path(self) -> PathBuf {
        self.0
    }
}
