//! [`Speller`]: generates different spellings of one document.

use std::hash::{DefaultHasher, Hash, Hasher};

use fastrand::Rng;
use serde_json::Value;

/// Spells JSON with random white space, escapes, and order of members.
pub(crate) struct Speller(Rng);

// === impl Speller ===

impl Speller {
    /// Creates a speller that is deterministic for the input.
    pub(crate) fn for_input(input: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        Self(Rng::with_seed(hasher.finish()))
    }

    fn space(&mut self) -> &'static str {
        self.0
            .choice(["", " ", "", "\r\n", "", "\t"])
            .unwrap_or_default()
    }

    pub(crate) fn value(&mut self, value: &Value) -> String {
        match value {
            Value::Array(elements) => {
                let elements: Vec<_> = elements.iter().map(|element| self.value(element)).collect();
                self.array(&elements)
            }
            Value::Object(members) => {
                let members = members.iter();
                let members = members
                    .map(|(key, value)| (key.clone(), self.value(value)))
                    .collect();
                self.object(members)
            }
            Value::String(text) => self.text(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        }
    }

    fn array(&mut self, elements: &[String]) -> String {
        self.join('[', ']', elements)
    }

    fn object(&mut self, mut members: Vec<(String, String)>) -> String {
        self.0.shuffle(&mut members);
        let members = members.into_iter();
        let members: Vec<_> = members
            .map(|(key, value)| {
                let key = self.text(&key);
                format!("{key}{}:{}{value}", self.space(), self.space())
            })
            .collect();
        self.join('{', '}', &members)
    }

    fn join(&mut self, open: char, close: char, parts: &[String]) -> String {
        let mut text = String::from(open);
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text = text + self.space() + part + self.space();
        }
        text + self.space() + &close.to_string()
    }

    fn text(&mut self, text: &str) -> String {
        if self.0.usize(..4) > 0 {
            return Value::from(text).to_string();
        }
        let units = text.encode_utf16();
        let escaped: Vec<_> = units.map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{}\"", escaped.concat())
    }

    /// Splits a text into frames, some of which are empty.
    pub(crate) fn frames<'a>(&mut self, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let longest = self.0.choice([1, 3, 40, 400]).unwrap_or(1);
        let mut frames = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (frame, tail) = rest.split_at(self.0.usize(..=longest).min(rest.len()));
            frames.push(frame);
            rest = tail;
        }
        frames
    }
}
