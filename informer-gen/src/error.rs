//! Errors of the generator, with advice.

use std::fmt;
use std::path::{Path, PathBuf};

use informer_manifest::Place;
use proc_macro2::Span;

/// Result of a step of a run.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of a generator run: all mistakes that the run found, in the order of discovery.
///
/// Each message names the file and position, or the builder call and the flag, that caused the
/// error. `Debug` prints the messages too, because cargo shows the `Debug` text of an error that a
/// build script returns.
pub struct Error(Vec<Mistake>);

struct Mistake {
    message: String,
    /// `true` if items of the input have the same name, whatever else the input has.
    is_collision: bool,
}

/// Position in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Location {
    /// Path of the file, as it was found.
    path: PathBuf,
    at: Place,
}

/// Displays a path in one line: control characters are escaped.
pub(crate) struct ShownPath<'a>(pub(crate) &'a Path);

/// Name of an option: the call on `Config`, and the flag on the command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionName(&'static str, &'static str);

// === impl Error ===

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(vec![Mistake {
            message: message.into(),
            is_collision: false,
        }])
    }

    /// Returns the error that several items have the same name.
    pub(crate) fn collision(message: String) -> Self {
        Self(vec![Mistake {
            message,
            is_collision: true,
        }])
    }

    /// Returns the error that a kind is defined at two places, with a difference.
    pub(crate) fn duplicate(
        kind: &impl fmt::Display,
        at: &impl fmt::Display,
        also: &impl fmt::Display,
        difference: &str,
    ) -> Self {
        Self::collision(format!(
            "`{kind}` is defined twice, at {at} and at {also}, and {difference}; pass only one of them"
        ))
    }

    pub(crate) fn read(path: &Path, source: impl fmt::Display) -> Self {
        Self::new(format!("cannot read `{}`: {source}", ShownPath(path)))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.0.as_slice() {
            return f.write_str(&only.message);
        }
        write!(f, "{} errors:", self.0.len())?;
        for mistake in &self.0 {
            write!(f, "\n- {}", mistake.message)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

// === impl OptionName ===

impl OptionName {
    /// Selects a built-in kind.
    pub(crate) const BUILT_IN: Self = Self(".built_in", "--built-in");
    /// Selects manifests, and the module of their types.
    pub(crate) const CRD_MANIFESTS: Self = Self(".crd_manifests", "--crd");
    /// Selects Rust source.
    pub(crate) const RUST_SOURCE: Self = Self(".rust_source", "--rust");
    /// Restricts the output to some of the defined kinds.
    pub(crate) const ONLY: Self = Self(".only", "--only");
    /// Excludes kinds.
    pub(crate) const SKIP: Self = Self(".skip", "--skip");
    /// Declares the type, the names, the indices and the relations of a kind.
    pub(crate) const KIND: Self = Self(".kind", "--kind");
    /// Names a group.
    pub(crate) const GROUP_NAME: Self = Self(".group_name", "--group-name");
    /// Names all groups after all their labels.
    pub(crate) const FULL_GROUP_NAMES: Self = Self(".full_group_names", "--full-group-names");
    /// Sets the path of the runtime.
    pub(crate) const RUNTIME_PATH: Self = Self(".runtime_path", "--runtime-path");
    /// Sets the path of `k8s-openapi`.
    pub(crate) const K8S_OPENAPI_PATH: Self = Self(".k8s_openapi_path", "--k8s-openapi-path");
    /// Sets the visibility of the generated items.
    pub(crate) const VISIBILITY: Self = Self(".visibility", "--visibility");
    /// Sets the name of the main file.
    pub(crate) const FILE_NAME: Self = Self(".file_name", "--output");

    pub(crate) fn refuse(self, value: impl fmt::Display, reason: impl fmt::Display) -> Error {
        Error::new(format!(
            "{self}: `{}` {reason}",
            escaped(&value.to_string())
        ))
    }
}

impl fmt::Display for OptionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..) / {}", self.0, self.1)
    }
}

// === impl Location ===

impl Location {
    pub(crate) fn new(path: &Path, at: Place) -> Self {
        Self {
            path: path.to_owned(),
            at,
        }
    }

    /// Returns the position of `span` in Rust source.
    pub(crate) fn of(path: &Path, span: Span) -> Self {
        let start = span.start();
        let count = |number| u32::try_from(number).unwrap_or(u32::MAX);
        let at = Place {
            line: count(start.line),
            column: count(start.column).saturating_add(1),
        };
        Self::new(path, at)
    }

    /// Returns an error at this position.
    pub(crate) fn error(&self, problem: impl fmt::Display) -> Error {
        Error::new(format!("{self}: {problem}"))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.at;
        write!(f, "{}:{line}:{column}", ShownPath(&self.path))
    }
}

// === impl ShownPath ===

impl fmt::Display for ShownPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(&self.0.display().to_string()))
    }
}

/// Returns a text without control characters, which are escaped instead.
pub(crate) fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

/// Collected errors, in the order of discovery.
#[derive(Default)]
pub(crate) struct Errors(Vec<Mistake>);

// === impl Errors ===

impl Errors {
    pub(crate) fn add(&mut self, error: Error) {
        self.0.extend(error.0);
    }

    /// Returns the value of `result`, or records its error.
    pub(crate) fn keep<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.add(error);
                None
            }
        }
    }

    /// Moves the collisions of names among `others` to the end.
    pub(crate) fn add_collisions(&mut self, others: Self) {
        for mistake in others.0 {
            if mistake.is_collision {
                self.0.push(mistake);
            }
        }
    }

    /// Ends the collection.
    ///
    /// # Errors
    ///
    /// Returns all errors as one.
    pub(crate) fn finish(self) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(Error(self.0))
    }
}
