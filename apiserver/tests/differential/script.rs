//! Requests as data: `cases/*.yaml` are lists of steps, which expand to calls.
//!
//! A step is a request, a definition of names, a loop, or a wait:
//!
//! | step | effect |
//! |---|---|
//! | `{ get: PATH, .. }`, also `post`, `put`, `patch`, `delete`; `{ send: PATH, method: METHOD, .. }` | sends a request |
//! | `let: { NAME: VALUE }` | binds values |
//! | `define: { NAME: VALUE }` | binds templates, whose names are looked up where they are used |
//! | `each: NAME` or `[NAMES]`, `in: LIST`, `do: STEPS` | repeats steps for each element, or for each row |
//! | `together: STEPS` | sends requests concurrently |
//! | `{ await: PATH, by: SENDER }` | waits until both servers answer with 200 |
//! | `watch: PATHS`, `compare: watches` | opens watches, and compares their events |
//!
//! A request may have `query` (a list of parameters; those without a value are omitted), `body`
//! (sent as JSON) or `text`, `as` (a patch of the kind `json`, `merge`, `strategic-merge` or
//! `apply`, or `protobuf`), `type` and `accept` (media types), `options` (the JSON body of a delete,
//! or null), `keep`, `by: nobody`, and `look: true`, which compares nothing.
//!
//! In every value, `<name>` is the value of a name, `<name|query>` its percent-encoding, `<name|form>`
//! that of HTML forms and `<name|json>` its JSON. `{ $: NAME, ARGUMENTS.., set: { POINTER: VALUE } }`
//! is a template with arguments and replaced members, and `{ $repeat: VALUE, times: N }` is a long
//! string or list.

#![expect(
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a mistake in a file fails the test; any other value is one"
)]

use std::collections::BTreeMap;

use http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::call::Call;

/// Characters that forms encode; a space is a plus sign.
const FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'*')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_');

/// Action that a step expands to.
#[derive(Debug)]
pub(crate) enum Action {
    Check(Call),
    Look(Call),
    Together(Vec<Call>),
    Await(Call),
    Watch(Vec<String>),
    CompareWatches,
}

/// Names with their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope(BTreeMap<String, Binding>);

#[derive(Debug, Clone)]
enum Binding {
    Value(Value),
    Template(Value),
}

type Members = Map<String, Value>;

/// Parses the only document of a file.
pub(crate) fn parse(text: &str) -> Value {
    informer_manifest::parse(text).unwrap().remove(0)
}

// === impl Scope ===

impl Scope {
    /// Returns the actions of the list `steps`. Names that it binds stay bound.
    pub(crate) fn actions(&mut self, steps: &Value) -> Vec<Action> {
        let steps = steps.as_array().unwrap();
        steps.iter().flat_map(|step| self.step(step)).collect()
    }

