//! What two normalised answers differ in.

use std::fmt;

use serde_json::Value;

use crate::call::Call;
use crate::session::Answer;

/// One place in which two answers differ.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) call: Call,
    /// `code`, `content-type`, `retry-after`, `warnings`, or where in the body: `/metadata/name`.
    pub(crate) at: String,
    /// `null` where there is nothing.
    pub(crate) real: Value,
    pub(crate) double: Value,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |value: &Value| value.to_string().chars().take(420).collect::<String>();
        write!(
            f,
            "{}\n    at {}\n    real   {}\n    double {}",
            self.call,
            self.at,
            short(&self.real),
            short(&self.double)
        )
    }
}

pub(crate) fn differences(call: &Call, real: &Answer, double: &Answer) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut note = |at: &str, real: Value, double: Value| {
        if real != double {
            found.push(Finding {
                call: call.clone(),
                at: at.to_owned(),
                real,
                double,
            });
        }
    };
    if real.code == double.code {
        note(
            "content-type",
            real.content_type.clone().into(),
            double.content_type.clone().into(),
        );
        note(
            "retry-after",
            real.retry_after.into(),
            double.retry_after.into(),
        );
        note(
            "warnings",
            real.warnings.clone().into(),
            double.warnings.clone().into(),
        );
        walk("", &real.body, &double.body, &mut note);
    } else {
        // The rest is another answer.
        let whole = |answer: &Answer| {
            let body = &answer.body;
            let message = body.get("message").unwrap_or(body);
            format!("{} {message}", answer.code).into()
        };
        note("code", whole(real), whole(double));
    }
    found
}

fn walk(at: &str, real: &Value, double: &Value, note: &mut impl FnMut(&str, Value, Value)) {
    match (real, double) {
        (Value::Object(real), Value::Object(double)) => {
            let mut names: Vec<&String> = real.keys().chain(double.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let of = |side: &serde_json::Map<String, Value>| {
                    side.get(name).cloned().unwrap_or(Value::Null)
                };
                let missing = real.contains_key(name) != double.contains_key(name);
                let (real, double) = (of(real), of(double));
                let at = format!("{at}/{name}");
                if missing && real == double {
                    note(&at, real, "absent".into());
                } else {
                    walk(&at, &real, &double, note);
                }
            }
        }
        (Value::Array(real), Value::Array(double)) if real.len() == double.len() => {
            for (index, (real, double)) in real.iter().zip(double).enumerate() {
                walk(&format!("{at}/{index}"), real, double, note);
            }
        }
        (Value::Array(real), Value::Array(double)) => {
            // What both begin with is left out.
            let same = real.iter().zip(double).take_while(|(a, b)| a == b).count();
            note(at, brief(&real[same..]), brief(&double[same..]));
        }
        (real, double) => note(at, real.clone(), double.clone()),
    }
}

/// Lists of different lengths are read more easily as `ADDED a`, `b`.
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
