//! Resolves a JSON path in the types of a kind.

use informer_codegen::check::resolver::Purpose;
use informer_codegen::ir::Step;
use informer_codegen::names;
use informer_codegen::path::{Canonical, Segment};
use proc_macro2::{Ident, Span};
use syn::{Type as RustType, parse_quote};

use super::model::{Field, Model, Type};
use crate::suggest;

/// Steps to the values, and their type.
pub(crate) struct Place {
    pub(crate) steps: Vec<Step>,
    /// Type of the values. `None` for strings.
    pub(crate) value: Option<RustType>,
}

/// Reason why values cannot be names.
pub(crate) const NO_NAME: &str =
    "the path does not end at a string, which the name of an object is";

/// Strings of a condition. An index cannot hold its other members.
const OF_CONDITIONS: [&str; 4] = ["message", "reason", "status", "type"];

/// Resolves a path. `module` contains the types of the model.
pub(super) fn find(
    model: &Model,
    module: &Ident,
    path: &[Segment],
    purpose: Purpose,
) -> Result<Place, String> {
    let mut value = &Type::Struct(model.root.name.clone());
    let mut steps = Vec::new();
    for (position, segment) in path.iter().enumerate() {
        let before = Canonical(path.get(..position).unwrap_or_default()).to_string();
        let (step, next) = match (segment, value) {
            (Segment::Field(name), Type::Struct(owner)) => {
                let fields = model.structure(owner).map(|found| found.fields.as_slice());
                let field = member(fields.unwrap_or_default(), &name.text, &before)?;
                (own(field), &field.value)
            }
            (Segment::Field(name), Type::Condition) if !is_of_conditions(&name.text) => {
                let all = OF_CONDITIONS.join("`, `");
                return Err(format!("a condition is indexed by one of `{all}`"));
            }
            (Segment::Field(name), Type::Condition | Type::ObjectReference) => {
                (kubernetes(&name.text), &Type::Text)
            }
            (Segment::Field(name), Type::Map(_)) => {
                let key = &name.text;
                return Err(format!("`{before}` is a map; write `{before}['{key}']`"));
            }
            (Segment::Field(name), _) => {
                return Err(format!("`{before}` has no member `{}`", name.text));
            }
            (Segment::Key(key), Type::Map(value)) => {
                let key = key.text.clone();
                (Step::Key { key, wrapped: true }, &**value)
            }
            (Segment::Key(_), _) => return Err(format!("`{before}` is not a map")),
        };
        steps.push(step);
        // The walk traverses lists implicitly.
        value = next.inner();
    }
    let value = match purpose {
        Purpose::Index => values(model, module, path, value)?,
        Purpose::Name => name(model, module, path, value)?,
        Purpose::Selector => selector(value)?,
    };
    Ok(Place { steps, value })
}

fn is_of_conditions(member: &str) -> bool {
    OF_CONDITIONS.contains(&member)
}

/// Returns the type of the values at the end of a path.
fn values(
    model: &Model,
    module: &Ident,
    path: &[Segment],
    value: &Type,
) -> Result<Option<RustType>, String> {
    let path = Canonical(path).to_string();
    match value {
        Type::Text => Ok(None),
        Type::Bool => Ok(Some(parse_quote!(bool))),
        Type::Number(name) if *name != "f64" => {
            let name = Ident::new(name, Span::call_site());
            Ok(Some(parse_quote!(::core::primitive::#name)))
        }
        Type::Enum(name) => Ok(Some(parse_quote!(#module::#name))),
        Type::Struct(name) => {
            let fields = model.structure(name).into_iter();
            let first = fields.flat_map(|found| &found.fields).next();
            let first = first.map_or("..", |field| field.json.as_str());
            Err(format!(
                "the path ends at an object; index one of its members, such as `{path}.{first}`"
            ))
        }
        Type::Map(_) => Err(format!(
            "the path ends at a map; index the value of a key: `{path}['key']`"
        )),
        Type::Condition => Err(format!("the path ends at a condition; index `{path}.type`, for example")),
        Type::Number(_)
        | Type::IntOrString
        | Type::Any
        | Type::ObjectMeta
        | Type::ObjectReference
        | Type::List(_)
        | Type::Nullable(_) => Err(
            "the path ends at neither a string, an integer nor a boolean; index it with a function, \
             `index(name = \"by_x\", with = function)`"
                .to_owned(),
        ),
    }
}

/// Checks that the values are strings.
fn name(
    model: &Model,
    module: &Ident,
    path: &[Segment],
    value: &Type,
) -> Result<Option<RustType>, String> {
    if values(model, module, path, value)?.is_some() {
        return Err(NO_NAME.to_owned());
    }
    Ok(None)
}

/// Checks that the values are maps of strings.
fn selector(value: &Type) -> Result<Option<RustType>, String> {
    if let Type::Map(values) = value
        && **values == Type::Text
    {
        return Ok(None);
    }
    let reason = if let Type::Struct(_) = value {
        "the path ends at an object, whose generated type is not a `LabelSelector` of k8s-openapi; select by a \
         map of strings, or use a type of your own, or `dynamic`"
    } else {
        "the path does not end at a map of strings"
    };
    Err(reason.to_owned())
}

fn member<'f>(fields: &'f [Field], name: &str, owner: &str) -> Result<&'f Field, String> {
    let found = fields.iter().find(|field| field.json == name);
    found.ok_or_else(|| {
        let owner = match owner {
            "" => "the object".to_owned(),
            owner => format!("`{owner}`"),
        };
        let known = fields.iter().map(|field| field.json.clone());
        let suggestion = suggest::nearest(name, known);
        format!("{owner} has no member `{name}` in its schema{suggestion}")
    })
}

fn own(field: &Field) -> Step {
    Step::Field {
        ident: field.ident.clone(),
        wrapped: true,
        kubernetes: false,
    }
}

fn kubernetes(json: &str) -> Step {
    Step::Field {
        ident: names::identifier(&names::api_field(json), Span::call_site()),
        wrapped: true,
        kubernetes: true,
    }
}
