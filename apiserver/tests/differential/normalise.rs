//! Removes the parts of a response that differ between two runs of one server.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::shapes::{is_age, is_time, is_uid};

/// Path of the objects whose managed fields are compared.
const OWNED: &str = "/namespaces/apply/";

/// Remembers the last seen version of each object, for one server.
#[derive(Debug, Default)]
pub(crate) struct Normaliser {
    versions: HashMap<String, u64>,
    /// `true` if managed fields are compared, too.
    owners: bool,
}

impl Normaliser {
    /// Returns the body of the response to `path` without the parts that change in each run.
    ///
    /// A resourceVersion is replaced by its relation to the last seen version of its object; that
    /// of a list, by its relation to its items and to the requested version.
    pub(crate) fn body(&mut self, path: &str, mut body: Value) -> Value {
        self.owners = path.contains(OWNED);
        if let Value::Array(events) = &mut body {
            // Bookmarks depend on the clock, except for the one that ends the initial events.
            events.retain(|event| !is_odd(&event["object"]));
            events.retain(|event| {
                event["type"] != "BOOKMARK" || !event["object"]["metadata"]["annotations"].is_null()
            });
            for event in events {
                self.value(event);
            }
            return body;
        }
        if body["kind"] == "ComponentStatusList" {
            // The objects were created concurrently, so their order differs.
            if let Some(items) = body["items"].as_array_mut() {
                items.sort_by_key(|item| item["metadata"]["name"].to_string());
            }
        }
        for list in ["items", "rows"] {
            if let Some(Value::Array(items)) = body.get_mut(list) {
                items.retain(|item| !is_odd(item));
            }
        }
        let items = match body.get("items") {
            Some(Value::Array(items)) => Some(items.iter().map(version_of).max().flatten()),
            _ => body.get("rows").map(|_| None),
        };
        if let Some(newest) = items {
            list_metadata(path, newest, &mut body);
        }
        self.value(&mut body);
        body
    }

