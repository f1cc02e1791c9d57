//! Emits the type of the objects: by kube's derive on the type of `spec`, or as a struct with the
//! traits of the derive.

use std::fmt::Write;

use super::model::{Field, Item, Model, Presence, Struct, Type};
use super::{Definition, Names, docs, text};
use crate::ir::Scope;

/// Returns the root and the items, in the order of the text.
pub(super) fn items(model: &Model, definition: &Definition<'_>, names: &Names<'_>) -> String {
    let root = &model.root;
    let mut text = String::new();
    let spec = root.part("spec").filter(|_| model.is_derived);
    if !model.is_derived {
        plain(&mut text, root, definition, names);
    }
    for item in &model.items {
        if !text.is_empty() {
            text.push('\n');
        }
        match (item, spec) {
            (Item::Struct(structure), Some((_, spec))) if structure.name == spec => {
                let derives = derives(root, structure, definition, names);
                text::structure(&mut text, structure, names.visibility, &derives);
            }
            _ => text::item(&mut text, item, names.visibility, names.runtime),
        }
    }
    text
}

/// Returns the derives of the type of `spec`, with the attributes of kube's derive.
fn derives(root: &Struct, spec: &Struct, definition: &Definition<'_>, names: &Names<'_>) -> String {
    let mut text = format!("#[derive(CustomResource, {})]\n", text::derives(spec));
    let mut attribute = |content: String| {
        let _ = writeln!(text, "#[kube({content})]");
    };
    let Definition {
        group,
        version,
        kind,
        plural,
        ..
    } = definition;
    attribute(format!(
        "group = {group:?}, version = {version:?}, kind = {kind:?}"
    ));
    if root.name != *kind {
        attribute(format!("root = {:?}", root.name));
    }
    attribute(format!("plural = {plural:?}"));
    if definition.scope == Scope::Namespaced {
        attribute("namespaced".to_owned());
    }
    if let Some((_, status)) = root.part("status") {
        attribute(format!("status = {status:?}"));
    }
    for name in definition.short_names {
        attribute(format!("shortname = {name:?}"));
    }
    attribute(format!("doc = {:?}", documentation(root, definition)));
    attribute("schema = \"disabled\"".to_owned());
    attribute("derive = \"PartialEq\"".to_owned());
    if spec.has_default {
        attribute("derive = \"Default\"".to_owned());
    }
    if names.k8s_openapi != "::k8s_openapi" {
        attribute(format!("crates(k8s_openapi = {:?})", names.k8s_openapi));
    }
    text
}

fn documentation(root: &Struct, definition: &Definition<'_>) -> String {
    let lines = docs::lines(&root.docs, usize::MAX);
    if lines.is_empty() {
        return otherwise(definition);
    }
    lines.join("\n")
}

fn otherwise(definition: &Definition<'_>) -> String {
    let Definition {
        group,
        version,
        kind,
        ..
    } = definition;
    format!("`{kind}` of `{group}/{version}`.")
}

/// Writes a root that kube cannot derive.
fn plain(text: &mut String, structure: &Struct, definition: &Definition<'_>, names: &Names<'_>) {
    let Names { visibility, .. } = names;
    let name = &structure.name;
    docs::comment(text, 0, &structure.docs, &otherwise(definition));
    let default = if structure.has_default {
        ", Default"
    } else {
        ""
    };
    let _ = writeln!(
        text,
        "#[derive(Deserialize, Clone, Debug, PartialEq{default})]"
    );
    let _ = writeln!(text, "{visibility} struct {name} {{");
    text.push_str("    /// Metadata of the object.\n");
    let _ = writeln!(text, "    {visibility} metadata: ObjectMeta,");
    for field in &structure.fields {
        text::field(text, field, visibility);
    }
    text::rest(
        text,
        structure,
        visibility,
        ", deserialize_with = \"members\"",
    );
    text.push_str("}\n\n");
    resource(text, name, definition);
    for field in &structure.fields {
        halves(text, name, field);
    }
    serialize(text, name, structure, definition);
    let spec = structure.fields.iter().find_map(of_spec);
    if let Some(spec) = spec.filter(|_| structure.has_default) {
        let _ = write!(
            text,
            "\nimpl {name} {{\n    \
                 /// Creates an object with a name and a specification.\n    \
                 #[must_use]\n    \
                 {visibility} fn new(name: &str, spec: {spec}) -> Self {{\n        \
                     Self {{\n            \
                         metadata: ObjectMeta {{\n                \
                             name: Some(name.to_owned()),\n                \
                             ..ObjectMeta::default()\n            \
                         }},\n            \
                         spec,\n            \
                         ..Self::default()\n        \
                     }}\n    \
                 }}\n\
             }}\n"
        );
    }
    if structure.rest.is_some() {
        text.push_str(MEMBERS);
    }
}

