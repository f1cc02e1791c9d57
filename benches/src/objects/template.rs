//! Templates of objects: Jinja that renders YAML.
//!
//! A template has parts, as if its managers had applied them one after the other; each with a
//! manager gets an entry in `managedFields`. It is rendered into a number of variants, each with
//! other words, counts and lengths; the objects of a variant differ in what [`Values`] fills in.
//!
//! | in a template | stands for |
//! |---|---|
//! | `some(key, least, most)` | the numbers of a loop, of a random length |
//! | `below(key, limit)` | a number |
//! | `state` | the number of the object's state |
//! | `$word:KEY$`, `$WORD:KEY$` | a word |
//! | `$number:KEY:1-9$`, `$hex:KEY:40$`, `$one:KEY:a\|b$` | a number, digits, one of the texts |
//!
//! The same key makes the same choice everywhere in a variant, the empty key of a placeholder a
//! choice of its own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::LazyLock;

use indexmap::IndexMap;
use kube::core::ApiResource;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fields::set_of;
use super::random::Random;
use super::values::Values;
use crate::Result;

/// Scale of the counts of a variant in percent, by its size. Few variants are large.
const SIZES: [usize; 10] = [20, 25, 30, 35, 40, 50, 60, 75, 100, 170];

pub(super) static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    include_str!("../../templates/words.txt")
        .split_whitespace()
        .collect()
});

pub(super) type Map = IndexMap<String, Node>;

/// Value whose members keep their order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Node {
    Map(Map),
    List(Vec<Node>),
    Other(Value),
}

#[derive(Debug)]
pub(super) struct Template {
    source: &'static str,
    /// The first variant, whose kind and number of variants are those of all.
    pub(super) first: Rendered,
    /// JSON text of variants in states, from the first object on that has it.
    texts: Mutex<HashMap<(usize, usize), String>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Rendered {
    pub(super) resource: ApiResource,
    /// Number of variants.
    variants: usize,
    parts: Vec<Part>,
}

/// Fields that one manager set, or that nobody owns.
#[derive(Debug, Deserialize)]
struct Part {
    /// Entry of `managedFields`, without the fields.
    manager: Option<Map>,
    fields: Map,
}

// === impl Template ===

impl Template {
    pub(super) fn parse(source: &'static str) -> Result<Self> {
        Ok(Self {
            source,
            first: render(0, 0, source)?,
            texts: Mutex::default(),
        })
    }

    /// Returns the JSON of an object after its opening brace, without kind and apiVersion.
    pub(super) fn members(&self, values: &Values) -> Result<String> {
        let variant = values.variant(self.first.variants);
        let state = values.state();
        let mut texts = self.texts.lock();
        let text = match texts.entry((variant, state)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(self.text(variant, state)?),
        };
        Ok(fill(text, |_, name| values.get(name)))
    }

    fn text(&self, variant: usize, state: usize) -> Result<String> {
        let mut object = Map::new();
        let mut managed = Vec::new();
        for part in render(variant, state, self.source)?.parts {
            if let Some(mut entry) = part.manager {
                let fields = Node::Map(part.fields.clone());
                let set = set_of("", &fields);
                entry.insert("fieldsV1".to_owned(), set);
                managed.push(Node::Map(entry));
            }
            merge(&mut object, part.fields);
        }
        if let Some(Node::Map(metadata)) = object.get_mut("metadata")
            && !managed.is_empty()
        {
            metadata.insert("managedFields".to_owned(), Node::List(managed));
        }
        // The number of restarts is a number, and its placeholder a string.
        let json = serde_json::to_string(&object)?
            .trim_start_matches('{')
            .replace(r#""$restarts$""#, "$restarts$");
        Ok(json)
    }
}

/// Renders a variant in a state.
fn render(variant: usize, state: usize, source: &str) -> Result<Rendered> {
    let syntax = SyntaxConfig::builder().trim_blocks(true).build()?;
    let mut environment = Environment::new();
    environment.set_syntax(syntax);
    environment.add_function("some", move |key: &str, least: usize, most: usize| {
        let size = Random::of("variant", variant).pick(&SIZES);
        let more = most.saturating_sub(least) * size / 100;
        let mut random = Random::of(key, variant);
        let count = least + random.below(more + 1);
        (0..count).collect::<Vec<_>>()
    });
    environment.add_function("below", move |key: &str, limit: usize| {
        let mut random = Random::of(key, variant);
        random.below(limit)
    });
    let rendered = environment.render_str(source, context! { state })?;
    let yaml = fill(&rendered, |at, placeholder| {
        chosen(variant, at, placeholder)
    });
    serde_saphyr::from_str(&yaml).map_err(|error| format!("{error} in:\n{yaml}").into())
}

/// Returns the value of the placeholder `at` of a variant, which is itself if each object has its
/// own.
fn chosen(variant: usize, at: usize, placeholder: &str) -> String {
    let (kind, rest) = placeholder.split_once(':').unwrap_or_default();
    let (key, argument) = rest.split_once(':').unwrap_or((rest, ""));
    let mut random = match key {
        "" => Random::of("unkeyed", variant << 16 | at),
        key => Random::of(key, variant),
    };
    match kind {
        "word" => random.pick(&WORDS).to_owned(),
        "WORD" => random.pick(&WORDS).to_uppercase(),
        "hex" => {
            let digits = argument.parse().unwrap_or(8);
            random.hex(digits)
        }
        "number" => {
            let (from, to) = argument.split_once('-').unwrap_or(("0", argument));
            let least: usize = from.parse().unwrap_or_default();
            let most: usize = to.parse().unwrap_or_default();
            let number = least + random.below(most - least + 1);
            number.to_string()
        }
        "one" => {
            let texts: Vec<&str> = argument.split('|').collect();
            random.pick(&texts).to_owned()
        }
        _ => format!("${placeholder}$"),
    }
}

/// Replaces the placeholders of a text. Each has a number.
fn fill<F>(text: &str, value: F) -> String
where
    F: Fn(usize, &str) -> String,
{
    let mut filled = String::with_capacity(text.len());
    for (at, part) in text.split('$').enumerate() {
        if at % 2 == 0 {
            filled.push_str(part);
        } else {
            filled.push_str(&value(at, part));
        }
    }
    filled
}

/// Adds members, and the items of lists.
fn merge(into: &mut Map, from: Map) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Node::Map(members)), Node::Map(more)) => merge(members, more),
            (Some(Node::List(items)), Node::List(more)) => items.extend(more),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}
