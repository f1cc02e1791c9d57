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

/// Returns the names of the public inherent methods of `ty` in a file of the runtime.
fn methods(file: &str, ty: &str) -> Vec<String> {
    let text = source(&format!("runtime/src/{file}"));
    let mut all = Vec::new();
    for item in syn::parse_file(&text).unwrap().items {
        let syn::Item::Impl(item) = item else {
            continue;
        };
        let syn::Type::Path(of) = &*item.self_ty else {
            continue;
        };
        if item.trait_.is_some() || of.path.segments.last().unwrap().ident != ty {
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
    assert!(!all.is_empty(), "`{ty}` is not in {file}");
    all
}

/// An inherent method wins over a trait method, so the accessor of `metrics.k8s.io` could not be
/// called.
#[test]
fn method_names_of_the_runtime_are_reserved() {
    let mut of_makers = methods(
        "factory/shared_informer_factory.rs",
        "SharedInformerFactory",
    );
    of_makers.extend(methods("factory/stored_as.rs", "StoredAs"));
    for method in of_makers {
        assert!(
            is_maker_method(&method),
            "{method}, a method of the factory"
        );
    }
    let mut of_listers = methods("lister/lister.rs", "Lister");
    of_listers.extend(methods("indexer/snapshot.rs", "Snapshot"));
    for method in of_listers {
        assert!(is_lister_method(&method), "{method}, of listers");
    }
    let relations = source("controller/src/private/related.rs");
    let (_, of_related) = relations.split_once("// === impl Related ===").unwrap();
    let (of_related, _) = of_related.split_once("macro_rules!").unwrap();
    let functions = of_related.split("fn ").skip(1);
    let methods = functions.filter(|text| text.contains("&self"));
    let names: Vec<&str> = methods
        .filter_map(|text| text.split(['(', '<']).next())
        .collect();
    assert!(names.contains(&"enqueue_into"), "{names:?}");
    for name in names {
        assert!(is_related_method(name), "{name}, of relations");
    }
}
