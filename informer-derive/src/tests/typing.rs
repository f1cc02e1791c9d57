//! Unfinished code: an editor completes names from the outline.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::{DeriveInput, Item};

fn items(attributes: &str) -> Vec<String> {
    let text = format!("{attributes} pub struct FooSpec {{ pub name: String }}");
    let input: DeriveInput = syn::parse_str(&text).expect(attributes);
    names(crate::derive(&input), attributes)
}

/// Returns the words of a declaration.
fn words(declaration: TokenStream) -> Vec<String> {
    let words = declaration.into_iter().flat_map(|token| match token {
        TokenTree::Ident(word) => vec![word.to_string()],
        TokenTree::Group(group) => words(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => Vec::new(),
    });
    words.collect()
}

/// Returns the types and traits of the output: items, and the words of a declaration.
fn names(output: TokenStream, input: &str) -> Vec<String> {
    let file: syn::File = syn::parse2(output).expect(input);
    let names = file.items.iter().flat_map(|item| match item {
        Item::Struct(item) => vec![item.ident.to_string()],
        Item::Trait(item) => vec![item.ident.to_string()],
        Item::Type(item) => vec![item.ident.to_string()],
        Item::Macro(item) => words(item.mac.tokens.clone()),
        _ => Vec::new(),
    });
    names.collect()
}

#[test]
fn an_unfinished_attribute_keeps_all_items() {
    let kube = r#"#[kube(group = "g", version = "v1", kind = "Foo", namespaced)]"#;
    for informer in include_str!("unfinished.txt").lines() {
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
fn an_unfinished_kube_attribute_keeps_guessed_items() {
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

/// Returns every stream that is `tokens` without one of its tokens, at any depth.
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

/// `rust-analyzer` expands code that does not parse yet, and completes names from the outline.
#[test]
fn any_missing_token_still_yields_an_outline() {
    let whole: TokenStream = r#"
        #[kube(group = "g", version = "v1", kind = "Foo", namespaced, status = "Status")]
        #[informer(index = "spec.name", index(path = status.phase, name = "by_phase"))]
        #[informer(owns(Pod), references(Secret(path = spec.title, accessor = "titles")))]
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
    // Without the words `struct` or `FooSpec`, nothing indicates the kind `Foo`.
    assert!(nameless <= 2, "{nameless} of {}", all.len());
}

/// Paths can be completed from finished fields, even if other fields are unfinished.
#[test]
fn an_unfinished_field_keeps_all_items() {
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
