//! Checks declared names.

use proc_macro2::Ident;
use syn::LitStr;

use crate::ctxt::Ctxt;
use crate::names;

/// Returns the text of `name`, if names of types can start with it.
pub fn prefix(ctxt: &Ctxt, name: &LitStr) -> Option<String> {
    let text = name.value();
    if names::is_identifier(&text) {
        return Some(text);
    }
    ctxt.error(
        name,
        format!("`{text}Informer` cannot name a Rust struct: write a name such as `Foo`"),
    );
    None
}

/// Returns the identifier in `name`, if it can name a method.
pub fn accessor(ctxt: &Ctxt, name: &LitStr) -> Option<Ident> {
    let text = name.value();
    let plain = text.strip_prefix("r#").unwrap_or(&text);
    if names::is_identifier(plain) {
        return Some(names::identifier(plain, name.span()));
    }
    let hint = heck::ToSnakeCase::to_snake_case(plain);
    let message = if names::is_identifier(&hint) {
        format!("`{text}` is not a Rust identifier: write `{hint}`")
    } else {
        format!("`{text}` is not a Rust identifier: write one such as `foos`")
    };
    ctxt.error(name, message);
    None
}
