//! Generated code of each form compiles under strict lints, and works: in a module without the
//! prelude, and with another visibility and another path of the runtime.

/// The runtime under another path.
pub(crate) mod runtime {
    pub(crate) use informer::{
        __private, GenericInformer, GroupVersionResource, InformerOptions, Lister, MakeInformers,
        ObjectKey, ResourceInfo, SharedInformer, SharedInformerFactory, Snapshot, Storage, Typed,
        advanced, index, relations,
    };
}

use informer::storage::PackedObject;
use informer::testing::FakeControllerSource;
use informer::{Object, ObjectKey, Packed, SharedInformer};
use k8s_openapi::api::apps::v1::{ControllerRevision, Deployment};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Service};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use stub::SharedInformerFactory as Filled;
use tokio_util::sync::CancellationToken;

/// The names of the prelude are not in scope.
#[no_implicit_prelude]
#[deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
#[deny(unused_qualifications, clippy::all, clippy::pedantic)]
pub mod crds {
    ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/crds.rs"));
}

/// With another visibility and another runtime path.
#[deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
#[deny(unused_qualifications, clippy::all, clippy::pedantic)]
mod built_ins {
    include!(concat!(env!("OUT_DIR"), "/built_ins.rs"));
}

/// Types that the manifests are mapped to.
pub mod api {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

    /// Kind with fields.
    #[derive(Debug, Default, serde::Deserialize)]
    pub struct Foo {
        /// Metadata of the object.
        pub metadata: ObjectMeta,
        /// Required specification.
        pub spec: FooSpec,
    }

    /// Specification of a `Foo`.
    #[derive(Debug, Default, serde::Deserialize)]
    pub struct FooSpec {
        /// Optional template.
        pub template: core::option::Option<Template>,
    }

    /// Template of a `FooSpec`.
    #[derive(Debug, Default, serde::Deserialize)]
    pub struct Template {
        /// Field of an index.
        pub deployment_name: String,
        /// Field of an index.
        pub r#type: core::option::Option<String>,
    }

    /// Implements a kind of `example.com` for a type.
    macro_rules! kind {
        ($type:ident, $scope:ident, $group:literal, $version:literal, $kind:literal, $plural:literal) => {
            impl k8s_openapi::Resource for $type {
                const API_VERSION: &'static str = concat!($group, "/", $version);
                const GROUP: &'static str = $group;
                const KIND: &'static str = $kind;
                const VERSION: &'static str = $version;
                const URL_PATH_SEGMENT: &'static str = $plural;
                type Scope = k8s_openapi::$scope;
            }

            impl k8s_openapi::Metadata for $type {
                type Ty = ObjectMeta;

                fn metadata(&self) -> &ObjectMeta {
                    &self.metadata
                }

                fn metadata_mut(&mut self) -> &mut ObjectMeta {
                    &mut self.metadata
                }
            }
        };
    }

    kind!(
        Foo,
        NamespaceResourceScope,
        "example.com",
        "v1",
        "Foo",
        "foos"
    );

    /// Function of an index.
    #[must_use]
    pub fn ports(foo: &Foo) -> std::vec::Vec<u16> {
        foo.spec
            .template
            .iter()
            .flat_map(|template| template.deployment_name.parse())
            .collect()
    }

