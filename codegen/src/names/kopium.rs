//! Names of types, fields and variants, by the rules of kopium, but for fields that are keywords.

use std::collections::BTreeSet;

use heck::{ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Ident, Span};

use super::{identifier, without_keyword};

/// Names that the text of a module uses otherwise.
const RESERVED: &str = "\
    BTreeMap Box Clone Condition CustomResource Debug Default Deserialize Display Err Formatter \
    IntOrString None ObjectMeta ObjectReference Ok Option PartialEq Result Serialize Some String \
    Value Vec";

/// Names in use in one scope.
pub struct TakenNames(BTreeSet<String>);

// === impl TakenNames ===

impl TakenNames {
    /// Returns the names in use in a module.
    #[must_use]
    pub fn types() -> Self {
        Self(RESERVED.split(' ').map(str::to_owned).collect())
    }

    /// Returns an empty set, for the fields of a struct.
    #[must_use]
    pub const fn fields() -> Self {
        Self(BTreeSet::new())
    }

    /// Returns the names in use in an enum, whose constant a variant would hide.
    #[must_use]
    pub fn variants() -> Self {
        Self(BTreeSet::from(["ALL".to_owned()]))
    }

    /// Claims a name. Appends `suffix` until the name is unique.
    pub fn claim(&mut self, mut name: String, suffix: &str) -> Ident {
        loop {
            let ident = identifier(&without_keyword(&name), Span::call_site());
            if self.0.insert(ident.to_string()) {
                return ident;
            }
            name.push_str(suffix);
        }
    }
}

/// Returns the name of the type of the objects of a kind: `BgpPeer` for `BGPPeer`.
#[must_use]
pub fn root(kind: &str) -> String {
    kind.to_upper_camel_case()
}

/// Returns the module of a kind: `bgp_peer` for `BGPPeer`.
#[must_use]
pub fn module(kind: &str) -> Ident {
    identifier(&kind.to_snake_case(), Span::call_site())
}

/// Returns the type name of the value of a member of the struct `owner`: `CertificateSpec`,
/// `CertificateIssuerRef`, `CertificateStatus`.
///
/// kopium omits `Spec` from the names of all types but that of `spec` itself: for a member of
/// `spec`, `owner` is the name of the root.
#[must_use]
pub fn nested(owner: &Ident, member: &str) -> String {
    // Letters beyond ASCII would cause the lint `uncommon_codepoints`, which no module can allow.
    let name = word(member.to_upper_camel_case()).unwrap_or_else(|| "Field".to_owned());
    format!("{owner}{name}")
}

/// Returns the name of a field.
#[must_use]
pub fn field(json: &str) -> String {
    match json {
        "-" => "kopium_dash".to_owned(),
        "_" => "kopium_underscore".to_owned(),
        json => word(json.to_snake_case()).unwrap_or_else(|| "field".to_owned()),
    }
}

/// Returns the name of a variant.
#[must_use]
pub fn variant(json: &str, position: usize) -> String {
    match json {
        "" => "KopiumEmpty".to_owned(),
        "-" => "KopiumDash".to_owned(),
        "_" => "KopiumUnderscore".to_owned(),
        json => {
            word(json.to_upper_camel_case()).unwrap_or_else(|| format!("KopiumVariant{position}"))
        }
    }
}

/// Returns a word that resembles its source as an identifier.
fn word(word: String) -> Option<String> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_named = word.contains(|letter: char| letter.is_ascii_alphanumeric());
    (is_named && word.chars().all(is_letter)).then_some(word)
}
