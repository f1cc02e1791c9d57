//! Values that readers look up, chosen from the objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Labels and nodes of the objects.
#[derive(Debug, Default)]
pub(super) struct Lookups {
    objects: usize,
    /// Number of objects of each label, as `name=value`.
    labels: BTreeMap<String, usize>,
    nodes: BTreeSet<String>,
}

// === impl Lookups ===

impl Lookups {
    pub(super) fn add(&mut self, object: &Value) {
        self.objects += 1;
        let labels = object
            .pointer("/metadata/labels")
            .and_then(Value::as_object);
        for (name, value) in labels.into_iter().flatten() {
            let value = value.as_str().unwrap_or_default();
            *self.labels.entry(format!("{name}={value}")).or_default() += 1;
        }
        let node = object.pointer("/spec/nodeName").and_then(Value::as_str);
        self.nodes.extend(node.map(str::to_owned));
    }

    /// Returns the label that a number of objects has that is closest to a fifth of all, on the
    /// first line, and a node on each later line.
    pub(super) fn to_text(&self) -> String {
        let distance = |count: usize| (5 * count).abs_diff(self.objects);
        let label = self
            .labels
            .iter()
            .min_by_key(|(_, count)| distance(**count));
        let label = label.map(|(label, _)| &**label).unwrap_or_default();
        let nodes = self.nodes.iter().map(|node| &**node);
        [label]
            .into_iter()
            .chain(nodes)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

#[cfg(test)]
mod tests;
