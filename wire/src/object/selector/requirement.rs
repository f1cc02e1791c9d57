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
    /// Sorted, without duplicates; their number is valid for the operator.
    values: Vec<String>,
}

/// Operator of a [`Requirement`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `key=value`, also written `key==value`.
    Equals,
    /// `key!=value`: the label is missing or has another value.
    NotEquals,
    /// `key in (a,b)`: the label has one of the values.
    In,
    /// `key notin (a,b)`: the label is missing or has none of the values.
    NotIn,
    /// `key`: the label exists.
    Exists,
    /// `!key`: the label is missing.
    DoesNotExist,
    /// `key>5`: the value of the label is an integer greater than the bound.
    GreaterThan,
    /// `key<5`: the value of the label is an integer less than the bound.
    LessThan,
}

/// Error of an invalid [`Requirement`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequirementError {
    /// The key is not a valid label key.
    #[error("`{key}` is not a label key: {expected}")]
    Key {
        /// The key.
        key: String,
        /// Description of a valid key.
        expected: &'static str,
    },
    /// The value is not a valid label value.
    #[error("`{value}` is not a label value: {expected}")]
    Value {
        /// The value.
        value: String,
        /// Description of a valid value.
        expected: &'static str,
    },
    /// The number of values does not fit the operator.
    #[error("`{key}` has {found} values: `{operator}` expects {expected}")]
    Values {
        /// The label's key.
        key: String,
        /// The operator.
        operator: Operator,
        /// Number of values.
        found: usize,
        /// Expected number of values.
        expected: &'static str,
    },
    /// The value is not an integer, but the operator compares integers.
    #[error("`{value}` is not an integer: `{operator}` expects one of 64 bits")]
    NotAnInteger {
        /// The value.
        value: String,
        /// The operator.
        operator: Operator,
    },
    /// The Kubernetes API does not define the operator.
    #[error("`{0}` is not an operator: expected In, NotIn, Exists or DoesNotExist")]
    Operator(String),
}

// === impl Requirement ===

impl Requirement {
    /// Creates a requirement from an operator, a label `key` and its `values`: at least one for
    /// [`In`](Operator::In) and [`NotIn`](Operator::NotIn), none for [`Exists`](Operator::Exists)
    /// and [`DoesNotExist`](Operator::DoesNotExist), exactly one for the other operators.
    ///
    /// # Errors
    ///
    /// Fails on an invalid key or value, or a wrong number of values.
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
        if let Some(expected) = operator.expected_unless(values.len()) {
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

    /// Creates `key=value`.
    ///
    /// # Errors
    ///
    /// Fails on an invalid key or value.
    pub fn equals(
        key: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self, RequirementError> {
        Self::new(key, Operator::Equals, [value.into()])
    }

    /// Returns the label's key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the operator.
    #[must_use]
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// Returns the values to compare with, sorted and without duplicates.
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Reports whether a label with this value, or a missing label (`None`), satisfies the
    /// requirement.
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

    /// Returns `true` if both values are integers and `holds` is true for them.
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
    /// Returns the expected number of values, unless `values` is valid.
    fn expected_unless(self, values: usize) -> Option<&'static str> {
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
