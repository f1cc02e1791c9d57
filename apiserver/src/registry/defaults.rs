//! The defaults of built-in kinds.
//!
//! `defaults.jsonl` is made by `apiserver/defaults`, which asks the functions of Kubernetes that fill
//! defaults in. It has a line for each kind, followed by the rules of that kind. A rule sets one field
//! where it is absent; its conditions are judged by the object as it was before any rule.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::document::Members;

/// Read when an object is defaulted first.
static TABLE: LazyLock<HashMap<String, Vec<Rule>>> =
    LazyLock::new(|| read(include_str!("defaults.jsonl")));

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Rule {
    /// An object that must be there, or each in a list.
    #[serde(rename = "in")]
    within: Path,
    /// The field, from there. Objects on the way are made.
    set: Path,
    /// A zero is a value, not absent.
    pointer: bool,
    to: Option<Value>,
    /// The field whose value is taken, if it is not `to`.
    copy: Path,
    /// Of maps: adds the keys that are absent.
    each: bool,
    #[serde(rename = "if")]
    conditions: BTreeMap<Path, Vec<Value>>,
    /// Takes all rules of another kind for what is at `at` there.
    #[serde(rename = "use")]
    used: Option<Used>,
}

#[derive(Debug, Clone, Deserialize)]
struct Used {
    kind: String,
    at: Path,
}

/// `spec.containers[].image`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
struct Path(Vec<Step>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    name: String,
    /// It is a list, and the path goes on in its elements.
    list: bool,
}

/// A value for a field, and which element of each list on the way it is in.
struct Write<'a> {
    rule: &'a Rule,
    at: Vec<usize>,
    value: Value,
}

/// Fills in the defaults of a kind.
pub(super) fn fill(api_version: &str, kind: &str, members: &mut Members) {
    let mut writes = Vec::new();
    let rules = TABLE.get(&format!("{api_version} {kind}"));
    for rule in rules.into_iter().flatten() {
        visit(members, &rule.within.0, &mut Vec::new(), &mut |at| {
            writes.extend(rule.value(members, at).map(|value| Write {
                rule,
                at: at.to_vec(),
                value,
            }));
        });
    }
    for Write { rule, at, value } in writes {
        let steps: Vec<&Step> = rule.within.0.iter().chain(&rule.set.0).collect();
        put(members, &steps, &at, rule, value);
    }
}

/// Calls `found` for each object at a path, with which element of each list it is in.
fn visit(members: &Members, steps: &[Step], at: &mut Vec<usize>, found: &mut impl FnMut(&[usize])) {
    let Some((step, rest)) = steps.split_first() else {
        return found(at);
    };
    match members.get(&step.name) {
        Some(Value::Object(members)) if !step.list => visit(members, rest, at, found),
        Some(Value::Array(items)) if step.list => {
            for (index, item) in items.iter().enumerate() {
                if let Value::Object(members) = item {
                    at.push(index);
                    visit(members, rest, at, found);
                    at.pop();
                }
            }
        }
        _ => {}
    }
}

/// The value of a field. Of lists that `at` says nothing of, the first element counts.
fn get<'a>(members: &'a Members, path: &Path, at: &[usize]) -> Option<&'a Value> {
    let (first, rest) = path.0.split_first()?;
    let (mut value, mut at) = (members.get(&first.name)?, at.iter());
    if first.list {
        value = value.get(at.next().unwrap_or(&0))?;
    }
    for step in rest {
        value = value.get(&step.name)?;
        if step.list {
            value = value.get(at.next().unwrap_or(&0))?;
        }
    }
    Some(value)
}

