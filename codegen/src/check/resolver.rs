//! Resolution of paths and of related kinds, which depends on what is known about the objects.
//!
//! # Invariants
//!
//! A path in quotes is in JSON spelling, a path without quotes is in Rust spelling. The Rust field
//! of a JSON name is never guessed. It comes from serde's attributes (for the annotated struct),
//! from a table (`ObjectMeta`), from the model of generated types, or from k8s-openapi's rule. A
//! path therefore leads to the field that it names, or is an error.

use proc_macro2::Span;
use syn::{Path, Type, parse_quote_spanned};

use crate::ctxt::Ctxt;
use crate::declaration::path::Written;
use crate::declaration::target::NamedType;
use crate::ir::{Scope, Step, Walk, metadata_steps};
use crate::names;
use crate::path::{self, Canonical, Segment};

/// Knowledge about the objects of the declared kind, and about related kinds.
pub trait Resolver {
    /// Returns the collector of errors.
    fn ctxt(&self) -> &Ctxt;

    /// Resolves a path outside of the metadata. `segments` are those of `path`.
    ///
    /// # Errors
    ///
    /// Returns an error that has been reported.
    fn resolve(
        &self,
        path: &Written,
        segments: &[Segment],
        purpose: Purpose,
    ) -> Result<ResolvedPath, Wrong>;

    /// Returns the type of related objects. `form` is the example in an error.
    ///
    /// # Errors
    ///
    /// Returns an error that has been reported.
    fn target(&self, target: &NamedType, form: &str) -> Result<RelatedType, Wrong>;

    /// Returns the path by which emitted code names a function.
    ///
    /// # Errors
    ///
    /// Returns an error that has been reported.
    fn function(&self, function: &Path) -> Result<Path, Wrong> {
        Ok(function.clone())
    }

    /// Returns the scope of the objects, if it is known here. rustc checks it otherwise.
    fn scope(&self) -> Option<Scope> {
        None
    }

    /// Reports whether the kind gets a struct with all its relations.
    fn has_related(&self) -> bool {
        true
    }
}

/// Use of the values at the end of a path, which decides about the types that they may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Values of an index: scalars.
    Index,
    /// Name, namespace or kind of a related object: a string.
    Name,
    /// Selector of labels: a `LabelSelector` or a map of strings.
    Selector,
}

/// Resolved path.
pub struct ResolvedPath {
    /// Way to the values.
    pub walk: Walk,
    /// Type of the values, if known.
    pub ty: Option<Type>,
    /// Path in JSON, if known. Two indices with one name in the store must be of one field.
    pub json: Option<String>,
    /// `true` if the values in JSON equal those in Rust.
    pub is_json: bool,
    /// Values by a schema, which the declared type has to fit.
    pub values: Option<SchemaValues>,
}

/// Scalars at the end of a path, by the schema of the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaValues {
    /// Values whose type no declaration may change.
    Exactly,
    /// Strings, or values that the schema does not restrict.
    Texts,
    /// Integers, 32 or 64 bits wide.
    Integers(u8),
    /// Booleans.
    Booleans,
}

/// Related objects.
pub struct RelatedType {
    /// Rust type.
    pub ty: Type,
    /// Scope. `None` for a type that only rustc can see.
    pub scope: Option<Scope>,
}

/// Marker of a mistake that has been reported, or that follows from a reported one.
#[derive(Debug)]
pub struct Wrong;

/// Parses and resolves `path`.
pub(super) fn find(
    resolver: &dyn Resolver,
    path: &Written,
    purpose: Purpose,
) -> Result<ResolvedPath, Wrong> {
    match path.segments() {
        Ok(segments) => resolve(resolver, path, &segments, purpose),
        Err(error) => {
            resolver.ctxt().push(error);
            Err(Wrong)
        }
    }
}

/// Resolves `path`, whose segments are `segments`.
pub(super) fn resolve(
    resolver: &dyn Resolver,
    path: &Written,
    segments: &[Segment],
    purpose: Purpose,
) -> Result<ResolvedPath, Wrong> {
    if segments
        .first()
        .is_some_and(|first| first.text() == "metadata")
    {
        return metadata(resolver.ctxt(), path, segments);
    }
    resolver.resolve(path, segments, purpose)
}

