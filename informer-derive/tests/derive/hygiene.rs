//! Modules in which the usual names have other meanings.

use std::clone::Clone as _;

/// Without any prelude.
#[no_implicit_prelude]
mod no_prelude {
    #[derive(::stub::CustomResource, ::informer_derive::Informer, ::core::fmt::Debug)]
    #[kube(kind = "Plain", namespaced, derive = "::core::fmt::Debug")]
    #[informer(crate = ::stub, index = spec.template.ports.number, index = "spec.tags")]
    #[informer(index = "metadata.annotations['a']", index(name = "by_own", with = own))]
    pub(super) struct PlainSpec {
        pub(super) template: ::core::option::Option<Template>,
        pub(super) tags: ::std::vec::Vec<::std::string::String>,
    }

    #[derive(::core::fmt::Debug)]
    pub(super) struct Template {
        pub(super) ports: ::std::vec::Vec<Port>,
    }

    #[derive(::core::fmt::Debug)]
    pub(super) struct Port {
        pub(super) number: ::std::string::String,
    }

    fn own(_: &Plain) -> ::std::vec::Vec<::std::string::String> {
        ::std::vec::Vec::new()
    }
}

#[test]
fn generated_code_needs_no_prelude() {
    use no_prelude::{Plain, PlainInformerFactory as _, PlainSpec, Port, Template};

    let ports = vec![
        Port {
            number: "80".into(),
        },
        Port {
            number: "443".into(),
        },
    ];
    let spec = PlainSpec {
        template: Some(Template { ports }),
        tags: vec!["a".into()],
    };
    let plain = Plain {
        metadata: stub::ObjectMeta::default(),
        spec,
    };
    let factory = stub::SharedInformerFactory::default().with(plain);
    let lister = factory.plains().lister();
    assert_eq!(lister.by_number("443").len(), 1);
    assert_eq!(lister.by_tags("a").len(), 1);
    assert!(lister.by_a("x").is_empty());
    assert!(lister.clone().by_own("x").is_empty());
}

/// All names that generated code could use by accident, with other meanings.
#[expect(dead_code, unused_macros, reason = "the items only shadow names")]
mod shadowed {
    #[derive(Debug)]
    struct Option;
    #[derive(Debug)]
    struct Result;
    #[derive(Debug)]
    struct Vec;
    #[derive(Debug)]
    struct String;
    #[derive(Debug)]
    struct Box;
    #[derive(Debug)]
    struct Arc;
    #[derive(Debug)]
    struct Index;
    #[derive(Debug)]
    struct Lister;
    #[derive(Debug)]
    struct Informer;
    #[derive(Debug)]
    struct SharedInformer;
    #[derive(Debug)]
    struct Snapshot;
    #[derive(Debug)]
    struct ObjectKey;
    #[derive(Debug)]
    struct Infallible;
    #[derive(Debug)]
    struct SharedInformerFactory;
    #[expect(non_camel_case_types, reason = "the item only shadows a name")]
    type str = u8;
    trait Clone {}
    trait Deref {}
    trait Send {}
    trait Iterator {}
    mod std {}
    mod core {}
    mod informer {}
    macro_rules! vec {
        () => {
            compile_error!("generated code must not use this macro")
        };
    }
    macro_rules! unreachable {
        () => {
            compile_error!("generated code must not use this macro")
        };
    }
    #[expect(non_snake_case, reason = "the item only shadows a name")]
    fn Some() {}

    #[derive(stub::CustomResource, informer_derive::Informer, Debug)]
    #[kube(kind = "Shadow", namespaced, derive = "Debug")]
    #[kube(selectable = ".spec.flag")]
    #[informer(
        crate = "::stub",
        index = "spec.names",
        index = "metadata.ownerReferences.uid"
    )]
    #[informer(index = spec.rank.number, index(path = "spec.flag", name = "object"))]
    #[informer(index(label = "value", unique), index(owner), index(owner = Shadow, name = "own"))]
    pub(super) struct ShadowSpec {
        pub(super) names: ::std::option::Option<::std::vec::Vec<::std::string::String>>,
        pub(super) rank: ::std::option::Option<Rank>,
        pub(super) flag: bool,
    }

    #[derive(stub::CustomResource, informer_derive::Informer, Debug)]
    #[kube(kind = "N", derive = "Debug")]
    #[informer(crate = "::stub", index = "metadata.name")]
    pub(super) struct NSpec {}

    #[derive(Debug)]
    pub(super) struct Rank {
        pub(super) number: ::std::string::String,
    }
}

#[test]
fn shadowed_names_are_not_used() {
    use shadowed::{Rank, Shadow, ShadowInformerFactory as _, ShadowSpec};

    let rank = Some(Rank { number: "1".into() });
    let spec = ShadowSpec {
        names: Some(vec!["a".into(), "b".into()]),
        rank,
        flag: true,
    };
    let shadow = Shadow {
        metadata: stub::ObjectMeta::default(),
        spec,
    };
    let factory = stub::SharedInformerFactory::default().with(shadow);
    let lister = factory.shadows().lister();
    assert_eq!(lister.by_names("b").len(), 1);
    assert_eq!(lister.by_number("1").len(), 1);
    assert_eq!(lister.object(true).len(), 1);
    assert!(lister.by_uid("x").is_empty());
    assert!(lister.snapshot().by_value("x").is_none());
    assert_eq!(shadowed::ShadowLookups::SPEC_FLAG, "spec.flag");
}

/// The runtime under other paths.
mod renamed {
    pub(super) mod facade {
        pub(crate) use stub as inner;
    }

    #[derive(stub::CustomResource, informer_derive::Informer, Debug)]
    #[kube(kind = "Renamed", derive = "Debug")]
    #[informer(crate = self::facade::inner, index = spec.a.b)]
    struct RenamedSpec {
        a: Option<A>,
    }

    #[derive(Debug)]
    struct A {
        b: String,
    }

    #[test]
    fn the_runtime_may_be_anywhere() {
        let spec = RenamedSpec {
            a: Some(A { b: "x".to_owned() }),
        };
        let renamed = Renamed {
            metadata: stub::ObjectMeta::default(),
            spec,
        };
        let factory = stub::SharedInformerFactory::default().with(renamed);
        assert_eq!(factory.renameds().lister().by_b("x").len(), 1);
    }
}
