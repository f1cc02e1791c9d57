//! Resolves the path of an index or a relation to fields and keys and, if the macro sees the
//! declaration, to the type of the values.
//!
//! # Invariants
//!
//! A path in quotes is in JSON spelling, a path without quotes is in Rust spelling. The Rust field
//! of a JSON name is never guessed. It comes from serde's attributes (for the annotated struct),
//! from a table (`ObjectMeta`), or from k8s-openapi's rule; a step with that rule is marked, and
//! rustc checks that the type is from k8s-openapi. A path therefore leads to the field that it
//! names, or does not compile.

use informer_codegen::ir::{Step, metadata_steps};
use informer_codegen::names;
use informer_codegen::path::{self, Canonical, Name, Segment};
use informer_codegen::suggest::nearest;
use proc_macro2::Span;
use syn::{Type, parse_quote_spanned};

use super::path::PathText;
use super::value;
use crate::ast::{Field, Input, Shape};
use crate::attr::PathAttr;
use crate::attr::kube::KubeAttrs;
use crate::ctxt::Ctxt;

/// Resolves paths.
pub(super) struct Resolver<'a> {
    pub(super) ctxt: &'a Ctxt,
    pub(super) input: &'a Input<'a>,
    pub(super) kube: Option<&'a KubeAttrs>,
    /// `true` if the declaration of the type is elsewhere.
    pub(super) elsewhere: bool,
}

/// Resolved path.
pub(super) struct Found {
    pub(super) steps: Vec<Step>,
    /// Type of the values, if known.
    pub(super) ty: Option<Type>,
    /// Path in JSON, if known. Two indices with one name in the store must be of one field.
    pub(super) json: Option<String>,
    /// `true` if the values in JSON equal those in Rust.
    pub(super) is_json: bool,
}

/// Path with the positions of its parts.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a PathAttr,
    written: &'a PathText,
}

/// Marker of a mistake that has been reported, or that follows from a reported one.
pub(super) struct Wrong;

// === impl Resolver ===

