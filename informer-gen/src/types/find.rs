//! Resolves a JSON path in the types of a kind. The path fits the schema of the kind.

use informer_codegen::check::resolver::Purpose;
use informer_codegen::ir::Step;
use informer_codegen::names;
use informer_codegen::path::Segment;
use proc_macro2::{Ident, Span};
use syn::{Type as RustType, parse_quote};

use super::model::{Field, Model, Type};

/// Steps to the values, and their type.
pub(crate) struct FieldPlace {
    pub(crate) steps: Vec<Step>,
    /// Type of the values. `None` for strings.
    pub(crate) value: Option<RustType>,
}

/// Reason why values cannot be names.
pub(crate) const NO_NAME: &str =
    "the path does not end at a string, which the name of an object is";

/// Reason why values cannot be indexed.
const NO_VALUE: &str = "the path ends at neither a string, an integer nor a boolean; index it with a \
                        function, `index(name = \"by_x\", with = function)`";

/// Strings of a condition. An index cannot hold its other members.
const OF_CONDITIONS: [&str; 4] = ["message", "reason", "status", "type"];

/// Resolves a path. `module` contains the types of the model.
pub(super) fn find(
    model: &Model,
    module: &Ident,
    path: &[Segment],
    purpose: Purpose,
) -> Result<FieldPlace, String> {
    let mut value = &Type::Struct(model.root.name.clone());
    let mut steps = Vec::new();
    for segment in path {
        let (step, wrappers, next) = match (segment, value) {
            (Segment::Field(name) | Segment::Key(name), Type::Struct(owner)) => {
                let field = model
                    .structure(owner)
                    .and_then(|structure| structure.field(&name.text))
                    .ok_or(NO_VALUE)?;
                (own(field), field.presence.wrappers(), &field.value)
            }
            (Segment::Field(name), Type::Condition)
                if !OF_CONDITIONS.contains(&name.text.as_str()) =>
            {
                let all = OF_CONDITIONS.join("`, `");
                return Err(format!("a condition is indexed by one of `{all}`"));
            }
            (Segment::Field(name), Type::Condition | Type::ObjectReference) => {
                (kubernetes(&name.text), 0, &Type::Text)
            }
            (Segment::Key(key), Type::Map(values)) => {
                let step = Step::Key {
                    key: key.text.clone(),
                    wrapped: true,
                };
                (step, 0, &**values)
            }
            _ => return Err(NO_VALUE.to_owned()),
        };
        steps.push(step);
        steps.extend(Step::peels(wrappers + next.wrappers()));
        // The walk traverses lists implicitly.
        value = next.inner();
    }
    let scalar_type = match purpose {
        Purpose::Index => scalar(module, value)?,
        Purpose::Name if *value == Type::Text => None,
        Purpose::Name => return Err(NO_NAME.to_owned()),
        Purpose::Selector => {
            check_selector(value)?;
            None
        }
    };
    Ok(FieldPlace {
        steps,
        value: scalar_type,
    })
}

/// Returns the type of scalars. `None` for strings.
fn scalar(module: &Ident, value: &Type) -> Result<Option<RustType>, String> {
    match value {
        Type::Text => Ok(None),
        Type::Bool => Ok(Some(parse_quote!(bool))),
        Type::Number(name) if *name != "f64" => {
            let primitive = Ident::new(name, Span::call_site());
            Ok(Some(parse_quote!(::core::primitive::#primitive)))
        }
        Type::Enum(name) => Ok(Some(parse_quote!(#module::#name))),
        Type::Struct(_)
        | Type::Map(_)
        | Type::Condition
        | Type::Number(_)
        | Type::IntOrString
        | Type::Any
        | Type::ObjectMeta
        | Type::ObjectReference
        | Type::List(_)
        | Type::Nullable(_) => Err(NO_VALUE.to_owned()),
    }
}

/// Checks that the values are maps of strings.
fn check_selector(value: &Type) -> Result<(), String> {
    if let Type::Map(values) = value
        && **values == Type::Text
    {
        return Ok(());
    }
    let reason = if let Type::Struct(_) = value {
        "the path ends at an object, whose generated type is not a `LabelSelector` of k8s-openapi; \
         select by a map of strings, or use a type of your own, or `dynamic`"
    } else {
        "the path does not end at a map of strings"
    };
    Err(reason.to_owned())
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
