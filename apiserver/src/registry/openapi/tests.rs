use std::sync::Arc;

use serde_json::{Value, json};

use super::{document, index};
use crate::registry::Registry;

/// A document refers only to schemas that it contains.
#[test]
fn a_document_holds_every_schema_that_it_names() {
    let resources: Vec<_> = Registry::built_in().iter().map(Arc::clone).collect();
    let index = index(&resources);
    for path in index["paths"].as_object().unwrap().keys() {
        let document = document(&resources, path).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let mut named = Vec::new();
        crate::registry::models::references(&document, &mut named);
        for name in named {
            assert!(schemas.contains_key(name), "{path} names {name}");
        }
    }
    assert_eq!(document(&resources, "apis/nonsense/v1"), None);
}

/// kubectl reads the kind of a resource, field validation and strategic merge from its patch
/// operation.
#[test]
fn a_patch_says_what_the_server_is_able_to() {
    let resources: Vec<_> = Registry::built_in().iter().map(Arc::clone).collect();
    let document = document(&resources, "apis/apps/v1").unwrap();
    let item = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
    let patch = &document["paths"][item]["patch"];
    assert_eq!(
        patch["x-kubernetes-group-version-kind"],
        json!({ "group": "apps", "version": "v1", "kind": "Deployment" })
    );
    let parameters = patch["parameters"].as_array().unwrap();
    assert!(parameters.iter().any(|p| p["name"] == "fieldValidation"));
    let content = &patch["requestBody"]["content"];
    assert!(content["application/strategic-merge-patch+json"].is_object());
    // Server-side apply has no media type in the documents.
    assert_eq!(content["application/apply-patch+yaml"], Value::Null);
    let containers = &document["components"]["schemas"]["io.k8s.api.core.v1.PodSpec"]["properties"]
        ["containers"];
    assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
}
