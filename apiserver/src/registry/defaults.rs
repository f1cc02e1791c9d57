//! The defaults of built-in kinds.
//!
//! `defaults.jsonl` is made by `apiserver/defaults`, which asks the functions of Kubernetes that fill
//! defaults in. It has a line for each kind, followed by the rules of that kind. A rule sets one field
//! where it is absent; its conditions are judged by the object as it was before any rule.
//!
//! The rules of a kind are a tree along the paths of the objects that they are about, so that one
//! walk through a document finds those that count.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::document::Members;

/// Read when an object is defaulted first.
static TABLE: LazyLock<HashMap<String, Node>> =
    LazyLock::new(|| read(include_str!("defaults.jsonl")));

/// The rules about an object, and those about the objects in its members.
#[derive(Debug, Default)]
struct Node {
    /// With their positions in the table: the first rule that sets a field wins.
    rules: Vec<(usize, Rule)>,
    below: Vec<(Step, Node)>,
}

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
    /// Set if the value is a list of one object, which has the copied value as this field.
    element: Option<String>,
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

/// A value for a field.
struct Write<'a> {
    position: usize,
    rule: &'a Rule,
    /// Index of the element in each list on the way.
    at: Vec<usize>,
    value: Value,
}

/// Fills in the defaults of a kind.
pub(super) fn fill(api_version: &str, kind: &str, members: &mut Members) {
    let Some(tree) = TABLE.get(&format!("{api_version} {kind}")) else {
        return;
    };
    let mut writes = Vec::new();
    tree.collect(members, members, &mut Vec::new(), &mut writes);
    writes.sort_by_key(|write| write.position);
    for Write {
        rule, at, value, ..
    } in writes
    {
        let steps: Vec<&Step> = rule.within.0.iter().chain(&rule.set.0).collect();
        put(members, &steps, &at, rule, value);
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

// === impl Node ===

impl Node {
    fn add(&mut self, position: usize, rule: Rule) {
        let mut node = self;
        for step in &rule.within.0 {
            let known = node.below.iter().position(|(known, _)| known == step);
            let index = known.unwrap_or(node.below.len());
            if known.is_none() {
                node.below.push((step.clone(), Self::default()));
            }
            let Some((_, next)) = node.below.get_mut(index) else {
                return;
            };
            node = next;
        }
        node.rules.push((position, rule));
    }

    /// Collects what the rules of this node and those below set in `object`, which is at `at` in
    /// `document`.
    fn collect<'a>(
        &'a self,
        document: &Members,
        object: &Members,
        at: &mut Vec<usize>,
        writes: &mut Vec<Write<'a>>,
    ) {
        for (position, rule) in &self.rules {
            let current = get(object, &rule.set, &[]);
            if current.is_some_and(|current| !rule.each && !is_absent(current, rule.pointer)) {
                continue;
            }
            writes.extend(rule.value(document, at).map(|value| Write {
                position: *position,
                rule,
                at: at.clone(),
                value,
            }));
        }
        for (step, node) in &self.below {
            match object.get(&step.name) {
                Some(Value::Object(object)) if !step.list => {
                    node.collect(document, object, at, writes);
                }
                Some(Value::Array(items)) if step.list => {
                    for (index, item) in items.iter().enumerate() {
                        if let Value::Object(object) = item {
                            at.push(index);
                            node.collect(document, object, at, writes);
                            at.pop();
                        }
                    }
                }
                _ => {}
            }
        }
    }
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
        (!is_absent(value, false)).then(|| match &self.element {
            Some(field) => json!([{ field: value }]),
            None => value.clone(),
        })
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
    if !members.contains_key(&step.name) {
        members.insert(step.name.clone(), Value::Null);
    }
    let Some(member) = members.get_mut(&step.name) else {
        return;
    };
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

fn read(text: &str) -> HashMap<String, Node> {
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
    let trees = table.iter().map(|(kind, rules)| {
        let (using, own): (Vec<_>, Vec<_>) = rules.iter().partition(|rule| rule.used.is_some());
        let used = using.into_iter().flat_map(|rule| {
            let used = rule.used.iter();
            used.flat_map(|used| {
                let shared = table.get(&used.kind).into_iter().flatten();
                shared.filter_map(|shared| shared.clone().moved(&used.at, rule))
            })
        });
        let mut tree = Node::default();
        for (position, rule) in own.into_iter().cloned().chain(used).enumerate() {
            tree.add(position, rule);
        }
        (kind.clone(), tree)
    });
    trees.collect()
}

#[cfg(test)]
mod tests;
