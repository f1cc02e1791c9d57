//! Type of an index's values, from the declaration of a field.

use proc_macro2::Ident;
use syn::{GenericArgument, PathArguments, Type};

/// Wrappers that paths traverse implicitly. The runtime's `Peel` must support all of them.
const WRAPPERS: [&str; 7] = [
    "Option", "Vec", "VecDeque", "Box", "Arc", "BTreeSet", "HashSet",
];

/// Returns the type inside all wrappers of `ty`, and the number of wrappers.
#[must_use]
pub fn unwrap(mut ty: &Type) -> (&Type, usize) {
    let mut wrappers = 0;
    loop {
        // `macro_rules!` wraps the types that it passes on in invisible groups.
        if let Type::Group(group) = ty {
            ty = &group.elem;
        } else if let Type::Paren(paren) = ty {
            ty = &paren.elem;
        } else if let Some(inner) = wrapped(ty) {
            wrappers += 1;
            ty = inner;
        } else {
            return (ty, wrappers);
        }
    }
}

fn wrapped(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let Some(GenericArgument::Type(inner)) = arguments.args.first() else {
        return None;
    };
    let is_wrapper = WRAPPERS.iter().any(|wrapper| last.ident == wrapper);
    is_wrapper.then_some(inner)
}

/// Reports whether an index holds values of type `ty` as `String`s.
pub(crate) fn is_text(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    last.ident == "str" || (last.ident == "Cow" && !last.arguments.is_none())
}

/// Returns the reason why values of type `ty` cannot be indexed, if its name shows that.
pub(crate) fn unindexable(ty: &Type) -> Option<&'static str> {
    let ident = last_ident(ty)?;
    if ident == "f32" || ident == "f64" {
        return Some("floating-point numbers have no total order");
    }
    (ident == "BTreeMap" || ident == "HashMap").then_some("a map has many values")
}

fn last_ident(ty: &Type) -> Option<&Ident> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.last().map(|last| &last.ident)
}
