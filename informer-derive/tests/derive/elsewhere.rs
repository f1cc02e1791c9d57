//! Types whose declaration the macro cannot see, or that are not structs with named fields.

use informer_derive::Informer;
use stub::{ClusterScope, CustomResource, NamespaceScope, ObjectMeta, SharedInformerFactory};

mod other {
    //! Takes the place of another crate.

    use super::*;

    #[derive(Debug, Default)]
    pub(super) struct Pod<T> {
        pub(super) metadata: ObjectMeta,
        pub(super) more: T,
    }

    stub::resource!([T] Pod<T>, NamespaceScope, metadata);
}

/// Marker for a type with generic parameters.
#[derive(Informer)]
#[informer(of = other::Pod<Both<u8, String>>, accessor = "pairs", scope = "Namespaced", crate = stub)]
#[informer(index(name = "by_more", with = more, value = u8))]
struct Pair;

type Both<A, B> = (A, B);

fn more(pod: &other::Pod<Both<u8, String>>) -> Vec<u8> {
    vec![pod.more.0]
}

#[test]
fn a_marker_stands_for_a_type_with_parameters() {
    let pod = |more| other::Pod::<Both<u8, String>> {
        more: (more, String::new()),
        ..other::Pod::default()
    };
    let factory = SharedInformerFactory::default().with(pod(7)).with(pod(8));
    assert_eq!(factory.pairs().lister().by_more(7).len(), 1);
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
    //! Specs without named fields.

    use super::*;

    #[derive(CustomResource, Informer, Debug)]
    #[kube(kind = "Wrapped", derive = "Debug")]
    #[informer(crate = stub, index = "metadata.name")]
    struct WrappedSpec(#[expect(dead_code, reason = "only its type matters")] String);

    #[derive(CustomResource, Informer, Debug)]
    #[kube(kind = "Empty", derive = "Debug")]
    #[informer(crate = stub)]
    struct EmptySpec;

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
