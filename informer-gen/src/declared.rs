//! Declarations of kinds, as text: `index = "spec.nodeName", index(label = "app", unique)`.
//!
//! The language is that of `#[informer(..)]`, which `informer_codegen` reads and checks.

use std::str::FromStr as _;

use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use proc_macro2::{Span, TokenStream};

use crate::config::KindOf;
use crate::error::{Error, Errors, OptionName, Result};

/// Reads a declaration in addition to `declaration`.
pub(crate) fn read(given: &KindOf, declaration: &mut Declaration, ctxt: &Ctxt) -> Result<()> {
    let Ok(tokens) = TokenStream::from_str(&given.declaration) else {
        let reason = format!(
            "has a declaration with unbalanced quotes or brackets: `{}`",
            given.declaration
        );
        return Err(OptionName::KIND.refuse(&given.kind, reason));
    };
    declaration.read(ctxt, tokens);
    Ok(())
}

/// Reports the keys that only the derive needs.
pub(crate) fn refuse_keys(declaration: &Declaration, ctxt: &Ctxt) {
    let keys = [
        ("scope", declaration.scope.first),
        ("crate", declaration.runtime.first),
    ];
    for (key, given) in keys {
        if let Some(span) = given {
            let message = format!("`{key}` is for `#[derive(Informer)]` only: remove it");
            ctxt.error_at(span, message);
        }
    }
}

/// Adds the errors of the declarations of a kind, which `party` names.
pub(crate) fn report(ctxt: Ctxt, party: &str, errors: &mut Errors) {
    for error in ctxt.into_errors() {
        let mut lines = error.into_iter();
        let Some(first) = lines.next() else { continue };
        let place = match text(first.span()) {
            Some(text) => format!(", at `{text}`"),
            None => String::new(),
        };
        let notes: String = lines
            .map(|note| match text(note.span()) {
                Some(text) => format!(" ({note}: `{text}`)"),
                None => format!(" ({note})"),
            })
            .collect();
        errors.add(Error::new(format!(
            "{}: {party}{place}: {first}{notes}",
            OptionName::KIND
        )));
    }
}

/// Returns the part of the declaration at `span`.
fn text(span: Span) -> Option<String> {
    span.source_text().filter(|text| !text.is_empty())
}
