use syn::parse_quote;

use crate::ast::Input;
use crate::serde::RenameRule;
use informer_codegen::ctxt::Ctxt;

/// Returns the JSON names of the fields of `input`.
fn names(input: &syn::DeriveInput) -> Vec<String> {
    let ctxt = Ctxt::default();
    let fields = Input::read(&ctxt, input).fields;
    ctxt.finish().unwrap();
    let read = fields.into_iter().filter(|field| !field.skip);
    read.map(|field| field.json).collect()
}

/// Covers serde's own table (`serde_derive/src/internals/case.rs`).
#[test]
fn rename_all_is_serdes() {
    const UPPER: [&str; 4] = ["OUTCOME", "VERY_TASTY", "A", "Z42"];
    const PASCAL: [&str; 4] = ["Outcome", "VeryTasty", "A", "Z42"];
    const SNAKE: [&str; 4] = ["outcome", "very_tasty", "a", "z42"];
    const CAMEL: [&str; 4] = ["outcome", "veryTasty", "a", "z42"];
    const KEBAB: [&str; 4] = ["outcome", "very-tasty", "a", "z42"];
    const UPPER_KEBAB: [&str; 4] = ["OUTCOME", "VERY-TASTY", "A", "Z42"];
    for (rule, fields, variants) in [
        ("", SNAKE, PASCAL),
        ("lowercase", SNAKE, ["outcome", "verytasty", "a", "z42"]),
        ("UPPERCASE", UPPER, ["OUTCOME", "VERYTASTY", "A", "Z42"]),
        ("PascalCase", PASCAL, PASCAL),
        ("camelCase", CAMEL, CAMEL),
        ("snake_case", SNAKE, SNAKE),
        ("SCREAMING_SNAKE_CASE", UPPER, UPPER),
        ("kebab-case", KEBAB, KEBAB),
        ("SCREAMING-KEBAB-CASE", UPPER_KEBAB, UPPER_KEBAB),
    ] {
        let input: syn::DeriveInput = parse_quote! {
            #[serde(rename_all = #rule)]
            struct Foo { outcome: u8, very_tasty: u8, a: u8, z42: u8 }
        };
        if !rule.is_empty() {
            assert_eq!(names(&input), fields, "{rule}");
        }
        let rule = RenameRule::read(&input.attrs);
        let names = PASCAL.map(|name| rule.apply_to_variant(name));
        assert_eq!(names, variants, "{rule:?}");
    }
}

#[test]
fn names_are_those_for_deserialization() {
    let input = parse_quote! {
        #[serde(deny_unknown_fields, rename_all(serialize = "UPPERCASE", deserialize = "camelCase"))]
        struct Foo {
            first_one: u8,
            r#type: u8,
            #[serde(default, rename = "other")]
            renamed: u8,
            #[serde(rename(serialize = "out", deserialize = "in"))]
            two_names: u8,
            #[serde(skip)]
            skipped: u8,
            #[serde(skip_deserializing)]
            not_read: u8,
            #[serde(skip_serializing)]
            not_written: u8,
        }
    };
    assert_eq!(
        names(&input),
        ["firstOne", "type", "other", "in", "notWritten"]
    );
}
