//! Values that readers look up, chosen from the objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::control::Lookups;

/// Labels and nodes of the objects.
#[derive(Debug, Default)]
pub(in super::super) struct Candidates {
    objects: usize,
    /// Number of objects of each label, by name and value.
    labels: BTreeMap<(String, String), usize>,
    nodes: BTreeSet<String>,
}

// === impl Candidates ===

impl Candidates {
    pub(super) fn add(&mut self, object: &Value) {
        self.objects += 1;
        let labels = object.pointer("/metadata/labels");
        let labels = labels.and_then(Value::as_object);
        for (name, value) in labels.into_iter().flatten() {
            let value = value.as_str().unwrap_or_default();
            let label = (name.clone(), value.to_owned());
            *self.labels.entry(label).or_default() += 1;
        }
        let node = object.pointer("/spec/nodeName").and_then(Value::as_str);
        self.nodes.extend(node.map(str::to_owned));
    }

    /// Returns the label whose number of objects is closest to a fifth of all, and all nodes.
    pub(in super::super) fn chosen(&self) -> Lookups {
        let labels = self.labels.iter();
        let label = labels.min_by_key(|(_, count)| (5 * **count).abs_diff(self.objects));
        Lookups {
            label: label.map(|(label, _)| label.clone()),
            nodes: self.nodes.iter().cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests;
