use crate::serde::RenameRule;

/// Covers serde's own table (`serde_derive/src/internals/case.rs`).
#[test]
fn variants_are_renamed_as_serde_does() {
    for (rule, expected) in [
        ("", ["Outcome", "VeryTasty", "A", "Z42"]),
        ("lowercase", ["outcome", "verytasty", "a", "z42"]),
        ("UPPERCASE", ["OUTCOME", "VERYTASTY", "A", "Z42"]),
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
        let input: syn::DeriveInput = syn::parse_quote! {
            #[serde(rename_all = #rule)]
            enum Foo {}
        };
        let rule = RenameRule::read(&input.attrs);
        let names = ["Outcome", "VeryTasty", "A", "Z42"].map(|name| rule.apply_to_variant(name));
        assert_eq!(names, expected, "{rule:?}");
    }
}
