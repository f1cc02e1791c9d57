//! Objects of a file: a list as `kubectl get -o json` writes it.

use std::fs;
use std::path::Path;

use kube::core::{ApiResource, GroupVersionKind};
use serde::Deserialize;
use serde_json::Value;

use crate::Result;

/// Stands for the resourceVersion in the text of an item, as JSON escapes it.
const VERSION: &str = r#""resourceVersion":"\u0001""#;

/// Objects of one kind, from a file.
#[derive(Debug)]
pub(super) struct Given {
    resource: ApiResource,
    /// Text of each object before and after its resourceVersion.
    texts: Vec<(String, String)>,
}

/// The list of a file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    api_version: String,
    items: Vec<Value>,
}

// === impl Given ===

impl Given {
    /// Reads a list of objects of one kind.
    ///
    /// # Errors
    ///
    /// Fails if the file is not such a list.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let text = fs::read(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
        let given = Self::parse(&text).map_err(|error| {
            format!(
                "{shown} is not a list of objects of one kind: {error}; write it with `kubectl get pods --all-namespaces -o json`"
            )
        })?;
        Ok(given)
    }

    fn parse(text: &[u8]) -> Result<Self> {
        let list: List = serde_json::from_slice(text)?;
        let mut types = None;
        let mut texts = Vec::with_capacity(list.items.len());
        for (at, item) in list.items.into_iter().enumerate() {
            // The items of `kubectl`'s lists have a kind, the items of the API server's lists none.
            let own = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
            let of_list = list.kind.strip_suffix("List").unwrap_or_default();
            let kind = own("kind").unwrap_or_else(|| of_list.to_owned());
            let api_version = own("apiVersion").unwrap_or_else(|| list.api_version.clone());
            if kind.is_empty() || api_version.is_empty() {
                return Err(format!("items[{at}] has no kind or no apiVersion").into());
            }
            let own = (api_version, kind);
            match &types {
                Some(first) if *first != own => {
                    let (_, first) = first;
                    let (_, kind) = &own;
                    return Err(format!("items[0] is a {first}, items[{at}] is a {kind}").into());
                }
                _ => types = Some(own),
            }
            texts.push(split(item).map_err(|error| format!("items[{at}] {error}"))?);
        }
        let (api_version, kind) = types.ok_or("it has no items")?;
        let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
        Ok(Self {
            resource: ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, &kind)),
            texts,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn resource(&self) -> ApiResource {
        self.resource.clone()
    }

    /// Returns the JSON of an object after its opening brace, without kind and apiVersion.
    pub(super) fn members(&self, number: usize, version: u64) -> String {
        let Some((before, after)) = self.texts.get(number) else {
            return String::new();
        };
        format!(r#"{before}"resourceVersion":"{version}"{after}"#)
    }
}

/// Splits the text of an object at its resourceVersion.
fn split(mut item: Value) -> Result<(String, String)> {
    let metadata = item.get_mut("metadata").and_then(Value::as_object_mut);
    let metadata = metadata.filter(|metadata| metadata.contains_key("name"));
    let metadata = metadata.ok_or("has no metadata.name")?;
    metadata.insert("resourceVersion".to_owned(), "\u{1}".into());
    if let Some(members) = item.as_object_mut() {
        members.remove("kind");
        members.remove("apiVersion");
    }
    let text = item.to_string();
    let parts = text
        .strip_prefix('{')
        .and_then(|text| text.split_once(VERSION));
    let (before, after) = parts.ok_or("has no resourceVersion")?;
    Ok((before.to_owned(), after.to_owned()))
}

#[cfg(test)]
mod tests;
