//! `/openapi/v2`: all documents of version 3, converted to one document of version 2.

use serde_json::{Map, Value, json};

/// Members of schemas that version 2 lacks, and `default`, which the real server leaves out.
const DROPPED: [&str; 6] = ["allOf", "anyOf", "default", "not", "nullable", "oneOf"];

/// Merges `documents` of version 3.
pub(super) fn merged(documents: impl Iterator<Item = Value>) -> Value {
    let (mut paths, mut definitions) = (Map::new(), Map::new());
    for mut document in documents {
        if let Some(Value::Object(items)) = document.get_mut("paths").map(Value::take) {
            paths.extend(items.into_iter().map(|(path, item)| (path, of_path(item))));
        }
        let schemas = document.pointer_mut("/components/schemas").map(Value::take);
        if let Some(Value::Object(schemas)) = schemas {
            for (name, schema) in schemas {
                definitions.insert(name, of_schema(schema));
            }
        }
    }
    json!({
        "swagger": "2.0",
        "info": { "title": "Kubernetes", "version": "v1.37" },
        "paths": paths,
        "definitions": definitions,
    })
}

fn of_schema(schema: Value) -> Value {
    let mut members = match schema {
        Value::Object(members) => members,
        Value::Array(schemas) => return schemas.into_iter().map(of_schema).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return schema,
    };
    // Version 3 wraps a reference that has a description in `allOf`.
    let wrapped = members.get("allOf").and_then(|all| all.get(0)?.get("$ref"));
    if let Some(reference) = wrapped.cloned() {
        members.insert("$ref".to_owned(), reference);
    }
    if members.contains_key("oneOf") && !members.contains_key("type") {
        members.insert("type".to_owned(), json!("string"));
    }
    for dropped in DROPPED {
        members.remove(dropped);
    }
    for (name, member) in &mut members {
        match (name.as_str(), &mut *member) {
            ("$ref", Value::String(reference)) => {
                *reference = reference.replacen("#/components/schemas/", "#/definitions/", 1);
            }
            // Its members are named by fields, not by keywords of schemas.
            ("properties", Value::Object(properties)) => {
                for schema in properties.values_mut() {
                    *schema = of_schema(schema.take());
                }
            }
            ("items" | "additionalProperties", schema) => *schema = of_schema(schema.take()),
            _ => {}
        }
    }
    members.into()
}

/// Converts the operations and parameters of a path.
fn of_path(item: Value) -> Value {
    let Value::Object(item) = item else {
        return item;
    };
    let members = item.into_iter().map(|(name, member)| {
        let member = match (name.as_str(), member) {
            ("parameters", parameters) => of_parameters(parameters),
            (_, operation) => of_operation(operation),
        };
        (name, member)
    });
    Value::Object(members.collect())
}

/// Moves the members of a parameter's schema into the parameter.
fn of_parameters(parameters: Value) -> Value {
    let Value::Array(parameters) = parameters else {
        return parameters;
    };
    let flat = parameters.into_iter().map(|mut parameter| {
        let schema = parameter.get_mut("schema").map(Value::take);
        if let Value::Object(parameter) = &mut parameter {
            parameter.remove("schema");
            if let Some(Value::Object(schema)) = schema {
                parameter.extend(schema);
            }
        }
        parameter
    });
    flat.collect()
}

fn of_operation(operation: Value) -> Value {
    let Value::Object(mut operation) = operation else {
        return operation;
    };
    let mut parameters = operation
        .remove("parameters")
        .map_or(json!([]), of_parameters);
    if let (Some(body), Value::Array(parameters)) =
        (operation.remove("requestBody"), &mut parameters)
    {
        let (consumes, schema) = of_content(&body);
        operation.insert("consumes".to_owned(), consumes);
        parameters
            .push(json!({ "name": "body", "in": "body", "required": true, "schema": schema }));
    }
    operation.insert("parameters".to_owned(), parameters);
    if let Some(Value::Object(responses)) = operation.get_mut("responses") {
        let mut produces = Value::Null;
        for response in responses.values_mut() {
            if response.get("content").is_some() {
                let (media_types, schema) = of_content(response);
                produces = media_types;
                *response = json!({ "description": response.get("description"), "schema": schema });
            }
        }
        operation.insert("produces".to_owned(), produces);
    }
    operation.into()
}

/// Returns the media types of a body, and its schema, which is the same for all of them.
fn of_content(body: &Value) -> (Value, Value) {
    let content = body.get("content").and_then(Value::as_object);
    let types = content.into_iter().flat_map(Map::keys);
    let schema = content.and_then(|content| content.values().next()?.get("schema"));
    (
        types.map(String::as_str).collect(),
        of_schema(schema.cloned().unwrap_or_default()),
    )
}
