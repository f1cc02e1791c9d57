//! Constants for the fields that field selectors support.

use crate::ir::Selectable;
use crate::names;
use crate::path::{self, Segment, Spelling};
use heck::ToShoutySnakeCase;
use syn::LitStr;

use crate::ctxt::Ctxt;

/// Returns the constants for each `selectable = ".spec.field"`.
pub fn check(ctxt: &Ctxt, fields: &[LitStr]) -> Vec<Selectable> {
    let mut all: Vec<Selectable> = Vec::new();
    for given in fields {
        let text = given.value();
        let path = text.trim_start_matches('.');
        let is_simple = path::parse(path, Spelling::Json)
            .is_ok_and(|segments| !segments.iter().any(Segment::is_key));
        if !is_simple {
            let field = path
                .rsplit(['.', ']', '['])
                .find(|name| names::is_identifier(name))
                .unwrap_or("field");
            ctxt.error(
                given,
                format!(
                    "field selectors support simple paths only: write one such as `.spec.{field}`"
                ),
            );
            continue;
        }
        if all.iter().any(|other| other.path == path) {
            continue;
        }
        let mut name = path.to_shouty_snake_case();
        // `.spec.fooBar` and `.spec.foo_bar` would have the same constant.
        while all.iter().any(|other| other.name == name) {
            name.push('_');
        }
        all.push(Selectable {
            name: names::identifier(&name, given.span()),
            path: path.to_owned(),
        });
    }
    all
}
