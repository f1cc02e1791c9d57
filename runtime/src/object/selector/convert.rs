//! Selectors as objects have them: `spec.selector` of a Deployment, and others.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

use super::label::Selector;
use super::requirement::{Operator, Requirement, RequirementError};

impl TryFrom<&meta::LabelSelector> for Selector {
    type Error = RequirementError;

    /// Takes `matchLabels` and `matchExpressions` together; an empty one selects everything.
    ///
    /// client-go's counterpart is `metav1.LabelSelectorAsSelector`. Where the API says that an
    /// absent selector matches nothing, that is [`Selector::nothing`] and up to the caller.
    ///
    /// # Errors
    ///
    /// An operator, key, value or number of values that the API server would refuse.
    fn try_from(selector: &meta::LabelSelector) -> Result<Self, Self::Error> {
        let labels = selector.match_labels.iter().flatten();
        let expressions = selector.match_expressions.iter().flatten();
        labels
            .map(|(key, value)| Requirement::equals(key, value))
            .chain(expressions.map(Requirement::try_from))
            .collect()
    }
}

impl TryFrom<meta::LabelSelector> for Selector {
    type Error = RequirementError;

    fn try_from(selector: meta::LabelSelector) -> Result<Self, Self::Error> {
        Self::try_from(&selector)
    }
}

impl TryFrom<&meta::LabelSelectorRequirement> for Requirement {
    type Error = RequirementError;

    /// Reads one of `matchExpressions`.
    ///
    /// # Errors
    ///
    /// An operator, key, value or number of values that the API server would refuse.
    fn try_from(requirement: &meta::LabelSelectorRequirement) -> Result<Self, Self::Error> {
        let operator = match requirement.operator.as_str() {
            "In" => Operator::In,
            "NotIn" => Operator::NotIn,
            "Exists" => Operator::Exists,
            "DoesNotExist" => Operator::DoesNotExist,
            other => return Err(RequirementError::Operator(other.to_owned())),
        };
        let values = requirement.values.iter().flatten();
        Self::new(&requirement.key, operator, values)
    }
}
