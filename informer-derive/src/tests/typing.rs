//! Halfway through typing an attribute: an editor completes what the outline has.

use syn::{DeriveInput, Item};

fn items(attributes: &str) -> Vec<String> {
    let text = format!("{attributes} pub struct FooSpec {{ pub name: String }}");
    let input: DeriveInput = syn::parse_str(&text).expect(attributes);
    let file: syn::File = syn::parse2(crate::derive(&input)).expect(attributes);
    let names = file.items.iter().filter_map(|item| match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Trait(item) => Some(item.ident.to_string()),
        _ => None,
    });
    names.collect()
}

#[test]
fn a_half_typed_attribute_leaves_everything_there() {
    let kube = r#"#[kube(group = "g", version = "v1", kind = "Foo", namespaced)]"#;
    for informer in [
        "#[informer]",
        "#[informer(i)]",
        "#[informer(index)]",
        "#[informer(index =)]",
        "#[informer(index = \"\")]",
        "#[informer(index = \"spec.\")]",
        "#[informer(index = \"spec.na\")]",
        "#[informer(index())]",
        "#[informer(index(path))]",
        "#[informer(index(path =))]",
        "#[informer(index(owner =))]",
        "#[informer(index(label = \"app\", name = ))]",
        "#[informer(index(with = a::))]",
        "#[informer(accessor = \"\")]",
        "#[informer(prefix = )]",
        "#[informer(of = Vec<)]",
        "#[informer(crate = )]",
        "#[informer(,)]",
    ] {
        let names = items(&format!("{kube} {informer}"));
        for name in [
            "FooInformer",
            "FooLister",
            "FooNamespaceLister",
            "FooInformerFactory",
        ] {
            assert!(
                names.iter().any(|found| found == name),
                "{informer}: {names:?}"
            );
        }
    }
}

#[test]
fn a_half_typed_kube_attribute_leaves_a_guess() {
    for kube in [
        "",
        "#[kube]",
        "#[kube()]",
        "#[kube(kind)]",
        "#[kube(kind =)]",
        "#[kube(k)]",
    ] {
        let names = items(kube);
        assert!(
            names.iter().any(|found| found == "FooInformer"),
            "{kube}: {names:?}"
        );
    }
}
