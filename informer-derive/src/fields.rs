//! Resolves the path of an index or a relation in the annotated struct, as far as the macro sees the
//! declarations of the types.
//!
//! The Rust field of a JSON name comes from serde's attributes, or from k8s-openapi's rule; a step
//! with that rule is marked, and rustc checks that the type is from k8s-openapi.

use informer_codegen::check::resolver::{
    Purpose, RelatedType, ResolvedPath, Resolver, Wrong, field, unseen,
};
use informer_codegen::check::value;
use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::path::Written;
use informer_codegen::declaration::target::NamedType;
use informer_codegen::ir::{Step, Walk};
use informer_codegen::kube::Kube;
use informer_codegen::path::{Canonical, Name, Segment};
use informer_codegen::suggest::nearest;

use crate::ast::{Field, Input, Shape};

/// Fields of the annotated struct.
pub(crate) struct Fields<'a> {
    pub(crate) ctxt: &'a Ctxt,
    pub(crate) input: &'a Input<'a>,
    pub(crate) kube: Option<&'a Kube>,
    /// `true` if the declaration of the type is elsewhere.
    pub(crate) elsewhere: bool,
}

// === impl Fields ===

impl Resolver for Fields<'_> {
    fn ctxt(&self) -> &Ctxt {
        self.ctxt
    }

    fn resolve(
        &self,
        path: &Written,
        segments: &[Segment],
        _: Purpose,
    ) -> Result<ResolvedPath, Wrong> {
        let [Segment::Field(first), rest @ ..] = segments else {
            return Err(Wrong);
        };
        let start = first.text.as_str();
        let spec = || vec![field("spec", path.span(), false)];
        match self.kube {
            None if self.elsewhere => Ok(ResolvedPath::unseen(path, unseen(path, segments, true))),
            None => self.own_field(path, "", first, rest, Vec::new()),
            Some(kube) if kube.is("no_spec") && !(has_status(kube) && start == "status") => {
                self.own_field(path, "", first, rest, spec())
            }
            Some(_) if start == "spec" => match rest {
                [Segment::Key(name), ..]
                    if !path.is_json() || path.spelling.is_field(&name.text) =>
                {
                    let name = &name.text;
                    let message = format!("`{name}` is not a key of a map: write `spec.{name}`");
                    self.ctxt.error(path, message);
                    Err(Wrong)
                }
                [name, rest @ ..] => self.own_field(path, "spec.", name.name(), rest, spec()),
                [] => Err(self.whole(path, "spec", &self.some_field(path))),
            },
            Some(kube) if start == "status" && has_status(kube) => match rest {
                [Segment::Field(_), ..] => {
                    let mut steps = vec![field("status", path.at(first.at.start), true)];
                    steps.extend(unseen(path, rest, true));
                    Ok(ResolvedPath::unseen(path, steps))
                }
                _ => Err(self.whole(path, "status", "phase")),
            },
            Some(_) => Err(self.unknown_start(path, segments, first)),
        }
    }

    fn target(&self, target: &NamedType, form: &str) -> Result<RelatedType, Wrong> {
        match target {
            NamedType::Type(ty) => Ok(RelatedType {
                ty: (**ty).clone(),
                scope: None,
            }),
            NamedType::Kind(..) => {
                let message = format!("expected the name of a type: write `{form}`");
                self.ctxt.error(target, message);
                Err(Wrong)
            }
        }
    }
}

/// Reports whether the type has a status.
fn has_status(kube: &Kube) -> bool {
    kube.entry("status").is_some()
}

impl Fields<'_> {
    /// Resolves a path through a field of the annotated struct.
    fn own_field(
        &self,
        path: &Written,
        prefix: &str,
        name: &Name,
        rest: &[Segment],
        mut steps: Vec<Step>,
    ) -> Result<ResolvedPath, Wrong> {
        if self.input.shape != Shape::Named {
            return Err(self.no_fields(path));
        }
        if let (true, Some(other)) = (path.is_json(), &self.input.reads_other) {
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
        ident.set_span(path.at(name.at.start));
        steps.push(Step::Field {
            ident,
            wrapped: !last || wrappers > 0,
            kubernetes: false,
        });
        steps.extend(Step::peels(wrappers));
        steps.extend(unseen(path, rest, true));
        let is_own = !found.flatten && self.input.reads_other.is_none();
        let certain = is_own && rest.iter().all(Segment::is_key);
        let is_json = is_own && !found.computed && path.is_json();
        Ok(ResolvedPath {
            walk: Walk::Steps(steps),
            ty: last.then(|| ty.clone()),
            json: certain.then(|| format!("{prefix}{}{}", found.json, Canonical(rest))),
            is_json: is_json || (certain && !found.computed),
            values: None,
        })
    }

    fn unknown_start(&self, path: &Written, segments: &[Segment], first: &Name) -> Wrong {
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

    fn unknown_field(&self, path: &Written, prefix: &str, name: &str) {
        let owner = self.input.ident;
        let fields = &self.input.fields;
        // Returns the names in the spelling of the path, and in the other spelling.
        let spelling = |field: &Field<'_>, is_json: bool| {
            if is_json {
                field.json.clone()
            } else {
                field.rust()
            }
        };
        let spelt = |field: &Field<'_>| spelling(field, path.is_json());
        let other = |field: &Field<'_>| spelling(field, !path.is_json());
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
            let (language, form) = if path.is_json() {
                ("JSON", format!("`{prefix}{spelt}`"))
            } else {
                let form = format!("`{prefix}{spelt}`, or the JSON path in quotes");
                ("Rust", form)
            };
            format!("`{name}` is spelt `{spelt}` in {language}: write {form}")
        } else if let Some(meant) = nearest(name, known.iter().map(String::as_str)) {
            format!("`{owner}` has no field `{name}`: did you mean `{prefix}{meant}`?")
        } else if let (Some(flattened), true) = (flattened, path.is_json()) {
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

    fn no_fields(&self, path: &Written) -> Wrong {
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

    fn whole(&self, path: &Written, what: &str, example: &str) -> Wrong {
        let message =
            format!("a path leads to one field, not to all of `{what}`: write `{what}.{example}`");
        self.ctxt.error(path, message);
        Wrong
    }

    fn some_field(&self, path: &Written) -> String {
        let first = self.input.fields.first();
        match first {
            Some(field) if path.is_json() => field.json.clone(),
            _ => self.some_rust_field(),
        }
    }

    fn some_rust_field(&self) -> String {
        let first = self.input.fields.first();
        first.map_or_else(|| "field".to_owned(), Field::rust)
    }
}
