//! Claims of names in one scope of the generated code.

use std::collections::HashMap;

use crate::error::{Error, Errors};

/// Names with their owners. `K` is the data that a setting needs to rename an owner.
#[derive(Debug)]
pub(super) struct Claims<K> {
    names: Vec<ClaimedName<K>>,
    positions: HashMap<String, usize>,
}

/// Name with its owners.
#[derive(Debug)]
struct ClaimedName<K> {
    /// Item that has the name, such as `the module`.
    what: &'static str,
    name: String,
    owners: Vec<String>,
    keys: Vec<K>,
}

// === impl Claims ===

impl<K> Claims<K> {
    pub(super) fn new() -> Self {
        Self {
            names: Vec::new(),
            positions: HashMap::new(),
        }
    }

    /// Claims the name `ident` for `owner`.
    pub(super) fn claim(
        &mut self,
        what: &'static str,
        ident: &impl ToString,
        owner: String,
        key: K,
    ) {
        let name = ident.to_string();
        let next = self.names.len();
        let position = *self.positions.entry(name.clone()).or_insert(next);
        if let Some(taken) = self.names.get_mut(position) {
            taken.owners.push(owner);
            taken.keys.push(key);
            return;
        }
        self.names.push(ClaimedName {
            what,
            name,
            owners: vec![owner],
            keys: vec![key],
        });
    }

    /// Returns the number of names with several owners.
    pub(super) fn collisions(&self) -> usize {
        self.names
            .iter()
            .filter(|taken| taken.owners.len() > 1)
            .count()
    }

    /// Adds an error for each name with several owners. `help` returns the advice.
    pub(super) fn report(self, errors: &mut Errors, help: impl Fn(&str, &[K]) -> String) {
        for taken in self.names {
            if taken.owners.len() > 1 {
                let ClaimedName { what, name, .. } = &taken;
                let parties = all_of(&taken.owners);
                let advice = help(name, &taken.keys);
                errors.add(Error::collision(format!(
                    "{parties} become {what} `{name}`; {advice}"
                )));
            }
        }
    }
}

/// Formats `a and b both`, or `a, b and c all`.
fn all_of(parties: &[String]) -> String {
    match parties {
        [first, second] => format!("{first} and {second} both"),
        [others @ .., last] => format!("{} and {last} all", others.join(", ")),
        [] => String::new(),
    }
}