    macro_rules! kinds {
        (@kind $name:ident $scope:ident ($($definition:literal),*)) => {
            kind!($name, $scope, $($definition),*);
        };
        ($($(#[$attribute:meta])* $name:ident: $scope:ident $definition:tt)*) => {$(
            /// A kind.
            #[derive(Debug, serde::Deserialize)]
            $(#[$attribute])*
            pub struct $name {
                /// Metadata of the object.
                pub metadata: ObjectMeta,
            }

            kinds!(@kind $name $scope $definition);
        )*};
    }
    kinds! {
        FooV1Beta1: NamespaceResourceScope ("example.com", "v1beta1", "Foo", "foos")
        Option: ClusterResourceScope ("example.com", "v1", "Option", "options")
        Result: NamespaceResourceScope ("type.example.com", "v1", "Result", "results")
        Vec: NamespaceResourceScope ("type.example.com", "v1", "Vec", "match")
        #[expect(non_camel_case_types, reason = "kinds may be in lower case")]
        r#type: NamespaceResourceScope
            ("k8s.cni.cncf.io", "v1-beta", "type", "network-attachment-definitions")
    }
}

/// Function of an index: returns the registries of a Pod's images.
#[must_use]
pub fn registries(pod: &Pod) -> Vec<String> {
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    let images = containers.filter_map(|container| container.image.as_deref());
    let registries = images.filter_map(|image| image.split_once('/'));
    registries
        .map(|(registry, _)| registry.to_owned())
        .collect()
}

/// Returns the objects of this name in `forms.yaml`.
fn objects<K: DeserializeOwned>(name: &str) -> Vec<K> {
    let files = informer_manifest::parse::<Value>(include_str!("forms.yaml"));
    serde_json::from_value(files.unwrap().remove(0)[name].take()).unwrap()
}

fn names<'a>(pods: impl IntoIterator<Item = &'a std::sync::Arc<Pod>>) -> Vec<&'a str> {
    let names = pods.into_iter().map(|pod| pod.metadata.name.as_deref());
    names.map(Option::unwrap_or_default).collect()
}

#[test]
fn the_path_of_an_index_traverses_options_and_lists() {
    use built_ins::SharedInformerFactoryExt as _;
    let factory = Filled::default().with_all(objects::<Pod>("pods"));
    let lister = factory.core().v1().pods().lister();
    assert_eq!(names(&lister.by_node_name("one")), ["a"]);
    assert_eq!(names(&lister.by_image("envoy")), ["a", "b"]);
    assert!(lister.by_node_name("three").is_empty());
    assert!(lister.by_namespace("default").is_empty());
}

/// Covers the counterparts of the derive's `unique`, `label`, `owner`, `value` and `with`, on a
/// lister and on its snapshot.
#[test]
fn indices_have_names_types_and_owners() {
    use built_ins::SharedInformerFactoryExt as _;
    let factory = Filled::default().with_all(objects::<Pod>("owned_pods"));
    let lister = factory.core().v1().pods().lister();
    let web = ObjectKey::cluster("web");

    let unique: Option<std::sync::Arc<Pod>> = lister.by_pod_ip("10.0.0.1");
    assert_eq!(names(&unique), ["a"]);
    assert_eq!(names(&lister.by_ip("10.0.0.9")), ["a"], "of `hostIPs`");
    assert!(lister.by_generation(7).is_empty());
    assert_eq!(names(&lister.by_application("shop")), ["a"]);
    assert_eq!(names(&lister.by_controller("u1")), ["a", "b"]);
    assert_eq!(
        names(&lister.by_owner(&web)),
        ["a"],
        "a Job with the same name is another owner"
    );
    assert_eq!(names(&lister.by_container_port(6379)), ["b"]);
    assert_eq!(names(&lister.by_registry("example.com")), ["a"]);

    let snapshot = lister.snapshot();
    assert_eq!(names(&snapshot.by_pod_ip("10.0.0.1")), ["a"]);
    assert_eq!(names(&snapshot.by_owner(&web)), ["a"]);
    assert_eq!(names(&snapshot.by_container_port(6379)), ["b"]);
}

#[test]
fn labels_and_annotations_are_indexed() {
    use built_ins::SharedInformerFactoryExt as _;
    let factory = Filled::default()
        .with_all(objects::<ControllerRevision>("revisions"))
        .with_all(objects::<Node>("nodes"));
    let revisions = factory.apps().v1().controller_revisions().lister();
    assert_eq!(revisions.by_app("web").len(), 1);
    assert_eq!(revisions.by_app("db").len(), 0);
    let nodes = factory.core().v1().nodes().lister();
    assert_eq!(nodes.by_example_com_pool("gpu").len(), 1);
    assert_eq!(nodes.by_pod_cidrs("10.1.0.0/24").len(), 1);
    assert_eq!(nodes.by_provider_id("p1").len(), 1);
}

