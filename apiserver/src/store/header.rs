//! Values of an object that are read without decoding it.

use serde_json::Value;

use crate::document::{Members, finalizers, list_of, metadata, metadata_str, str_of};

/// Values that selectors, the collector and deletes read, kept beside the bytes.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) uid: Box<str>,
    /// `true` if the object has a `deletionTimestamp`.
    pub(crate) deleting: bool,
    labels: Box<[(Box<str>, Box<str>)]>,
    pub(crate) finalizers: Box<[Box<str>]>,
    pub(crate) owners: Box<[OwnerReference]>,
}

/// One of the `ownerReferences`. Missing values are empty.
#[derive(Debug)]
pub(crate) struct OwnerReference {
    pub(crate) api_version: Box<str>,
    pub(crate) kind: Box<str>,
    pub(crate) name: Box<str>,
    pub(crate) uid: Box<str>,
    /// Value of `blockOwnerDeletion`.
    pub(crate) blocks: bool,
}

// === impl Header ===

impl Header {
    pub(crate) fn of(members: &Members) -> Self {
        let nothing = Members::new();
        let fields = metadata(members).unwrap_or(&nothing);
        let mut labels = Vec::new();
        if let Some(Value::Object(all)) = fields.get("labels") {
            for (key, value) in all {
                if let Some(text) = value.as_str() {
                    labels.push((key.as_str().into(), text.into()));
                }
            }
        }
        let owners = list_of(fields.get("ownerReferences"))
            .iter()
            .map(OwnerReference::of)
            .collect();
        Self {
            uid: metadata_str(members, "uid").into(),
            deleting: fields.contains_key("deletionTimestamp"),
            labels: labels.into_boxed_slice(),
            finalizers: finalizers(members).map(Box::from).collect(),
            owners,
        }
    }

    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        for (known, value) in &self.labels {
            if **known == *key {
                return Some(value);
            }
        }
        None
    }
}

// === impl OwnerReference ===

impl OwnerReference {
    fn of(reference: &Value) -> Self {
        let text = |field: &str| str_of(reference.get(field)).into();
        Self {
            api_version: text("apiVersion"),
            kind: text("kind"),
            name: text("name"),
            uid: text("uid"),
            blocks: reference.get("blockOwnerDeletion") == Some(&Value::Bool(true)),
        }
    }
}
