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
use informer_codegen::path::{Canonical, Name, Segment, Spelling};
use informer_codegen::suggest::nearest;

use crate::ast::{Input, Shape};

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
        let Some(kube) = self.kube else {
            if self.elsewhere {
                return Ok(ResolvedPath::unseen(path, unseen(path, segments, true)));
            }
            return self.own_field(path, "", first, rest, Vec::new());
        };
        match first.text.as_str() {
            "status" if kube.entry("status").is_some() => self.status_field(path, first, rest),
            _ if kube.is("no_spec") => self.own_field(path, "", first, rest, vec![spec_step(path)]),
            "spec" => self.spec_field(path, rest),
            _ => Err(self.unknown_start(path, segments, first)),
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

/// Returns the step from an object to its spec.
fn spec_step(path: &Written) -> Step {
    field("spec", path.span(), false)
}

impl Fields<'_> {
    /// Resolves a path whose first segment is `spec`, and whose others are `rest`.
    fn spec_field(&self, path: &Written, rest: &[Segment]) -> Result<ResolvedPath, Wrong> {
        let [member, rest @ ..] = rest else {
            return Err(self.whole(path, "spec", &self.some_field(path)));
        };
        if let Segment::Key(key) = member
            && (!path.is_json() || path.spelling.is_field(&key.text))
        {
            let name = &key.text;
            let message = format!("`{name}` is not a key of a map: write `spec.{name}`");
            self.ctxt.error(path, message);
            return Err(Wrong);
        }
        self.own_field(path, "spec.", member.name(), rest, vec![spec_step(path)])
    }

    /// Resolves a path whose first segment is `status`, and whose others are `rest`.
    fn status_field(
        &self,
        path: &Written,
        status: &Name,
        rest: &[Segment],
    ) -> Result<ResolvedPath, Wrong> {
        let [Segment::Field(_), ..] = rest else {
            return Err(self.whole(path, "status", "phase"));
        };
        let mut steps = vec![field("status", path.at(status.at.start), true)];
        steps.extend(unseen(path, rest, true));
        Ok(ResolvedPath::unseen(path, steps))
    }

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
        if path.is_json()
            && let Some(other) = &self.input.reads_other
        {
            let message = format!(
                "with `#[serde({other})]` the fields of `{}` differ from those in JSON: write \
                 the path without quotes, with the names in Rust, as in `{prefix}{}`",
                self.input.ident,
                self.some_rust_field()
            );
            self.ctxt.error(path, message);
            return Err(Wrong);
        }
        let found = self
            .input
            .fields
            .iter()
            .find(|field| !field.skip && field.is_called(path, &name.text));
        let Some(found) = found else {
            let message = self.unknown_field(path, prefix, &name.text);
            self.ctxt.error(path, message);
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
        let start = first.text.as_str();
        let is_own = self
            .input
            .fields
            .iter()
            .any(|field| field.is_called(path, start));
        let message = if is_own {
            format!(
                "`{start}` is a field of the spec: write `spec.{}`",
                Canonical(segments)
            )
        } else if start == "status" {
            "the type has no status: declare it with `#[kube(status = \"FooStatus\")]`".to_owned()
        } else {
            match nearest(start, ["spec", "metadata", "status"]) {
                Some(meant) => format!("an object has no `{start}`: did you mean `{meant}`?"),
                None => format!(
                    "an object has no `{start}`: a path starts with `spec.`, `status.` or \
                     `metadata.`"
                ),
            }
        };
        self.ctxt.error(path, message);
        Wrong
    }

    /// Returns the error of a path that names no field.
    fn unknown_field(&self, path: &Written, prefix: &str, name: &str) -> String {
        let owner = self.input.ident;
        let fields = &self.input.fields;
        for field in fields.iter().filter(|field| field.skip) {
            if field.json == name || field.rust() == name {
                return format!(
                    "`{name}` is skipped by serde, so no path can read it: remove the path"
                );
            }
        }
        let visible = || {
            fields
                .iter()
                .filter(|field| !field.skip && field.is_visible(path))
        };
        let (other_spelling, language, alternative) = match path.spelling {
            Spelling::Json => (Spelling::Rust, "JSON", ""),
            Spelling::Rust => (Spelling::Json, "Rust", ", or the JSON path in quotes"),
        };
        if let Some(field) = visible().find(|field| field.name(other_spelling) == name) {
            let spelt = field.name(path.spelling);
            return format!(
                "`{name}` is spelt `{spelt}` in {language}: write `{prefix}{spelt}`{alternative}"
            );
        }
        let known: Vec<String> = visible().map(|field| field.name(path.spelling)).collect();
        if let Some(meant) = nearest(name, known.iter().map(String::as_str)) {
            return format!("`{owner}` has no field `{name}`: did you mean `{prefix}{meant}`?");
        }
        if path.is_json()
            && let Some(flattened) = fields.iter().find(|field| field.flatten)
        {
            let field = flattened.rust();
            return format!(
                "`{owner}` has no field `{name}` of its own, and the macro cannot see the fields \
                 flattened from `{field}`: write the path without quotes, with the names in Rust, \
                 as in `{prefix}{field}.{snake}`; for an enum, write \
                 `index(name = \"by_{snake}\", with = function)`",
                snake = heck::ToSnakeCase::to_snake_case(name)
            );
        }
        if known.is_empty() {
            return format!("`{owner}` has no field `{name}`: its fields are none");
        }
        let list = known.join("`, `");
        format!("`{owner}` has no field `{name}`: its fields are `{list}`")
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
        match self.input.fields.first() {
            Some(field) => field.name(path.spelling),
            None => "field".to_owned(),
        }
    }

    fn some_rust_field(&self) -> String {
        match self.input.fields.first() {
            Some(field) => field.rust(),
            None => "field".to_owned(),
        }
    }
}
