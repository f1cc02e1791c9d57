//! Reads `#[informer(...)]` of an item.

use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use informer_codegen::declaration::entry::{self, Keys, Slot};
use proc_macro2::TokenStream;
use syn::{Attribute, Meta, Path};

/// Reads each `#[informer(...)]` among `attrs` as one declaration.
pub(crate) fn declaration(ctxt: &Ctxt, attrs: &[Attribute]) -> Declaration {
    let form = "`#[informer(index = \"spec.field\")]`, `#[informer(accessor = \"foos\")]`";
    let mut all = Declaration::default();
    for tokens in lists(ctxt, attrs, form) {
        all.read(ctxt, tokens);
    }
    all
}

/// Returns the path in `#[informer(crate = path)]`, the only key of an enum's attribute.
pub(crate) fn runtime_only(ctxt: &Ctxt, attrs: &[Attribute]) -> Slot<Path> {
    const KEYS: Keys = Keys {
        of: "informer",
        bare: "crate",
        known: &["crate"],
        meant: &[("runtime", "crate"), ("krate", "crate")],
    };
    let mut runtime = Slot::default();
    let lists = lists(ctxt, attrs, "`#[informer(crate = path)]`");
    for entry in lists.into_iter().flat_map(entry::entries) {
        if KEYS.find(ctxt, &entry).is_some() {
            runtime.set(ctxt, &entry, || entry.path(ctxt, "crate = informer"));
        }
    }
    runtime
}

/// Returns the content of each `#[informer(...)]`. `form` is the example in the error of an
/// attribute without a list.
fn lists(ctxt: &Ctxt, attrs: &[Attribute], form: &str) -> Vec<TokenStream> {
    let mut all = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("informer")) {
        match &attr.meta {
            Meta::List(list) => all.push(list.tokens.clone()),
            Meta::Path(_) | Meta::NameValue(_) => {
                let message = format!("expected a list: write {form}, or remove it");
                ctxt.error(attr, message);
            }
        }
    }
    all
}
