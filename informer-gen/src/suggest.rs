//! Kinds by their names, and suggestions for misspelt ones ("did you mean ..").

use std::collections::BTreeMap;
use std::fmt;

use informer_codegen::suggest;

use crate::gvk::Gvk;

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
    known: impl IntoIterator<Item = (Gvk, Option<&'a str>)>,
    unknown: &str,
) -> Result<Gvk, String> {
    let known: BTreeMap<Gvk, Option<&str>> = known.into_iter().collect();
    let whole = Gvk::parse(name);
    let is_meant = |gvk: &&Gvk| {
        whole
            .as_ref()
            .map_or(gvk.kind == name, |whole| whole == *gvk)
    };
    match *known.keys().filter(is_meant).collect::<Vec<_>>() {
        [only] => Ok(only.clone()),
        [] => Err(format!("{unknown}{}", kind_or_plural(name, known))),
        ref several => {
            let names: Vec<String> = several.iter().map(|gvk| format!("`{gvk}`")).collect();
            Err(format!("is ambiguous, write one of: {}", names.join(", ")))
        }
    }
}

/// Suggests a kind for a text: one with the text as its kind or plural, or else one with a similar
/// name.
pub(crate) fn kind_or_plural<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = (Gvk, Option<&'a str>)>,
) -> Suggestion {
    let known: Vec<_> = known.into_iter().collect();
    let last = wanted.rsplit('/').next().unwrap_or_default();
    let namesake = known.iter().find(|(gvk, plural)| {
        let is_plural = plural.is_some_and(|plural| plural.eq_ignore_ascii_case(last));
        is_plural || gvk.kind.eq_ignore_ascii_case(last)
    });
    if let Some((gvk, _)) = namesake {
        return Suggestion(Some(gvk.to_string()));
    }
    let names = known.iter().flat_map(|(gvk, plural)| {
        let short = [gvk.kind.as_str()].into_iter().chain(*plural);
        let short = short.map(move |name| (name.to_owned(), gvk));
        short.chain([(gvk.to_string(), gvk)])
    });
    let names: Vec<(String, &Gvk)> = names.collect();
    let meant = suggest::nearest(wanted, names.iter().map(|(name, _)| name.as_str()));
    let meant = names.iter().find(|(name, _)| meant == Some(name));
    Suggestion(meant.map(|(_, gvk)| gvk.to_string()))
}

/// Suggests the name that is most similar to `wanted`.
pub(crate) fn nearest(wanted: &str, known: impl IntoIterator<Item = String>) -> Suggestion {
    let known: Vec<String> = known.into_iter().collect();
    let meant = suggest::nearest(wanted, known.iter().map(String::as_str));
    Suggestion(meant.map(str::to_owned))
}

#[cfg(test)]
mod tests;
