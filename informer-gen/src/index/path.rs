//! The two spellings of a path, and the Rust fields that it leads through.
//!
//! # Invariants
//!
//! A path is spelt as in JSON or as in Rust, and neither is guessed from the other. Which field of
//! Rust a name in JSON stands for is known of `metadata` and of the types of k8s-openapi, which
//! have one rule; of other types serde's attributes decide, which are not seen here, so that only
//! Rust's spelling leads into them. So a path leads to the field that it names, or it is refused.
//! The derive has the same rules, and sees the attributes of one struct.

use proc_macro2::Ident;
use syn::{Type, parse_quote};

use super::checked::{Owners, Source};
use crate::error::{Error, OptionName};
use crate::ir::Resource;
use crate::{naming, paths, suggest};

/// The fields of `ObjectMeta` in JSON.
const METADATA: [&str; 13] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "uid",
];

/// The fields of `OwnerReference` in JSON.
const OWNER_REFERENCE: [&str; 6] = [
    "apiVersion",
    "blockOwnerDeletion",
    "controller",
    "kind",
    "name",
    "uid",
];

/// How the names in a path are spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    Json,
    Rust,
}

/// A path, as it is told apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed<'a> {
    /// `metadata.labels['key']`
    Label(&'a str),
    /// `metadata.annotations['key']`
    Annotation(&'a str),
    /// Names of fields.
    Words(Vec<&'a str>),
}

/// What is at the end of a path.
pub(super) struct Found {
    pub(super) source: Source,
    /// In the informer's store: the path in JSON, if that is known.
    pub(super) name: String,
    /// What the method is named after.
    pub(super) word: String,
    /// The type of the values, if it is known not to be text.
    pub(super) value: Option<Type>,
}

/// Finds out where `path` leads from objects of `resource`.
pub(super) fn find(
    path: &str,
    spelling: Spelling,
    resource: &Resource,
    owners: &Owners<'_>,
) -> Result<Found, Error> {
    let refuse = |reason: String| OptionName::Index.refuse(path, reason);
    let words = match parse(path, spelling) {
        Some(Parsed::Label(key)) => return Ok(entry(Source::Label(key.to_owned()), "labels", key)),
        Some(Parsed::Annotation(key)) => {
            let source = Source::Annotation(key.to_owned());
            return Ok(entry(source, "annotations", key));
        }
        Some(Parsed::Words(words)) => words,
        None => {
            let reason = "is neither `metadata.labels['key']`, `metadata.annotations['key']` nor \
                          a path with dots such as `spec.nodeName`; for anything else, call \
                          `add_index` on the informer";
            return Err(refuse(reason.to_owned()));
        }
    };
    if resource.dynamic {
        let reason = "needs a Rust type, which this kind has not; labels and annotations can be \
                      indexed";
        return Err(refuse(reason.to_owned()));
    }
    let word = words.last().copied().unwrap_or_default().to_owned();
    if words.first() == Some(&"metadata") {
        let json = metadata(&words, spelling).map_err(refuse)?;
        let number = ["generation", "deletionGracePeriodSeconds"];
        let is_number = json.last().is_some_and(|last| number.contains(last));
        return Ok(Found {
            source: fields(&json, Spelling::Json),
            name: json.join("."),
            word,
            value: is_number.then(|| parse_quote!(i64)),
        });
    }
    if spelling == Spelling::Json && !is_of(&resource.rust_type, &owners.k8s_openapi) {
        return Err(refuse(unseen(path, &paths::display(&resource.rust_type))));
    }
    Ok(Found {
        source: fields(&words, spelling),
        name: match spelling {
            Spelling::Json => path.to_owned(),
            Spelling::Rust => format!("self.{}", words.join(".")),
        },
        word,
        value: None,
    })
}

/// Why a path of JSON does not lead into `rust_type`, and what does.
fn unseen(path: &str, rust_type: &str) -> String {
    let fields = path.split('.').map(naming::api_field);
    let rust = fields.collect::<Vec<_>>().join(".");
    format!(
        "is spelt as in JSON, and what serde calls the fields of `{rust_type}` there cannot be \
         seen from here; spell the path as in Rust, by the names of its fields, as in \
         `Index::rust_path(\"{rust}\")`, `{{ rust-path = \"{rust}\" }}`, `rust-path={rust}`"
    )
}

/// The path in JSON of something in the metadata, or what is wrong.
fn metadata<'a>(words: &[&'a str], spelling: Spelling) -> Result<Vec<&'a str>, String> {
    let [start, field, rest @ ..] = words else {
        return Err(
            "is all of the metadata; an index is over one field, such as \
                    `metadata.name`"
                .to_owned(),
        );
    };
    let field = known("metadata", field, &METADATA, spelling)?;
    let mut json = vec![*start, field];
    match (field, rest) {
        ("labels" | "annotations", _) => {
            let key = rest.first().unwrap_or(&"app");
            return Err(format!(
                "is all of the {field}; an index is over one of them, as in \
                 `metadata.{field}['{key}']`"
            ));
        }
        (_, []) => {}
        ("ownerReferences", [inner]) => {
            let of = "metadata.ownerReferences";
            json.push(known(of, inner, &OWNER_REFERENCE, spelling)?);
        }
        (_, [inner, ..]) => {
            let of = words.iter().take_while(|word| *word != inner);
            let of = of.copied().collect::<Vec<_>>().join(".");
            return Err(format!(
                "goes on after `{of}`, which has no fields to index"
            ));
        }
    }
    Ok(json)
}

