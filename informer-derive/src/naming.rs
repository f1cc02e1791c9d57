//! Names: plurals, accessors, identifiers, and what a misspelt one was meant to be.

use heck::ToSnakeCase;
use proc_macro2::{Ident, Span};

/// The plural that kube-derive gives a resource without `#[kube(plural = "...")]`.
///
/// The rule of kube-derive 5.0.0 (`to_plural` in `custom_resource/mod.rs`), letter by letter: the
/// request must go to the path that the CRD serves, so this is no place to know English better.
pub(crate) fn to_plural(singular: &str) -> String {
    let es = ["s", "x", "z", "ch", "sh"];
    if es.iter().any(|ending| singular.ends_with(ending)) {
        return format!("{singular}es");
    }
    if let Some(stem) = singular.strip_suffix('y')
        && let Some(before) = stem.chars().next_back()
        && !matches!(before, 'a' | 'e' | 'i' | 'o' | 'u')
    {
        return format!("{stem}ies");
    }
    format!("{singular}s")
}

/// The method of the factory for the resource `plural` of `kind`: `network_policies`.
///
/// A plural has no word breaks. Those of the kind are used as far as the two agree, and `-` is `_`.
pub(crate) fn accessor(kind: &str, plural: &str) -> String {
    let breaks = word_breaks(kind);
    let letters = kind.chars().filter(char::is_ascii_alphanumeric);
    let common = letters
        .zip(plural.chars().filter(|c| *c != '-'))
        .take_while(|(k, p)| k.to_ascii_lowercase() == *p)
        .count();

    let mut name = String::with_capacity(plural.len() + breaks.len());
    let mut position = 0;
    for c in plural.chars() {
        if c == '-' {
            push_break(&mut name);
            continue;
        }
        if position < common && breaks.contains(&position) {
            push_break(&mut name);
        }
        name.push(c);
        position += 1;
    }
    name
}

fn push_break(name: &mut String) {
    if !name.is_empty() && !name.ends_with('_') {
        name.push('_');
    }
}

/// Before which letters of `kind` a word starts.
fn word_breaks(kind: &str) -> Vec<usize> {
    let mut letters = 0;
    let mut breaks = Vec::new();
    for c in kind.to_snake_case().chars() {
        if c == '_' {
            breaks.push(letters);
        } else {
            letters += 1;
        }
    }
    breaks
}

/// The accessor of an index over `last`, the last segment of its path: `by_deployment_name`.
pub(crate) fn index_accessor(last: &str) -> String {
    format!("by_{}", snake(last))
}

/// The field of a type of k8s-openapi that JSON calls `json`, by k8s-openapi's rule.
///
/// Its few exceptions (`$ref`, `openAPIV3Schema`, `stubPKCS10Request`) are fields that are not there.
pub(crate) fn api_field(json: &str) -> String {
    let name = snake(json);
    if is_identifier(&name) && syn::parse_str::<Ident>(&name).is_err() {
        return format!("{name}_");
    }
    name
}

/// In snake case, with the plural of an abbreviation as one word: `hostIPs` is `host_ips`.
fn snake(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut letters = json.chars().peekable();
    let mut capitals = 0;
    while let Some(c) = letters.next() {
        let ends = letters.peek().is_none_or(char::is_ascii_uppercase);
        if c == 's' && capitals > 1 && ends {
            let lower = text.split_off(text.len() - (capitals - 1));
            text.push_str(&lower.to_ascii_lowercase());
        }
        capitals = if c.is_ascii_uppercase() {
            capitals + 1
        } else {
            0
        };
        text.push(c);
    }
    text.to_snake_case()
}

/// `name` as an identifier, escaped if Rust (of any edition) reserves it.
pub(crate) fn ident(name: &str, span: Span) -> Ident {
    if matches!(name, "self" | "super" | "crate" | "Self" | "_" | "") {
        return Ident::new(&format!("{name}_"), span);
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return Ident::new(&format!("_{name}"), span);
    }
    // syn refuses keywords; it does not know edition 2024's.
    if name == "gen" || syn::parse_str::<Ident>(name).is_err() {
        return Ident::new_raw(name, span);
    }
    Ident::new(name, span)
}

/// Whether `name` could be an identifier, apart from keywords.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name != "_"
}

/// The one of `known` that `word` was probably meant to be.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let plain = |s: &str| s.replace(['_', '-'], "").to_ascii_lowercase();
    let word = plain(word);
    known
        .into_iter()
        .map(|candidate| (edit_distance(&word, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters to insert, remove, replace or swap with the next (optimal string alignment).
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    let at = |table: &[Vec<usize>], i: usize, j: usize| {
        table
            .get(i)
            .and_then(|row| row.get(j))
            .copied()
            .unwrap_or_default()
    };
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = at(&table, i - 1, j - 1) + usize::from(a.get(i - 1) != b.get(j - 1));
            let removed = at(&table, i - 1, j) + 1;
            let inserted = row.last().copied().unwrap_or_default() + 1;
            let mut best = replaced.min(removed).min(inserted);
            if i > 1 && j > 1 && a.get(i - 1) == b.get(j - 2) && a.get(i - 2) == b.get(j - 1) {
                best = best.min(at(&table, i - 2, j - 2) + 1);
            }
            row.push(best);
        }
        table.push(row);
    }
    at(&table, a.len(), b.len())
}
