//! [`Question`]: what the server has to tell about a write.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use informer_runtime::{FieldSelector, ObjectKey, ResourceVersion, Selectors, Uid};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::api::ListParams;
use kube::core::{DynamicObject, ObjectList, PartialObjectMeta, Request};
use serde_json::Value;

use super::cache::Cache;
use super::notes::{Found, FoundObject};
use crate::base::request::within;

/// Time for which the answer to a request is awaited.
const ANSWER: Duration = Duration::from_secs(10);
/// Number of objects of a page.
const PAGE: u32 = 1000;

/// Question about the writes with these numbers. Each is a list without a resourceVersion: a consistent
/// read.
pub(super) enum Question {
    /// Does the object exist, or which objects does the place have?
    Objects {
        url: Arc<str>,
        name: Option<Arc<str>>,
        open: Vec<u64>,
    },
    /// Does the informer of a cache select the object?
    Selection {
        number: u64,
        url: Arc<str>,
        name: Arc<str>,
        cache: Arc<Cache>,
    },
}

pub(super) enum ServerAnswer {
    Object(Found, Option<Value>),
    Place(Listing),
    Selection(bool),
}

/// Objects of a place, without their content.
pub(super) struct Listing {
    pub(super) version: ResourceVersion,
    pub(super) objects: BTreeMap<ObjectKey, ObjectMeta>,
    pub(super) uids: Arc<HashSet<Uid>>,
}

// === impl Question ===

impl Question {
    pub(super) fn numbers(&self) -> &[u64] {
        match self {
            Self::Objects { open, .. } => open,
            Self::Selection { number, .. } => std::slice::from_ref(number),
        }
    }

    pub(super) async fn ask(&self, client: &Client) -> kube::Result<ServerAnswer> {
        match self {
            Self::Objects {
                url,
                name: Some(name),
                ..
            } => {
                let list = list_one(client, url, &FieldSelector::of_name(name), None).await?;
                let mut found = Found {
                    bound: version_of(&list),
                    object: None,
                    remaining: Arc::default(),
                };
                let Some(object) = list.items.first() else {
                    return Ok(ServerAnswer::Object(found, None));
                };
                found.object = Some(FoundObject::of(&object.metadata));
                let content = serde_json::to_value(object).unwrap_or_default();
                Ok(ServerAnswer::Object(found, Some(content)))
            }
            Self::Objects { url, .. } => list_place(client, url).await.map(ServerAnswer::Place),
            Self::Selection {
                url, name, cache, ..
            } => {
                let is_selected = selects(client, url, name, &cache.selectors).await?;
                Ok(ServerAnswer::Selection(is_selected))
            }
        }
    }
}

/// Asks whether selectors match the object of this name.
async fn selects(
    client: &Client,
    url: &str,
    name: &str,
    selectors: &Selectors,
) -> kube::Result<bool> {
    let fields = selectors.field.clone().unwrap_or_default();
    // The path is valid.
    let of_name = fields.equals("metadata.name", name).unwrap_or_default();
    let labels = selectors.label.as_ref().map(ToString::to_string);
    let list = list_one(client, url, &of_name, labels).await?;
    Ok(!list.items.is_empty())
}

async fn list_one(
    client: &Client,
    url: &str,
    fields: &FieldSelector,
    labels: Option<String>,
) -> kube::Result<ObjectList<DynamicObject>> {
    let mut params = ListParams::default().limit(1).fields(&fields.to_string());
    params.label_selector = labels;
    let request = Request::new(url)
        .list(&params)
        .map_err(kube::Error::BuildRequest)?;
    within(ANSWER, client.request(request)).await
}

/// Lists the metadata of all objects of a place, in pages of one state.
async fn list_place(client: &Client, url: &str) -> kube::Result<Listing> {
    let mut objects = BTreeMap::new();
    let mut params = ListParams::default().limit(PAGE);
    loop {
        let request = Request::new(url)
            .list_metadata(&params)
            .map_err(kube::Error::BuildRequest)?;
        let page: ObjectList<PartialObjectMeta<DynamicObject>> =
            within(ANSWER, client.request(request)).await?;
        let version = version_of(&page);
        for object in page.items {
            let mut meta = object.metadata;
            meta.managed_fields = None;
            meta.annotations = None;
            let name = meta.name.clone().unwrap_or_default();
            objects.insert(ObjectKey::new(meta.namespace.as_deref(), &name), meta);
        }
        params.continue_token = page.metadata.continue_.filter(|token| !token.is_empty());
        if params.continue_token.is_none() {
            let uids = objects
                .values()
                .filter_map(|meta: &ObjectMeta| meta.uid.as_deref())
                .map(Uid::new)
                .collect();
            return Ok(Listing {
                version,
                uids: Arc::new(uids),
                objects,
            });
        }
    }
}

fn version_of<K: Clone>(list: &ObjectList<K>) -> ResourceVersion {
    let version = list.metadata.resource_version.as_deref();
    ResourceVersion::new(version.unwrap_or_default())
}
