//! Links between pages, and from pages into sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{files, page, relative};

/// Seen to fail with a link to a file that is missing, and with one to a heading that is missing.
#[test]
fn links_resolve() {
    let mut faults = Vec::new();
    for file in files("md") {
        let text = fs::read_to_string(&file).unwrap();
        for line in page(&text).filter(|line| !line.is_code) {
            for target in targets(line.text) {
                if !resolves(&file, &text, target) {
                    faults.push(format!("{}:{}: {target}", relative(&file), line.number));
                }
            }
        }
    }
    assert!(faults.is_empty(), "links to nothing\n{}", faults.join("\n"));
}

/// Returns the targets of the inline links of a line that are no URLs.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split("](").skip(1);
    let targets = parts.filter_map(|rest| Some(rest.split_once(')')?.0));
    targets.filter(|target| !target.contains("://"))
}

fn resolves(file: &Path, text: &str, target: &str) -> bool {
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let linked = file.parent().unwrap().join(path);
    if !path.is_empty() && !linked.exists() {
        return false;
    }
    let is_page = path.is_empty() || linked.extension().is_some_and(|it| it == "md");
    if heading.is_empty() || !is_page {
        return true;
    }
    if path.is_empty() {
        return anchors(text).contains(heading);
    }
    anchors(&fs::read_to_string(linked).unwrap()).contains(heading)
}

/// Returns the anchors of a page's headings: in lower case, with hyphens for spaces, and without
/// punctuation.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = page(text).filter(|line| !line.is_code && line.text.starts_with('#'));
    let anchor = |heading: &str| {
        let letters = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = letters
            .chars()
            .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        kept.map(|letter| if letter == ' ' { '-' } else { letter })
            .collect()
    };
    headings.map(|line| anchor(line.text)).collect()
}
