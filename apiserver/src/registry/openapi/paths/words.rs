//! Names in operation ids and descriptions.

/// Returns the name of a group in ids: `Core`, `Apps`, `RbacAuthorization`, `ExampleCom`.
pub(super) fn group_word(group: &str) -> String {
    if group.is_empty() {
        return "Core".to_owned();
    }
    let short = group.strip_suffix(".k8s.io").unwrap_or(group);
    short.split('.').map(upper_first).collect()
}

/// Adds the article: `a Pod`, `an Event`.
pub(super) fn a(kind: &str) -> String {
    let article = if kind.starts_with(['A', 'E', 'I', 'O', 'U']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {kind}")
}

pub(super) fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

pub(super) fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}
