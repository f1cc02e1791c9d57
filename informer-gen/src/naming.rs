//! How names of the API become Rust identifiers.
//!
//! Nothing is ever pluralised: an accessor is the plural that the API declares, with the word
//! breaks that the kind shows. A name that Rust reserves is written raw (`r#type`), or with an
//! underscore where raw is not allowed (`self_`).

use heck::ToSnakeCase;
use proc_macro2::{Ident, Span};

/// Reserved in some edition; may be written raw.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static",
    "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// Reserved, and not allowed raw, or better not written raw.
const PATH_KEYWORDS: &[&str] = &["Self", "_", "crate", "extern", "self", "super"];

/// Methods of the factory, which would hide a group's accessor of the same name.
const FACTORY_METHODS: &[&str] = &[
    "borrow",
    "borrow_mut",
    "builder",
    "client",
    "clone",
    "clone_into",
    "discover",
    "drop",
    "dynamic",
    "dynamic_with",
    "fmt",
    "for_resource",
    "from",
    "informer",
    "informer_with",
    "into",
    "metadata",
    "metadata_with",
    "metrics",
    "new",
    "run_errors",
    "shutdown",
    "start",
    "stored_as",
    "stored_as_with",
    "to_owned",
    "try_into",
    "type_id",
    "wait_for_cache_sync",
    "wait_for_cache_sync_until",
];

/// Methods of listers and their snapshots, which an index of the same name would hide. The derive
/// has the same list.
const LISTER_METHODS: &[&str] = &[
    "by_index",
    "clone",
    "deref",
    "generation",
    "get",
    "get_by_key",
    "get_cluster_scoped",
    "index",
    "index_failures",
    "index_keys",
    "index_names",
    "index_of",
    "informer",
    "is_empty",
    "is_synced",
    "iter",
    "len",
    "list",
    "list_index_func_values",
    "lister",
    "namespace",
    "namespaces",
    "new",
    "next_after",
    "resource",
    "resource_version",
    "snapshot",
    "try_get",
    "try_get_by_key",
    "try_namespace",
    "undecodable",
    "undecodable_all",
];

/// Whether every lister has a method of this name, so that no index can.
pub(crate) fn is_lister_method(name: &str) -> bool {
    LISTER_METHODS.contains(&name)
}

/// Whether the factory has a method of this name, so that no group can.
pub(crate) fn is_factory_method(name: &str) -> bool {
    FACTORY_METHODS.contains(&name)
}

/// Whether `kind` can be the name of a Rust type as it is.
pub(crate) fn is_type_name(kind: &str) -> bool {
    is_identifier(kind) && !PATH_KEYWORDS.contains(&kind)
}

/// Turns a word of letters, digits and underscores into an identifier.
pub(crate) fn identifier(word: &str) -> Ident {
    let span = Span::call_site();
    if KEYWORDS.contains(&word) {
        Ident::new_raw(word, span)
    } else if PATH_KEYWORDS.contains(&word) {
        Ident::new(&format!("{word}_"), span)
    } else if word.starts_with(|first: char| first.is_ascii_digit()) {
        Ident::new(&format!("_{word}"), span)
    } else {
        Ident::new(word, span)
    }
}

/// The accessor of a kind: its plural, with the kind's word breaks as far as the two agree.
///
/// `NetworkPolicy`, `networkpolicies` gives `network_policies`; `NodeMetrics`, `nodes` gives
/// `nodes`.
pub(crate) fn accessor(kind: &str, plural: &str) -> Ident {
    let kind = Spelling::new(&kind.to_snake_case());
    let plural = Spelling::new(plural);
    let agreed = kind
        .letters
        .iter()
        .zip(&plural.letters)
        .take_while(|(kind, plural)| kind == plural)
        .count();
    let mut name = String::new();
    for (position, letter) in plural.letters.iter().enumerate() {
        let from_kind = position < agreed && kind.breaks.contains(&position);
        if from_kind || plural.breaks.contains(&position) {
            name.push('_');
        }
        name.push(*letter);
    }
    identifier(&name)
}

