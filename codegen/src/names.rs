//! Converts API names into Rust identifiers and lists the reserved names.
//!
//! An accessor is the plural that the API declares, with word boundaries taken from the kind. A
//! name that is a Rust keyword is written raw (`r#type`), or with an underscore where Rust does not
//! allow raw identifiers (`self_`). Fields of types have the underscore always (`type_`), as those of
//! k8s-openapi: rustc's suggestions for a raw field do not parse.

pub mod api;
pub mod kopium;

use heck::ToSnakeCase;
use proc_macro2::{Ident, Span};

/// Keywords of any edition that may be written as raw identifiers.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static",
    "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// Words that Rust reserves and does not allow as raw identifiers, and words that read badly as
/// such.
const PATH_KEYWORDS: &[&str] = &["Self", "_", "crate", "extern", "self", "super"];

/// Mixed-case words that stay one word. A longer word precedes its own prefix.
const MIXED_CASE: &str = "\
    GitHub GitLab GraphQL IPv4 IPv6 MySQL NVMeOF NVMe OAuth PostgreSQL SELinux gRPC iSCSI";

/// Methods of factories, which would hide an accessor of the same name.
const MAKER_METHODS: &str = "\
    borrow borrow_mut builder check_ready client clone clone_into discover discover_kind drop \
    dynamic dynamic_with fmt for_resource forget from informer informer_with informers into \
    list_consistently make make_dynamic memory metadata metadata_with metrics new run_errors \
    shutdown shutdown_within spawn start stored_as stored_as_with to_owned try_into type_id wait_for_cache_sync \
    wait_for_cache_sync_until weak";

/// Methods of listers and their snapshots, which an index of the same name would hide, and methods
/// that generated code adds to an informer.
const LISTER_METHODS: &str = "\
    by_index by_index_retained clone deref entries entry for_each generation get get_by_key \
    get_cluster_scoped get_retained get_retained_by_uid index index_failures index_keys \
    index_names index_of indexer informer is_empty is_synced iter len list list_index_func_values \
    lister namespace namespaces new next_after owned referenced references_to related resource \
    resource_version selected snapshot try_get try_get_by_key try_namespace undecodable \
    undecodable_all visit with with_key";

/// Names of the struct with all relations, which a relation of the same name would hide.
const RELATED_METHODS: &str = "\
    clone enqueue_into enqueue_related fmt informer visit_caches";

// --- reserved names ---

/// Reports whether an informer, a lister or a snapshot has a method `name`, so that no index can use the name.
#[must_use]
pub fn is_lister_method(name: &str) -> bool {
    is_word_of(LISTER_METHODS, name)
}

/// Reports whether every struct of relations has a field or method `name`, so that no relation can
/// use the name.
#[must_use]
pub fn is_related_method(name: &str) -> bool {
    is_word_of(RELATED_METHODS, name)
}

/// Reports whether a factory has a method `name`, so that no accessor can use the name.
#[must_use]
pub fn is_maker_method(name: &str) -> bool {
    is_word_of(MAKER_METHODS, name)
}

fn is_word_of(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}

/// Reports whether `name` has the form of an identifier. Keywords are not excluded.
#[must_use]
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && name != "_"
}

/// Reports whether `kind` can be the name of a Rust type, possibly as a raw identifier.
#[must_use]
pub fn is_type_name(kind: &str) -> bool {
    is_identifier(kind) && !PATH_KEYWORDS.contains(&kind)
}

/// Turns a word into an identifier. Letters that Rust does not allow become underscores.
#[must_use]
pub fn identifier(word: &str, span: Span) -> Ident {
    let is_allowed = |letter: &char| unicode_ident::is_xid_continue(*letter);
    let mut name: String = word
        .chars()
        .map(|letter| if is_allowed(&letter) { letter } else { '_' })
        .collect();
    if KEYWORDS.contains(&name.as_str()) {
        return Ident::new_raw(&name, span);
    }
    let begins = |first| first == '_' || unicode_ident::is_xid_start(first);
    if name.starts_with(|first| !begins(first)) {
        name.insert(0, '_');
    }
    if PATH_KEYWORDS.contains(&name.as_str()) || name.is_empty() {
        name.push('_');
    }
    Ident::new(&name, span)
}

// --- accessors ---