/// The name in JSON of a field of a type with the fields `all`.
fn known(
    of: &str,
    name: &str,
    all: &[&'static str],
    spelling: Spelling,
) -> Result<&'static str, String> {
    let spelt = |json: &str| match spelling {
        Spelling::Json => json.to_owned(),
        Spelling::Rust => naming::api_field(json),
    };
    if let Some(json) = all.iter().find(|json| spelt(json) == name) {
        return Ok(json);
    }
    let suggestion = suggest::nearest(name, all.iter().map(|json| spelt(json)));
    Err(format!("is not there: `{of}` has no `{name}`{suggestion}"))
}

fn fields(words: &[&str], spelling: Spelling) -> Source {
    let fields = words.iter().map(|word| match spelling {
        Spelling::Json => naming::identifier(&naming::api_field(word)),
        Spelling::Rust => naming::identifier(word),
    });
    Source::Fields(fields.collect::<Vec<Ident>>())
}

fn entry(source: Source, map: &str, key: &str) -> Found {
    Found {
        source,
        name: format!("metadata.{map}['{key}']"),
        word: key.to_owned(),
        value: None,
    }
}

/// Whether `rust_type` is of the crate at the path `root`.
fn is_of(rust_type: &syn::Path, root: &syn::Path) -> bool {
    let mut segments = rust_type.segments.iter();
    let mut root_segments = root.segments.iter();
    rust_type.leading_colon.is_some() == root.leading_colon.is_some()
        && root_segments.all(|root| segments.next().is_some_and(|own| own.ident == root.ident))
}

/// Tells the sort of a path; `None` if it is none.
pub(super) fn parse(path: &str, spelling: Spelling) -> Option<Parsed<'_>> {
    if let Some((map, key)) = path.strip_suffix(']').and_then(|path| path.split_once('[')) {
        let key = quoted(key)?;
        return match map {
            "metadata.labels" => Some(Parsed::Label(key)),
            "metadata.annotations" => Some(Parsed::Annotation(key)),
            _ => None,
        };
    }
    let words = path.split('.').map(|word| match spelling {
        Spelling::Json => word,
        Spelling::Rust => word.strip_prefix("r#").unwrap_or(word),
    });
    let words: Vec<&str> = words.collect();
    let are_words = words.iter().all(|word| is_word(word));
    are_words.then_some(Parsed::Words(words))
}

/// The text between single or double quotes, if it can be the key of a label.
fn quoted(text: &str) -> Option<&str> {
    let inner = ['\'', '"'].iter().find_map(|&quote| {
        let text = text.strip_prefix(quote)?;
        text.strip_suffix(quote)
    })?;
    is_key(inner).then_some(inner)
}

/// Whether `text` can be the key of a label or an annotation.
pub(super) fn is_key(text: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    let has_word = text.contains(|letter: char| letter.is_ascii_alphanumeric());
    has_word && text.chars().all(allowed)
}

fn is_word(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