    fn value(&mut self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(members) => self.object(members),
            Value::String(text) => *text = masked(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn object(&mut self, members: &mut Map<String, Value>) {
        match members.get_mut("managedFields") {
            Some(Value::Array(entries)) if self.owners => {
                // Entries are sorted by seconds.
                let key = |entry: &Value| {
                    let fields = ["operation", "manager", "apiVersion", "subresource"];
                    fields.map(|field| entry[field].to_string())
                };
                entries.sort_by_key(key);
                for entry in entries {
                    without_uids(&mut entry["fieldsV1"]);
                }
            }
            _ => {
                members.remove("managedFields");
            }
        }
        // Go iterates over a schema's properties in random order.
        if let Some(Value::Array(causes)) = members.get_mut("causes") {
            causes.sort_by_key(ToString::to_string);
        }
        if let Some(Value::String(message)) = members.get_mut("message") {
            *message = with_sorted_causes(message);
        }
        if let Some(Value::String(prefix)) = members.get("generateName").cloned()
            && let Some(Value::String(name)) = members.get_mut("name")
            && let Some((kept, _)) = name.split_at_checked(name.len().saturating_sub(5))
            && prefix.starts_with(kept)
        {
            *name = format!("{kept}<suffix>");
        }
        if let Some(version) = members.get("resourceVersion").and_then(Value::as_str) {
            let uid = members.get("uid").and_then(Value::as_str);
            let relation = match (uid, version.parse::<u64>()) {
                (Some(uid), Ok(version)) => self.relation(uid, version),
                (None, Ok(_)) => "a version",
                (_, Err(_)) => version,
            };
            let relation = relation.to_owned();
            members.insert("resourceVersion".to_owned(), relation.into());
        }
        for (name, member) in members.iter_mut() {
            match name.as_str() {
                "continue" if member.as_str().is_some_and(|token| !token.is_empty()) => {
                    *member = "a token".into();
                }
                // A JWT in one server, a random string in the other.
                "token" if member.as_str().is_some_and(|token| token.len() > 60) => {
                    *member = "a token".into();
                }
                "resources" if member.is_array() => {
                    self.value(member);
                    sort_by_name(member);
                }
                _ => self.value(member),
            }
        }
    }

    fn relation(&mut self, uid: &str, version: u64) -> &'static str {
        match self.versions.insert(uid.to_owned(), version) {
            None => "first seen",
            Some(last) if last == version => "the same",
            Some(last) if last < version => "newer",
            Some(_) => "older",
        }
    }
}

/// Reports whether only a controller would put the object into the state that it has in the
/// embedded API server.
fn is_odd(object: &Value) -> bool {
    let of = |object: &Value| {
        let name = object["metadata"]["name"].as_str();
        name.is_some_and(|name| name.starts_with("odd"))
    };
    of(object) || of(&object["object"])
}

/// Sorts the causes in the message of an invalid object: `.. is invalid: [b, a]`.
fn with_sorted_causes(message: &str) -> String {
    const START: &str = " is invalid: [";
    let parts = message
        .split_once(START)
        .and_then(|(head, rest)| Some((head, rest.strip_suffix(']')?)));
    let Some((head, causes)) = parts else {
        return message.to_owned();
    };
    let mut causes: Vec<&str> = causes.split(", ").collect();
    causes.sort_unstable();
    format!("{head}{START}{}]", causes.join(", "))
}

/// Sorts discovery documents, whose order has no meaning.
fn sort_by_name(list: &mut Value) {
    let name = |entry: &Value| {
        let name = entry["name"].as_str().or(entry["resource"].as_str());
        name.unwrap_or_default().to_owned()
    };
    if let Some(list) = list.as_array_mut() {
        list.sort_by_key(name);
    }
}

fn version_of(object: &Value) -> Option<u64> {
    object["metadata"]["resourceVersion"].as_str()?.parse().ok()
}

fn list_metadata(path: &str, newest: Option<u64>, list: &mut Value) {
    let Some(version) = version_of(list) else {
        return;
    };
    let has = |pair: &str| path.split(['?', '&']).any(|given| given == pair);
    let is_requested =
        has("resourceVersionMatch=Exact") && has(&format!("resourceVersion={version}"));
    let relation = if is_requested {
        "as requested"
    } else if newest.is_none_or(|newest| newest <= version) {
        "not before its items"
    } else {
        "before its items"
    };
    list["metadata"]["resourceVersion"] = relation.into();
}

/// Replaces the uids of owners in the names of managed fields.
fn without_uids(fields: &mut Value) {
    let Value::Object(members) = fields else {
        return;
    };
    for (name, mut value) in std::mem::take(members) {
        without_uids(&mut value);
        let is_owner = name.starts_with(r#"k:{"uid":"#);
        members.insert(if is_owner { "k:<uid>".to_owned() } else { name }, value);
    }
}

/// Removes the managed fields of a document that a message quotes: two entries of one second are
/// merged.
fn without_managed_fields(text: &str) -> String {
    let start = text.find(r#"\"managedFields\":["#);
    let parts = start.and_then(|start| {
        let (head, rest) = text.split_at_checked(start)?;
        Some((head, rest.get(rest.find(r#"\"name\":"#)?..)?))
    });
    parts.map_or_else(|| text.to_owned(), |(head, tail)| format!("{head}{tail}"))
}

/// Returns `text` without uids, times, hashes, generated suffixes and long numbers.
fn masked(text: &str) -> String {
    if is_time(text) {
        return "<time>".to_owned();
    }
    // In tables.
    if is_age(text) {
        return "<age>".to_owned();
    }
    // The hash depends on every word of the document.
    if let Some((document, _)) = text.split_once("?hash=") {
        return format!("{document}?hash=<hash>");
    }
    let text = without_managed_fields(text);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let uid = rest.get(..36).filter(|part| is_uid(part));
        let generated = rest
            .strip_prefix("gen-")
            .and_then(|rest| rest.get(..5))
            .filter(|suffix| suffix.bytes().all(|c| c.is_ascii_alphanumeric()));
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let skip = if uid.is_some() {
            out.push_str("<uid>");
            36
        } else if generated.is_some() {
            out.push_str("gen-<suffix>");
            9
        } else if digits > 1 {
            out.push_str("<n>");
            digits
        } else {
            out.push(first);
            first.len_utf8()
        };
        rest = rest.get(skip..).unwrap_or_default();
    }
    out
}
