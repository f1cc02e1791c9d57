//! [`Requirement`]: one condition on one label.

use std::fmt;

use super::validate;

/// One condition on one label, valid by construction.
///
/// Prints as part of a selector: `app in (a,b)`. client-go's counterpart is `labels.Requirement`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Requirement {
    key: String,
    operator: Operator,
    /// Sorted, without duplicates; as many as the operator wants.
    values: Vec<String>,
}

/// How a [`Requirement`] judges the value of its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `key=value`, also written `key==value`.
    Equals,
    /// `key!=value`: there is no such label, or it has another value.
    NotEquals,
    /// `key in (a,b)`: the label has one of the values.
    In,
    /// `key notin (a,b)`: there is no such label, or it has none of the values.
    NotIn,
    /// `key`: there is such a label.
    Exists,
    /// `!key`: there is no such label.
    DoesNotExist,
    /// `key>5`: the label's value is an integer above this one.
    GreaterThan,
    /// `key<5`: the label's value is an integer below this one.
    LessThan,
}

/// Why a [`Requirement`] cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequirementError {
    /// No label can have that key.
    #[error("`{key}` is not a label key: {expected}")]
    Key {
        /// The key.
        key: String,
        /// What was expected.
        expected: &'static str,
    },
    /// No label can have that value.
    #[error("`{value}` is not a label value: {expected}")]
    Value {
        /// The value.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The operator wants another number of values.
    #[error("`{key}` has {found} values: `{operator}` expects {expected}")]
    Values {
        /// The label's key.
        key: String,
        /// The operator.
        operator: Operator,
        /// How many values there are.
        found: usize,
        /// How many were expected.
        expected: &'static str,
    },
    /// The operator compares integers.
    #[error("`{value}` is not an integer: `{operator}` expects one of 64 bits")]
    NotAnInteger {
        /// The value.
        value: String,
        /// The operator.
        operator: Operator,
    },
    /// The API has no such operator.
    #[error("`{0}` is not an operator: expected In, NotIn, Exists or DoesNotExist")]
    Operator(String),
}

// === impl Requirement ===

impl Requirement {
    /// `operator`, applied to the label `key` and to `values`: at least one for
    /// [`In`](Operator::In) and [`NotIn`](Operator::NotIn), none for [`Exists`](Operator::Exists)
    /// and [`DoesNotExist`](Operator::DoesNotExist), else exactly one.
    ///
    /// # Errors
    ///
    /// An invalid key or value, or the wrong number of values.
    pub fn new<V: Into<String>>(
        key: impl Into<String>,
        operator: Operator,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, RequirementError> {
        let key = key.into();
        let mut values: Vec<String> = values.into_iter().map(Into::into).collect();
        values.sort_unstable();
        values.dedup();
        if let Err(expected) = validate::key(&key) {
            return Err(RequirementError::Key { key, expected });
        }
        if let Some(expected) = operator.wants_other_than(values.len()) {
            let found = values.len();
            return Err(RequirementError::Values {
                key,
                operator,
                found,
                expected,
            });
        }
        for value in &values {
            operator.check(value)?;
        }
        Ok(Self {
            key,
            operator,
            values,
        })
    }

    /// `key=value`.
    ///
    /// # Errors
    ///
    /// An invalid key or value.
    pub fn equals(
        key: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self, RequirementError> {
        Self::new(key, Operator::Equals, [value.into()])
    }

    /// `key!=value`; a missing label is fine.
    ///
    /// # Errors
    ///
    /// An invalid key or value.
    pub fn not_equals(
        key: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self, RequirementError> {
        Self::new(key, Operator::NotEquals, [value.into()])
    }

    /// `key in (values)`.
    ///
    /// # Errors
    ///
    /// An invalid key or value, or no value.
    pub fn is_in<V: Into<String>>(
        key: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, RequirementError> {
        Self::new(key, Operator::In, values)
    }

    /// `key notin (values)`; a missing label is fine.
    ///
    /// # Errors
    ///
    /// An invalid key or value, or no value.
    pub fn not_in<V: Into<String>>(
        key: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, RequirementError> {
        Self::new(key, Operator::NotIn, values)
    }

    /// `key`: there is such a label.
    ///
    /// # Errors
    ///
    /// An invalid key.
    pub fn exists(key: impl Into<String>) -> Result<Self, RequirementError> {
        Self::new(key, Operator::Exists, [""; 0])
    }

    /// `!key`: there is no such label.
    ///
    /// # Errors
    ///
    /// An invalid key.
    pub fn does_not_exist(key: impl Into<String>) -> Result<Self, RequirementError> {
        Self::new(key, Operator::DoesNotExist, [""; 0])
    }

    /// The label's key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// How the label is judged.
    #[must_use]
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// What it is compared with: sorted, each once.
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Whether a label with this value, or its absence, is as required.
    #[must_use]
    pub fn accepts(&self, value: Option<&str>) -> bool {
        let listed = |value: &str| self.values.iter().any(|known| known == value);
        match self.operator {
            Operator::Equals | Operator::In => value.is_some_and(listed),
            Operator::NotEquals | Operator::NotIn => !value.is_some_and(listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan => self.compare(value, |label, bound| label > bound),
            Operator::LessThan => self.compare(value, |label, bound| label < bound),
        }
    }

    /// Whether both are integers and compare so.
    fn compare(&self, value: Option<&str>, holds: impl Fn(i64, i64) -> bool) -> bool {
        let number = |text: &str| text.parse::<i64>().ok();
        let label = value.and_then(number);
        let bound = self.values.first().and_then(|value| number(value));
        label.zip(bound).is_some_and(|(l, b)| holds(l, b))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, operator, .. } = self;
        let values = self.values.join(",");
        match operator {
            Operator::Equals | Operator::NotEquals | Operator::GreaterThan | Operator::LessThan => {
                write!(f, "{key}{operator}{values}")
            }
            Operator::In | Operator::NotIn => write!(f, "{key} {operator} ({values})"),
            Operator::Exists => f.write_str(key),
            Operator::DoesNotExist => write!(f, "!{key}"),
        }
    }
}

// === impl Operator ===

impl Operator {
    /// What the operator expects, unless it is this number of values.
    fn wants_other_than(self, values: usize) -> Option<&'static str> {
        match self {
            Self::In | Self::NotIn => (values == 0).then_some("at least one"),
            Self::Exists | Self::DoesNotExist => (values != 0).then_some("none"),
            Self::Equals | Self::NotEquals | Self::GreaterThan | Self::LessThan => {
                (values != 1).then_some("exactly one")
            }
        }
    }

    fn check(self, value: &str) -> Result<(), RequirementError> {
        let compares = matches!(self, Self::GreaterThan | Self::LessThan);
        if compares && value.parse::<i64>().is_err() {
            return Err(RequirementError::NotAnInteger {
                value: value.to_owned(),
                operator: self,
            });
        }
        validate::value(value).map_err(|expected| RequirementError::Value {
            value: value.to_owned(),
            expected,
        })
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Equals => "=",
            Self::NotEquals => "!=",
            Self::In => "in",
            Self::NotIn => "notin",
            Self::Exists => "exists",
            Self::DoesNotExist => "!",
            Self::GreaterThan => ">",
            Self::LessThan => "<",
        })
    }
}
