//! In a crate that denies `missing_docs`, all generated items of public types have documentation.

use std::collections::BTreeMap;

use informer_derive::Informer;
use stub::{CustomResource, NamespaceScope, ObjectMeta};

/// A spec.
#[derive(CustomResource, Informer, Debug)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Documented",
    namespaced,
    derive = "Debug"
)]
#[informer(crate = stub, index = "spec.name", index(name = "by_own", with = own))]
#[informer(owns(Page), references(Page(path = spec.name, accessor = "sources")))]
#[informer(selects(Page(path = spec.selector, accessor = "drafts")))]
pub struct DocumentedSpec {
    /// A name.
    pub name: String,
    /// A selector.
    pub selector: BTreeMap<String, String>,
}

/// A root type.
#[derive(Informer, Debug)]
#[informer(crate = stub, accessor = "pages", scope = "Namespaced")]
pub struct Page {
    metadata: ObjectMeta,
}

stub::resource!([] Page, NamespaceScope, metadata);

fn own(object: &Documented) -> Vec<String> {
    vec![object.spec.name.clone()]
}

#[test]
fn public_types_make_public_wrappers() {
    let factory = stub::SharedInformerFactory::default();
    assert!(factory.documenteds().lister().by_own("x").is_empty());
    assert!(factory.pages().lister().is_empty());
    let graph: DocumentedRelated = factory.documenteds().related(&factory);
    assert_eq!(graph.pages().informer().lister().len(), 0);
}
