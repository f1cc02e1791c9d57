//! Cost of an expansion.
//!
//! The test cannot rely on a clock, so it counts tokens, which rustc has to read. `cargo test
//! --release -p informer-derive cost -- --nocapture` prints the time.

use proc_macro2::{TokenStream, TokenTree};
use syn::{DeriveInput, parse_quote};

fn count(tokens: TokenStream) -> usize {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => 2 + count(group.stream()),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
        })
        .sum()
}

/// Returns a typical type, with two indices, one of them nested.
fn typical() -> DeriveInput {
    parse_quote! {
        #[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
        #[kube(status = "FooStatus", selectable = ".spec.deploymentName")]
        #[informer(index = "spec.deploymentName", index = "spec.template.nodeName")]
        #[serde(rename_all = "camelCase")]
        pub struct FooSpec {
            pub deployment_name: String,
            pub replicas: Option<i32>,
            pub template: Option<Template>,
        }
    }
}

#[test]
fn an_expansion_is_small() {
    let tokens = count(crate::derive(&typical()));
    assert!(tokens < 2_000, "{tokens} tokens");
}

/// The cost of a path is linear: each segment is at most three loops.
#[test]
fn the_size_of_an_expansion_is_linear_in_the_path() {
    let path = |depth: usize| {
        let path = format!("spec.template{}", ".inner".repeat(depth));
        let input = parse_quote! {
            #[kube(kind = "Foo")]
            #[informer(index = #path)]
            pub struct FooSpec { pub template: Template }
        };
        count(crate::derive(&input))
    };
    let (two, four, eight) = (path(2), path(4), path(8));
    assert_eq!(eight - four, 2 * (four - two));
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test prints a time, and asserts nothing about it"
)]
fn the_time_of_an_expansion_is_printed() {
    let input = typical();
    let time = |_| {
        let start = std::time::Instant::now();
        let tokens = (0..10).map(|_| count(crate::derive(&input))).sum::<usize>();
        (start.elapsed() / 10, tokens / 10)
    };
    // The minimum of many runs excludes the other load of the machine.
    let (best, tokens) = (0..50).map(time).min().unwrap();
    println!("{best:?} per type, of {tokens} tokens");
    assert!(tokens > 0);
}