fn metadata(ctxt: &Ctxt, path: &Written, segments: &[Segment]) -> Result<ResolvedPath, Wrong> {
    let found = path::metadata(segments, path.spelling).map_err(|error| {
        ctxt.push(path.error(&error));
        Wrong
    })?;
    let last = segments.last().map_or(0, |last| last.name().at.start);
    let span = path.at(last);
    if let [_, _, Segment::Key(key)] = found.json.as_slice()
        && !path::is_entry_key(&key.text)
    {
        ctxt.error_at(span, not_a_key(&key.text));
        return Err(Wrong);
    }
    let steps = metadata_steps(&found.json, |at| path.at(at));
    Ok(ResolvedPath {
        walk: Walk::Steps(steps),
        ty: found.is_number.then(|| parse_quote_spanned!(span=> i64)),
        json: Some(Canonical(&found.json).to_string()),
        is_json: true,
        values: None,
    })
}

/// Returns the error of a text that is not the key of a label or an annotation.
pub(super) fn not_a_key(text: &str) -> String {
    format!(
        "`{text}` is not the key of a label or an annotation: write one such as `app` or \
         `app.kubernetes.io/name`, without quotes or brackets of its own"
    )
}

/// Returns the steps through types that only rustc sees: by the names in Rust, or by k8s-openapi's
/// rule for the names in JSON. If `is_checked`, rustc checks that the types are from k8s-openapi.
#[must_use]
pub fn unseen(path: &Written, segments: &[Segment], is_checked: bool) -> Vec<Step> {
    segments
        .iter()
        .map(|segment| match segment {
            Segment::Field(name) if path.is_json() => Step::Field {
                ident: names::identifier(&names::api_field(&name.text), path.at(name.at.start)),
                wrapped: true,
                kubernetes: is_checked,
            },
            Segment::Field(name) => field(&name.text, path.at(name.at.start), true),
            Segment::Key(key) => Step::Key {
                key: key.text.clone(),
                wrapped: true,
            },
        })
        .collect()
}

/// Returns the step to a field by its name in Rust.
#[must_use]
pub fn field(name: &str, span: Span, wrapped: bool) -> Step {
    Step::Field {
        ident: names::identifier(name, span),
        wrapped,
        kubernetes: false,
    }
}

// === impl ResolvedPath ===

impl ResolvedPath {
    /// Creates the result of a path to values whose type is not seen.
    #[must_use]
    pub fn unseen(path: &Written, steps: Vec<Step>) -> Self {
        Self {
            walk: Walk::Steps(steps),
            ty: None,
            json: None,
            is_json: path.is_json(),
            values: None,
        }
    }

    /// Prepares for values of a type that the user declares, which overrides the type of the field.
    pub(super) fn typed_by_user(mut self) -> Self {
        if let Walk::Steps(steps) = &mut self.walk
            && let Some(Step::Field { wrapped, .. }) = steps.last_mut()
        {
            *wrapped = true;
        }
        self
    }
}

// === impl SchemaValues ===

impl SchemaValues {
    /// Returns the name of the Rust type of the values, if they are not strings.
    #[must_use]
    pub const fn rust_type(self) -> Option<&'static str> {
        match self {
            Self::Exactly | Self::Texts => None,
            Self::Integers(32) => Some("i32"),
            Self::Integers(_) => Some("i64"),
            Self::Booleans => Some("bool"),
        }
    }

    /// Returns the reason why the values, of the type `ty`, cannot have the type `given`. Types
    /// outside of the standard library are not checked against a schema.
    pub(super) fn refuses(self, ty: &str, given: &str) -> Option<String> {
        let last = |text: &str| text.rsplit("::").next().unwrap_or_default().to_owned();
        let is_integer = given
            .strip_prefix(['i', 'u'])
            .is_some_and(|width| matches!(width, "8" | "16" | "32" | "64" | "128" | "size"));
        let (fits, advice) = match self {
            Self::Exactly => (
                last(ty) == last(given),
                format!("has values of type `{ty}`, not `{given}`: remove `value`"),
            ),
            Self::Texts => (
                !is_integer && given != "bool",
                format!("has strings, not `{given}`: remove `value`"),
            ),
            Self::Integers(width) => (
                given != "bool" && given != "String",
                format!("has integers, not `{given}`: write `value = \"i{width}\"`"),
            ),
            Self::Booleans => (
                !is_integer && given != "String",
                format!("has booleans, not `{given}`: write `value = \"bool\"`"),
            ),
        };
        (!fits).then_some(advice)
    }
}