    fn bind(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), Binding::Value(value));
    }

    fn step(&mut self, step: &Value) -> Vec<Action> {
        let mut members = step.as_object().unwrap().clone();
        if let Some(Value::Object(values)) = members.remove("let") {
            for (name, value) in values {
                let value = self.value(&value);
                self.bind(&name, value);
            }
        } else if let Some(Value::Object(templates)) = members.remove("define") {
            let templates = templates.into_iter();
            self.0
                .extend(templates.map(|(name, value)| (name, Binding::Template(value))));
        } else if let Some(names) = members.remove("each") {
            return self.repeat(&names, &members["in"], &members["do"]);
        } else if let Some(steps) = members.remove("together") {
            let actions = self.clone().actions(&steps);
            let calls = actions.into_iter().map(|action| match action {
                Action::Check(call) => call,
                other => panic!("{other:?} among concurrent requests"),
            });
            return vec![Action::Together(calls.collect())];
        } else if let Some(path) = members.remove("await") {
            let call = self.request(Method::GET, &path, &members);
            return vec![Action::Await(call)];
        } else if let Some(paths) = members.remove("watch") {
            let paths = self.value(&paths);
            return vec![Action::Watch(serde_json::from_value(paths).unwrap())];
        } else if members.remove("compare").is_some() {
            return vec![Action::CompareWatches];
        } else {
            let looks = members.remove("look").is_some();
            let (method, path) = self.target(&mut members);
            let call = self.request(method, &path, &members);
            return vec![if looks {
                Action::Look(call)
            } else {
                Action::Check(call)
            }];
        }
        assert!(members.is_empty(), "unknown members {members:?}");
        Vec::new()
    }

    fn repeat(&self, names: &Value, list: &Value, steps: &Value) -> Vec<Action> {
        let mut actions = Vec::new();
        for element in self.value(list).as_array().unwrap() {
            let mut scope = self.clone();
            match names {
                Value::Array(names) => {
                    let row = element.as_array().unwrap();
                    assert_eq!(row.len(), names.len(), "{element} is no row of {names:?}");
                    for (name, value) in names.iter().zip(row) {
                        scope.bind(name.as_str().unwrap(), value.clone());
                    }
                }
                name => scope.bind(name.as_str().unwrap(), element.clone()),
            }
            actions.extend(scope.actions(steps));
        }
        actions
    }

    /// Returns the method and the path of a request.
    fn target(&self, members: &mut Members) -> (Method, Value) {
        for method in ["get", "post", "put", "patch", "delete"] {
            if let Some(path) = members.remove(method) {
                let method = method.to_uppercase();
                return (method.parse().unwrap(), path);
            }
        }
        let path = members.remove("send");
        let path = path.unwrap_or_else(|| panic!("no step: {members:?}"));
        let method = self.text(&members.remove("method").unwrap());
        (method.parse().unwrap(), path)
    }

    fn request(&self, method: Method, path: &Value, members: &Members) -> Call {
        let mut call = Call::new(method, self.text(path));
        // The body comes before what replaces its media type.
        for name in ["body", "text", "options"] {
            match members.get(name).map(|value| self.value(value)) {
                None => {}
                Some(Value::Null) if name == "options" => {}
                Some(Value::String(text)) if name == "text" => call = call.text(&text),
                Some(body) => call = call.json(&body),
            }
        }
        for (name, value) in members {
            let is = |text: &str| assert_eq!(value, text, "value of {name}");
            call = match name.as_str() {
                "body" | "text" | "options" | "type" => call,
                "as" => call.content_type(media_type(&self.text(value))),
                "accept" => call.accept(&self.text(value)),
                "keep" => call.keep(&self.text(value)),
                "by" => {
                    is("nobody");
                    call.by_nobody()
                }
                "query" => {
                    let query: Vec<String> = serde_json::from_value(self.value(value)).unwrap();
                    let given = query.iter().filter(|pair| !pair.ends_with('='));
                    let given: Vec<&str> = given.map(String::as_str).collect();
                    call.path = format!("{}?{}", call.path, given.join("&"));
                    call
                }
                _ => panic!("unknown member {name} of {call}"),
            };
        }
        match members.get("type") {
            Some(media_type) => call.content_type(&self.text(media_type)),
            None => call,
        }
    }

    fn text(&self, value: &Value) -> String {
        let value = self.value(value);
        let text = value.as_str();
        text.unwrap_or_else(|| panic!("{value} is no text"))
            .to_owned()
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.interpolated(text),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => self.object(members),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn object(&self, members: &Members) -> Value {
        if let Some(name) = members.get("$") {
            return self.template(&self.text(name), members);
        }
        if let Some(value) = members.get("$repeat") {
            let times = usize::try_from(self.value(&members["times"]).as_u64().unwrap()).unwrap();
            return match self.value(value) {
                Value::String(text) => text.repeat(times).into(),
                value => vec![value; times].into(),
            };
        }
        let members = members.iter().map(|(name, value)| {
            let name = match self.interpolated(name) {
                Value::String(name) => name,
                other => panic!("{other} is no name of a member"),
            };
            (name, self.value(value))
        });
        members.collect()
    }

    fn template(&self, name: &str, members: &Members) -> Value {
        let mut scope = self.clone();
        for (name, value) in members {
            if name != "$" && name != "set" {
                scope.bind(name, self.value(value));
            }
        }
        let mut document = scope.look_up(name);
        let set = members.get("set").map(|set| self.value(set));
        for (pointer, value) in set.iter().flat_map(|set| set.as_object().unwrap()) {
            put(&mut document, pointer, value.clone());
        }
        document
    }

    fn look_up(&self, name: &str) -> Value {
        match self.0.get(name) {
            Some(Binding::Value(value)) => value.clone(),
            Some(Binding::Template(template)) => self.value(template),
            None => panic!("nothing is named {name}"),
        }
    }

    /// Replaces the names in a text. A text that is only a name has the value of any type.
    fn interpolated(&self, text: &str) -> Value {
        let mut whole = String::new();
        let mut rest = text;
        while let Some((before, placeholder, after)) = placeholder(rest) {
            let (name, filter) = placeholder.split_once('|').unwrap_or((placeholder, ""));
            let value = self.look_up(name);
            let value = match (filter, value) {
                ("json", value) => value.to_string().into(),
                ("query", Value::String(text)) => utf8_percent_encode(&text, NON_ALPHANUMERIC)
                    .to_string()
                    .into(),
                ("form", Value::String(text)) => utf8_percent_encode(&text, FORM)
                    .to_string()
                    .replace("%20", "+")
                    .into(),
                ("", value) => value,
                (filter, value) => panic!("{filter} of {value}"),
            };
            if before.is_empty() && after.is_empty() && whole.is_empty() {
                return value;
            }
            whole += before;
            match value {
                Value::String(text) => whole += &text,
                value => whole += &value.to_string(),
            }
            rest = after;
        }
        (whole + rest).into()
    }
}

/// Splits a text at its first `<name>`.
fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices('<').find_map(|(start, _)| {
        let (name, after) = text[start + 1..].split_once('>')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c == '|');
        is_name.then_some((&text[..start], name, after))
    })
}

fn media_type(kind: &str) -> &'static str {
    match kind {
        "json" => "application/json-patch+json",
        "merge" => "application/merge-patch+json",
        "strategic-merge" => "application/strategic-merge-patch+json",
        "apply" => "application/apply-patch+yaml",
        "protobuf" => informer_protobuf::MEDIA_TYPE,
        other => panic!("no kind of body: {other}"),
    }
}

/// Sets the value at `pointer`, and creates the objects on the way to it.
fn put(document: &mut Value, pointer: &str, value: Value) {
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    if document.pointer(parent).is_none_or(Value::is_null) {
        put(document, parent, Members::new().into());
    }
    let field = field.replace("~1", "/");
    match document.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[field.parse::<usize>().unwrap()] = value,
        parent => parent[field] = value,
    }
}
