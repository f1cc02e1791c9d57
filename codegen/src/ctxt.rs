//! Collects all errors of one run, in [`Ctxt`].

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

/// Collects errors, so that one run reports all of them.
#[derive(Default)]
pub struct Ctxt {
    errors: RefCell<Vec<syn::Error>>,
}

// === impl Ctxt ===

impl Ctxt {
    /// Reports `message` at `span`.
    pub fn error_at(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Reports `message` at the span of `tokens`.
    pub fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Reports `message` at `span`, and `note` at `other`. The note is a second error, because
    /// procedural macros cannot emit notes.
    pub fn conflict(&self, span: Span, message: impl Display, other: Span, note: &str) {
        let mut error = syn::Error::new(span, message);
        error.combine(syn::Error::new(other, note));
        self.push(error);
    }

    /// Reports `error`.
    pub fn push(&self, error: syn::Error) {
        self.errors.borrow_mut().push(error);
    }

    /// Returns each error with its notes, in the order in which they were found.
    #[must_use]
    pub fn into_errors(self) -> Vec<syn::Error> {
        self.errors.into_inner()
    }

    /// Ends the collection.
    ///
    /// # Errors
    ///
    /// Returns all errors as one, in the order in which they were found.
    pub fn finish(self) -> Result<(), syn::Error> {
        let mut errors = self.into_errors().into_iter();
        let Some(mut all) = errors.next() else {
            return Ok(());
        };
        all.extend(errors);
        Err(all)
    }
}