/// Whether Go has nothing there. A pointer to a zero is something.
fn is_absent(value: &Value, pointer: bool) -> bool {
    match value {
        Value::Null => true,
        _ if pointer => false,
        Value::Bool(value) => !value,
        Value::Number(value) => value.as_f64() == Some(0.0),
        Value::String(value) => value.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

/// Whether an image has no tag, or the tag `latest`.
fn is_latest(image: &str) -> bool {
    let last = image.rsplit('/').next().unwrap_or(image);
    let tag = last.split_once(':').map(|(_, tag)| tag);
    !last.contains('@') && matches!(tag, None | Some("latest"))
}

// === impl Rule ===

impl Rule {
    /// What to set in the object that `at` means, if anything.
    fn value(&self, members: &Members, at: &[usize]) -> Option<Value> {
        let mut conditions = self.conditions.iter();
        if !conditions.all(|(path, tokens)| {
            let value = get(members, path, at).unwrap_or(&Value::Null);
            tokens.iter().any(|token| matches(token, value))
        }) {
            return None;
        }
        if self.copy.0.is_empty() {
            return self.to.clone();
        }
        let value = get(members, &self.copy, at)?;
        (!is_absent(value, false)).then(|| value.clone())
    }

    /// The rule, which is about what is at `from`, for what is at `to.within` and `to.set`.
    fn moved(mut self, from: &Path, to: &Rule) -> Option<Self> {
        let whole = to.within.join(&to.set);
        if self.within.0.is_empty() {
            self.within = to.within.clone();
            self.set = to.set.join(&self.set.below(from)?);
        } else {
            self.within = whole.join(&self.within.below(from)?);
        }
        if !self.copy.0.is_empty() {
            self.copy = whole.join(&self.copy.below(from)?);
        }
        self.conditions = self
            .conditions
            .into_iter()
            .map(|(path, tokens)| Some((whole.join(&path.below(from)?), tokens)))
            .collect::<Option<_>>()?;
        Some(self)
    }
}

/// Whether a value is what a condition says: itself, nothing (null), or one of a class.
fn matches(token: &Value, value: &Value) -> bool {
    match (token.as_str(), value) {
        (Some("~any"), value) => !value.is_null(),
        (Some("~some"), value) => !is_absent(value, false),
        (Some("~latest"), Value::String(image)) => !image.is_empty() && is_latest(image),
        (Some("~tagged"), Value::String(image)) => !image.is_empty() && !is_latest(image),
        _ => token == value,
    }
}

/// Sets a field, and makes the objects on the way to it.
fn put(members: &mut Members, steps: &[&Step], at: &[usize], rule: &Rule, value: Value) {
    let Some((step, rest)) = steps.split_first() else {
        return;
    };
    let member = members.entry(&step.name).or_insert(Value::Null);
    if rest.is_empty() {
        match (member, value) {
            (Value::Object(known), Value::Object(added)) if rule.each => {
                for (key, value) in added {
                    known.entry(key).or_insert(value);
                }
            }
            (known, value) if is_absent(known, rule.pointer) => *known = value,
            _ => {}
        }
        return;
    }
    let (next, at) = match at.split_first() {
        Some((index, at)) if step.list => (member.get_mut(index), at),
        _ if member.is_null() => {
            *member = Value::Object(Map::new());
            (Some(member), at)
        }
        _ => (Some(member), at),
    };
    if let Some(Value::Object(members)) = next {
        put(members, rest, at, rule, value);
    }
}

// === impl Path ===

impl From<String> for Path {
    fn from(text: String) -> Self {
        let steps = text.split('.').filter(|step| !step.is_empty());
        Self(
            steps
                .map(|step| Step {
                    name: step.trim_end_matches("[]").to_owned(),
                    list: step.ends_with("[]"),
                })
                .collect(),
        )
    }
}

impl Path {
    fn join(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// The rest of a path that begins with `start`.
    fn below(&self, start: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(start.0.as_slice())?;
        Some(Self(rest.to_vec()))
    }
}

// === reading ===

/// A line of the table.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Kind { kind: String },
    Rule(Rule),
}

fn read(text: &str) -> HashMap<String, Vec<Rule>> {
    let mut table: HashMap<String, Vec<Rule>> = HashMap::new();
    let mut kind = String::new();
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(Line::Kind { kind: next }) => kind = next,
            Ok(Line::Rule(rule)) => table.entry(kind.clone()).or_default().push(rule),
            // A test sees that there is none.
            Err(_) => {}
        }
    }
    let shared = table.clone();
    for rules in table.values_mut() {
        let (using, mut own): (Vec<_>, Vec<_>) =
            rules.drain(..).partition(|rule| rule.used.is_some());
        for (rule, used) in using
            .iter()
            .filter_map(|rule| Some((rule, rule.used.as_ref()?)))
        {
            let rules = shared.get(&used.kind).into_iter().flatten();
            own.extend(rules.filter_map(|one| one.clone().moved(&used.at, rule)));
        }
        *rules = own;
    }
    table
}

#[cfg(test)]
mod tests;
