//! Types whose declaration the macro cannot see, or that are not structs with named fields.

use informer_derive::Informer;
use stub::{
    ClusterScope, CustomResource, NamespaceScope, ObjectMeta, Resource, SharedInformerFactory,
};

mod other {
    //! Takes the place of another crate.

    use super::*;

    #[derive(Debug, Default)]
    pub(super) struct Pod<T = ()> {
        pub(super) metadata: ObjectMeta,
        pub(super) spec: Option<PodSpec>,
        pub(super) more: T,
    }

    #[derive(Debug, Default)]
    pub(super) struct PodSpec {
        pub(super) node_name: Option<String>,
    }

    // Paths in JSON spelling lead through all types of k8s-openapi.
    stub::of_kubernetes!([T] Pod<T>);
    stub::of_kubernetes!([] PodSpec);

    stub::resource!([T] Pod<T>, NamespaceScope, metadata);
}

/// Marker for a type of another crate.
#[derive(Informer)]
#[informer(of = other::Pod, accessor = "pods", scope = "Namespaced", crate = stub)]
#[informer(
    index = "spec.nodeName",
    index(label = "app"),
    selectable = ".spec.nodeName"
)]
#[informer(index(path = spec.node_name, name = "by_field"))]
struct Pod;

/// Marker for a type with generic parameters.
#[derive(Informer)]
#[informer(of = other::Pod<Both<u8, String>>, accessor = "pairs", scope = "Namespaced", crate = stub)]
#[informer(index(name = "by_more", with = more, value = u8))]
struct Pair;

type Both<A, B> = (A, B);

fn more(pod: &other::Pod<Both<u8, String>>) -> Vec<u8> {
    vec![pod.more.0]
}

fn pod<T>(node: &str, more: T) -> other::Pod<T> {
    other::Pod {
        metadata: ObjectMeta {
            labels: Some([("app".to_owned(), "shop".to_owned())].into()),
            ..ObjectMeta::default()
        },
        spec: Some(other::PodSpec {
            node_name: Some(node.to_owned()),
        }),
        more,
    }
}

#[test]
fn a_marker_stands_for_a_type_of_another_crate() {
    let factory = SharedInformerFactory::default().with(pod("n", ()));
    let informer: PodInformer = factory.pods();
    assert_eq!(informer.lister().by_node_name("n").len(), 1);
    assert_eq!(informer.lister().by_field("n").len(), 1);
    assert_eq!(informer.lister().by_app("shop").len(), 1);
    assert_eq!(PodInformer::SPEC_NODE_NAME, "spec.nodeName");
    let _: &stub::SharedInformer<other::Pod> = &informer;
}

#[test]
fn a_marker_stands_for_a_type_with_parameters() {
    let factory = SharedInformerFactory::default().with(pod("n", (7_u8, String::new())));
    assert_eq!(factory.pairs().lister().by_more(7).len(), 1);
    assert!(factory.pods().lister().is_empty(), "another type");
}

mod projection {
    //! Projection of a resource that is declared elsewhere.

    use super::*;

    #[derive(Resource, Informer, Debug)]
    #[resource(inherit = other::Pod)]
    #[informer(accessor = "pod_nodes", scope = "Namespaced", crate = stub)]
    #[informer(index = spec.node)]
    struct PodNode {
        metadata: ObjectMeta,
        spec: Node,
    }

    #[derive(Debug)]
    struct Node {
        node: Option<String>,
    }

    #[test]
    fn a_projection_is_a_resource_itself() {
        let spec = Node {
            node: Some("n".to_owned()),
        };
        let metadata = ObjectMeta::default();
        let factory = SharedInformerFactory::default().with(PodNode { metadata, spec });
        assert_eq!(factory.pod_nodes().lister().by_node("n").len(), 1);
    }
}

mod renamed {
    //! The name `FooInformer` is taken.

    use super::*;

    #[derive(Debug)]
    struct FooInformer;

    #[derive(CustomResource, Informer, Debug)]
    #[kube(kind = "Foo", namespaced, derive = "Debug")]
    #[informer(crate = stub, prefix = "FooResource", index = "spec.x")]
    struct FooSpec {
        x: u8,
    }

    #[test]
    fn wrappers_may_have_another_prefix() {
        let informer: FooResourceInformer = SharedInformerFactory::default().foos();
        let lister: FooResourceLister = informer.lister();
        let _: FooResourceListerSnapshot = lister.snapshot();
        assert_eq!(format!("{FooInformer:?}"), "FooInformer");
    }
}

mod shapes {
    //! Specs that kube-derive accepts in addition to structs with named fields.

    use super::*;

    #[derive(CustomResource, Informer, Debug)]
    #[kube(kind = "Choice", namespaced, status = "ChoiceStatus", derive = "Debug")]
    #[informer(crate = stub, index = status.phase, index(name = "by_variant", with = variant))]
    #[informer(index(label = "app"))]
    enum ChoiceSpec {
        One { name: String },
        Two(u8),
    }

    #[derive(Debug)]
    struct ChoiceStatus {
        phase: Option<String>,
    }

    fn variant(choice: &Choice) -> Vec<String> {
        match &choice.spec {
            ChoiceSpec::One { name } => vec![name.clone()],
            ChoiceSpec::Two(number) => vec![number.to_string()],
        }
    }

    #[derive(CustomResource, Informer, Debug)]
    #[kube(kind = "Wrapped", derive = "Debug")]
    #[informer(crate = stub, index = "metadata.name")]
    struct WrappedSpec(#[expect(dead_code, reason = "only its type matters")] String);

    #[derive(CustomResource, Informer, Debug)]
    #[kube(kind = "Empty", derive = "Debug")]
    #[informer(crate = stub)]
    struct EmptySpec;

    #[test]
    fn an_enum_may_be_a_spec() {
        let choice = |spec| Choice {
            metadata: ObjectMeta::default(),
            spec,
            status: Some(ChoiceStatus {
                phase: Some("Ready".to_owned()),
            }),
        };
        let name = "x".to_owned();
        let factory = SharedInformerFactory::default()
            .with(choice(ChoiceSpec::One { name }))
            .with(choice(ChoiceSpec::Two(2)));
        let lister = factory.choices().lister();
        assert_eq!(lister.by_variant("x").len(), 1);
        assert_eq!(lister.by_variant("2").len(), 1);
        assert_eq!(lister.by_phase("Ready").len(), 2);
        assert!(lister.by_app("shop").is_empty());
    }

    #[test]
    fn a_tuple_or_unit_struct_may_be_a_spec() {
        let wrapped = Wrapped {
            metadata: ObjectMeta {
                name: Some("a".to_owned()),
                ..ObjectMeta::default()
            },
            spec: WrappedSpec("w".to_owned()),
        };
        let factory = SharedInformerFactory::default().with(wrapped);
        assert_eq!(factory.wrappeds().lister().by_name("a").len(), 1);
        assert!(factory.empties().lister().is_empty());
    }

    #[derive(Informer, Debug)]
    #[informer(crate = stub, accessor = "newtypes", scope = "Cluster", index = "metadata.name")]
    struct Newtype(ObjectMeta);

    stub::resource!([] Newtype, ClusterScope, 0);

    #[test]
    fn a_root_type_may_be_a_tuple_struct() {
        let factory = SharedInformerFactory::default().with(Newtype(ObjectMeta {
            name: Some("a".to_owned()),
            ..ObjectMeta::default()
        }));
        assert_eq!(factory.newtypes().lister().by_name("a").len(), 1);
    }
}
