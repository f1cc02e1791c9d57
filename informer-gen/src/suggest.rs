//! Kinds by their names, and suggestions for misspelt ones ("did you mean ..").

use std::collections::BTreeMap;
use std::fmt;

use informer_codegen::suggest;

use crate::gvk::Gvk;

/// Kind that a name may mean, and its plural.
pub(crate) type KnownKind<'a> = (Gvk, Option<&'a str>);

/// Suggested name. Displays as the end of a sentence.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Suggestion(pub(crate) Option<String>);

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(name) => write!(f, ", did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

/// Returns the kind that `name` means: `example.com/v1/Foo`, or `Foo` if only one kind has the name.
///
/// # Errors
///
/// Returns the candidates, or `unknown` and a suggestion, as the end of a sentence.
pub(crate) fn find<'a>(
    name: &str,
    known: impl IntoIterator<Item = KnownKind<'a>>,
    unknown: &str,
) -> Result<Gvk, String> {
    // A kind that is known twice is one candidate.
    let plurals: BTreeMap<Gvk, Option<&str>> = known.into_iter().collect();
    let candidates: Vec<&Gvk> = plurals.keys().filter(|gvk| gvk.is_named(name)).collect();
    match candidates.as_slice() {
        [] => Err(format!("{unknown}{}", kind_or_plural(name, plurals))),
        [only] => Ok((*only).clone()),
        several => {
            let names = list(several.iter().copied());
            Err(format!("is ambiguous, write one of: {names}"))
        }
    }
}

/// Suggests a kind for a text: one with the text as its kind or plural, or else one with a similar
/// name.
pub(crate) fn kind_or_plural<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = KnownKind<'a>>,
) -> Suggestion {
    let last = wanted.rsplit('/').next().unwrap_or_default();
    let is_meant = |name: &str| name.eq_ignore_ascii_case(last);
    let mut names: Vec<KindName> = Vec::new();
    for (gvk, plural) in known {
        let full_name = gvk.to_string();
        if is_meant(&gvk.kind) || plural.is_some_and(is_meant) {
            return Suggestion(Some(full_name));
        }
        let mut add = |name: &str| {
            names.push(KindName {
                name: name.to_owned(),
                full_name: full_name.clone(),
            });
        };
        add(&gvk.kind);
        if let Some(plural) = plural {
            add(plural);
        }
        add(&full_name);
    }
    let texts = names.iter().map(|known| known.name.as_str());
    let nearest = suggest::nearest(wanted, texts);
    let meant = names
        .iter()
        .find(|known| Some(known.name.as_str()) == nearest);
    Suggestion(meant.map(|known| known.full_name.clone()))
}

/// Name that a kind may have in a text.
struct KindName {
    name: String,
    /// Kind with its group and version.
    full_name: String,
}

/// Suggests the name that is most similar to `wanted`.
pub(crate) fn nearest(wanted: &str, known: impl IntoIterator<Item = String>) -> Suggestion {
    let names: Vec<String> = known.into_iter().collect();
    let texts = names.iter().map(String::as_str);
    Suggestion(suggest::nearest(wanted, texts).map(str::to_owned))
}

/// Lists kinds by their full names.
pub(crate) fn list<'a>(kinds: impl IntoIterator<Item = &'a Gvk>) -> String {
    let names: Vec<String> = kinds.into_iter().map(|gvk| format!("`{gvk}`")).collect();
    names.join(", ")
}

/// Lists the first `limit` names, and the number of the others.
pub(crate) fn some_of(names: impl ExactSizeIterator<Item = String>, limit: usize) -> String {
    let others = names.len().saturating_sub(limit);
    let list = names.take(limit).collect::<Vec<_>>().join(", ");
    match others {
        0 => list,
        count => format!("{list} and {count} more"),
    }
}

#[cfg(test)]
mod tests;
