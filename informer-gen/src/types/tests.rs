//! Types of single schemas. `tests/vendors` compiles those of whole projects.

use std::path::Path;

use informer_codegen::path::{self, Spelling};
use syn::parse_quote;

use super::schema::Schema;
use super::{Definition, Names, Types};
use crate::gvk::{Gvk, Scope};
use crate::node;
use informer_codegen::check::resolver::Purpose;

/// Returns the types of `kind`, and their text.
fn types(kind: &str, schema: &str) -> (Types, String) {
    let documents = node::parse(Path::new("schema.yaml"), schema).unwrap();
    let schema = Schema::new(&documents[0]);
    let definition = Definition {
        gvk: &Gvk::new("example.com", "v1", kind),
        plural: "foos",
        scope: Scope::Namespaced,
        short_names: &["f".to_owned()],
    };
    let types = Types::new(kind, Some(&schema)).unwrap();
    let names = Names {
        visibility: &parse_quote!(pub),
        runtime: &parse_quote!(::informer),
        k8s_openapi: &parse_quote!(::k8s_openapi),
    };
    let file = syn::parse2(types.items(&definition, &names)).unwrap();
    let text = prettyplease::unparse(&file);
    (types, text)
}

/// Returns the types of a kind with these required members of `spec`.
fn of_spec(members: &str) -> String {
    let schema = format!(
        "{{type: object, required: [spec], properties: {{spec: {{type: object, properties: {members}}}}}}}"
    );
    types("Foo", &schema).1
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn the_root_is_named_and_derived_as_kopium_does() {
    let spec = "{type: object, required: [spec], properties: {spec: {type: object, properties: \
                {a: {type: object, properties: {bGPMode: {type: object}}}}}, status: {type: object}}}";
    assert_has(
        &types("BGPPeer", spec).1,
        &[
            "#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, Default)]\n",
            "#[kube(group = \"example.com\", version = \"v1\", kind = \"BGPPeer\")]\n",
            "#[kube(root = \"BgpPeer\")]\n",
            "#[kube(plural = \"foos\")]\n#[kube(namespaced)]\n",
            "#[kube(status = \"BgpPeerStatus\")]\n#[kube(shortname = \"f\")]\n",
            "#[kube(schema = \"disabled\")]\n",
            "pub struct BgpPeerSpec {\n",
            "pub struct BgpPeerA {\n",
            "pub b_gp_mode: Option<BgpPeerABGpMode>,\n",
            "pub struct BgpPeerStatus {}\n",
        ],
    );
}

#[test]
fn a_kind_that_kube_cannot_derive_is_a_struct_with_its_traits() {
    for (why, schema) in [
        (
            "no `spec`",
            "{type: object, required: [value], properties: {value: {type: integer}}}",
        ),
        (
            "a `spec` that may be missing",
            "{type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}",
        ),
        (
            "more than `spec` and `status`",
            "{type: object, required: [spec], properties: {spec: {type: object}, operation: {type: object}}}",
        ),
        (
            "a `status` of any content",
            "{type: object, required: [spec], properties: {spec: {type: object}, \
             status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
        ),
        (
            "a root of any content",
            "{type: object, x-kubernetes-preserve-unknown-fields: true}",
        ),
    ] {
        let (_, text) = types("Foo", schema);
        assert!(!text.contains("CustomResource"), "{why}: {text}");
        assert_has(
            &text,
            &[
                "impl ::kube::Resource for Foo {\n",
                "impl Serialize for Foo {\n",
            ],
        );
    }
}

#[test]
fn a_value_has_the_type_that_its_schema_says() {
    for (schema, member) in [
        ("{type: string}", "Option<String>"),
        ("{type: boolean}", "Option<bool>"),
        ("{type: integer}", "Option<i64>"),
        ("{type: integer, format: int32}", "Option<i32>"),
        ("{type: number}", "Option<f64>"),
        ("{x-kubernetes-int-or-string: true}", "Option<IntOrString>"),
        (
            "{x-kubernetes-preserve-unknown-fields: true}",
            "Option<::serde_json::Value>",
        ),
        (
            "{type: object, x-kubernetes-preserve-unknown-fields: true}",
            "Option<BTreeMap<String, ::serde_json::Value>>",
        ),
        (
            "{type: object, additionalProperties: {type: array, items: {type: string, nullable: true}}}",
            "Option<BTreeMap<String, Vec<Option<String>>>>",
        ),
        ("{type: array}", "Option<Vec<::serde_json::Value>>"),
        ("{type: object}", "Option<FooMember>"),
        ("{type: string, enum: [a, b]}", "Option<FooMember>"),
        (
            "{type: array, items: {type: string, enum: [a]}}",
            "Option<Vec<FooMember>>",
        ),
        ("{type: integer, enum: [1, 2]}", "Option<i64>"),
    ] {
        let text = of_spec(&format!("{{member: {schema}}}"));
        assert_has(&text, &[&format!("    pub member: {member},\n")]);
    }
}

#[test]
fn members_that_the_schema_does_not_name_are_kept() {
    let open = "{open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: \
                {rest: {type: string}}}}";
    assert_has(
        &of_spec(open),
        &["#[serde(flatten)]\n    pub rest_x: BTreeMap<String, ::serde_json::Value>,\n"],
    );
    let embedded = "{template: {type: object, x-kubernetes-embedded-resource: true, properties: \
                    {metadata: {type: object}, spec: {type: object}}}}";
    assert_has(
        &of_spec(embedded),
        &[
            "pub api_version: Option<String>,\n",
            "pub metadata: Option<ObjectMeta>,\n",
            "pub spec: Option<FooTemplateSpec>,\n",
        ],
    );
}

#[test]
fn colliding_names_and_invalid_identifiers_are_changed() {
    let text = of_spec(
        "{jwks-uri: {type: string}, jwksUri: {type: string}, type: {type: string}, self: {type: string}, \
         $ref: {type: string}, 1st: {type: string}, ü: {type: string}, \
         mode: {type: string, enum: ['', '=~', replace, Replace, Self]}, \
         status: {type: object}, spec: {type: object}}",
    );
    assert_has(
        &text,
        &[
            "#[serde(rename = \"jwks-uri\")]\n    pub jwks_uri: ",
            "#[serde(rename = \"jwksUri\")]\n    pub jwks_uri_x: ",
            "    #[serde(rename = \"type\")]\n    pub type_: ",
            "#[serde(rename = \"self\")]\n    pub self_: ",
            "#[serde(rename = \"$ref\")]\n    pub ref_: ",
            "#[serde(rename = \"1st\")]\n    pub _1st: ",
            "#[serde(rename = \"ü\")]\n    pub field: ",
            "    #[serde(rename = \"\")]\n    KopiumEmpty,\n",
            "    #[serde(rename = \"=~\")]\n    KopiumVariant1,\n",
            "    #[serde(rename = \"replace\")]\n    Replace,\n",
            "    #[serde(rename = \"Replace\")]\n    ReplaceX,\n",
            "    #[serde(rename = \"Self\")]\n    Self_,\n",
            "    pub status: Option<FooStatusX>,\n",
        ],
    );
    let (option, _) = types("Option", "{type: object, properties: {a: {type: string}}}");
    assert_eq!(option.root(), "OptionX");
}

#[test]
fn an_index_supports_strings_integers_and_enums() {
    let (types, _) = types(
        "Foo",
        "{type: object, required: [spec], properties: {spec: {type: object, properties: {\
         name: {type: string}, size: {type: integer, format: int32}, ratio: {type: number}, \
         mode: {type: string, enum: [a, b]}, labels: {type: object, additionalProperties: {type: string}}, \
         rules: {type: array, items: {type: object, properties: {hosts: {type: array, items: {type: string}}}}}, \
         any: {x-kubernetes-preserve-unknown-fields: true}}}}}",
    );
    let find = |path: &str| {
        let found = types.find(
            "Foo",
            &path::parse(path, Spelling::Json).unwrap(),
            Purpose::Index,
        )?;
        let value = found
            .value
            .map(|value| informer_codegen::emit::type_text(&value));
        Ok(value.unwrap_or_else(|| "text".to_owned()))
    };
    for (path, value) in [
        ("spec.name", "text"),
        ("spec.size", "::core::primitive::i32"),
        ("spec.mode", "foo::FooMode"),
        ("spec.labels['app']", "text"),
        ("spec.rules.hosts", "text"),
    ] {
        assert_eq!(find(path), Ok::<_, String>(value.to_owned()), "{path}");
    }
    for (path, why) in [
        (
            "spec.ratio",
            "the path ends at neither a string, an integer nor a boolean; index it with a function, \
             `index(name = \"by_x\", with = function)`",
        ),
        (
            "spec.any",
            "the path ends at neither a string, an integer nor a boolean; index it with a function, \
             `index(name = \"by_x\", with = function)`",
        ),
    ] {
        assert_eq!(find(path), Err(why.to_owned()), "{path}");
    }
}
