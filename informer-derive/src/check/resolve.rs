//! Finds out what is at the path of an index: which fields and keys lead there, and, where the
//! macro sees the declaration, the type.

use syn::{LitStr, Type, parse_quote_spanned};

use super::path::Segment;
use super::{Step, value};
use crate::ast::{Field, Input, Shape};
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
}

/// Reported, or not to be reported because of what has been.
pub(super) struct Wrong;

// === impl Resolver ===

impl Resolver<'_> {
    /// What is at `path`, parsed as `segments`.
    pub(super) fn resolve(&self, path: &LitStr, segments: &[Segment]) -> Result<Found, Wrong> {
        let [Segment::Field(first), rest @ ..] = segments else {
            return Err(Wrong);
        };
        if first == "metadata" {
            return self.metadata(path, rest);
        }
        match self.kube {
            None if self.elsewhere => {
                let mut steps = Vec::new();
                unseen(&mut steps, path, segments);
                Ok(Found { steps, ty: None })
            }
            None => self.own_field(path, "", first, rest, Vec::new()),
            Some(kube) if kube.no_spec && !(kube.status && first == "status") => {
                self.own_field(path, "", first, rest, vec![field("spec", path, 0)])
            }
            Some(_) if first == "spec" => match rest {
                [Segment::Field(name), rest @ ..] => {
                    self.own_field(path, "spec.", name, rest, vec![field("spec", path, 0)])
                }
                _ => Err(self.whole(path, "spec", self.some_field())),
            },
            Some(kube) if first == "status" && kube.status => match rest {
                [Segment::Field(_), ..] => {
                    let mut steps = vec![field("status", path, 1)];
                    unseen(&mut steps, path, rest);
                    Ok(Found { steps, ty: None })
                }
                _ => Err(self.whole(path, "status", "phase")),
            },
            Some(_) => Err(self.unknown_start(path, first)),
        }
    }

    /// A path through a field of the struct that the derive stands on.
    fn own_field(
        &self,
        path: &LitStr,
        prefix: &str,
        name: &str,
        rest: &[Segment],
        mut steps: Vec<Step>,
    ) -> Result<Found, Wrong> {
        if self.input.shape != Shape::Named {
            return Err(self.no_fields(path));
        }
        let fields = &self.input.fields;
        let Some(found) = fields
            .iter()
            .find(|field| !field.flatten && field.json == name)
        else {
            self.unknown_field(path, prefix, name, fields);
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
        ident.set_span(path.span());
        steps.push(Step::Field { ident, wrappers });
        unseen(&mut steps, path, rest);
        Ok(Found {
            steps,
            ty: last.then(|| ty.clone()),
        })
    }

    fn metadata(&self, path: &LitStr, rest: &[Segment]) -> Result<Found, Wrong> {
        let [Segment::Field(name), rest @ ..] = rest else {
            return Err(self.whole(path, "metadata", "name"));
        };
        if !METADATA.contains(&name.as_str()) {
            let message = match naming::did_you_mean(name, METADATA) {
                Some(meant) => format!("did you mean `metadata.{meant}`?"),
                None => format!("it has `{}`", METADATA.join("`, `")),
            };
            self.ctxt
                .error(path, format!("`metadata` has no field `{name}`: {message}"));
            return Err(Wrong);
        }
        if matches!(name.as_str(), "labels" | "annotations") && !matches!(rest, [Segment::Key(_)]) {
            let key = match rest {
                [Segment::Field(key), ..] => key.as_str(),
                _ => "app",
            };
            self.ctxt.error(
                path,
                format!("an index is over one of the {name}: write `metadata.{name}['{key}']`"),
            );
            return Err(Wrong);
        }
        let mut steps = vec![Step::Metadata];
        // Options all of them, and `finalizers` and `ownerReferences` are lists in one.
        let list = matches!(name.as_str(), "finalizers" | "ownerReferences");
        steps.push(snake(name, path, if list { 2 } else { 1 }));
        match rest {
            // Labels and annotations are plain texts.
            [Segment::Key(key)] => steps.push(Step::Key {
                key: key.clone(),
                wrappers: 0,
            }),
            _ => unseen(&mut steps, path, rest),
        }
        let number = matches!(name.as_str(), "generation" | "deletionGracePeriodSeconds");
        Ok(Found {
            steps,
            ty: number.then(|| parse_quote_spanned!(path.span()=> i64)),
        })
    }

    fn unknown_start(&self, path: &LitStr, first: &str) -> Wrong {
        let message = if self.input.fields.iter().any(|field| field.json == first) {
            format!(
                "`{first}` is a field of the spec: write `spec.{}`",
                path.value()
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

    fn unknown_field(&self, path: &LitStr, prefix: &str, name: &str, fields: &[Field<'_>]) {
        let owner = self.input.ident;
        let known = || {
            fields
                .iter()
                .filter(|f| !f.flatten)
                .map(|f| f.json.as_str())
        };
        let in_rust = fields
            .iter()
            .find(|field| !field.flatten && field.ident == name);
        let flattened = fields.iter().find(|field| field.flatten);
        let message = if let Some(field) = in_rust {
            format!(
                "`{name}` is spelt `{}` in JSON: write `{prefix}{}`",
                field.json, field.json
            )
        } else if let Some(meant) = naming::did_you_mean(name, known()) {
            format!("`{owner}` has no field `{name}`: did you mean `{prefix}{meant}`?")
        } else if let Some(flattened) = flattened {
            format!(
                "`{owner}` has no field `{name}` of its own, and what is flattened from `{}` \
                 cannot be seen: write `index(name = \"by_x\", with = function)`",
                flattened.ident
            )
        } else {
            let list = known().collect::<Vec<_>>().join("`, `");
            let list = if list.is_empty() {
                "none".to_owned()
            } else {
                format!("`{list}`")
            };
            format!("`{owner}` has no field `{name}`: its fields are {list}")
        };
        self.ctxt.error(path, message);
    }

    fn no_fields(&self, path: &LitStr) -> Wrong {
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

    fn whole(&self, path: &LitStr, what: &str, example: &str) -> Wrong {
        let message =
            format!("an index is over one field, not all of `{what}`: write `{what}.{example}`");
        self.ctxt.error(path, message);
        Wrong
    }

    fn some_field(&self) -> &str {
        let first = self.input.fields.first();
        first.map_or("field", |field| field.json.as_str())
    }
}

// === impl Found ===

impl Found {
    /// Prepares for values of a type that the user names, whatever the declaration says.
    pub(super) fn typed_by_user(mut self) -> Self {
        if let Some(Step::Field { wrappers, .. }) = self.steps.last_mut() {
            *wrappers = UNSEEN_WRAPPERS.max(*wrappers);
        }
        self
    }
}

/// Adds steps through types that the macro cannot see.
fn unseen(steps: &mut Vec<Step>, path: &LitStr, rest: &[Segment]) {
    steps.extend(rest.iter().map(|segment| match segment {
        Segment::Field(name) => snake(name, path, UNSEEN_WRAPPERS),
        Segment::Key(key) => Step::Key {
            key: key.clone(),
            wrappers: UNSEEN_WRAPPERS,
        },
    }));
}

fn snake(json: &str, path: &LitStr, wrappers: usize) -> Step {
    field(&heck::ToSnakeCase::to_snake_case(json), path, wrappers)
}

fn field(name: &str, path: &LitStr, wrappers: usize) -> Step {
    Step::Field {
        ident: naming::ident(name, path.span()),
        wrappers,
    }
}
