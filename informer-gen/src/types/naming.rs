//! Names of types, fields and variants, by the rules of kopium.

use std::collections::BTreeSet;

use heck::{ToSnakeCase, ToUpperCamelCase};
use informer_codegen::names;
use proc_macro2::{Ident, Span};

/// Names that the text of a module uses for something else.
const RESERVED: &[&str] = &[
    "BTreeMap",
    "Box",
    "Clone",
    "Condition",
    "CustomResource",
    "Debug",
    "Default",
    "Deserialize",
    "Display",
    "Err",
    "Formatter",
    "IntOrString",
    "None",
    "ObjectMeta",
    "ObjectReference",
    "Ok",
    "Option",
    "PartialEq",
    "Result",
    "Serialize",
    "Some",
    "String",
    "Value",
    "Vec",
];

/// Names that are taken, in one place.
pub(super) struct Taken(BTreeSet<String>);

// === impl Taken ===

impl Taken {
    /// The types of a module.
    pub(super) fn types() -> Self {
        Self(RESERVED.iter().map(|&name| name.to_owned()).collect())
    }

    /// The fields of a struct, or the variants of an enum.
    pub(super) const fn members() -> Self {
        Self(BTreeSet::new())
    }

    /// Takes a name, with `suffix` as often as it is needed to tell it from the others.
    pub(super) fn claim(&mut self, mut name: String, suffix: &str) -> String {
        while !self.0.insert(name.clone()) {
            name.push_str(suffix);
        }
        name
    }
}

/// The type of the objects of a kind: `BgpPeer` for `BGPPeer`.
pub(super) fn root(kind: &str) -> String {
    let name = kind.to_upper_camel_case();
    identifier(&name).unwrap_or(name)
}

/// The module of a kind: `bgp_peer` for `BGPPeer`.
pub(crate) fn module(kind: &str) -> Ident {
    names::identifier(&kind.to_snake_case(), Span::call_site())
}

/// The type of the value of a member: `CertificateSpec`, `CertificateIssuerRef`, `CertificateStatus`.
///
/// kopium leaves `Spec` out of the names of all but the type of `spec` itself.
pub(super) fn nested(root: &str, owner: &str, member: &str) -> String {
    let name = format!("{owner}{}", member.to_upper_camel_case());
    let spec = format!("{root}Spec");
    if name == spec {
        return name;
    }
    name.replace(&spec, root)
}

/// A field of a struct.
pub(super) fn field(json: &str) -> String {
    match json {
        "-" => "kopium_dash".to_owned(),
        "_" => "kopium_underscore".to_owned(),
        json => {
            let name = json.to_snake_case();
            identifier(&name).unwrap_or_else(|| "field".to_owned())
        }
    }
}

/// A variant of an enum.
pub(super) fn variant(json: &str, position: usize) -> String {
    match json {
        "" => "KopiumEmpty".to_owned(),
        "-" => "KopiumDash".to_owned(),
        "_" => "KopiumUnderscore".to_owned(),
        json => {
            let name = json.to_upper_camel_case();
            identifier(&name).unwrap_or_else(|| format!("KopiumVariant{position}"))
        }
    }
}

fn identifier(word: &str) -> Option<String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_named = word.contains(|letter: char| letter.is_ascii_alphanumeric());
    (is_named && word.chars().all(is_word))
        .then(|| names::identifier(word, Span::call_site()).to_string())
}
