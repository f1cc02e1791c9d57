//! Generated code of each form compiles under strict lints, and works: in a module without the
//! prelude, and with another visibility and another path of the runtime.

/// The runtime under another path.
pub(crate) mod runtime {
    pub(crate) use informer::{
        __private, GenericInformer, GroupVersionResource, MakeInformers, ObjectKey, ResourceInfo,
        SharedInformerFactory, Storage,
    };
}

use informer::storage::PackedObject;
use informer::testing::FakeControllerSource;
use informer::{Object, ObjectKey, Packed, SharedInformer};
use k8s_openapi::api::apps::v1::{ControllerRevision, Deployment};
use k8s_openapi::api::core::v1::{
    ConfigMap, Container, ContainerPort, HostIP, Node, NodeSpec, Pod, PodSpec, PodStatus, Service,
    ServiceSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use serde_json::json;
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

fn named(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        ..ObjectMeta::default()
    }
}

/// Returns a pod on a node, with two containers.
fn pod(name: &str, node: &str, images: [&str; 2]) -> Pod {
    let containers = images.map(|image| Container {
        image: Some(image.to_owned()),
        ..Container::default()
    });
    Pod {
        metadata: named(name),
        spec: Some(PodSpec {
            node_name: Some(node.to_owned()),
            containers: containers.into(),
            ..PodSpec::default()
        }),
        ..Pod::default()
    }
}

fn names<'a>(pods: impl IntoIterator<Item = &'a std::sync::Arc<Pod>>) -> Vec<&'a str> {
    let names = pods.into_iter().map(|pod| pod.metadata.name.as_deref());
    names.map(Option::unwrap_or_default).collect()
}

#[test]
fn the_path_of_an_index_traverses_options_and_lists() {
    use built_ins::SharedInformerFactoryExt as _;
    let pods = [
        pod("a", "one", ["nginx", "envoy"]),
        pod("b", "two", ["redis", "envoy"]),
        Pod::default(),
    ];
    let factory = Filled::default().with_all(pods);
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
    let owner = OwnerReference {
        kind: "ReplicaSet".to_owned(),
        api_version: "apps/v1".to_owned(),
        name: "web".to_owned(),
        uid: "u1".to_owned(),
        controller: Some(true),
        ..OwnerReference::default()
    };
    let mut first = pod("a", "one", ["example.com/nginx", "envoy"]);
    first.metadata.owner_references = Some(vec![owner.clone()]);
    first.metadata.labels = Some([("app".to_owned(), "shop".to_owned())].into());
    first.status = Some(PodStatus {
        pod_ip: Some("10.0.0.1".to_owned()),
        host_ips: Some(vec![HostIP {
            ip: "10.0.0.9".to_owned(),
        }]),
        ..PodStatus::default()
    });
    let mut job = pod("b", "one", ["redis", "envoy"]);
    let kind = "Job".to_owned();
    job.metadata.owner_references = Some(vec![OwnerReference { kind, ..owner }]);
    let spec = job.spec.as_mut().unwrap();
    spec.containers[0].ports = Some(vec![ContainerPort {
        container_port: 6379,
        ..ContainerPort::default()
    }]);
    let factory = Filled::default().with_all([first, job]);
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
    let entry = |key: &str, value: &str| Some([(key.to_owned(), value.to_owned())].into());
    let labelled = ControllerRevision {
        metadata: ObjectMeta {
            labels: entry("app", "web"),
            ..named("a")
        },
        ..ControllerRevision::default()
    };
    let annotated = Node {
        metadata: ObjectMeta {
            annotations: entry("example.com/pool", "gpu"),
            ..named("b")
        },
        spec: Some(NodeSpec {
            pod_cidrs: Some(vec!["10.1.0.0/24".to_owned()]),
            provider_id: Some("p1".to_owned()),
            ..NodeSpec::default()
        }),
        ..Node::default()
    };
    let factory = Filled::default()
        .with_all([labelled, ControllerRevision::default()])
        .with_all([annotated, Node::default()]);
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
    let entries = |entries: [(&str, &str); 2]| {
        let entries = entries.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Some(std::collections::BTreeMap::from(entries))
    };
    let service = Service {
        metadata: named("a"),
        spec: Some(ServiceSpec {
            selector: entries([("app", "web"), ("tier", "front")]),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    };
    let map = ConfigMap {
        metadata: named("b"),
        data: entries([("region", "eu"), ("zone", "1")]),
        ..ConfigMap::default()
    };
    let factory = Filled::default()
        .with_all([service, Service::default()])
        .with_all([map, ConfigMap::default()]);
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
    let in_namespace = |name: &str, uid: &str| ObjectMeta {
        namespace: Some("n".to_owned()),
        uid: Some(uid.to_owned()),
        ..named(name)
    };
    let foo = || api::Foo {
        metadata: in_namespace("a", "u1"),
        spec: api::FooSpec {
            template: Some(api::Template {
                deployment_name: "web".to_owned(),
                r#type: Some("big".to_owned()),
            }),
        },
    };
    let owned = Deployment {
        metadata: ObjectMeta {
            owner_references: Some(vec![OwnerReference {
                api_version: "example.com/v1".to_owned(),
                kind: "Foo".to_owned(),
                name: "a".to_owned(),
                uid: "u1".to_owned(),
                controller: Some(true),
                ..OwnerReference::default()
            }]),
            ..in_namespace("web", "u2")
        },
        ..Deployment::default()
    };
    let factory = Filled::default()
        .with_all([foo(), api::Foo::default()])
        .with_all([owned, Deployment::default()]);
    let graph: crds::example::v1::FooRelated = factory.example().v1().foos().related(&factory);
    assert_eq!(graph.deployments_of(&foo()).len(), 1);
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
    objects: &[serde_json::Value],
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
