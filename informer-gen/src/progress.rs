//! Reports the steps of a run to an observer.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Step that is about to start. See [`Config::on_progress`](crate::Config::on_progress).
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Reads a file.
    Reading(&'a Path),
    /// Generates the text of the given number of kinds.
    Rendering(usize),
    /// Compares the files below a directory, and writes those that differ.
    Writing(&'a Path),
}

type Function = dyn Fn(Step<'_>) + Send + Sync;

/// Optional observer.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<Function>>);

// === impl Observer ===

impl Observer {
    pub(crate) fn new(observer: impl Fn(Step<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(observer)))
    }

    pub(crate) fn notify(&self, step: Step<'_>) {
        if let Some(observer) = &self.0 {
            observer(step);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Observer(..)"
        } else {
            "None"
        })
    }
}

// === impl Step ===

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reading(path) => write!(f, "reading {}", path.display()),
            Self::Rendering(1) => f.write_str("generating 1 kind"),
            Self::Rendering(kinds) => write!(f, "generating {kinds} kinds"),
            Self::Writing(directory) => write!(f, "writing below {}", directory.display()),
        }
    }
}
