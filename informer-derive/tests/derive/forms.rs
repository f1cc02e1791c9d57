//! Other forms: root types, visibilities, versions, unusual names.

use informer_derive::Informer;
use stub::{ClusterScope, CustomResource, NamespaceScope, ObjectMeta, SharedInformerFactory};

mod root {
    //! On a hand-written root type.

    use super::*;

    #[derive(Informer, Debug, Default)]
    #[informer(accessor = "bars", scope = "Namespaced", crate = stub)]
    #[informer(index = spec.size, index = "metadata.name")]
    pub(super) struct Bar {
        pub(super) metadata: ObjectMeta,
        pub(super) spec: BarSpec,
    }

    #[derive(Debug, Default)]
    pub(super) struct BarSpec {
        pub(super) size: String,
    }

    stub::resource!([] Bar, NamespaceScope, metadata);

    #[derive(Informer, Debug)]
    #[informer(accessor = "zones", scope = "Cluster", crate = stub)]
    pub(in crate::forms) struct Zone {
        metadata: ObjectMeta,
    }

    stub::resource!([] Zone, ClusterScope, metadata);
}

#[test]
fn a_root_type_says_its_scope_and_accessor() {
    use root::{BarInformerFactory as _, ZoneInformerFactory as _};

    let bar = root::Bar {
        metadata: ObjectMeta {
            name: Some("a".to_owned()),
            ..ObjectMeta::default()
        },
        spec: root::BarSpec {
            size: "xl".to_owned(),
        },
    };
    let factory = SharedInformerFactory::default().with(bar);
    let lister = factory.bars().lister();
    assert_eq!(lister.by_size("xl").len(), 1);
    assert_eq!(lister.by_name("a").len(), 1);
    assert!(lister.namespace("default").get("a").is_none());
    assert!(factory.zones().lister().is_empty());
}

mod versions {
    //! Several versions of one kind in one module.

    use super::*;

    #[derive(CustomResource, Informer, Debug)]
    #[kube(
        version = "v1",
        kind = "Foo",
        root = "FooV1",
        namespaced,
        derive = "Debug"
    )]
    #[informer(crate = stub)]
    struct FooV1Spec {}

    #[derive(CustomResource, Informer, Debug)]
    #[kube(
        version = "v2",
        kind = "Foo",
        root = "FooV2",
        namespaced,
        derive = "Debug"
    )]
    #[informer(crate = stub, accessor = "foos_v2")]
    struct FooV2Spec {}

    #[test]
    fn versions_of_a_kind_coexist_by_accessor() {
        let factory = SharedInformerFactory::default();
        let _: FooV1Informer = factory.foos();
        let _: FooV2Informer = factory.foos_v2();
    }
}

mod names {
    //! Keywords, hyphens, and plurals that do not follow from the kind.

    use super::*;

    #[derive(CustomResource, Informer, Debug)]
    #[kube(kind = "Type", plural = "match", derive = "Debug")]
    #[informer(crate = stub, index = "spec.type", index(name = "fn", path = "spec.for-each"))]
    #[serde(rename_all = "kebab-case")]
    struct TypeSpec {
        r#type: String,
        for_each: Vec<Option<String>>,
    }

    #[derive(CustomResource, Informer, Debug)]
    #[kube(
        kind = "NetworkAttachment",
        plural = "network-attachments",
        derive = "Debug"
    )]
    #[informer(crate = stub)]
    struct NetworkAttachmentSpec {}

    #[derive(CustomResource, Informer, Debug)]
    #[kube(kind = "WideFoot", singular = "feet", derive = "Debug")]
    #[informer(crate = stub)]
    struct WideFootSpec {}

    #[test]
    fn names_that_rust_reserves_are_escaped() {
        let each = vec![Some("a".to_owned()), None, Some("b".to_owned())];
        let spec = TypeSpec {
            r#type: "x".to_owned(),
            for_each: each,
        };
        let object = Type {
            metadata: ObjectMeta::default(),
            spec,
        };
        let factory = SharedInformerFactory::default().with(object);
        let lister = factory.r#match().lister();
        assert_eq!(lister.by_type("x").len(), 1);
        assert_eq!(lister.r#fn("b").len(), 1);
        let _: NetworkAttachmentInformer = factory.network_attachments();
        let _: WideFootInformer = factory.feets();
    }
}

#[test]
fn a_type_may_be_local_to_a_function() {
    #[derive(CustomResource, Informer, Debug)]
    #[kube(kind = "Local", derive = "Debug")]
    #[informer(crate = stub)]
    struct LocalSpec {}

    let _: LocalInformer = SharedInformerFactory::default().locals();
}

mod macros {
    //! Types from a macro.

    use super::*;

    macro_rules! resource {
        ($kind:ident, $spec:ident, $kind_text:literal, $ty:ty) => {
            #[derive(CustomResource, Informer, Debug)]
            #[kube(kind = $kind_text, derive = "Debug")]
            #[informer(crate = stub, index = "spec.value")]
            struct $spec {
                value: $ty,
            }
        };
    }

    resource!(Made, MadeSpec, "Made", Option<u16>);

    #[test]
    fn a_type_may_come_from_a_macro() {
        let made = Made {
            metadata: ObjectMeta::default(),
            spec: MadeSpec { value: Some(7) },
        };
        let factory = SharedInformerFactory::default().with(made);
        assert_eq!(factory.mades().lister().by_value(7).len(), 1);
    }
}
