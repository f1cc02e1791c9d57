//! Selectors of objects, as the values at a path.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::walk::IndexValue;
use crate::object::Selector;

/// A selector that is not valid selects nothing.
impl IndexValue<LabelSelector> for Selector {
    fn of(selector: &LabelSelector) -> Self {
        Self::try_from(selector).unwrap_or_else(|_| Self::nothing())
    }
}

/// A map without labels selects nothing, as in a `Service`. Neither does a map that is not valid.
impl IndexValue<BTreeMap<String, String>> for Selector {
    fn of(labels: &BTreeMap<String, String>) -> Self {
        let selector = Self::from_labels(labels).ok();
        let selector = selector.filter(|selector| !selector.is_empty());
        selector.unwrap_or_else(Self::nothing)
    }
}
