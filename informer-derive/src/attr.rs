//! Reads `#[informer(...)]` of an item.

use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use informer_codegen::declaration::entry::{self, AllowedKeys, KeySlot};
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
pub(crate) fn runtime_only(ctxt: &Ctxt, attrs: &[Attribute]) -> KeySlot<Path> {
    const KEYS: AllowedKeys = AllowedKeys {
        of: "informer",
        bare: "crate",
        known: &["crate"],
        meant: &[("runtime", "crate"), ("krate", "crate")],
    };
    let mut runtime = KeySlot::default();
    for tokens in lists(ctxt, attrs, "`#[informer(crate = path)]`") {
        for entry in entry::entries(tokens) {
            if KEYS.find(ctxt, &entry).is_some() {
                runtime.set(ctxt, &entry, || entry.path(ctxt, "crate = informer"));
            }
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

/// Returns the type that a `#[derive(kube::Resource)]` projects: the value of `inherit` in the
/// sibling `#[resource(...)]`, or `None` without such an attribute.
pub(crate) fn inherited(attrs: &[Attribute]) -> Option<String> {
    let attr = attrs.iter().find(|attr| attr.path().is_ident("resource"))?;
    let Meta::List(list) = &attr.meta else {
        return Some(String::new());
    };
    let inherit = entry::entries(list.tokens.clone())
        .into_iter()
        .find(|entry| entry.key() == "inherit")?;
    // darling accepts a path, bare or in a string.
    let path = match inherit.try_string() {
        Some(text) => text.value(),
        None => inherit.equals()?.to_string(),
    };
    let name = path.rsplit("::").next()?;
    Some(name.trim().to_owned())
}
