//! Proposes names that resolve collisions, for the settings in messages.

use std::collections::BTreeSet;

use informer_codegen::names;

use crate::config::{KindOf, Pair};

/// Proposes a name for each of `groups`, whose default names collide. `taken` has the names of
/// other groups.
///
/// The group of Kubernetes itself keeps the default, and its experimental counterpart (`x-k8s.io`)
/// gets the suffix `_x`. The other groups use as many labels as necessary.
pub(super) fn groups(groups: &[&str], taken: &BTreeSet<String>) -> Vec<Pair> {
    let mut given = taken.clone();
    let mut pairs = Vec::new();
    for &group in groups {
        if group.is_empty() {
            continue;
        }
        for name in candidates(group, groups) {
            if names::is_maker_method(&name) || given.contains(&name) {
                continue;
            }
            if syn::parse_str::<syn::Ident>(&name).is_err() {
                continue;
            }
            pairs.push(Pair::new(group, &name));
            given.insert(name);
            break;
        }
    }
    pairs
}

/// Returns names for a group, the best first.
fn candidates(group: &str, groups: &[&str]) -> impl Iterator<Item = String> {
    let mut words = group.split('.').map(names::label_words);
    let label = words.next().unwrap_or_default();
    let mut candidates = Vec::new();
    if group.ends_with(".x-k8s.io") {
        candidates.push(format!("{label}_x"));
    } else if keeps_default(group, groups) {
        candidates.push(label.clone());
    }
    let mut longer = label.clone();
    for word in words {
        longer = format!("{longer}_{word}");
        candidates.push(longer.clone());
    }
    let numbered = (2..).map(move |number| format!("{label}_{number}"));
    candidates.into_iter().chain(numbered)
}

/// Reports whether `group` is the only one of Kubernetes itself.
fn keeps_default(group: &str, groups: &[&str]) -> bool {
    let mut own = Vec::new();
    for group in groups {
        if group.ends_with(".k8s.io") || !group.contains('.') {
            own.push(*group);
        }
    }
    own == [group]
}

/// Proposes declarations with other names for all of `kinds` but the first, which keeps `name`.
pub(super) fn numbered(key: &str, name: &str, kinds: &[String], separator: &str) -> Vec<KindOf> {
    let stem = name.trim_start_matches("r#");
    let mut declarations = Vec::new();
    for (kind, number) in kinds.iter().skip(1).zip(2..) {
        let declaration = format!("{key} = \"{stem}{separator}{number}\"");
        declarations.push(KindOf::new(kind, &declaration));
    }
    declarations
}
