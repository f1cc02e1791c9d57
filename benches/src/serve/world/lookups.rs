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
        if let Some(Value::Object(labels)) = object.pointer("/metadata/labels") {
            for (name, value) in labels {
                let text = value.as_str().unwrap_or_default();
                let label = (name.clone(), text.to_owned());
                *self.labels.entry(label).or_default() += 1;
            }
        }
        if let Some(Value::String(node)) = object.pointer("/spec/nodeName") {
            self.nodes.insert(node.clone());
        }
    }

    /// Returns the label whose number of objects is closest to a fifth of all, and all nodes.
    pub(in super::super) fn chosen(&self) -> Lookups {
        let label = self
            .labels
            .iter()
            .min_by_key(|(_, count)| (5 * **count).abs_diff(self.objects))
            .map(|(label, _)| label.clone());
        Lookups {
            label,
            nodes: self.nodes.iter().cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests;
