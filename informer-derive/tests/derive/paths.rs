//! Fields that a path names: JSON names in quotes, Rust names without quotes.

use informer_derive::Informer;
use stub::{CustomResource, ObjectMeta, OwnerReference, SharedInformerFactory};

/// serde exchanges the names of two fields, and flattens a third.
#[derive(CustomResource, Informer, Debug)]
#[kube(kind = "Swap", namespaced, derive = "Debug")]
#[informer(crate = stub, index(path = "spec.name", name = "json_name"))]
#[informer(index(path = spec.name, name = "rust_name"))]
#[informer(index(path = spec.item.name, name = "item_name"))]
#[informer(index(path = spec.common.team, unique))]
#[informer(index(path = spec.r#type), index(path = metadata.labels["app"]))]
#[informer(index(path = metadata.owner_references.uid, name = "owners"))]
struct SwapSpec {
    #[serde(rename = "title")]
    name: String,
    #[serde(rename = "name")]
    title: String,
    item: Option<Item>,
    #[serde(flatten)]
    common: Common,
    r#type: u8,
}

#[derive(Debug)]
struct Item {
    name: String,
}

#[derive(Debug)]
struct Common {
    team: String,
}

fn swap() -> SwapLister {
    let text = |text: &str| text.to_owned();
    let swap = Swap {
        metadata: ObjectMeta {
            labels: Some([(text("app"), text("shop"))].into()),
            owner_references: Some(vec![OwnerReference {
                uid: text("u"),
                ..OwnerReference::default()
            }]),
            ..ObjectMeta::default()
        },
        spec: SwapSpec {
            name: text("rust"),
            title: text("json"),
            item: Some(Item { name: text("item") }),
            common: Common { team: text("red") },
            r#type: 3,
        },
    };
    SharedInformerFactory::default().with(swap).swaps().lister()
}

#[test]
fn in_quotes_a_path_has_the_names_that_serde_reads() {
    assert_eq!(swap().json_name("json").len(), 1);
    assert!(swap().json_name("rust").is_empty());
}

#[test]
fn without_quotes_a_path_has_the_names_of_the_fields() {
    assert_eq!(swap().rust_name("rust").len(), 1);
    assert!(swap().rust_name("json").is_empty());
    assert_eq!(swap().item_name("item").len(), 1);
}

/// A field has one index in both spellings. Two fields have two indices.
#[test]
fn an_index_has_its_json_name_if_the_name_is_known() {
    let lister = swap();
    let names = lister.index_names();
    let names: Vec<&str> = names.iter().map(stub::indexer::IndexName::as_str).collect();
    for name in [
        "spec.name",
        "spec.title",
        "self.spec.item.name",
        "self.spec.common.team",
        "metadata.labels['app']",
        "metadata.ownerReferences.uid",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
}

#[test]
fn without_quotes_a_path_leads_through_flattened_fields() {
    assert!(swap().by_team("red").is_some());
}

#[test]
fn without_quotes_a_path_has_the_type_of_its_field() {
    assert_eq!(swap().by_type(3).len(), 1);
}

#[test]
fn without_quotes_metadata_is_spelt_as_in_rust() {
    assert_eq!(swap().by_app("shop").len(), 1);
    assert_eq!(swap().owners("u").len(), 1);
}
