//! Objects of a file: a list as `kubectl get -o json` writes it.

use std::fs;
use std::path::Path;

use kube::core::{ApiResource, GroupVersionKind};
use serde::Deserialize;
use serde_json::Value;

use super::{Objects, Revision, is_pod, write_value};
use crate::Result;

/// Stands for the resourceVersion in the text of an item, as JSON escapes it.
const VERSION: &str = r#""resourceVersion":"\u0001""#;

/// Objects of one kind, from a file.
#[derive(Debug)]
pub(crate) struct Given {
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
    pub(crate) fn read(path: &Path) -> Result<Self> {
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
                    let ((_, first), (_, kind)) = (first, &own);
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

    /// Reports whether the objects are Pods.
    pub(crate) fn are_pods(&self) -> bool {
        is_pod(&self.resource)
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}

impl Objects for Given {
    fn resources(&self) -> Vec<ApiResource> {
        vec![self.resource.clone()]
    }

    fn write_members(&self, number: usize, revision: Revision, out: &mut Vec<u8>) {
        if let Some((before, after)) = self.texts.get(number) {
            let version = revision.version;
            let member = format!(r#""resourceVersion":"{version}""#);
            for text in [before, &member, after] {
                out.extend_from_slice(text.as_bytes());
            }
        }
    }
}

/// Splits the text of an object at its resourceVersion.
fn split(mut item: Value) -> Result<(String, String)> {
    let metadata = item.get_mut("metadata").and_then(Value::as_object_mut);
    let metadata = metadata.filter(|metadata| metadata.contains_key("name"));
    let metadata = metadata.ok_or("has no metadata.name")?;
    metadata.insert("resourceVersion".to_owned(), "\u{1}".into());
    let mut text = Vec::new();
    write_value(item, &mut text);
    let text = String::from_utf8(text)?;
    let parts = text.split_once(VERSION);
    let (before, after) = parts.ok_or("has no resourceVersion")?;
    Ok((before.to_owned(), after.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::{types, write};
    use super::*;

    fn error(text: &str) -> String {
        Given::parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn lists_of_kubectl_and_of_the_api_server_are_read() {
        let of_kubectl = r#"{"apiVersion":"v1","kind":"List","items":[
            {"apiVersion":"apps/v1","kind":"Deployment","spec":{},"metadata":{"name":"a","resourceVersion":"7"}}]}"#;
        let given = Given::parse(of_kubectl.as_bytes()).unwrap();
        let resource = &given.resources()[0];
        assert_eq!(
            (&*resource.api_version, &*resource.plural),
            ("apps/v1", "deployments")
        );

        let of_server = r#"{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}"#;
        let given = Given::parse(of_server.as_bytes()).unwrap();
        assert_eq!(given.len(), 2);
        let mut out = Vec::new();
        let revision = Revision {
            version: 9,
            restarts: 0,
        };
        write(&given, 1, revision, &types(&given.resources()[0]), &mut out);
        let expected =
            r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","resourceVersion":"9"}}"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn an_error_names_the_item() {
        let list = |items: &str| error(&format!(r#"{{"items":[{items}]}}"#));
        let pod = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}"#;
        assert_eq!(list(""), "it has no items");
        assert_eq!(list("{}"), "items[0] has no kind or no apiVersion");
        let service = pod.replace("Pod", "Service");
        let expected = "items[0] is a Pod, items[1] is a Service";
        assert_eq!(list(&format!("{pod},{service}")), expected);
        let nameless = r#"{"kind":"Pod","apiVersion":"v1","metadata":{}}"#;
        assert_eq!(
            list(&format!("{pod},{nameless}")),
            "items[1] has no metadata.name"
        );
        assert!(
            error("[]").contains("expected struct List"),
            "{}",
            error("[]")
        );
    }

    #[test]
    fn an_error_names_the_file_and_the_command_that_writes_one() {
        let error = Given::read(Path::new("no-such-file"))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("cannot read no-such-file: "), "{error}");
    }
}