/// Deserializes the members that the schema does not name. Every object writes `apiVersion` and
/// `kind` itself.
const MEMBERS: &str = "
fn members<'de, D: ::serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, ::serde_json::Value>, D::Error> {
    let mut members = BTreeMap::<String, ::serde_json::Value>::deserialize(deserializer)?;
    members.remove(\"apiVersion\");
    members.remove(\"kind\");
    Ok(members)
}
";

/// Returns the type of a required `spec`.
fn of_spec(field: &Field) -> Option<&String> {
    match (&field.value, field.presence) {
        (Type::Struct(name), Presence::Required | Presence::Defaulted) if field.json == "spec" => {
            Some(name)
        }
        _ => None,
    }
}

/// Writes the implementation of `kube::Resource`.
fn resource(text: &mut String, name: &str, definition: &Definition<'_>) {
    let Definition {
        group,
        version,
        kind,
        plural,
        scope,
        ..
    } = definition;
    let scope = match scope {
        Scope::Cluster => "ClusterResourceScope",
        Scope::Namespaced => "NamespaceResourceScope",
    };
    let _ = write!(
        text,
        "impl ::kube::Resource for {name} {{\n    \
             type DynamicType = ();\n    \
             type Scope = ::kube::core::{scope};\n"
    );
    for (method, value) in [
        ("kind", kind),
        ("group", group),
        ("version", version),
        ("plural", plural),
    ] {
        let _ = write!(
            text,
            "\n    \
                 fn {method}(_: &()) -> ::std::borrow::Cow<'_, str> {{\n        \
                     {value:?}.into()\n    \
                 }}\n"
        );
    }
    text.push_str(
        "\n    \
             fn meta(&self) -> &ObjectMeta {\n        \
                 &self.metadata\n    \
             }\n\n    \
             fn meta_mut(&mut self) -> &mut ObjectMeta {\n        \
                 &mut self.metadata\n    \
             }\n\
         }\n\n",
    );
}

/// Writes kube's traits of objects with a `spec` and a `status`.
fn halves(text: &mut String, root: &str, field: &Field) {
    let (half, name, value) = match (&field.value, field.presence) {
        _ if of_spec(field).is_some() => ("Spec", "spec", text::name(&field.value)),
        (Type::Struct(name), Presence::Optional) if field.json == "status" => {
            ("Status", "status", name.clone())
        }
        _ => return,
    };
    let (shared, unique, get) = match half {
        "Spec" => (format!("&{value}"), format!("&mut {value}"), "&self.spec"),
        _ => (
            format!("Option<&{value}>"),
            format!("&mut Option<{value}>"),
            "self.status.as_ref()",
        ),
    };
    let _ = write!(
        text,
        "impl ::kube::core::object::Has{half} for {root} {{\n    \
             type {half} = {value};\n\n    \
             fn {name}(&self) -> {shared} {{\n        \
                 {get}\n    \
             }}\n\n    \
             fn {name}_mut(&mut self) -> {unique} {{\n        \
                 &mut self.{name}\n    \
             }}\n\
         }}\n\n"
    );
}

/// Writes the `Serialize` implementation, which adds `apiVersion` and `kind`. They are not fields.
fn serialize(text: &mut String, name: &str, structure: &Struct, definition: &Definition<'_>) {
    let Definition {
        group,
        version,
        kind,
        ..
    } = definition;
    let api_version = format!("{group}/{version}");
    let _ = write!(
        text,
        "impl Serialize for {name} {{\n    \
             fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {{\n        \
                 let mut object = serializer.serialize_map(None)?;\n        \
                 object.serialize_entry(\"apiVersion\", {api_version:?})?;\n        \
                 object.serialize_entry(\"kind\", {kind:?})?;\n        \
                 object.serialize_entry(\"metadata\", &self.metadata)?;\n"
    );
    for Field {
        ident,
        json,
        presence,
        ..
    } in &structure.fields
    {
        let _ = match presence {
            Presence::Optional => write!(
                text,
                "        if let Some(value) = &self.{ident} {{\n            \
                             object.serialize_entry({json:?}, value)?;\n        \
                         }}\n"
            ),
            Presence::Required | Presence::Nullable | Presence::Defaulted => writeln!(
                text,
                "        object.serialize_entry({json:?}, &self.{ident})?;"
            ),
        };
    }
    if let Some(rest) = &structure.rest {
        let _ = write!(
            text,
            "        for (name, value) in &self.{rest} {{\n            \
                         object.serialize_entry(name, value)?;\n        \
                     }}\n"
        );
    }
    text.push_str("        object.end()\n    }\n}\n");
}
