//! Halfway through typing an attribute: an editor completes what the outline has.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::{DeriveInput, Item};

fn items(attributes: &str) -> Vec<String> {
    let text = format!("{attributes} pub struct FooSpec {{ pub name: String }}");
    let input: DeriveInput = syn::parse_str(&text).expect(attributes);
    names(crate::derive(&input), attributes)
}

/// The types and traits that there are: items, and what the first words of a declaration name.
fn names(output: TokenStream, input: &str) -> Vec<String> {
    let file: syn::File = syn::parse2(output).expect(input);
    let names = file.items.iter().flat_map(|item| match item {
        Item::Struct(item) => vec![item.ident.to_string()],
        Item::Trait(item) => vec![item.ident.to_string()],
        Item::Macro(item) => {
            let words = item.mac.tokens.clone().into_iter();
            words
                .filter_map(|token| match token {
                    TokenTree::Ident(word) => Some(word.to_string()),
                    _ => None,
                })
                .collect()
        }
        _ => Vec::new(),
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
        for name in ["FooInformer", "FooLister", "FooInformerFactory"] {
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

/// Every stream that is `tokens` without one of its tokens, at any depth.
fn without_one(tokens: &TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let mut all = Vec::new();
    for (position, token) in tokens.iter().enumerate() {
        let with = |other: Option<TokenTree>| {
            let (before, after) = (&tokens[..position], &tokens[position + 1..]);
            before
                .iter()
                .cloned()
                .chain(other)
                .chain(after.iter().cloned())
                .collect()
        };
        all.push(with(None));
        if let TokenTree::Group(group) = token {
            for inside in without_one(&group.stream()) {
                let group = Group::new(group.delimiter(), inside);
                all.push(with(Some(TokenTree::Group(group))));
            }
        }
    }
    all
}

/// `rust-analyzer` expands what does not parse yet, and completes what the outline has.
#[test]
fn whatever_token_is_missing_there_is_an_outline() {
    let whole: TokenStream = r#"
        #[kube(group = "g", version = "v1", kind = "Foo", namespaced, status = "Status")]
        #[informer(index = "spec.name", index(path = status.phase, name = "by_phase"))]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct FooSpec {
            #[serde(rename = "name")]
            pub title: String,
            pub sizes: Vec<Option<u8>>,
        }
    "#
    .parse()
    .unwrap();
    let all = without_one(&whole);
    let mut nameless = 0;
    for input in &all {
        let text = input.to_string();
        let names = names(crate::derive_tokens(input.clone()), &text);
        if !names.iter().any(|name| name == "FooInformer") {
            nameless += 1;
            let has_name = text.contains("struct FooSpec") && text.contains("\"Foo\"");
            assert!(!has_name, "{text}\nhas {names:?}");
        }
    }
    assert!(all.len() > 70, "{}", all.len());
    // The words `struct` and `FooSpec`: nothing else says that it is a `Foo`.
    assert!(nameless <= 2, "{nameless} of {}", all.len());
}

/// Fields that are complete can be completed in paths, whatever the others look like.
#[test]
fn a_half_typed_field_leaves_everything_there() {
    for fields in [
        "pub name: String, pub",
        "pub name: String, pub rep",
        "pub name: String, pub replicas:",
        "pub name: String, pub replicas: Option<",
        "pub replicas: , pub name: String",
        "#[serde] # pub name: String",
        "pub name String",
    ] {
        let text = format!(
            "#[kube(kind = \"Foo\", namespaced)] #[informer(index = \"spec.name\")]
             pub struct FooSpec {{ {fields} }}"
        );
        let names = names(crate::derive_tokens(text.parse().unwrap()), &text);
        for name in ["FooInformer", "FooLister", "FooListerSnapshot"] {
            assert!(names.iter().any(|found| found == name), "{text}: {names:?}");
        }
    }
}
