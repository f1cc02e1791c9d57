//! Templates of objects, written in YAML.
//!
//! A template has parts, as if its managers had applied them one after the other; each with a
//! manager gets an entry in `managedFields`. It is expanded into a number of variants, each with
//! other words, counts and lengths; the objects of a variant differ in what [`Values`] fills in.
//!
//! | in a template | stands for |
//! |---|---|
//! | `$repeat KEY LEAST MOST: x` | x, several times; `$#$` in it is its number |
//! | `$join KEY LEAST MOST: text` | the text, several times without a separator |
//! | `$maybe KEY PERCENT: x` | x, or nothing |
//! | `$pick KEY: [x, y]` | one of them |
//! | `$state: [x, y]` | one of them, by the state of the object; the last one for later states |
//! | `$word:KEY$`, `$WORD:KEY$` | a word |
//! | `$number:KEY:1-9$`, `$hex:KEY:40$`, `$one:KEY:a\|b$` | a number, digits, one of the texts |
//!
//! The same key makes the same choice everywhere in a variant, a `#` in a key one choice for each
//! number of the repeated parts around it, an empty key a choice of its own.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use kube::core::{ApiResource, GroupVersionKind};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fields;
use super::random::Random;
use super::values::Values;
use crate::Result;

/// Scale of the counts of a variant in percent, by its size. Few variants are large.
const SIZES: [usize; 10] = [20, 25, 30, 35, 40, 50, 60, 75, 100, 170];

const WORDS: &str = include_str!("../../templates/words.txt");

pub(super) type Map = IndexMap<String, Node>;

/// Value whose members keep their order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Node {
    Map(Map),
    List(Vec<Node>),
    Text(String),
    Other(Value),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Template {
    api_version: String,
    kind: String,
    plural: String,
    /// Number of variants to expand.
    variants: usize,
    parts: Vec<Part>,
    /// JSON text of variants in states, from the first object on that has it.
    #[serde(skip)]
    texts: Mutex<HashMap<(usize, usize), Arc<str>>>,
}

/// Fields that one manager set, or that nobody owns.
#[derive(Debug, Deserialize)]
struct Part {
    manager: Option<String>,
    time: Option<String>,
    subresource: Option<String>,
    fields: Map,
}

// === impl Template ===

impl Template {
    pub(super) fn parse(yaml: &str) -> Result<Self> {
        Ok(serde_saphyr::from_str(yaml)?)
    }

    pub(super) fn resource(&self) -> ApiResource {
        let (group, version) = self
            .api_version
            .split_once('/')
            .unwrap_or(("", &self.api_version));
        let kind = GroupVersionKind::gvk(group, version, &self.kind);
        ApiResource::from_gvk_with_plural(&kind, &self.plural)
    }

    /// Returns the JSON of an object after its opening brace, without kind and apiVersion.
    pub(super) fn members(&self, values: &Values) -> String {
        let key = (values.variant(self.variants), values.state());
        let mut texts = self.texts.lock();
        let text = texts.entry(key).or_insert_with(|| self.text(key));
        let text = Arc::clone(text);
        drop(texts);
        fill(&text, |name| values.get(name))
    }

    fn text(&self, (variant, state): (usize, usize)) -> Arc<str> {
        let mut random = Random::of("variant", variant);
        let mut variant = Variant {
            number: variant,
            size: random.pick(&SIZES),
            state,
            at: String::new(),
            random,
        };
        let (mut object, mut managed) = (Map::new(), Vec::new());
        for part in &self.parts {
            let fields = variant.members(&part.fields);
            if let Some(manager) = &part.manager {
                let subresource = part.subresource.as_deref();
                let time = part.time.as_deref().unwrap_or_default();
                let owner = variant.text(manager);
                managed.push(fields::entry(
                    owner,
                    &self.api_version,
                    time,
                    subresource,
                    &fields,
                ));
            }
            merge(&mut object, fields);
        }
        if let Some(Node::Map(metadata)) = object.get_mut("metadata")
            && !managed.is_empty()
        {
            metadata.insert("managedFields".to_owned(), Node::List(managed));
        }
        let json = serde_json::to_string(&object).unwrap_or_default();
        // The number of restarts is a number, and its placeholder a string.
        let json = json.replace(r#""$restarts$""#, "$restarts$");
        json.trim_start_matches('{').into()
    }
}

/// Choices of one variant.
struct Variant {
    number: usize,
    size: usize,
    state: usize,
    /// Numbers of the repeated parts around the current one.
    at: String,
    /// Choices without a key.
    random: Random,
}

// === impl Variant ===

impl Variant {
    fn members(&mut self, map: &Map) -> Map {
        let mut out = Map::new();
        for (key, value) in map {
            if let Some(nodes) = self.directive(key, value) {
                for node in nodes {
                    if let Node::Map(members) = node {
                        merge(&mut out, members);
                    }
                }
            } else if let Some(value) = self.expand(value).into_iter().reduce(joined) {
                out.insert(self.text(key), value);
            }
        }
        out
    }

