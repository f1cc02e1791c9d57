//! The derive and informer-gen give one type the same wrappers.
//!
//! Compared are the names, visibilities, fields, attributes and signatures of the derive's output with those of
//! informer-gen's golden output, which its own tests hold to what it writes today.

use std::collections::BTreeSet;
use std::path::Path;

use quote::ToTokens;
use syn::{Attribute, DeriveInput, ImplItem, Item, Signature, TraitItem, parse_quote};

/// What there is beside what the generator has, and why.
const OF_THE_DERIVE_ALONE: [&str; 2] = [
    // The generator's accessors are grouped by API group.
    "InformerFactory",
    // Finds two accessors of one name.
    "__INFORMER_ACCESSOR",
];

/// Compares the expansion of `input` with what the generator has for `kind`.
fn check(kind: &str, input: &DeriveInput) {
    let derived = syn::parse2(crate::derive(input)).expect("the expansion is a list of items");
    let derived = signatures(&derived, kind);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../informer-gen/tests/golden/crds.rs");
    let text = std::fs::read_to_string(&path).unwrap();
    let generated = syn::parse_file(&text).unwrap();
    let generated = module(&generated.items, &["example", "v1"]);
    let generated = signatures(&generated, kind);

    assert!(generated.len() >= 6, "too few to compare: {generated:#?}");
    let missing: Vec<_> = generated.difference(&derived).collect();
    assert!(missing.is_empty(), "only informer-gen has {missing:#?}");
    let more: Vec<_> = derived
        .difference(&generated)
        .filter(|item| !OF_THE_DERIVE_ALONE.iter().any(|own| item.contains(own)))
        .collect();
    assert!(more.is_empty(), "only the derive has {more:#?}");
}

#[test]
fn a_namespaced_type_with_indices_has_the_generators_wrappers() {
    check(
        "Foo",
        &parse_quote! {
            #[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
            // In the order of the generator, which sorts them by name.
            #[informer(index(with = ports, name = "by_port", value = "u16"))]
            #[informer(index(label = "app", unique), index = "metadata.name")]
            #[informer(index = "metadata.ownerReferences.kind")]
            #[informer(index(owner), index(owner = Deployment, name = "by_deployment"))]
            #[informer(index = spec.template.deployment_name, index = spec.template.r#type)]
            #[serde(rename_all = "camelCase")]
            pub struct FooSpec {
                pub template: Option<Template>,
            }
        },
    );
}

#[test]
fn a_cluster_scoped_type_has_the_generators_wrappers() {
    check(
        "Option",
        &parse_quote! {
            #[kube(group = "example.com", version = "v1", kind = "Option")]
            pub struct OptionSpec {}
        },
    );
}

/// The items of a module, by its path.
fn module(items: &[Item], path: &[&str]) -> syn::File {
    let Some((first, rest)) = path.split_first() else {
        let items = items.to_vec();
        return syn::File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items,
        };
    };
    let inside = items.iter().find_map(|item| match item {
        Item::Mod(module) if module.ident == first => module.content.as_ref(),
        _ => None,
    });
    module(&inside.expect("the golden output has the module").1, rest)
}

/// The items of `file` that are about `kind`, without documentation and bodies.
fn signatures(file: &syn::File, kind: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for item in &file.items {
        match item {
            Item::Struct(item) => {
                let mut item = item.clone();
                item.attrs.retain(is_compared);
                // For what rustc says of types that are no objects; the generator knows its types.
                item.generics.where_clause = None;
                all.insert(normal(&item, kind));
            }
            Item::Impl(item) => {
                let of = item.trait_.as_ref().map(|(path, _)| normal(path, kind));
                let head = format!("impl {of:?} for {}", normal(&item.self_ty, kind));
                if head.contains("Interface <") {
                    all.extend(item.items.iter().filter_map(|member| match member {
                        ImplItem::Fn(method) => Some(accessor(&method.sig, kind)),
                        _ => None,
                    }));
                    continue;
                }
                for member in &item.items {
                    all.insert(format!("{head}: {}", member_signature(member, kind)));
                }
                let text = item.to_token_stream().to_string();
                all.extend(index_names(&text).map(|name| format!("{head}: index {name}")));
            }
            Item::Trait(item) => {
                all.extend(item.items.iter().filter_map(|member| match member {
                    TraitItem::Fn(method) => Some(accessor(&method.sig, kind)),
                    _ => None,
                }));
            }
            Item::Const(item) if item.ident != "_" => {
                all.insert(format!("const {}", item.ident));
            }
            _ => {}
        }
    }
    all.retain(|text| {
        text.contains(&format!("{kind}Informer")) || text.contains(&format!("{kind}Lister"))
    });
    all
}

/// The factory's method, which the generator has on a step of `factory.example().v1().foos()`.
fn accessor(signature: &Signature, kind: &str) -> String {
    let output = normal(&signature.output, kind);
    format!("accessor {} {output}", signature.ident)
}

fn member_signature(member: &ImplItem, kind: &str) -> String {
    match member {
        ImplItem::Fn(method) => {
            let attrs = method.attrs.iter().filter(|attr| is_compared(attr));
            let attrs: Vec<_> = attrs.map(|attr| normal(attr, kind)).collect();
            let (vis, sig) = (normal(&method.vis, kind), normal(&method.sig, kind));
            format!("{attrs:?} {vis} {sig}")
        }
        other => normal(other, kind),
    }
}

/// The names under which indices are added.
fn index_names(text: &str) -> impl Iterator<Item = &str> {
    let calls = text.split("__private :: index (").skip(1);
    calls.filter_map(|call| call.split('"').nth(1))
}

/// Lints and documentation are no part of an interface; `#[inline]` decides where the runtime is
/// compiled for a type.
fn is_compared(attr: &Attribute) -> bool {
    ["derive", "must_use", "inline"]
        .iter()
        .any(|compared| attr.path().is_ident(compared))
}

/// As text, with one spelling of types that can be spelt in several ways.
fn normal(tokens: &impl ToTokens, kind: &str) -> String {
    let text = tokens.to_token_stream().to_string();
    [
        (format!("crate :: api :: {kind}"), kind.to_owned()),
        (":: std :: string :: String".to_owned(), "String".to_owned()),
        (":: core :: primitive :: str".to_owned(), "str".to_owned()),
        (" , }".to_owned(), " }".to_owned()),
        (" ,)".to_owned(), ")".to_owned()),
    ]
    .iter()
    .fold(text, |text, (from, to)| text.replace(from, to))
}
