//! Where a path leads: through which fields of Rust, and which keys of maps.
//!
//! # Invariants
//!
//! A path is spelt as in JSON or as in Rust, and neither is guessed from the other. Which field of
//! Rust a name in JSON stands for is known of `metadata` and of the types of k8s-openapi, which
//! have one rule; of other types serde's attributes decide, which are not seen here, so that only
//! Rust's spelling leads into them. So a path leads to the field that it names, or it is refused.
//! The derive has the same rules, and sees the attributes of one struct.

use syn::{Type, parse_quote};

use super::checked::{Owners, Source, Step};
use super::grammar::{Canonical, Segment, Spelling, parse};
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
    let segments =
        parse(path, spelling).map_err(|reason| refuse(format!("is no path; {reason}")))?;
    if let [
        Segment::Field("metadata"),
        Segment::Field(map),
        Segment::Key(key),
    ] = segments.as_slice()
        && let Some(found) = entry(map, key)?
    {
        return Ok(found);
    }
    if resource.dynamic {
        let reason = "needs a Rust type, which this kind has not; labels and annotations can be \
                      indexed";
        return Err(refuse(reason.to_owned()));
    }
    let word = segments.last().map_or("", Segment::text).to_owned();
    if let [Segment::Field("metadata"), rest @ ..] = segments.as_slice() {
        let json = metadata(rest, spelling).map_err(refuse)?;
        let number = ["generation", "deletionGracePeriodSeconds"];
        let is_number = number
            .iter()
            .any(|number| json.last() == Some(&Segment::Field(number)));
        return Ok(Found {
            source: steps(&json, Spelling::Json),
            name: Canonical(&json).to_string(),
            word,
            value: is_number.then(|| parse_quote!(i64)),
        });
    }
    if spelling == Spelling::Json && !is_of(&resource.rust_type, &owners.k8s_openapi) {
        let rust_type = paths::display(&resource.rust_type);
        return Err(refuse(unseen(&segments, &rust_type)));
    }
    let canonical = Canonical(&segments);
    Ok(Found {
        source: steps(&segments, spelling),
        name: match spelling {
            Spelling::Json => canonical.to_string(),
            Spelling::Rust => format!("self.{canonical}"),
        },
        word,
        value: None,
    })
}

/// Why a path of JSON does not lead into `rust_type`, and what does.
fn unseen(segments: &[Segment<'_>], rust_type: &str) -> String {
    let fields: Vec<String> = segments
        .iter()
        .map(|segment| naming::api_field(segment.text()))
        .collect();
    let rust = segments
        .iter()
        .zip(&fields)
        .map(|(segment, field)| match segment {
            Segment::Field(_) => Segment::Field(field),
            Segment::Key(key) => Segment::Key(key),
        });
    let rust = Canonical(&rust.collect::<Vec<_>>()).to_string();
    format!(
        "is spelt as in JSON, and what serde calls the fields of `{rust_type}` there cannot be \
         seen from here; spell the path as in Rust, by the names of its fields, as in \
         `Index::rust_path(\"{rust}\")`, `{{ rust-path = \"{rust}\" }}`, `rust-path={rust}`"
    )
}

/// The path in JSON of something in the metadata, or what is wrong; `segments` come after
/// `metadata`.
fn metadata<'a>(segments: &[Segment<'a>], spelling: Spelling) -> Result<Vec<Segment<'a>>, String> {
    let [Segment::Field(field), rest @ ..] = segments else {
        return Err(
            "is all of the metadata; an index is over one field, such as \
                    `metadata.name`"
                .to_owned(),
        );
    };
    let field = known("metadata", field, &METADATA, spelling)?;
    let mut json = vec![Segment::Field("metadata"), Segment::Field(field)];
    match (field, rest) {
        ("labels" | "annotations", _) => {
            let key = rest.first().map_or("app", Segment::text);
            return Err(format!(
                "is all of the {field}; an index is over one of them, as in \
                 `metadata.{field}['{key}']`"
            ));
        }
        (_, []) => {}
        ("ownerReferences", [Segment::Field(inner)]) => {
            let of = "metadata.ownerReferences";
            let inner = known(of, inner, &OWNER_REFERENCE, spelling)?;
            json.push(Segment::Field(inner));
        }
        (_, rest) => {
            // Of an owner, the first field after it is one too far.
            let fits = if field == "ownerReferences" && matches!(rest, [Segment::Field(_), _, ..]) {
                2
            } else {
                1
            };
            let given = segments.iter().take(fits).copied();
            let of: Vec<_> = [Segment::Field("metadata")]
                .into_iter()
                .chain(given)
                .collect();
            return Err(format!(
                "goes on after `{}`, which has no fields to index",
                Canonical(&of)
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

fn steps(segments: &[Segment<'_>], spelling: Spelling) -> Source {
    let steps = segments.iter().map(|segment| match (segment, spelling) {
        (Segment::Field(name), Spelling::Json) => {
            Step::Field(naming::identifier(&naming::api_field(name)))
        }
        (Segment::Field(name), Spelling::Rust) => Step::Field(naming::identifier(name)),
        (Segment::Key(key), _) => Step::Key((*key).to_owned()),
    });
    Source::Path(steps.collect())
}

/// An index over one of the labels or annotations, if that is what `map` is.
fn entry(map: &str, key: &str) -> Result<Option<Found>, Error> {
    let source: fn(String) -> Source = match map {
        "labels" => Source::Label,
        "annotations" => Source::Annotation,
        _ => return Ok(None),
    };
    let what = map.trim_end_matches('s');
    let key = checked_key(key, what)?;
    Ok(Some(Found {
        name: format!("metadata.{map}['{key}']"),
        source: source(key.clone()),
        word: key,
        value: None,
    }))
}

/// Whether `rust_type` is of the crate at the path `root`.
fn is_of(rust_type: &syn::Path, root: &syn::Path) -> bool {
    let mut segments = rust_type.segments.iter();
    let mut root_segments = root.segments.iter();
    rust_type.leading_colon.is_some() == root.leading_colon.is_some()
        && root_segments.all(|root| segments.next().is_some_and(|own| own.ident == root.ident))
}

/// `key`, if a label or an annotation can have it.
pub(super) fn checked_key(key: &str, what: &str) -> Result<String, Error> {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    let has_word = key.contains(|letter: char| letter.is_ascii_alphanumeric());
    if has_word && key.chars().all(allowed) {
        return Ok(key.to_owned());
    }
    let reason = format!("is not the key of a {what}, such as `app` or `example.com/team`");
    Err(OptionName::Index.refuse(key, reason))
}
