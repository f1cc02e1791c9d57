//! Suggestions for misspelt kinds ("did you mean ..").

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

/// Suggests a kind: one with the same name in another group or version, or else one with a name
/// similar to `wanted`.
pub(crate) fn kind<'a>(wanted: &Gvk, known: impl IntoIterator<Item = &'a Gvk>) -> Suggestion {
    let known: Vec<&Gvk> = known.into_iter().collect();
    let namesake = known
        .iter()
        .find(|gvk| gvk.kind.eq_ignore_ascii_case(&wanted.kind));
    match namesake {
        Some(gvk) => Suggestion(Some(gvk.to_string())),
        None => nearest(&wanted.to_string(), known.iter().map(ToString::to_string)),
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