impl Resolver<'_> {
    /// Parses and resolves `path`.
    pub(super) fn find(&self, path: &PathAttr) -> Result<Found, Wrong> {
        let written = PathText::new(path);
        match written.segments() {
            Ok(segments) => self.resolve(path, &written, &segments),
            Err(error) => {
                self.ctxt.push(error);
                Err(Wrong)
            }
        }
    }

    /// Resolves `path`, whose text is `written` and whose segments are `segments`.
    pub(super) fn resolve(
        &self,
        path: &PathAttr,
        written: &PathText,
        segments: &[Segment],
    ) -> Result<Found, Wrong> {
        let [Segment::Field(first), rest @ ..] = segments else {
            return Err(Wrong);
        };
        let start = first.text.as_str();
        if start == "metadata" {
            return self.metadata(written, segments);
        }
        let spec = || vec![field("spec", path.span(), false)];
        let path = Place { path, written };
        match self.kube {
            None if self.elsewhere => {
                let steps = unseen(&path, segments).collect();
                Ok(Found::unseen(&path, steps))
            }
            None => self.own_field(&path, "", first, rest, Vec::new()),
            Some(kube) if kube.no_spec && !(kube.status && start == "status") => {
                self.own_field(&path, "", first, rest, spec())
            }
            Some(_) if start == "spec" => match rest {
                [Segment::Field(name), rest @ ..] => {
                    self.own_field(&path, "spec.", name, rest, spec())
                }
                _ => Err(self.whole(path.path, "spec", &self.some_field(path.path))),
            },
            Some(kube) if start == "status" && kube.status => match rest {
                [Segment::Field(_), ..] => {
                    let mut steps = vec![field("status", written.span(first.at.start), true)];
                    steps.extend(unseen(&path, rest));
                    Ok(Found::unseen(&path, steps))
                }
                _ => Err(self.whole(path.path, "status", "phase")),
            },
            Some(_) => Err(self.unknown_start(path.path, segments, first)),
        }
    }

    /// Resolves a path through a field of the annotated struct.
    fn own_field(
        &self,
        place: &Place<'_>,
        prefix: &str,
        name: &Name,
        rest: &[Segment],
        mut steps: Vec<Step>,
    ) -> Result<Found, Wrong> {
        let path = place.path;
        if self.input.shape != Shape::Named {
            return Err(self.no_fields(path));
        }
        if let (PathAttr::Json(_), Some(other)) = (path, &self.input.reads_other) {
            let message = format!(
                "with `#[serde({other})]` the fields of `{}` differ from those in JSON: write \
                 the path without quotes, with the names in Rust, as in `{prefix}{}`",
                self.input.ident,
                self.some_rust_field()
            );
            self.ctxt.error(path, message);
            return Err(Wrong);
        }
        let mut fields = self.input.fields.iter();
        let is_meant = |field: &&Field<'_>| !field.skip && field.is_called(path, &name.text);
        let Some(found) = fields.find(is_meant) else {
            self.unknown_field(path, prefix, &name.text);
            return Err(Wrong);
        };
        let (ty, wrappers) = value::unwrap(found.ty);
        let last = rest.is_empty();
        let mut ident = found.ident.clone();
        ident.set_span(place.written.span(name.at.start));
        steps.push(Step::Field {
            ident,
            wrapped: !last || wrappers > 0,
            kubernetes: false,
        });
        steps.extend(unseen(place, rest));
        let is_own = !found.flatten && self.input.reads_other.is_none();
        let certain = is_own && rest.iter().all(Segment::is_key);
        let is_json = is_own && !found.computed && matches!(path, PathAttr::Json(_));
        Ok(Found {
            steps,
            ty: last.then(|| ty.clone()),
            json: certain.then(|| format!("{prefix}{}{}", found.json, Canonical(rest))),
            is_json: is_json || (certain && !found.computed),
        })
    }

    fn metadata(&self, written: &PathText, segments: &[Segment]) -> Result<Found, Wrong> {
        let found = path::metadata(segments, written.spelling).map_err(|error| {
            self.ctxt.push(written.error(&error));
            Wrong
        })?;
        let span = segments.last().map_or(0, |last| last.name().at.start);
        let span = written.span(span);
        Ok(Found {
            steps: metadata_steps(&found.json, |at| written.span(at)),
            ty: found.is_number.then(|| parse_quote_spanned!(span=> i64)),
            json: Some(Canonical(&found.json).to_string()),
            is_json: true,
        })
    }

    fn unknown_start(&self, path: &PathAttr, segments: &[Segment], first: &Name) -> Wrong {
        let first = first.text.as_str();
        let mut fields = self.input.fields.iter();
        let is_own = fields.any(|field| field.is_called(path, first));
        let message = if is_own {
            format!(
                "`{first}` is a field of the spec: write `spec.{}`",
                Canonical(segments)
            )
        } else if first == "status" {
            "the type has no status: declare it with `#[kube(status = \"FooStatus\")]`".to_owned()
        } else {
            let known = ["spec", "metadata", "status"];
            match nearest(first, known) {
                Some(meant) => format!("an object has no `{first}`: did you mean `{meant}`?"),
                None => format!(
                    "an object has no `{first}`: a path starts with `spec.`, `status.` or \
                     `metadata.`"
                ),
            }
        };
        self.ctxt.error(path, message);
        Wrong
    }

    fn unknown_field(&self, path: &PathAttr, prefix: &str, name: &str) {
        let owner = self.input.ident;
        let fields = &self.input.fields;
        // Returns the names in the spelling of the path, and in the other spelling.
        let spelt = |field: &Field<'_>| match path {
            PathAttr::Json(_) => field.json.clone(),
            PathAttr::Rust(_) => field.rust(),
        };
        let other = |field: &Field<'_>| match path {
            PathAttr::Json(_) => field.rust(),
            PathAttr::Rust(_) => field.json.clone(),
        };
        let visible = || fields.iter().filter(|f| !f.skip && f.is_visible(path));
        let known: Vec<String> = visible().map(spelt).collect();
        let skipped = fields
            .iter()
            .find(|field| field.skip && (field.json == name || field.rust() == name));
        let flattened = fields.iter().find(|field| field.flatten);
        let message = if skipped.is_some() {
            format!("`{name}` is skipped by serde, so no path can read it: remove the path")
        } else if let Some(field) = visible().find(|field| other(field) == name) {
            let spelt = spelt(field);
            let (language, form) = match path {
                PathAttr::Json(_) => ("JSON", format!("`{prefix}{spelt}`")),
                PathAttr::Rust(_) => (
                    "Rust",
                    format!("`{prefix}{spelt}`, or the JSON path in quotes"),
                ),
            };
            format!("`{name}` is spelt `{spelt}` in {language}: write {form}")
        } else if let Some(meant) = nearest(name, known.iter().map(String::as_str)) {
            format!("`{owner}` has no field `{name}`: did you mean `{prefix}{meant}`?")
        } else if let (Some(flattened), PathAttr::Json(_)) = (flattened, path) {
            let field = flattened.rust();
            format!(
                "`{owner}` has no field `{name}` of its own, and the macro cannot see the fields \
                 flattened from `{field}`: write the path without quotes, with the names in Rust, \
                 as in `{prefix}{field}.{snake}`; for an enum, write \
                 `index(name = \"by_{snake}\", with = function)`",
                snake = heck::ToSnakeCase::to_snake_case(name)
            )
        } else {
            let list = if known.is_empty() {
                "none".to_owned()
            } else {
                format!("`{}`", known.join("`, `"))
            };
            format!("`{owner}` has no field `{name}`: its fields are {list}")
        };
        self.ctxt.error(path, message);
    }

    fn no_fields(&self, path: &PathAttr) -> Wrong {
        // A union has its own error.
        if self.input.shape != Shape::Union {
            self.ctxt.error(
                path,
                format!(
                    "`{}` is {}, which has no named fields for a path: write \
                     `index(name = \"by_x\", with = function)`",
                    self.input.ident,
                    self.input.shape.describe()
                ),
            );
        }
        Wrong
    }

    fn whole(&self, path: &PathAttr, what: &str, example: &str) -> Wrong {
        let message =
            format!("a path leads to one field, not to all of `{what}`: write `{what}.{example}`");
        self.ctxt.error(path, message);
        Wrong
    }

    fn some_field(&self, path: &PathAttr) -> String {
        let first = self.input.fields.first();
        match (first, path) {
            (Some(field), PathAttr::Json(_)) => field.json.clone(),
            _ => self.some_rust_field(),
        }
    }

    fn some_rust_field(&self) -> String {
        let first = self.input.fields.first();
        first.map_or_else(|| "field".to_owned(), Field::rust)
    }
}

