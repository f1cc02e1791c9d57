//! Resolves a path to the Rust fields and map keys that it leads through.
//!
//! # Invariants
//!
//! A path is in JSON spelling or in Rust spelling, and neither is guessed from the other. The
//! mapping from JSON names to Rust fields is known for `metadata` and for the types of k8s-openapi,
//! which follow one rule. For other types serde's attributes decide, which the generator cannot
//! see, so only Rust spelling leads into them. A path therefore leads to the field that it names,
//! or is rejected. The objects of a kind without a Rust type are JSON, and support JSON spelling
//! only. If a manifest has a schema, paths are checked against it.

use informer_codegen::ir::{Source, Step, metadata_steps};
use informer_codegen::names;
use informer_codegen::path::{self, Canonical, Segment, Spelling};
use proc_macro2::Span;
use syn::{Type, parse_quote};

use super::checked::Owners;
use super::schema::{self, Values};
use crate::error::{Error, OptionName};
use crate::ir::Resource;
use crate::paths;

/// Resolved path.
pub(super) struct Found {
    pub(super) source: Source,
    /// Name of the index in the store: the path in JSON, if known.
    pub(super) name: String,
    /// Word that the method is named after.
    pub(super) word: String,
    /// Type of the values, if they are known not to be strings.
    pub(super) value: Option<Type>,
    /// Type of the values by the schema, if the kind has a schema.
    pub(super) leaf: Option<Values>,
}

/// Resolves `path` from the objects of `resource`.
pub(super) fn find(
    path: &str,
    spelling: Spelling,
    resource: &Resource,
    owners: &Owners<'_>,
) -> Result<Found, Error> {
    let refuse = |reason: String| OptionName::Index.refuse(path, reason);
    let segments =
        path::parse(path, spelling).map_err(|error| refuse(format!("is not a path; {error}")))?;
    let word = segments.last().map_or("", Segment::text).to_owned();
    if segments.first().map(Segment::text) == Some("metadata") {
        return metadata(&segments, spelling, word).map_err(|error| match error {
            Refused::Path(error) => refuse(format!("cannot be resolved; {error}")),
            Refused::Key(error) => error,
        });
    }
    if let (Spelling::Json, Some(types)) = (spelling, &resource.manifest.types) {
        let found = types.find(&resource.gvk.kind, &segments);
        let found = found.map_err(|why| {
            refuse(format!(
                "of `{}` ({}): {why}",
                resource.gvk, resource.origin
            ))
        })?;
        return Ok(Found {
            name: Canonical(&segments).to_string(),
            source: Source::Walk {
                steps: found.steps,
                is_json: true,
            },
            word,
            value: found.value,
            leaf: None,
        });
    }
    let leaf = leaf(&segments, spelling, resource).map_err(refuse)?;
    if resource.dynamic {
        let names = segments.iter().map(|segment| segment.text().to_owned());
        return Ok(Found {
            source: Source::Members(names.collect()),
            name: Canonical(&segments).to_string(),
            word,
            value: leaf.and_then(Values::rust_type).map(scalar_type),
            leaf,
        });
    }
    if spelling == Spelling::Json && !is_of(&resource.rust_type, &owners.k8s_openapi) {
        let rust_type = paths::display(&resource.rust_type);
        return Err(refuse(unseen(&segments, &rust_type)));
    }
    let canonical = Canonical(&segments);
    Ok(Found {
        name: match spelling {
            Spelling::Json => canonical.to_string(),
            Spelling::Rust => format!("self.{canonical}"),
        },
        source: Source::Walk {
            steps: segments
                .iter()
                .map(|segment| step(segment, spelling))
                .collect(),
            is_json: spelling == Spelling::Json,
        },
        word,
        value: None,
        leaf,
    })
}

/// Returns the type of the values by the kind's schema, or `None` if the schema does not determine
/// the type.
fn leaf(
    segments: &[Segment],
    spelling: Spelling,
    resource: &Resource,
) -> Result<Option<Values>, String> {
    let kind = || format!("of `{}` ({})", resource.gvk, resource.origin);
    match &resource.schema {
        _ if resource.dynamic && spelling == Spelling::Rust => Err(format!(
            "is in Rust spelling, but `{}` ({}) has no Rust type; use the JSON names of the fields",
            resource.gvk, resource.origin
        )),
        Some(schema) => {
            schema::check(schema, segments, spelling).map_err(|why| format!("{}: {why}", kind()))
        }
        None if resource.dynamic => Err(format!(
            "{}: the kind has neither a Rust type nor a schema to check the path; only labels, annotations \
             and other metadata can be indexed",
            kind()
        )),
        None => Ok(None),
    }
}

fn scalar_type(name: &str) -> Type {
    let name = names::identifier(name, Span::call_site());
    parse_quote!(#name)
}

/// Reason why a metadata path cannot be indexed.
enum Refused {
    Path(path::PathError),
    Key(Error),
}

fn metadata(segments: &[Segment], spelling: Spelling, word: String) -> Result<Found, Refused> {
    let found = path::metadata(segments, spelling).map_err(Refused::Path)?;
    if let [_, map, Segment::Key(key)] = found.json.as_slice() {
        let what = map.text().trim_end_matches('s');
        checked_key(&key.text, what).map_err(Refused::Key)?;
    }
    Ok(Found {
        name: Canonical(&found.json).to_string(),
        source: Source::Walk {
            steps: metadata_steps(&found.json, |_| Span::call_site()),
            is_json: true,
        },
        word,
        value: found.is_number.then(|| parse_quote!(i64)),
        leaf: None,
    })
}

/// Returns the error for a JSON path into `rust_type`, with the Rust path to use instead.
fn unseen(segments: &[Segment], rust_type: &str) -> String {
    let mut rust = segments.to_vec();
    for segment in &mut rust {
        if let Segment::Field(name) = segment {
            name.text = names::api_field(&name.text);
        }
    }
    let rust = Canonical(&rust).to_string();
    format!(
        "is in JSON spelling, but serde's names for the fields of `{rust_type}` are unknown; use \
         the names of the Rust fields, as in \
         `Index::rust_path(\"{rust}\")`, `{{ rust-path = \"{rust}\" }}`, `rust-path={rust}`"
    )
}

/// Returns a step through types whose fields may have wrappers.
fn step(segment: &Segment, spelling: Spelling) -> Step {
    match segment {
        Segment::Field(name) => {
            let rust = match spelling {
                Spelling::Json => names::api_field(&name.text),
                Spelling::Rust => name.text.clone(),
            };
            Step::Field {
                ident: names::identifier(&rust, Span::call_site()),
                wrapped: true,
                kubernetes: false,
            }
        }
        Segment::Key(key) => Step::Key {
            key: key.text.clone(),
            wrapped: true,
        },
    }
}

/// Reports whether `rust_type` belongs to the crate at the path `root`.
fn is_of(rust_type: &syn::Path, root: &syn::Path) -> bool {
    let mut segments = rust_type.segments.iter();
    let mut root_segments = root.segments.iter();
    rust_type.leading_colon.is_some() == root.leading_colon.is_some()
        && root_segments.all(|root| segments.next().is_some_and(|own| own.ident == root.ident))
}

/// Returns `key`, if a label or an annotation can have it.
pub(super) fn checked_key(key: &str, what: &str) -> Result<String, Error> {
    if path::is_entry_key(key) {
        return Ok(key.to_owned());
    }
    let reason = format!("is not the key of a {what}, such as `app` or `example.com/team`");
    Err(OptionName::Index.refuse(key, reason))
}
