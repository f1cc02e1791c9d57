//! The names that are taken in one place of the generated code.

use std::collections::HashMap;

use proc_macro2::Ident;

use crate::error::Error;

/// Who has which name.
#[derive(Debug)]
pub(super) struct Claims {
    owners: HashMap<String, String>,
    /// How to tell two owners apart.
    help: String,
}

// === impl Claims ===

impl Claims {
    pub(super) fn new(help: String) -> Self {
        Self {
            owners: HashMap::new(),
            help,
        }
    }

    /// Takes `name` for `owner`.
    ///
    /// # Errors
    ///
    /// If it is taken already, by whomever.
    pub(super) fn claim(&mut self, what: &str, name: &Ident, owner: String) -> Result<(), Error> {
        self.claim_text(what, &name.to_string(), owner)
    }

    /// The same for a name that is no identifier.
    pub(super) fn claim_text(
        &mut self,
        what: &str,
        name: &str,
        owner: String,
    ) -> Result<(), Error> {
        match self.owners.insert(name.to_owned(), owner.clone()) {
            None => Ok(()),
            Some(first) => Err(Error::Collision {
                first,
                second: owner,
                what: format!("{what} `{name}`"),
                help: self.help.clone(),
            }),
        }
    }
}
