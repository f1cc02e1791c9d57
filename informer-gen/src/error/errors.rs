//! Collects errors, so that one run reports all of them.

use super::Error;

/// Collected errors, in the order of discovery.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<Error>);

// === impl Errors ===

impl Errors {
    /// Adds an error. Splits an error that contains several.
    pub(crate) fn add(&mut self, error: Error) {
        if let Error::Several(errors) = error {
            self.0.extend(errors);
        } else {
            self.0.push(error);
        }
    }

    /// Returns the value of `result`, or records its error.
    pub(crate) fn keep<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Moves the errors of `others` for which `matches` returns `true` to the end.
    pub(crate) fn add_matching(&mut self, others: Self, matches: impl Fn(&Error) -> bool) {
        let others = others.0.into_iter();
        self.0.extend(others.filter(|error| matches(error)));
    }

    /// Ends the collection.
    ///
    /// # Errors
    ///
    /// Returns the only error, or all errors as [`Error::Several`].
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        match self.0.pop() {
            None => Ok(()),
            Some(only) if self.0.is_empty() => Err(only),
            Some(last) => {
                self.0.push(last);
                Err(Error::Several(self.0))
            }
        }
    }
}