/// `['key']` selects the value of a key in any map field, in both spellings.
#[test]
fn keys_of_maps_are_indexed() {
    use built_ins::SharedInformerFactoryExt as _;
    let factory = Filled::default()
        .with_all(objects::<Service>("services"))
        .with_all(objects::<ConfigMap>("maps"));
    let services = factory.core().v1().services().lister();
    assert_eq!(services.by_app("web").len(), 1);
    assert_eq!(
        services.by_app("front").len(),
        0,
        "the value belongs to another key"
    );
    assert_eq!(services.by_tier("front").len(), 1);
    let maps = factory.core().v1().config_maps().lister();
    assert!(maps.by_region("eu").is_some());
    assert!(maps.by_region("1").is_none());
}

#[test]
fn kinds_of_manifests_are_reached_by_group_and_version() {
    use crds::SharedInformerFactoryExt as _;
    let foos = objects::<api::Foo>("foos");
    let factory = Filled::default()
        .with_all(objects::<api::Foo>("foos"))
        .with_all(objects::<Deployment>("deployments"));
    let graph: crds::example::v1::FooRelated = factory.example().v1().foos().related(&factory);
    assert_eq!(graph.deployments_of(&foos[0]).len(), 1);
    let foos = factory.example().v1().foos().lister();
    let key = |namespace: &str| ObjectKey::namespaced(namespace, "web");
    assert_eq!(foos.by_config_map(&key("n")).len(), 1);
    assert_eq!(foos.by_config_map(&key("other")).len(), 0);
    assert_eq!(foos.by_deployment_name("web").len(), 1);
    assert_eq!(foos.by_type("big").len(), 1);
    #[expect(deprecated, reason = "the manifest says so")]
    let old: crds::example::v1beta1::FooV1Beta1Informer = factory.example().v1beta1().foos();
    assert!(old.lister().is_empty());
    let _option: crds::example::v1::OptionInformer = factory.example().v1().options();
    let _vec: crds::r#type::v1::VecInformer = factory.r#type().v1().r#match();
    let k8s = factory.k8s().v1_beta();
    let _type: crds::k8s::v1_beta::TypeInformer = k8s.network_attachment_definitions();
}

/// Returns the number of objects that a packed informer of `objects` decodes while `check` reads
/// it.
#[expect(clippy::disallowed_methods, reason = "the helper joins its tasks")]
async fn packed<K, W>(
    objects: &[Value],
    wrap: impl FnOnce(SharedInformer<K, Packed>) -> W,
    check: impl FnOnce(&W),
) -> u64
where
    K: Object<DynamicType = ()>,
{
    let source = FakeControllerSource::new();
    for object in objects {
        source.add(object).unwrap();
    }
    let informer = SharedInformer::<K, Packed>::builder(source)
        .build()
        .unwrap();
    let wrapper = wrap(informer.clone());
    let stop = CancellationToken::new();
    let run = tokio::spawn(informer.run(stop.clone()));
    informer.wait_for_sync().await.unwrap();
    check(&wrapper);
    let decoded = informer.metrics().decoded_objects;
    stop.cancel();
    run.await.unwrap().unwrap();
    decoded
}