    /// Returns what stands for a node: none, one or several.
    fn expand(&mut self, node: &Node) -> Vec<Node> {
        match node {
            Node::Map(map) => {
                let only = map.first().filter(|_| map.len() == 1);
                let directed = only.and_then(|(key, value)| self.directive(key, value));
                directed.unwrap_or_else(|| vec![Node::Map(self.members(map))])
            }
            Node::List(items) => vec![Node::List(
                items.iter().flat_map(|item| self.expand(item)).collect(),
            )],
            Node::Text(text) => {
                let is_number = text.starts_with("$number:") && text.matches('$').count() == 2;
                let text = self.text(text);
                vec![match text.parse::<u64>() {
                    Ok(number) if is_number => Node::Other(number.into()),
                    _ => Node::Text(text),
                }]
            }
            Node::Other(_) => vec![node.clone()],
        }
    }

    /// Follows a directive. Returns `None` if the key is none.
    fn directive(&mut self, key: &str, body: &Node) -> Option<Vec<Node>> {
        let mut words = key.split(' ');
        let directive = words.next().unwrap_or_default();
        let key = words.next().unwrap_or_default();
        let mut number = || {
            words
                .next()
                .and_then(|word| word.parse().ok())
                .unwrap_or_default()
        };
        let items: &[Node] = if let Node::List(items) = body {
            items
        } else {
            &[]
        };
        let item = match directive {
            "$repeat" | "$join" => {
                let (least, most): (usize, usize) = (number(), number());
                let more = most.saturating_sub(least) * self.size / 100;
                let count = least + self.choice(key).below(more + 1);
                let all = self.repeat(count, body);
                let text = |node: &Node| match node {
                    Node::Text(text) => text.clone(),
                    Node::Map(_) | Node::List(_) | Node::Other(_) => String::new(),
                };
                return Some(match directive {
                    "$join" => vec![Node::Text(all.iter().map(text).collect())],
                    _ => all,
                });
            }
            "$maybe" => {
                let is_chosen = self.choice(key).chance(number());
                return Some(if is_chosen {
                    self.expand(body)
                } else {
                    Vec::new()
                });
            }
            "$pick" => items.get(self.choice(key).below(items.len())),
            "$state" => items.get(self.state).or(items.last()),
            _ => return None,
        };
        Some(item.map(|item| self.expand(item)).unwrap_or_default())
    }

    fn repeat(&mut self, count: usize, body: &Node) -> Vec<Node> {
        let around = self.at.len();
        let mut all = Vec::new();
        for number in 0..count {
            let _ = write!(self.at, ".{number}");
            all.append(&mut self.expand(body));
            self.at.truncate(around);
        }
        all
    }

    /// Returns the random numbers of a choice.
    fn choice(&mut self, key: &str) -> Random {
        if key.is_empty() {
            return Random::new(self.random.below(usize::MAX) as u64);
        }
        Random::of(&key.replace('#', &self.at), self.number)
    }

    /// Replaces the placeholders of this variant.
    fn text(&mut self, text: &str) -> String {
        fill(text, |placeholder| {
            let mut parts = placeholder.splitn(3, ':');
            let mut next = || parts.next().unwrap_or_default();
            let (kind, key, argument) = (next(), next(), next());
            let around = self.at.rsplit('.').next().unwrap_or_default();
            match kind {
                // A value of the object: `$number$`, `$id:3$`.
                _ if !placeholder.contains(':') && placeholder != "#" => format!("${placeholder}$"),
                "#" => around.to_owned(),
                "word" => word(&mut self.choice(key)).to_owned(),
                "WORD" => word(&mut self.choice(key)).to_uppercase(),
                "hex" => self.choice(key).hex(argument.parse().unwrap_or(8)),
                "number" => {
                    let (least, most) = argument.split_once('-').unwrap_or(("0", argument));
                    let [least, most] = [least, most].map(|text| text.parse().unwrap_or(0));
                    self.choice(key).between(least, most).to_string()
                }
                "one" => {
                    let texts: Vec<&str> = argument.split('|').collect();
                    self.choice(key).pick(&texts).to_owned()
                }
                _ => format!("${placeholder}$"),
            }
        })
    }
}

/// Replaces the placeholders of a text.
fn fill(text: &str, mut value: impl FnMut(&str) -> String) -> String {
    let parts = text.split('$').enumerate();
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => part.to_owned(),
        _ => value(part),
    };
    parts.map(part).collect()
}

/// Returns a word.
pub(super) fn word(random: &mut Random) -> &'static str {
    static ALL: OnceLock<Vec<&'static str>> = OnceLock::new();
    random.pick(ALL.get_or_init(|| WORDS.split_whitespace().collect()))
}

/// Adds members, and the items of lists.
fn merge(into: &mut Map, from: Map) {
    for (key, value) in from {
        match into.get_mut(&key) {
            Some(member) => {
                let before = std::mem::replace(member, Node::Other(Value::Null));
                *member = joined(before, value);
            }
            None => {
                into.insert(key, value);
            }
        }
    }
}

fn joined(into: Node, from: Node) -> Node {
    match (into, from) {
        (Node::Map(mut into), Node::Map(from)) => {
            merge(&mut into, from);
            Node::Map(into)
        }
        (Node::List(mut into), Node::List(from)) => {
            into.extend(from);
            Node::List(into)
        }
        (_, from) => from,
    }
}
