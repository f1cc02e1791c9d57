//! Resolves the path of an index or a relation to the Rust fields and map keys that it leads
//! through.
//!
//! # Invariants
//!
//! A path is in JSON spelling or in Rust spelling, and neither is guessed from the other. The
//! mapping from JSON names to Rust fields is known for `metadata` and for the types of k8s-openapi,
//! which follow one rule. For other types serde's attributes decide, which the generator cannot
//! see, so only Rust spelling leads into them. A path therefore leads to the field that it names,
//! or is rejected. The objects of a kind without a Rust type are JSON, and support JSON spelling
//! only. If a manifest has a schema, paths are checked against it.

mod schema;

use informer_codegen::emit::type_text;
use informer_codegen::ir::{Step, Walk, metadata_steps};
use informer_codegen::names;
use informer_codegen::path::{self, Canonical, Segment, Spelling};
use proc_macro2::Span;
use syn::{Type, parse_quote};

pub(crate) use self::schema::Values;
use crate::error::{Error, OptionName};
use crate::ir::Resource;
use crate::paths;
use crate::targets::Targets;

/// Use of the values at the end of a path, which decides about the types that they may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Values of an index: scalars.
    Index,
    /// Name, namespace or kind of a related object: a string.
    Name,
    /// Selector of labels: a `LabelSelector` or a map of strings.
    Selector,
}

/// Reason why values cannot be names.
pub(crate) const NO_NAME: &str = "is not a string, which the name of an object is";

/// Resolved path.
pub(crate) struct Found {
    pub(crate) walk: Walk,
    /// `true` if `name` is the same path in JSON and yields the same values.
    pub(crate) is_json: bool,
    /// Name of an index in the store: the path in JSON, if known.
    pub(crate) name: String,
    /// Word that the method of an index is named after.
    pub(crate) word: String,
    /// Type of the values, if they are known not to be strings.
    pub(crate) value: Option<Type>,
    /// Type of the values by the schema, if the kind has a schema.
    pub(crate) leaf: Option<Values>,
    /// `true` if the type of the values is generated, so that no other type fits.
    pub(crate) is_exact: bool,
}

// === impl Found ===

impl Found {
    /// Checks a type that the user specified for the values.
    ///
    /// # Errors
    ///
    /// Returns the actual type if the values cannot have the specified type.
    pub(crate) fn check_type(&self, given: &str) -> Result<(), String> {
        let last = |text: &str| text.rsplit("::").next().unwrap_or_default().to_owned();
        let actual = self.value.as_ref().map_or("String".to_owned(), type_text);
        let actual = actual.trim_start_matches("::core::primitive::");
        if self.is_exact && last(actual) != last(given) {
            return Err(format!(
                "has values of type `{actual}`, not `{given}`; omit `value`"
            ));
        }
        let leaf = self.leaf.filter(|_| !self.is_exact);
        leaf.map_or(Ok(()), |leaf| leaf.check_type(given))
    }
}

// === impl Purpose ===

impl Purpose {
    /// Returns the option that has the path.
    pub(crate) const fn option(self) -> OptionName {
        match self {
            Self::Index => OptionName::Index,
            Self::Name => OptionName::References,
            Self::Selector => OptionName::Selects,
        }
    }
}

/// Resolves `path` from the objects of `resource`.
pub(crate) fn find(
    path: &str,
    spelling: Spelling,
    resource: &Resource,
    targets: &Targets<'_>,
    purpose: Purpose,
) -> Result<Found, Error> {
    let refuse = |reason: String| purpose.option().refuse(path, reason);
    let segments =
        path::parse(path, spelling).map_err(|error| refuse(format!("is not a path; {error}")))?;
    let word = segments.last().map_or("", Segment::text).to_owned();
    if segments.first().map(Segment::text) == Some("metadata") {
        return metadata(&segments, spelling, word, purpose).map_err(|error| match error {
            Refused::Path(error) => refuse(format!("cannot be resolved; {error}")),
            Refused::Option(error) => error,
        });
    }
    if let (Spelling::Json, Some(types)) = (spelling, &resource.manifest.types) {
        let found = types.find(&resource.gvk.kind, &segments, purpose);
        let found = found.map_err(|why| {
            refuse(format!(
                "of `{}` ({}): {why}",
                resource.gvk, resource.origin
            ))
        })?;
        return Ok(Found {
            name: Canonical(&segments).to_string(),
            walk: Walk::Steps(found.steps),
            is_json: true,
            word,
            value: found.value,
            leaf: None,
            is_exact: true,
        });
    }
    let leaf = leaf(&segments, spelling, resource, purpose).map_err(refuse)?;
    if resource.dynamic {
        let names = segments.iter().map(|segment| segment.text().to_owned());
        return Ok(Found {
            walk: Walk::Members(names.collect()),
            is_json: true,
            name: Canonical(&segments).to_string(),
            word,
            value: leaf.and_then(Values::rust_type).map(scalar_type),
            leaf,
            is_exact: false,
        });
    }
    if spelling == Spelling::Json && !targets.is_built_in(resource) {
        let rust_type = paths::display(&resource.rust_type);
        return Err(refuse(unseen(&segments, &rust_type, purpose)));
    }
    let canonical = Canonical(&segments);
    Ok(Found {
        name: match spelling {
            Spelling::Json => canonical.to_string(),
            Spelling::Rust => format!("self.{canonical}"),
        },
        walk: Walk::Steps(steps(&segments, spelling)),
        is_json: spelling == Spelling::Json,
        word,
        value: None,
        leaf,
        is_exact: false,
    })
}