/// S-08, I-15: the JSON-path indices of a built-in kind read the bytes.
#[tokio::test]
async fn i15_packed_accessors_of_a_built_in_kind_decode_nothing() {
    let map = |name: &str, region: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default"}, "data": {"region": region},
        })
    };
    let maps = [map("a", "eu"), map("b", "us")];
    let wrap = |informer| built_ins::core::v1::ConfigMapInformer::try_from(informer).unwrap();
    let decoded = packed::<ConfigMap, _>(&maps, wrap, |informer| {
        let lister = informer.lister();
        let found: Option<std::sync::Arc<PackedObject<ConfigMap>>> = lister.by_region("us");
        assert_eq!(found.unwrap().key().name(), "b");
        let snapshot = lister.snapshot();
        assert_eq!(snapshot.by_region("eu").unwrap().key().name(), "a");
    });
    assert_eq!(decoded.await, 0);
}

/// S-08, I-15: indices that need the object share one decoding of each version, when the version is
/// written.
#[tokio::test]
async fn i15_packed_accessors_of_a_kind_of_a_manifest_decode_a_version_once() {
    let foo = |name: &str, port: &str| {
        json!({
            "apiVersion": "example.com/v1", "kind": "Foo",
            "metadata": {"name": name, "namespace": "default", "labels": {"app": name}},
            "spec": {"template": {"deployment_name": port, "type": "big"}},
        })
    };
    let foos = [foo("a", "80"), foo("b", "443")];
    let wrap = |informer| crds::example::v1::FooInformer::try_from(informer).unwrap();
    let decoded = packed::<api::Foo, _>(&foos, wrap, |informer| {
        let lister = informer.lister();
        assert_eq!(lister.by_deployment_name("443")[0].key().name(), "b");
        assert_eq!(lister.by_type("big").len(), 2);
        assert_eq!(lister.by_port(80)[0].key().name(), "a");
        assert_eq!(lister.by_app("b").unwrap().key().name(), "b");
        assert_eq!(
            lister.namespace("default").get("a").unwrap().key().name(),
            "a"
        );
    });
    assert_eq!(decoded.await, 2);
}

/// S-08: a member with any name and lists of any depth have the same values in both storages.
#[tokio::test]
async fn s08_members_in_brackets_and_nested_lists_are_indexed() {
    use crate::informers::odd::v1;
    let options = [json!({
        "apiVersion": "odd.example.com/v1", "kind": "Option",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": {"type": "", "self": "", "mode": "On", "limit": 1, "maybe": null, "ünïcode": "ü", "-": 7,
            "grid": [[[null, ["x", null]]], [[["y"]]]]},
    })];
    let wrap = |informer| v1::OptionXInformer::try_from(informer).unwrap();
    packed::<v1::option::OptionX, _>(&options, wrap, |informer| {
        let lister = informer.lister();
        assert_eq!(lister.by_unicode("ü").len(), 1);
        assert_eq!(lister.by_dash(7).len(), 1);
        assert_eq!(lister.by_grid("x").len(), 1);
        assert_eq!(lister.by_grid("y").len(), 1);
    })
    .await;
    let options = options.map(|option| serde_json::from_value(option).unwrap());
    let factory = Filled::default().with_all::<v1::option::OptionX>(options);
    let lister = v1::OptionXInformer::new(&factory).lister();
    assert_eq!(lister.by_unicode("ü").len(), 1);
    assert_eq!(lister.by_dash(7).len(), 1);
    assert_eq!(lister.by_grid("x").len(), 1);
    assert_eq!(lister.by_grid("y").len(), 1);
}

/// A wrapper accepts any informer of its type, unless an index of the same name has another
/// definition.
#[test]
fn a_wrapper_is_rejected_for_an_index_of_another_definition() {
    let source = FakeControllerSource::new();
    let informer = SharedInformer::<Node>::builder(source).build().unwrap();
    let by_path = |node: &Node| node.spec.as_ref().and_then(|spec| spec.pod_cidr.clone());
    informer.add_index("spec.podCIDRs", by_path).unwrap();
    let refused = built_ins::core::v1::NodeInformer::try_from(informer.clone()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "an index named `spec.podCIDRs` exists already"
    );
    assert_eq!(
        informer.indexer().index_names().len(),
        1,
        "no index was added"
    );
}
