//! Errors that are collected, so that a run tells all of them.

use super::Error;

/// The errors so far, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<Error>);

// === impl Errors ===

impl Errors {
    /// Adds an error; one that holds several counts as these.
    pub(crate) fn add(&mut self, error: Error) {
        if let Error::Several(errors) = error {
            self.0.extend(errors);
        } else {
            self.0.push(error);
        }
    }

    /// Returns the value of `result`, or adds its error.
    pub(crate) fn keep<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Ends the collection.
    ///
    /// # Errors
    ///
    /// If there is an error: that one, or all of them.
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
