//! Snapshots, unique indices, and the shorthands for labels, annotations and owners.

use std::borrow::Cow;
use std::sync::Arc;

use informer_derive::Informer;
use stub::{CustomResource, ObjectKey, ObjectMeta, OwnerReference, SharedInformerFactory};

#[derive(CustomResource, Informer, Debug, Default)]
#[kube(kind = "Route", namespaced, derive = "Debug")]
#[kube(selectable = ".spec.hostName", selectable = ".spec.class")]
#[informer(
    crate = stub,
    index(path = "spec.hostName", unique),
    index(label = "app.kubernetes.io/name", name = "by_app"),
    index(annotation = "example.com/tenant", unique),
    index(owner),
    index(owner = Gate, name = "by_gate"),
    index(name = "by_port", with = ports, value = "u16", unique),
    index = "spec.class",
    index = "spec.note",
)]
#[serde(rename_all = "camelCase")]
struct RouteSpec {
    host_name: String,
    class: Option<Arc<str>>,
    note: Cow<'static, str>,
}

#[derive(CustomResource, Informer, Debug, Default)]
#[kube(kind = "Gate", namespaced, derive = "Debug")]
#[informer(crate = stub)]
struct GateSpec {}

fn ports(_: &Route) -> Vec<u16> {
    vec![80]
}

fn route(name: &str, owner_kind: &str) -> Route {
    let text = |text: &str| text.to_owned();
    let owner = |kind: &str, controller| OwnerReference {
        kind: text(kind),
        name: format!("{}-1", kind.to_lowercase()),
        uid: format!("{kind}-uid"),
        controller,
        api_version: text("example.com/v1"),
        ..OwnerReference::default()
    };
    Route {
        metadata: ObjectMeta {
            name: Some(text(name)),
            namespace: Some(text("default")),
            labels: Some([(text("app.kubernetes.io/name"), text("shop"))].into()),
            annotations: Some([(text("example.com/tenant"), text(name))].into()),
            owner_references: Some(vec![owner("Other", None), owner(owner_kind, Some(true))]),
            ..ObjectMeta::default()
        },
        spec: RouteSpec {
            host_name: text("h"),
            class: Some("fast".into()),
            note: Cow::Borrowed("n"),
        },
    }
}

fn lister() -> RouteLister {
    let factory = SharedInformerFactory::default()
        .with(route("a", "Gate"))
        .with(route("b", "Tunnel"));
    factory.routes().lister()
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("default", name)
}

fn names(routes: &[Arc<Route>]) -> Vec<&str> {
    routes
        .iter()
        .filter_map(|route| route.metadata.name.as_deref())
        .collect()
}

/// Returns the first object in key order, if a value is not unique after all.
#[test]
fn a_unique_index_gives_one_object() {
    let lister = lister();
    let found: Option<Arc<Route>> = lister.by_host_name("h");
    assert_eq!(found.unwrap().metadata.name.as_deref(), Some("a"));
    assert!(lister.by_host_name("other").is_none());
    assert!(lister.by_port(80).is_some());
    let of_b = lister.by_example_com_tenant("b").unwrap();
    assert_eq!(of_b.metadata.name.as_deref(), Some("b"));
}

#[test]
fn labels_and_annotations_have_shorthands() {
    assert_eq!(names(&lister().by_app("shop")), ["a", "b"]);
    assert!(lister().by_app("other").is_empty());
}

#[test]
fn an_owner_is_looked_up_by_its_key_and_its_type() {
    let lister = lister();
    assert_eq!(names(&lister.by_gate(&key("gate-1"))), ["a"]);
    assert!(lister.by_gate(&key("tunnel-1")).is_empty());
}

/// A Gate and a Tunnel may have the same name, but two objects never have the same UID.
#[test]
fn an_owner_of_any_kind_is_looked_up_by_its_uid() {
    let lister = lister();
    assert_eq!(names(&lister.by_owner_uid("Gate-uid")), ["a"]);
    assert_eq!(names(&lister.by_owner_uid("Tunnel-uid")), ["b"]);
    // The owner owns both objects, but controls neither.
    assert!(lister.by_owner_uid("Other-uid").is_empty());
}

#[test]
fn texts_of_any_type_are_looked_up_by_str() {
    assert_eq!(lister().by_class("fast").len(), 2);
    assert_eq!(lister().by_note("n").len(), 2);
}

#[test]
fn a_snapshot_has_the_accessors_of_the_lister() {
    let snapshot: RouteListerSnapshot = lister().snapshot();
    assert_eq!(snapshot.len(), 2);
    assert_eq!(names(&snapshot.by_class("fast")), ["a", "b"]);
    assert_eq!(names(&snapshot.by_gate(&key("gate-1"))), ["a"]);
    let found = snapshot.by_host_name("h").unwrap();
    assert_eq!(found.metadata.name.as_deref(), Some("a"));
    let _: &stub::Snapshot<Route> = &snapshot;
}

#[test]
fn without_indices_a_snapshot_is_the_runtimes() {
    let snapshot: stub::Snapshot<Gate> =
        SharedInformerFactory::default().gates().lister().snapshot();
    assert!(snapshot.is_empty());
}

#[test]
fn fields_of_field_selectors_are_constants() {
    assert_eq!(RouteLookups::SPEC_HOST_NAME, "spec.hostName");
    assert_eq!(RouteLookups::SPEC_CLASS, "spec.class");
}
