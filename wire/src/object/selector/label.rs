//! [`Selector`]: conditions on an object's labels.

use std::collections::BTreeMap;
use std::fmt;

use super::requirement::{Requirement, RequirementError};

/// Printed form of a selector that matches nothing. It is a contradiction, because the API server
/// has no syntax for such a selector.
const NOTHING: &str = "!nothing,nothing";

/// Conditions on an object's labels, all of which must hold. Without conditions (the default) it
/// selects all objects.
///
/// client-go's counterpart is `labels.Selector`. The semantics are those of the API server: a
/// missing label satisfies `!=` and `notin`.
///
/// Equal selections compare and print equal: requirements are sorted and deduplicated. A selector
/// that requires a label both to exist and not to exist is [`nothing`](Self::nothing).
///
/// # Examples
///
/// ```
/// # extern crate informer_wire as informer;
/// use std::collections::BTreeMap;
/// # use informer_wire::{Operator, Requirement};
/// use informer::Selector;
///
/// let selector: Selector = "app=web,tier in (a, b),!legacy".parse()?;
/// let labels = BTreeMap::from([("app", "web"), ("tier", "b")].map(|(k, v)| (k.into(), v.into())));
/// assert!(selector.matches(&labels));
/// assert!(!selector.matches(None));
/// assert_eq!(selector.to_string(), "app=web,!legacy,tier in (a,b)");
///
/// let narrower = selector.and(Requirement::new("env", Operator::NotEquals, ["prod"])?);
/// assert!(narrower.matches(&labels));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selector(Repr);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    /// Sorted, without duplicates and without contradictions of existence.
    All(Vec<Requirement>),
    Nothing,
}

// === impl Selector ===

impl Selector {
    /// Selects every object.
    #[must_use]
    pub const fn everything() -> Self {
        Self(Repr::All(Vec::new()))
    }

    /// Selects no object.
    #[must_use]
    pub const fn nothing() -> Self {
        Self(Repr::Nothing)
    }

    /// Selects the objects that have all these labels.
    ///
    /// client-go's counterpart is `labels.ValidatedSelectorFromSet`.
    ///
    /// # Errors
    ///
    /// Fails on an invalid label key or value.
    pub fn from_labels<K: Into<String>, V: Into<String>>(
        labels: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, RequirementError> {
        labels
            .into_iter()
            .map(|(key, value)| Requirement::equals(key, value))
            .collect()
    }

    /// Adds a requirement to this selector.
    #[must_use]
    pub fn and(mut self, requirement: Requirement) -> Self {
        self.extend([requirement]);
        self
    }

    /// Reports whether this selects an object with these labels. Takes `&labels` or
    /// `metadata.labels.as_ref()`; `None` means no labels.
    #[must_use]
    pub fn matches<'a>(&self, labels: impl Into<Option<&'a BTreeMap<String, String>>>) -> bool {
        let labels = labels.into();
        self.matches_by(|key| labels?.get(key).map(String::as_str))
    }

    /// Reports whether this selects an object whose labels are not held in a map. `label` returns
    /// the value of a label by its key.
    #[must_use]
    pub fn matches_by<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements()
            .is_some_and(|requirements| requirements.iter().all(|r| r.accepts(label(r.key()))))
    }

    /// Returns `true` if this selects all objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.requirements().is_some_and(<[_]>::is_empty)
    }

    /// Returns the requirements; `None` if this is [`nothing`](Self::nothing).
    #[must_use]
    pub fn requirements(&self) -> Option<&[Requirement]> {
        match &self.0 {
            Repr::All(requirements) => Some(requirements),
            Repr::Nothing => None,
        }
    }
}

impl Default for Selector {
    fn default() -> Self {
        Self::everything()
    }
}

impl FromIterator<Requirement> for Selector {
    fn from_iter<I: IntoIterator<Item = Requirement>>(requirements: I) -> Self {
        let mut selector = Self::everything();
        selector.extend(requirements);
        selector
    }
}

impl Extend<Requirement> for Selector {
    fn extend<I: IntoIterator<Item = Requirement>>(&mut self, requirements: I) {
        let Repr::All(all) = &mut self.0 else { return };
        all.extend(requirements);
        all.sort_unstable();
        all.dedup();
        if contradicts(all) {
            self.0 = Repr::Nothing;
        }
    }
}

/// Returns `true` if a label is required both to exist and not to exist.
fn contradicts(sorted: &[Requirement]) -> bool {
    use super::Operator::{DoesNotExist, Exists};
    let adjacent = |pair: &[Requirement]| match pair {
        [a, b] => a.key() == b.key() && (a.operator(), b.operator()) == (Exists, DoesNotExist),
        _ => false,
    };
    // In the order of keys and operators, `Exists` directly precedes `DoesNotExist`.
    sorted.windows(2).any(adjacent)
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(requirements) = self.requirements() else {
            return f.write_str(NOTHING);
        };
        for (position, requirement) in requirements.iter().enumerate() {
            if position > 0 {
                f.write_str(",")?;
            }
            fmt::Display::fmt(requirement, f)?;
        }
        Ok(())
    }
}
