//! Proposes names that resolve collisions, for the settings in messages.

use std::collections::BTreeSet;

use informer_codegen::names;

/// Proposes a name for each of `groups`, whose default names collide. `taken` has the names of
/// other groups.
///
/// The group of Kubernetes itself keeps the default, and its experimental counterpart (`x-k8s.io`)
/// gets the suffix `_x`. The other groups use as many labels as necessary.
pub(super) fn groups(groups: &[&str], taken: &BTreeSet<String>) -> Vec<(String, String)> {
    let mut given = taken.clone();
    let mut pairs = Vec::new();
    for &group in groups.iter().filter(|group| !group.is_empty()) {
        let name = candidates(group, groups).find(|name| {
            let is_free = !names::is_maker_method(name) && !given.contains(name);
            is_free && syn::parse_str::<syn::Ident>(name).is_ok()
        });
        if let Some(name) = name {
            given.insert(name.clone());
            pairs.push((group.to_owned(), name));
        }
    }
    pairs
}

fn candidates(group: &str, groups: &[&str]) -> impl Iterator<Item = String> {
    let words: Vec<String> = group.split('.').map(names::label_words).collect();
    let label = words.first().cloned().unwrap_or_default();
    let is_own = |group: &str| group.ends_with(".k8s.io") || !group.contains('.');
    let is_only_own = is_own(group) && groups.iter().filter(|other| is_own(other)).count() == 1;
    let keeps = is_only_own && !groups.contains(&"");
    let first = if group.ends_with(".x-k8s.io") {
        Some(format!("{label}_x"))
    } else {
        keeps.then(|| label.clone())
    };
    let longer = (2..=words.len()).map(move |count| {
        words
            .iter()
            .take(count)
            .cloned()
            .collect::<Vec<_>>()
            .join("_")
    });
    let numbered = (2..).map(move |number| format!("{label}_{number}"));
    first.into_iter().chain(longer).chain(numbered)
}

/// Proposes declarations with other names for all of `keys` but the first, which keeps `name`.
pub(super) fn numbered(
    key: &str,
    name: &str,
    keys: &[String],
    separator: &str,
) -> Vec<(String, String)> {
    let name = name.trim_start_matches("r#");
    let others = keys.iter().skip(1).zip(2..);
    others
        .map(|(kind, number)| {
            let declaration = format!("{key} = \"{name}{separator}{number}\"");
            (kind.clone(), declaration)
        })
        .collect()
}
