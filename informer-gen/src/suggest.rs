//! "Did you mean": the nearest of a few names.

use crate::error::Suggestion;
use crate::ir::Gvk;

/// The kind that was probably meant: one with the right name in another group or version, or else
/// one that is spelt almost like `wanted`.
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

/// The kind that was probably meant by a text: one of which it says the kind or the plural, or
/// else one that is spelt almost like it.
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
    match namesake {
        Some((gvk, _)) => Suggestion(Some(gvk.to_string())),
        None => nearest(wanted, known.iter().map(|(gvk, _)| gvk.to_string())),
    }
}

/// The name that is spelt almost like `wanted`.
pub(crate) fn nearest(wanted: &str, known: impl IntoIterator<Item = String>) -> Suggestion {
    let tolerance = (wanted.chars().count() / 4).clamp(1, 3);
    let best = known
        .into_iter()
        .map(|name| (distance(wanted, &name), name))
        .filter(|(distance, _)| *distance <= tolerance)
        .min();
    Suggestion(best.map(|(_, name)| name))
}

/// How many characters must be put in, taken out, replaced or swapped with the next (optimal string
/// alignment).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut before = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    let mut last = None;
    for (removed, source) in from.chars().enumerate() {
        let mut diagonal = removed;
        let mut left = removed + 1;
        let mut next = vec![left];
        let mut last_target = None;
        for (target, &above) in to.iter().zip(row.iter().skip(1)) {
            let swapped = (last == Some(*target) && last_target == Some(source))
                .then(|| before.get(next.len().saturating_sub(2)))
                .flatten()
                .map(|before: &usize| before + 1);
            left = (diagonal + usize::from(source != *target))
                .min(above + 1)
                .min(left + 1)
                .min(swapped.unwrap_or(usize::MAX));
            diagonal = above;
            last_target = Some(*target);
            next.push(left);
        }
        last = Some(source);
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (from, to, edits) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("Deploymnt", "Deployment", 1),
            ("kitten", "sitting", 3),
            ("Pdo", "Pod", 1),
            ("lable", "label", 1),
            ("abcd", "badc", 2),
            ("Node", "Pod", 2),
        ] {
            assert_eq!(distance(from, to), edits, "{from} -> {to}");
        }
    }

    #[test]
    fn a_kind_is_suggested_for_its_plural_and_for_its_name_alone() {
        let known = || {
            [
                (Gvk::new("", "v1", "Pod"), Some("pods")),
                (Gvk::new("", "v1", "Binding"), None),
                (Gvk::new("apps", "v1", "Deployment"), Some("deployments")),
            ]
        };
        for (wanted, meant) in [
            ("Pod", Some("v1/Pod")),
            ("pods", Some("v1/Pod")),
            ("v1/pods", Some("v1/Pod")),
            ("apps/Deployments", Some("apps/v1/Deployment")),
            ("apps/v1/Deploymnt", Some("apps/v1/Deployment")),
            ("v1/Pdo", Some("v1/Pod")),
            ("widgets", None),
        ] {
            assert_eq!(
                kind_or_plural(wanted, known()).0.as_deref(),
                meant,
                "{wanted}"
            );
        }
    }

    #[test]
    fn a_kind_is_suggested_from_another_group_before_a_similar_name() {
        let known = [
            Gvk::new("", "v1", "Pod"),
            Gvk::new("apps", "v1", "Deployment"),
        ];
        let suggest = |text| kind(&Gvk::parse(text).unwrap(), &known).0;
        assert_eq!(
            suggest("v1/Deployment").as_deref(),
            Some("apps/v1/Deployment")
        );
        assert_eq!(
            suggest("apps/v1/Deploymnt").as_deref(),
            Some("apps/v1/Deployment")
        );
        assert_eq!(suggest("v1/Pdo").as_deref(), Some("v1/Pod"));
        assert_eq!(suggest("example.com/v1/Widget"), None);
    }
}