/// The name of a group's module and accessor: its first label, `core` for the core group.
pub(crate) fn group(group: &str) -> Ident {
    let label = group.split('.').next().unwrap_or_default();
    match label {
        "" => identifier("core"),
        label => identifier(&label.replace('-', "_")),
    }
}

/// The name of a version's module and accessor.
pub(crate) fn version(version: &str) -> Ident {
    identifier(&version.replace('-', "_"))
}

/// What the names of wrappers begin with: the name of the Rust type, in camel case.
pub(crate) fn stem(type_name: &str) -> String {
    let name = type_name.strip_prefix("r#").unwrap_or(type_name);
    let words = name.split('_').filter(|word| !word.is_empty());
    words.map(capitalised).collect()
}

/// The accessor of an index: `by_` and the last word of its path, or the key; `None` if that is
/// nothing that a method can be called.
pub(crate) fn index_accessor(word: &str) -> Option<Ident> {
    let word = snake(word);
    let has_word = word.contains(|letter: char| letter != '_');
    let accessor = syn::parse_str(&format!("by_{word}")).ok();
    accessor.filter(|_| has_word)
}

/// The field of a type of k8s-openapi that JSON calls `json`, by k8s-openapi's rule, which the
/// derive has too.
///
/// Its few exceptions (`$ref`, `openAPIV3Schema`, `stubPKCS10Request`) are fields that are not there.
/// It appends an underscore where others write a raw identifier.
pub(crate) fn api_field(json: &str) -> String {
    let name = snake(json);
    if KEYWORDS.contains(&name.as_str()) {
        return format!("{name}_");
    }
    name
}

/// In snake case, with the plural of an abbreviation as one word: `hostIPs` is `host_ips`.
fn snake(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut letters = json.chars().peekable();
    let mut capitals = 0;
    while let Some(letter) = letters.next() {
        let ends = letters.peek().is_none_or(char::is_ascii_uppercase);
        if letter == 's' && capitals > 1 && ends {
            let lower = text.split_off(text.len() - (capitals - 1));
            text.push_str(&lower.to_ascii_lowercase());
        }
        capitals = if letter.is_ascii_uppercase() {
            capitals + 1
        } else {
            0
        };
        text.push(letter);
    }
    text.to_snake_case()
}

/// Sorts versions as Kubernetes does: v10, v2, v1, v2beta2, v1beta1, v1alpha1, then the rest by
/// name.
pub(crate) fn version_order(version: &str) -> impl Ord + use<> {
    let parsed = parse_version(version);
    let rank = parsed.map(|(major, stage, minor)| std::cmp::Reverse((stage, major, minor)));
    (rank.is_none(), rank, version.to_owned())
}

/// Whether a version is neither alpha nor beta nor anything else: `v` and a number.
pub(crate) fn is_stable(version: &str) -> bool {
    stage(version) == Some(Stage::Stable)
}

/// How far an API has come, in the order of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Alpha,
    Beta,
    Stable,
}

/// The stage that a version's name tells; `None` for names of another form.
pub(crate) fn stage(version: &str) -> Option<Stage> {
    parse_version(version).map(|(_, stage, _)| stage)
}

/// Major number, stage, and number within the stage.
fn parse_version(version: &str) -> Option<(u32, Stage, u32)> {
    let rest = version.strip_prefix('v')?;
    let letters = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let major = rest.strip_suffix(letters)?.parse().ok()?;
    if letters.is_empty() {
        return Some((major, Stage::Stable, 0));
    }
    let (stage, minor) = match letters.strip_prefix("beta") {
        Some(minor) => (Stage::Beta, minor),
        None => (Stage::Alpha, letters.strip_prefix("alpha")?),
    };
    Some((major, stage, minor.parse().ok()?))
}

/// A name as letters, and the positions where a word begins.
struct Spelling {
    letters: Vec<char>,
    breaks: Vec<usize>,
}

impl Spelling {
    fn new(name: &str) -> Self {
        let mut letters = Vec::new();
        let mut breaks = Vec::new();
        for letter in name.chars() {
            if letter.is_ascii_alphanumeric() {
                letters.push(letter.to_ascii_lowercase());
            } else {
                breaks.push(letters.len());
            }
        }
        Self { letters, breaks }
    }
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests;
