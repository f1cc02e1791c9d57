//! Conversion of selectors in objects, such as `spec.selector` of a Deployment.

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

use super::label::Selector;
use super::requirement::{Operator, Requirement, RequirementError};

impl TryFrom<&meta::LabelSelector> for Selector {
    type Error = RequirementError;

    /// Combines `matchLabels` and `matchExpressions`; an empty selector selects all objects.
    ///
    /// client-go's counterpart is `metav1.LabelSelectorAsSelector`. Where the API defines that an
    /// absent selector matches nothing, the caller uses [`Selector::nothing`].
    ///
    /// # Errors
    ///
    /// Fails on an operator, key, value or number of values that the API server would reject.
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

    /// Converts an element of `matchExpressions`.
    ///
    /// # Errors
    ///
    /// Fails on an operator, key, value or number of values that the API server would reject.
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