/// Returns the plural that kube-derive gives a resource without `#[kube(plural = "...")]`.
///
/// Follows kube-derive 5.0.0 (`to_plural` in `custom_resource/mod.rs`) exactly, including its
/// errors in English: requests must go to the path that the CRD serves.
#[must_use]
pub fn kube_plural(singular: &str) -> String {
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

/// Returns the accessor of a kind: its plural, with the word boundaries of the kind's common
/// prefix.
///
/// `NetworkPolicy`, `networkpolicies` gives `network_policies`; `NodeMetrics`, `nodes` gives
/// `nodes`.
#[must_use]
pub fn accessor(kind: &str, plural: &str, span: Span) -> Ident {
    let kind_words = Spelling::new(&with_whole_words(kind).to_snake_case());
    let plural_words = Spelling::new(plural);
    let agreed = kind_words
        .letters
        .iter()
        .zip(&plural_words.letters)
        .take_while(|(kind, plural)| kind == plural)
        .count();
    let mut name = String::new();
    for (position, letter) in plural_words.letters.iter().enumerate() {
        let from_kind = position < agreed && kind_words.breaks.contains(&position);
        if position > 0 && (from_kind || plural_words.breaks.contains(&position)) {
            name.push('_');
        }
        name.push(*letter);
    }
    identifier(&name, span)
}

/// Returns `kind` with each mixed-case word reduced to one capital.
fn with_whole_words(kind: &str) -> String {
    let mut text = String::with_capacity(kind.len());
    let mut rest = kind;
    while let Some(letter) = rest.chars().next() {
        let within_word = text.ends_with(|before: char| {
            before.is_ascii_uppercase()
                || (before.is_ascii_lowercase() && letter.is_ascii_lowercase())
        });
        let whole = MIXED_CASE
            .split(' ')
            .find(|word| !within_word && begins_with_word(rest, word));
        let length = if let Some(word) = whole {
            text.push_str(&capitalised(&word.to_ascii_lowercase()));
            word.len()
        } else {
            text.push(letter);
            letter.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    text
}

/// Reports whether `text` begins with `word`, and the word ends there.
fn begins_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|after| !after.starts_with(|next: char| next.is_ascii_lowercase()))
}

/// Returns the accessor of an index: `by_` and the last word of its path, or the key. Returns
/// `None` if the result is not a valid method name.
#[must_use]
pub fn index_accessor(word: &str, span: Span) -> Option<Ident> {
    let words = snake(word);
    let has_letters = words.contains(|letter: char| letter != '_');
    let name = format!("by_{words}");
    (has_letters && is_identifier(&name)).then(|| Ident::new(&name, span))
}

/// Returns the accessor of the objects of another kind to which a kind relates: `secrets` for
/// `Secret`.
#[must_use]
pub fn related(kind: &str, span: Span) -> Ident {
    accessor(kind, &kube_plural(&kind.to_lowercase()), span)
}

/// Returns the accessor of the objects that refer to an object of `kind`: `by_secret` for
/// `Secret`.
#[must_use]
pub fn referrers(kind: &str, span: Span) -> Option<Ident> {
    index_accessor(&with_whole_words(kind), span)
}

/// Returns k8s-openapi's field name for the JSON name `json`, by k8s-openapi's rule.
///
/// The rule appends an underscore to keywords, where other code uses a raw identifier. Its few
/// exceptions (`$ref`, `openAPIV3Schema`, `stubPKCS10Request`) are not supported.
#[must_use]
pub fn api_field(json: &str) -> String {
    without_keyword(&snake(json))
}

/// Appends an underscore to a keyword.
fn without_keyword(name: &str) -> String {
    let end = if KEYWORDS.contains(&name) { "_" } else { "" };
    format!("{name}{end}")
}

/// Converts to snake case. The plural of an abbreviation is one word: `hostIPs` becomes `host_ips`.
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

// --- modules and types ---

/// Returns the name of a group's module and accessor: the group's first label, or `core` for the
/// core group.
#[must_use]
pub fn group(group: &str) -> Ident {
    full_group(group.split('.').next().unwrap_or_default())
}

/// Returns the name of a group's module and accessor that has all labels of the group:
/// `networking_k8s_io`.
#[must_use]
pub fn full_group(group: &str) -> Ident {
    let name = if group.is_empty() {
        "core".to_owned()
    } else {
        label_words(group)
    };
    identifier(&name, Span::call_site())
}

/// Returns the name of a version's module and accessor.
#[must_use]
pub fn version(version: &str) -> Ident {
    identifier(&label_words(version), Span::call_site())
}

/// Returns DNS labels in snake case, which has no two underscores in sequence.
#[must_use]
pub fn label_words(labels: &str) -> String {
    labels
        .split(['.', '-'])
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}

/// Returns the prefix of the wrappers' names: the name of the Rust type, in camel case.
#[must_use]
pub fn stem(type_name: &str) -> String {
    type_name
        .strip_prefix("r#")
        .unwrap_or(type_name)
        .split('_')
        .filter(|word| !word.is_empty())
        .map(capitalised)
        .collect()
}

fn capitalised(word: &str) -> String {
    let mut text = word.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Letters of a name, and the positions of its word boundaries.
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

#[cfg(test)]
mod tests;