// === impl Found ===

impl Found {
    /// Creates a result whose last types the macro cannot see.
    fn unseen(place: &Place<'_>, steps: Vec<Step>) -> Self {
        Self {
            steps,
            ty: None,
            json: None,
            is_json: matches!(place.path, PathAttr::Json(_)),
        }
    }

    /// Prepares for values of a type that the user declares, which overrides the type of the field.
    pub(super) fn typed_by_user(mut self) -> Self {
        if let Some(Step::Field { wrapped, .. }) = self.steps.last_mut() {
            *wrapped = true;
        }
        self
    }
}

/// Returns the steps through types that the macro cannot see.
fn unseen<'a>(place: &'a Place<'a>, rest: &'a [Segment]) -> impl Iterator<Item = Step> + 'a {
    rest.iter().map(|segment| match (segment, place.path) {
        (Segment::Field(name), PathAttr::Json(_)) => Step::Field {
            ident: names::identifier(
                &names::api_field(&name.text),
                place.written.span(name.at.start),
            ),
            wrapped: true,
            kubernetes: true,
        },
        (Segment::Field(name), PathAttr::Rust(_)) => {
            field(&name.text, place.written.span(name.at.start), true)
        }
        (Segment::Key(key), _) => Step::Key {
            key: key.text.clone(),
            wrapped: true,
        },
    })
}

fn field(name: &str, span: Span, wrapped: bool) -> Step {
    Step::Field {
        ident: names::identifier(name, span),
        wrapped,
        kubernetes: false,
    }
}
