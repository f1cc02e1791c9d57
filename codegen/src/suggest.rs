//! "Did you mean": the nearest of a few names.

/// Returns the one of `known` that `word` was probably meant to be.
///
/// Case, `_` and `-` do not count, and a letter that is inserted, removed, replaced or swapped with
/// the next is one edit: one in four letters may be wrong, and three at most.
///
/// ```
/// use informer_codegen::suggest::nearest;
///
/// assert_eq!(nearest("lable", ["path", "label"]), Some("label"));
/// assert_eq!(nearest("widget", ["path", "label"]), None);
/// ```
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
    let word = plain(word);
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 4).clamp(1, 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_meant_if_it_is_near() {
        let known = ["accessor", "scope", "index", "crate", "deployment_name"];
        for (word, meant) in [
            ("acessor", Some("accessor")),
            ("scopes", Some("scope")),
            ("idnex", Some("index")),
            ("deploymentName", Some("deployment_name")),
            ("deplyoment-nam", Some("deployment_name")),
            ("z", None),
            ("plural", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
