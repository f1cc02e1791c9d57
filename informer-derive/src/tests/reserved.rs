//! The names that accessors cannot have are those of the runtime's methods.

use std::path::Path;

use syn::{ImplItem, Item, Visibility};

use crate::check::{FACTORY_METHODS, RESERVED};

/// The public methods that `file` of the runtime gives `ty`.
fn methods(file: &str, ty: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../runtime/src")
        .join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let mut all = Vec::new();
    for item in syn::parse_file(&text).unwrap().items {
        let Item::Impl(item) = item else { continue };
        let syn::Type::Path(of) = &*item.self_ty else {
            continue;
        };
        if item.trait_.is_some() || of.path.segments.last().unwrap().ident != ty {
            continue;
        }
        all.extend(item.items.iter().filter_map(|member| match member {
            ImplItem::Fn(method) if matches!(method.vis, Visibility::Public(_)) => {
                Some(method.sig.ident.to_string())
            }
            _ => None,
        }));
    }
    assert!(!all.is_empty(), "`{ty}` is not in {file}");
    all
}

/// Otherwise the accessor could not be called: methods of a type win over those of a trait.
#[test]
fn no_accessor_is_called_like_a_method_of_the_factory() {
    for method in methods("factory/handle.rs", "SharedInformerFactory") {
        assert!(FACTORY_METHODS.contains(&method.as_str()), "{method}");
    }
}

/// Otherwise the index would hide the method that is reached through `Deref`.
#[test]
fn no_index_is_called_like_a_method_of_listers_or_snapshots() {
    let of_listers = methods("lister/handle.rs", "Lister");
    let of_snapshots = methods("indexer/snapshot.rs", "Snapshot");
    for method in of_listers.iter().chain(&of_snapshots) {
        assert!(RESERVED.contains(&method.as_str()), "{method}");
    }
}
