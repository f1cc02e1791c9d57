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
        // The items of `kubectl`'s lists have a kind, the items of the API server's lists none.
        let list_kind = list.kind.strip_suffix("List").unwrap_or_default();
        let mut types: Option<(String, String)> = None;
        let mut texts = Vec::with_capacity(list.items.len());
        for (at, item) in list.items.into_iter().enumerate() {
            let kind = member(&item, "kind").unwrap_or(list_kind);
            let api_version = member(&item, "apiVersion").unwrap_or(&list.api_version);
            if kind.is_empty() || api_version.is_empty() {
                return Err(format!("items[{at}] has no kind or no apiVersion").into());
            }
            match &types {
                None => types = Some((api_version.to_owned(), kind.to_owned())),
                Some((first_version, first_kind)) => {
                    if first_version != api_version || first_kind != kind {
                        let message =
                            format!("items[0] is a {first_kind}, items[{at}] is a {kind}");
                        return Err(message.into());
                    }
                }
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

/// Returns the text of a member.
fn member<'a>(item: &'a Value, name: &str) -> Option<&'a str> {
    item.get(name)?.as_str()
}

/// Splits the text of an object at its resourceVersion.
fn split(mut item: Value) -> Result<(String, String)> {
    let metadata = item
        .get_mut("metadata")
        .and_then(Value::as_object_mut)
        .filter(|metadata| metadata.contains_key("name"))
        .ok_or("has no metadata.name")?;
    metadata.insert("resourceVersion".to_owned(), "\u{1}".into());
    if let Some(members) = item.as_object_mut() {
        members.remove("kind");
        members.remove("apiVersion");
    }
    let text = item.to_string();
    let (before, after) = text
        .trim_start_matches('{')
        .split_once(VERSION)
        .ok_or("has no resourceVersion")?;
    Ok((before.to_owned(), after.to_owned()))
}

#[cfg(test)]
mod tests;
