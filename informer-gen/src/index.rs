//! Which indices are asked for, and which field each reads.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::error::{Error, OptionName};
use crate::ir::Gvk;

/// An index over a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Index {
    /// The path as the user wrote it; also the name of the index.
    pub(crate) path: String,
    pub(crate) field: Field,
}

/// What an index reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// `metadata.labels['key']`
    Label(String),
    /// `metadata.annotations['key']`
    Annotation(String),
    /// `spec.nodeName`, by its words.
    Words(Vec<String>),
}

/// All indices by kind, in the order of the options.
pub(crate) fn by_kind(config: &Config) -> Result<BTreeMap<Gvk, Vec<Index>>, Error> {
    let mut indices: BTreeMap<Gvk, Vec<Index>> = BTreeMap::new();
    for pair in &config.index {
        let gvk = Gvk::parse(&pair.key).ok_or_else(|| {
            OptionName::Index.refuse(
                &pair.key,
                "is not a kind such as `apps/v1/Deployment` or `v1/Pod`",
            )
        })?;
        let index = Index::parse(&pair.value)?;
        let of_kind = indices.entry(gvk).or_default();
        if !of_kind.contains(&index) {
            of_kind.push(index);
        }
    }
    for of_kind in indices.values_mut() {
        of_kind.sort_by(|one, other| one.path.cmp(&other.path));
    }
    Ok(indices)
}

// === impl Index ===

impl Index {
    fn parse(path: &str) -> Result<Self, Error> {
        let field = Field::parse(path).ok_or_else(|| {
            let reason = "is neither `metadata.labels['key']`, `metadata.annotations['key']` nor \
                          a path with dots such as `spec.nodeName`; for anything else, call \
                          `add_index` on the informer";
            OptionName::Index.refuse(path, reason)
        })?;
        Ok(Self {
            path: path.to_owned(),
            field,
        })
    }

    /// The last word, after which the accessor is named.
    pub(crate) fn last_word(&self) -> &str {
        match &self.field {
            Field::Label(key) | Field::Annotation(key) => key,
            Field::Words(words) => words.last().map_or("", String::as_str),
        }
    }
}

// === impl Field ===

impl Field {
    fn parse(path: &str) -> Option<Self> {
        if let Some((map, key)) = path.strip_suffix(']').and_then(|path| path.split_once('[')) {
            let key = quoted(key)?.to_owned();
            return match map {
                "metadata.labels" => Some(Self::Label(key)),
                "metadata.annotations" => Some(Self::Annotation(key)),
                _ => None,
            };
        }
        let words: Vec<String> = path.split('.').map(str::to_owned).collect();
        words
            .iter()
            .all(|word| is_word(word))
            .then_some(Self::Words(words))
    }
}

/// The text between single or double quotes, if it can be the key of a label.
fn quoted(text: &str) -> Option<&str> {
    let inner = ['\'', '"'].iter().find_map(|&quote| {
        let text = text.strip_prefix(quote)?;
        text.strip_suffix(quote)
    })?;
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    let has_word = inner.contains(|letter: char| letter.is_ascii_alphanumeric());
    (has_word && inner.chars().all(allowed)).then_some(inner)
}

fn is_word(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_labels_annotations_or_words() {
        let words = |words: &[&str]| Field::Words(words.iter().map(|&w| w.to_owned()).collect());
        for (path, field) in [
            ("metadata.labels['app']", Field::Label("app".to_owned())),
            (
                "metadata.labels[\"a.b/c\"]",
                Field::Label("a.b/c".to_owned()),
            ),
            (
                "metadata.annotations['x']",
                Field::Annotation("x".to_owned()),
            ),
            ("metadata.name", words(&["metadata", "name"])),
            ("spec.nodeName", words(&["spec", "nodeName"])),
            ("spec.pod_cidrs", words(&["spec", "pod_cidrs"])),
        ] {
            assert_eq!(Index::parse(path).unwrap().field, field, "{path}");
        }
    }

    #[test]
    fn other_paths_are_refused_with_the_way_out() {
        for path in [
            "",
            ".",
            "spec.",
            "spec..x",
            "spec.containers[*].image",
            "spec.selector['app']",
            "metadata.labels[app]",
            "metadata.labels['']",
            "metadata.labels['app'",
            "metadata.labels['a\\'b']",
            "{.spec}",
        ] {
            let error = Index::parse(path).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!(".index(..) / --index: `{path}` is neither")),
                "{error}"
            );
            assert!(
                error.ends_with("call `add_index` on the informer"),
                "{error}"
            );
        }
    }
}
