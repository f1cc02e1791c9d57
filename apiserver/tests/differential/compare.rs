//! Comparison of two normalised responses.

use std::fmt;

use serde_json::Value;

use crate::call::Call;
use crate::session::Answer;

/// One difference between two responses.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) call: Call,
    /// `code`, `content-type`, `retry-after`, `warnings`, or the path in the body:
    /// `/metadata/name`.
    pub(crate) at: String,
    /// `null` for a missing value.
    pub(crate) real: Value,
    pub(crate) embedded: Value,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |value: &Value| value.to_string().chars().take(420).collect::<String>();
        write!(
            f,
            "{}\n    at {}\n    real     {}\n    embedded {}",
            self.call,
            self.at,
            short(&self.real),
            short(&self.embedded)
        )
    }
}

pub(crate) fn differences(call: &Call, real: &Answer, embedded: &Answer) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut note = |at: &str, real: Value, embedded: Value| {
        if real != embedded {
            found.push(Finding {
                call: call.clone(),
                at: at.to_owned(),
                real,
                embedded,
            });
        }
    };
    if real.code == embedded.code {
        note(
            "content-type",
            real.content_type.clone().into(),
            embedded.content_type.clone().into(),
        );
        note(
            "retry-after",
            real.retry_after.into(),
            embedded.retry_after.into(),
        );
        note(
            "warnings",
            real.warnings.clone().into(),
            embedded.warnings.clone().into(),
        );
        walk("", &real.body, &embedded.body, &mut note);
    } else {
        // With different codes, the remaining parts are not comparable.
        let whole = |answer: &Answer| {
            let body = &answer.body;
            let message = body.get("message").unwrap_or(body);
            format!("{} {message}", answer.code).into()
        };
        note("code", whole(real), whole(embedded));
    }
    found
}

fn walk(at: &str, real: &Value, embedded: &Value, note: &mut impl FnMut(&str, Value, Value)) {
    match (real, embedded) {
        (Value::Object(real), Value::Object(embedded)) => {
            let mut names: Vec<&String> = real.keys().chain(embedded.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let of = |side: &serde_json::Map<String, Value>| {
                    side.get(name).cloned().unwrap_or(Value::Null)
                };
                let missing = real.contains_key(name) != embedded.contains_key(name);
                let (real, embedded) = (of(real), of(embedded));
                let at = format!("{at}/{name}");
                if missing && real == embedded {
                    note(&at, real, "absent".into());
                } else {
                    walk(&at, &real, &embedded, note);
                }
            }
        }
        (Value::Array(real), Value::Array(embedded)) if real.len() == embedded.len() => {
            for (index, (real, embedded)) in real.iter().zip(embedded).enumerate() {
                walk(&format!("{at}/{index}"), real, embedded, note);
            }
        }
        (Value::Array(real), Value::Array(embedded)) => {
            // The common prefix is omitted.
            let same = real
                .iter()
                .zip(embedded)
                .take_while(|(a, b)| a == b)
                .count();
            note(at, brief(&real[same..]), brief(&embedded[same..]));
        }
        (real, embedded) => note(at, real.clone(), embedded.clone()),
    }
}

/// Shortens the items of lists with different lengths to the form `ADDED a`, `b`.
fn brief(list: &[Value]) -> Value {
    let name = |item: &Value| {
        let object = item.get("object").unwrap_or(item);
        let name = object["metadata"]["name"].as_str();
        let (kind, name) = (item["type"].as_str(), name.or(item["name"].as_str()));
        match (kind, name) {
            (None, None) => item.clone(),
            (kind, name) => format!("{} {}", kind.unwrap_or(""), name.unwrap_or("")).into(),
        }
    };
    list.iter().map(name).collect()
}
