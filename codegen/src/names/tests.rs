use quote::ToTokens as _;

use super::*;

/// `accessors.txt` has a kind, its plural and the accessor on each line.
#[test]
fn an_accessor_is_the_plural_with_the_breaks_of_the_kind() {
    for line in include_str!("accessors.txt").lines() {
        let [kind, plural, expected] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let found = accessor(kind, plural, Span::call_site());
        assert_eq!(found.to_string(), expected, "{kind} {plural}");
    }
}

/// `cases.txt` has a function, a name and what the function makes of the name on each line.
#[test]
fn names_are_made_by_the_rules_of_their_functions() {
    let span = Span::call_site();
    let cases = include_str!("cases.txt").lines();
    for line in cases.filter(|line| !line.starts_with('#')) {
        let [function, name, expected] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let name = name.trim_matches('"');
        let found = match function {
            "group" => Some(group(name).to_string()),
            "full_group" => Some(full_group(name).to_string()),
            "version" => Some(version(name).to_string()),
            "stem" => Some(stem(name)),
            "api_field" => Some(api_field(name)),
            "identifier" => Some(identifier(name, span).to_string()),
            "kube_plural" => Some(kube_plural(name)),
            "related" => Some(related(name, span).to_string()),
            "index_accessor" => index_accessor(name, span).map(|found| found.to_string()),
            "referrers" => referrers(name, span).map(|found| found.to_string()),
            _ => panic!("{function} is no function"),
        };
        assert_eq!(found.as_deref().unwrap_or("-"), expected, "{line}");
    }
}

/// Returns the text of a file, given from the root of the workspace.
fn source(file: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join(file)).unwrap()
}

/// Returns the names of the public methods in the inherent impls that `is_of` selects by their type.
fn methods(file: &str, is_of: impl Fn(&str) -> bool) -> Vec<String> {
    let mut all = Vec::new();
    for item in syn::parse_file(&source(file)).unwrap().items {
        let syn::Item::Impl(item) = item else {
            continue;
        };
        let ty = item.self_ty.to_token_stream().to_string().replace(' ', "");
        if item.trait_.is_some() || !is_of(&ty) {
            continue;
        }
        all.extend(item.items.iter().filter_map(|member| {
            let syn::ImplItem::Fn(method) = member else {
                return None;
            };
            let is_public = matches!(method.vis, syn::Visibility::Public(_));
            is_public.then(|| method.sig.ident.to_string())
        }));
    }
    assert!(!all.is_empty(), "{file} has no such methods");
    all
}

/// An inherent method wins over a trait method, so the accessor of `metrics.k8s.io` could not be
/// called.
#[test]
fn method_names_of_the_runtime_are_reserved() {
    let mut of_makers = methods("runtime/src/factory/shared_informer_factory.rs", |ty| {
        ty == "SharedInformerFactory"
    });
    of_makers.extend(methods("runtime/src/factory/stored_as.rs", |ty| {
        ty.starts_with("StoredAs<")
    }));
    for method in of_makers {
        assert!(
            is_maker_method(&method),
            "{method}, a method of the factory"
        );
    }
    let mut of_listers = methods("runtime/src/lister/lister.rs", |ty| {
        ty.starts_with("Lister<")
    });
    of_listers.extend(methods("runtime/src/indexer/snapshot.rs", |ty| {
        ty.starts_with("Snapshot<")
    }));
    // Generated code adds these to an informer, and an index of the same name does not compile.
    of_listers.extend(methods("informer-derive/tests/golden/website.txt", |ty| {
        ty.contains("SharedInformer")
    }));
    for method in of_listers {
        assert!(
            is_lister_method(&method),
            "{method}, of informers and listers"
        );
    }
    let of_related = methods("controller/src/private/related.rs", |ty| {
        ty.starts_with("Related<")
    });
    for method in of_related {
        // A function without `self` hides no method.
        assert!(
            method == "new" || is_related_method(&method),
            "{method}, of relations"
        );
    }
}
