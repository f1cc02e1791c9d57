//! Finds out what is at the path of an index: which fields and keys lead there, and, where the
//! macro sees the declaration, the type.
//!
//! # Invariants
//!
//! A path in quotes is JSON's, one without is Rust's. Which field of Rust a name in JSON stands for
//! is never guessed: it is read from serde's attributes (the struct at hand), known (`ObjectMeta`),
//! or k8s-openapi's rule, in which case the step says so and rustc checks that the type is one of
//! its own. So a path leads to the field that it names, or it does not compile.

use proc_macro2::Span;
use syn::{Type, parse_quote_spanned};

use super::path::{Canonical, Name, Segment};
use super::{Spelling, Step, value};
use crate::ast::{Field, Input, Shape};
use crate::attr::PathAttr;
use crate::attr::kube::KubeAttrs;
use crate::ctxt::Ctxt;
use crate::naming;

/// How many wrappers a field may have whose type the macro cannot see.
const UNSEEN_WRAPPERS: usize = 3;

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

/// Finds out what is at a path.
pub(super) struct Resolver<'a> {
    pub(super) ctxt: &'a Ctxt,
    pub(super) input: &'a Input<'a>,
    pub(super) kube: Option<&'a KubeAttrs>,
    /// Whether the type's declaration is elsewhere.
    pub(super) elsewhere: bool,
}

/// What is at the end of a path.
pub(super) struct Found {
    pub(super) steps: Vec<Step>,
    /// The type of the values, if it is known.
    pub(super) ty: Option<Type>,
    /// The path in JSON, if it is known: two indices of one name in the store must be over one field.
    pub(super) json: Option<String>,
}

/// Reported, or not to be reported because of what has been.
pub(super) struct Wrong;

// === impl Resolver ===