/// Returns the type of the values by the kind's schema, or `None` if the schema does not determine
/// the type.
fn leaf(
    segments: &[Segment],
    spelling: Spelling,
    resource: &Resource,
    purpose: Purpose,
) -> Result<Option<Values>, String> {
    let kind = || format!("of `{}` ({})", resource.gvk, resource.origin);
    match &resource.schema {
        _ if resource.dynamic && spelling == Spelling::Rust => Err(format!(
            "is in Rust spelling, but `{}` ({}) has no Rust type; use the JSON names of the fields",
            resource.gvk, resource.origin
        )),
        Some(schema) => {
            let leaf = schema::check(schema, segments, spelling, purpose);
            leaf.map_err(|why| format!("{}: {why}", kind()))
        }
        None if resource.dynamic => Err(format!(
            "{}: the kind has neither a Rust type nor a schema to check the path; only labels, annotations \
             and other metadata can be {}",
            kind(),
            match purpose {
                Purpose::Index => "indexed",
                Purpose::Name | Purpose::Selector => "used",
            }
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
    Option(Error),
}

fn metadata(
    segments: &[Segment],
    spelling: Spelling,
    word: String,
    purpose: Purpose,
) -> Result<Found, Refused> {
    let found = path::metadata(segments, spelling).map_err(Refused::Path)?;
    let refuse = |reason| {
        let path = Canonical(segments).to_string();
        Refused::Option(purpose.option().refuse(path, reason))
    };
    match purpose {
        Purpose::Name if found.is_number => return Err(refuse(NO_NAME)),
        Purpose::Selector => return Err(refuse("is in the metadata, which has no selectors")),
        Purpose::Index | Purpose::Name => {}
    }
    if let [_, map, Segment::Key(key)] = found.json.as_slice() {
        let what = map.text().trim_end_matches('s');
        checked_key(&key.text, what, purpose.option()).map_err(Refused::Option)?;
    }
    Ok(Found {
        name: Canonical(&found.json).to_string(),
        walk: Walk::Steps(metadata_steps(&found.json, |_| Span::call_site())),
        is_json: true,
        word,
        value: found.is_number.then(|| parse_quote!(i64)),
        leaf: None,
        is_exact: true,
    })
}

/// Returns the error for a JSON path into `rust_type`, with the Rust path to use instead.
fn unseen(segments: &[Segment], rust_type: &str, purpose: Purpose) -> String {
    let mut rust = segments.to_vec();
    for segment in &mut rust {
        if let Segment::Field(name) = segment {
            name.text = names::api_field(&name.text);
        }
    }
    let rust = Canonical(&rust).to_string();
    let call = match purpose {
        Purpose::Index => "Index::rust_path",
        Purpose::Name | Purpose::Selector => ".rust_path",
    };
    format!(
        "is in JSON spelling, but serde's names for the fields of `{rust_type}` are unknown; use \
         the names of the Rust fields, as in \
         `{call}(\"{rust}\")`, `{{ rust-path = \"{rust}\" }}`, `rust-path={rust}`"
    )
}

/// Returns the steps of a path. In JSON spelling, the types have to be those of k8s-openapi.
pub(crate) fn steps(segments: &[Segment], spelling: Spelling) -> Vec<Step> {
    let steps = segments.iter().map(|segment| step(segment, spelling));
    steps.collect()
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

/// Returns `key`, if a label or an annotation can have it.
pub(crate) fn checked_key(key: &str, what: &str, option: OptionName) -> Result<String, Error> {
    if path::is_entry_key(key) {
        return Ok(key.to_owned());
    }
    let reason = format!("is not the key of a {what}, such as `app` or `example.com/team`");
    Err(option.refuse(key, reason))
}
