//! Suggestions for misspelt names ("did you mean ..").

/// Returns the member of `known` that is nearest to `word`, or `None` if no member is near.
///
/// Ignores case, `_` and `-`. Inserting, removing or replacing a letter counts as one edit, as does
/// swapping two adjacent letters. A match allows one edit per four letters, and at most three
/// edits.
///
/// ```
/// use informer_codegen::suggest::nearest;
///
/// assert_eq!(nearest("lable", ["path", "label"]), Some("label"));
/// assert_eq!(nearest("widget", ["path", "label"]), None);
/// ```
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
    let wanted = plain(word);
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&wanted, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 4).clamp(1, 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests;
