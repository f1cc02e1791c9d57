//! The derive on the spec of a `CustomResource`.

use informer_derive::Informer;
use stub::{CustomResource, ObjectMeta, SharedInformerFactory};

#[derive(CustomResource, Informer, Debug, Default)]
#[kube(
    group = "samplecontroller.k8s.io",
    version = "v1alpha1",
    kind = "Foo",
    namespaced,
    derive = "Debug",
    crates(kube_core = "::nowhere::core", std = "::nowhere::std")
)]
#[kube(
    status = "FooStatus",
    printcolumn = r#"{"name":"Replicas"}"#,
    shortname = "f"
)]
#[informer(crate = stub, index = "spec.deploymentName", index = "spec.replicas")]
#[informer(
    index = "metadata.labels['app.kubernetes.io/name']",
    index = status.phase
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooSpec {
    deployment_name: String,
    replicas: Option<i32>,
}

#[derive(Debug, Default)]
pub(crate) struct FooStatus {
    phase: Option<String>,
}

#[derive(CustomResource, Informer, Debug, Default)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "NetworkPolicy",
    derive = "Debug"
)]
#[informer(crate = "stub")]
struct NetworkPolicySpec {}

fn foo(namespace: &str, name: &str, deployment_name: &str, replicas: Option<i32>) -> Foo {
    Foo {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some(namespace.to_owned()),
            labels: Some([("app.kubernetes.io/name".to_owned(), name.to_owned())].into()),
            ..ObjectMeta::default()
        },
        spec: FooSpec {
            deployment_name: deployment_name.to_owned(),
            replicas,
        },
        status: Some(FooStatus {
            phase: Some("Ready".to_owned()),
        }),
    }
}

fn factory() -> SharedInformerFactory {
    SharedInformerFactory::default()
        .with(foo("default", "a", "web", Some(1)))
        .with(foo("default", "b", "web", None))
        .with(foo("other", "c", "db", Some(1)))
}

fn names(foos: &[std::sync::Arc<Foo>]) -> Vec<&str> {
    foos.iter()
        .filter_map(|object| object.metadata.name.as_deref())
        .collect()
}

#[test]
fn s08_an_index_accessor_takes_the_fields_own_type() {
    let lister = factory().foos().lister();
    assert_eq!(names(&lister.by_deployment_name("web")), ["a", "b"]);
    assert_eq!(names(&lister.by_replicas(1)), ["a", "c"]);
    assert_eq!(names(&lister.by_app_kubernetes_io_name("b")), ["b"]);
    assert_eq!(names(&lister.by_phase("Ready")), ["a", "b", "c"]);
    assert!(lister.by_deployment_name("mail").is_empty());
}

#[test]
fn s02_the_lister_of_a_namespaced_type_narrows_to_a_namespace() {
    let lister = factory().foos().lister();
    let namespace = lister.namespace("default");
    assert!(namespace.get("a").is_some());
    assert!(namespace.get("c").is_none());
}

#[test]
fn wrappers_behave_like_the_generic_types() {
    let informer = FooInformer::new(&factory());
    assert_eq!(informer.lister().len(), 3);
    let _: &stub::SharedInformer<Foo> = &informer;
    let _: &stub::Lister<Foo> = &informer.lister();
    assert_eq!(
        format!("{:?}", informer.clone()),
        format!("FooWrapper({:?})", &*informer)
    );
}

#[test]
fn the_accessor_is_the_plural_with_the_words_of_the_kind() {
    let informer: NetworkPolicyInformer = factory().network_policies();
    let lister: NetworkPolicyLister = informer.lister();
    assert!(lister.is_empty());
}
