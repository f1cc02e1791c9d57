use syn::parse_quote;

use crate::ast::Input;
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
    for (rule, expected) in [
        ("lowercase", ["outcome", "very_tasty", "a", "z42"]),
        ("UPPERCASE", ["OUTCOME", "VERY_TASTY", "A", "Z42"]),
        ("PascalCase", ["Outcome", "VeryTasty", "A", "Z42"]),
        ("camelCase", ["outcome", "veryTasty", "a", "z42"]),
        ("snake_case", ["outcome", "very_tasty", "a", "z42"]),
        (
            "SCREAMING_SNAKE_CASE",
            ["OUTCOME", "VERY_TASTY", "A", "Z42"],
        ),
        ("kebab-case", ["outcome", "very-tasty", "a", "z42"]),
        (
            "SCREAMING-KEBAB-CASE",
            ["OUTCOME", "VERY-TASTY", "A", "Z42"],
        ),
    ] {
        let input = parse_quote! {
            #[serde(rename_all = #rule)]
            struct Foo { outcome: u8, very_tasty: u8, a: u8, z42: u8 }
        };
        assert_eq!(names(&input), expected, "{rule}");
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
