//! Parameters of queries, with their types.

use serde_json::{Value, json};

pub(super) const OF_LISTS: [(&str, &str); 10] = [
    ("allowWatchBookmarks", "boolean"),
    ("continue", "string"),
    ("fieldSelector", "string"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("timeoutSeconds", "integer"),
    ("watch", "boolean"),
];
pub(super) const OF_WRITES: [(&str, &str); 3] = [
    ("dryRun", "string"),
    ("fieldManager", "string"),
    ("fieldValidation", "string"),
];
pub(super) const OF_DELETES: [(&str, &str); 4] = [
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
];

pub(super) fn query(parameters: &[(&str, &str)]) -> Value {
    parameters
        .iter()
        .map(|(name, kind)| {
            json!({ "name": name, "in": "query", "schema": { "type": kind, "uniqueItems": true } })
        })
        .collect()
}