impl Resolver<'_> {
    /// What is at `path`, parsed as `segments`.
    pub(super) fn resolve(&self, path: &PathAttr, segments: &[Segment]) -> Result<Found, Wrong> {
        let [Segment::Field(first), rest @ ..] = segments else {
            return Err(Wrong);
        };
        let start = &**first;
        if start == "metadata" {
            return self.metadata(path, rest);
        }
        let spec = || vec![field("spec", path.span(), 0)];
        match self.kube {
            None if self.elsewhere => {
                let steps = unseen(path, segments).collect();
                Ok(Found::unseen(steps))
            }
            None => self.own_field(path, "", first, rest, Vec::new()),
            Some(kube) if kube.no_spec && !(kube.status && start == "status") => {
                self.own_field(path, "", first, rest, spec())
            }
            Some(_) if start == "spec" => match rest {
                [Segment::Field(name), rest @ ..] => {
                    self.own_field(path, "spec.", name, rest, spec())
                }
                _ => Err(self.whole(path, "spec", &self.some_field(path))),
            },
            Some(kube) if start == "status" && kube.status => match rest {
                [Segment::Field(_), ..] => {
                    let mut steps = vec![field("status", first.span(), 1)];
                    steps.extend(unseen(path, rest));
                    Ok(Found::unseen(steps))
                }
                _ => Err(self.whole(path, "status", "phase")),
            },
            Some(_) => Err(self.unknown_start(path, segments, first)),
        }
    }

    /// A path through a field of the struct that the derive stands on.
    fn own_field(
        &self,
        path: &PathAttr,
        prefix: &str,
        name: &Name,
        rest: &[Segment],
        mut steps: Vec<Step>,
    ) -> Result<Found, Wrong> {
        if self.input.shape != Shape::Named {
            return Err(self.no_fields(path));
        }
        if let (PathAttr::Json(_), Some(other)) = (path, &self.input.reads_other) {
            let message = format!(
                "with `#[serde({other})]` the fields of `{}` are not those in JSON: write the path \
                 without quotes, by the names in Rust, as in `index = {prefix}{}`",
                self.input.ident,
                self.some_rust_field()
            );
            self.ctxt.error(path, message);
            return Err(Wrong);
        }
        let mut fields = self.input.fields.iter();
        let is_meant = |field: &&Field<'_>| !field.skip && field.is_called(path, name);
        let Some(found) = fields.find(is_meant) else {
            self.unknown_field(path, prefix, name);
            return Err(Wrong);
        };
        let (ty, wrappers) = value::unwrap(found.ty);
        let last = rest.is_empty();
        let wrappers = if last {
            wrappers
        } else {
            wrappers.max(UNSEEN_WRAPPERS)
        };
        let mut ident = found.ident.clone();
        ident.set_span(name.span());
        steps.push(Step::Field {
            ident,
            wrappers,
            spelling: Spelling::Certain,
        });
        steps.extend(unseen(path, rest));
        let certain = !found.flatten && self.input.reads_other.is_none() && is_keys(rest);
        Ok(Found {
            steps,
            ty: last.then(|| ty.clone()),
            json: certain.then(|| format!("{prefix}{}{}", found.json, Canonical(rest))),
        })
    }

    fn metadata(&self, path: &PathAttr, rest: &[Segment]) -> Result<Found, Wrong> {
        let [Segment::Field(name), rest @ ..] = rest else {
            return Err(self.whole(path, "metadata", "name"));
        };
        let json = self.known(path, "metadata", name, &METADATA)?;
        if matches!(json, "labels" | "annotations") && !matches!(rest, [Segment::Key(_)]) {
            let key = match rest {
                [Segment::Field(key), ..] => key,
                _ => "app",
            };
            let form = match path {
                PathAttr::Json(_) => format!("metadata.{json}['{key}']"),
                PathAttr::Rust(_) => format!("metadata.{json}[\"{key}\"]"),
            };
            self.ctxt.error(
                path,
                format!("an index is over one of the {json}: write `{form}`"),
            );
            return Err(Wrong);
        }
        let mut steps = vec![Step::Metadata];
        // Options all of them, and `finalizers` and `ownerReferences` are lists in one.
        let list = matches!(json, "finalizers" | "ownerReferences");
        let wrappers = if list { 2 } else { 1 };
        steps.push(field(&naming::api_field(json), name.span(), wrappers));
        let mut spelt = is_keys(rest).then(|| format!("metadata.{json}{}", Canonical(rest)));
        match rest {
            // Labels and annotations are plain texts.
            [Segment::Key(key)] => steps.push(Step::Key {
                key: key.to_string(),
                wrappers: 0,
            }),
            [Segment::Field(inner), rest @ ..] if json == "ownerReferences" => {
                let of = "metadata.ownerReferences";
                let json = self.known(path, of, inner, &OWNER_REFERENCE)?;
                spelt = is_keys(rest).then(|| format!("{of}.{json}{}", Canonical(rest)));
                steps.push(field(&naming::api_field(json), inner.span(), 1));
                steps.extend(unseen(path, rest));
            }
            _ => steps.extend(unseen(path, rest)),
        }
        let number = matches!(json, "generation" | "deletionGracePeriodSeconds");
        Ok(Found {
            steps,
            ty: number.then(|| parse_quote_spanned!(name.span()=> i64)),
            json: spelt,
        })
    }

    /// The name in JSON of the field `name` of a type whose fields are `known`.
    fn known(
        &self,
        path: &PathAttr,
        of: &str,
        name: &Name,
        known: &[&'static str],
    ) -> Result<&'static str, Wrong> {
        let spelt = |json: &'static str| match path {
            PathAttr::Json(_) => json.to_owned(),
            PathAttr::Rust(_) => naming::api_field(json),
        };
        let found = known.iter().find(|json| spelt(json) == **name);
        if let Some(json) = found {
            return Ok(json);
        }
        let all: Vec<String> = known.iter().map(|json| spelt(json)).collect();
        let message = match naming::did_you_mean(name, all.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{of}.{meant}`?"),
            None => format!("it has `{}`", all.join("`, `")),
        };
        let name = &**name;
        self.ctxt
            .error(path, format!("`{of}` has no field `{name}`: {message}"));
        Err(Wrong)
    }

    fn unknown_start(&self, path: &PathAttr, segments: &[Segment], first: &Name) -> Wrong {
        let mut fields = self.input.fields.iter();
        let is_own = fields.any(|field| field.is_called(path, first));
        let first = &**first;
        let message = if is_own {
            format!(
                "`{first}` is a field of the spec: write `spec.{}`",
                Canonical(segments)
            )
        } else if first == "status" {
            "the type has no status: declare it with `#[kube(status = \"FooStatus\")]`".to_owned()
        } else {
            let known = ["spec", "metadata", "status"];
            match naming::did_you_mean(first, known) {
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
        // The names in the spelling of the path, and in the other one.
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
            format!("`{name}` is skipped by serde, so it is never read: remove the index")
        } else if let Some(field) = visible().find(|field| other(field) == name) {
            let spelt = spelt(field);
            let (language, form) = match path {
                PathAttr::Json(_) => ("JSON", format!("`{prefix}{spelt}`")),
                PathAttr::Rust(_) => (
                    "Rust",
                    format!("`{prefix}{spelt}`, or the path of JSON in quotes"),
                ),
            };
            format!("`{name}` is spelt `{spelt}` in {language}: write {form}")
        } else if let Some(meant) = naming::did_you_mean(name, known.iter().map(String::as_str)) {
            format!("`{owner}` has no field `{name}`: did you mean `{prefix}{meant}`?")
        } else if let (Some(flattened), PathAttr::Json(_)) = (flattened, path) {
            let field = flattened.rust();
            format!(
                "`{owner}` has no field `{name}` of its own, and what is flattened from `{field}` \
                 cannot be seen: write the path without quotes, by the names in Rust, as in `index \
                 = {prefix}{field}.{}`",
                heck::ToSnakeCase::to_snake_case(name)
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
        // A union is reported as such.
        if self.input.shape != Shape::Union {
            self.ctxt.error(
                path,
                format!(
                    "`{}` is {}, whose inside has no names that a path could follow: write \
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
            format!("an index is over one field, not all of `{what}`: write `{what}.{example}`");
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
    /// What is at the end of a path through types that the macro cannot see.
    fn unseen(steps: Vec<Step>) -> Self {
        let (ty, json) = (None, None);
        Self { steps, ty, json }
    }

    /// Prepares for values of a type that the user names, whatever the declaration says.
    pub(super) fn typed_by_user(mut self) -> Self {
        if let Some(Step::Field { wrappers, .. }) = self.steps.last_mut() {
            *wrappers = UNSEEN_WRAPPERS.max(*wrappers);
        }
        self
    }
}

fn is_keys(segments: &[Segment]) -> bool {
    let mut segments = segments.iter();
    segments.all(|segment| matches!(segment, Segment::Key(_)))
}

/// The steps through types that the macro cannot see.
fn unseen<'a>(path: &'a PathAttr, rest: &'a [Segment]) -> impl Iterator<Item = Step> + 'a {
    rest.iter().map(move |segment| match (segment, path) {
        (Segment::Field(name), PathAttr::Json(_)) => Step::Field {
            ident: naming::ident(&naming::api_field(name), name.span()),
            wrappers: UNSEEN_WRAPPERS,
            spelling: Spelling::Kubernetes,
        },
        (Segment::Field(name), PathAttr::Rust(_)) => field(name, name.span(), UNSEEN_WRAPPERS),
        (Segment::Key(key), _) => Step::Key {
            key: key.to_string(),
            wrappers: UNSEEN_WRAPPERS,
        },
    })
}

fn field(name: &str, span: Span, wrappers: usize) -> Step {
    Step::Field {
        ident: naming::ident(name, span),
        wrappers,
        spelling: Spelling::Certain,
    }
}
