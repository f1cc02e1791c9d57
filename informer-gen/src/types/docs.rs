//! Descriptions of a schema as documentation of Rust.
//!
//! A description is prose of anybody's: what rustdoc would take for a link, a tag, a heading, or code to be tested is
//! escaped. Lists and spans of code stay what they are.

/// The longest line, if its words allow.
const WIDTH: usize = 100;

/// Writes a description as the comments above an item that is indented by `indent`, or `otherwise` if it is empty.
pub(super) fn comment(text: &mut String, indent: usize, description: &str, otherwise: &str) {
    let mut lines = lines(description, WIDTH - indent - "/// ".len());
    if lines.is_empty() {
        lines.push(otherwise.to_owned());
    }
    for line in lines {
        text.push_str(&" ".repeat(indent));
        text.push_str(format!("/// {line}").trim_end());
        text.push('\n');
    }
}

/// The lines of a description, escaped and filled.
pub(crate) fn lines(description: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in description.lines() {
        let line: String = line.chars().filter(|letter| is_shown(*letter)).collect();
        let line = line.trim();
        // Fences would begin code; what they enclose is text as the rest is.
        if line.is_empty() || line.starts_with("```") || line.starts_with("~~~") {
            if lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(String::new());
            }
            continue;
        }
        fill(&escaped(line), width, &mut lines);
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Marks of direction would let the text look like another one; rustc denies them.
fn is_shown(letter: char) -> bool {
    let is_mark = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    !is_mark && (!letter.is_control() || letter == '\t')
}

/// Breaks a line between words.
fn fill(line: &str, width: usize, lines: &mut Vec<String>) {
    let mut current = String::new();
    for word in line.split_whitespace() {
        if !current.is_empty() && current.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut current));
        }
        if current.is_empty() {
            current.push_str(&begun(word));
        } else {
            current.push(' ');
            current.push_str(word);
        }
    }
    lines.push(current);
}

/// A word at the beginning of a line, where some mean more than they say.
fn begun(word: &str) -> String {
    let is_rule = word.chars().all(|letter| matches!(letter, '-' | '=' | '_')) && word.len() > 1;
    let is_marked = word.starts_with(['#', '+', '>', '|', '*', '=']);
    if is_rule || is_marked {
        format!("\\{word}")
    } else {
        word.to_owned()
    }
}

fn escaped(line: &str) -> String {
    // With an odd number one of them would begin a span that never ends.
    let has_spans = line.matches('`').count().is_multiple_of(2);
    let mut text = String::new();
    for (position, part) in line.split('`').enumerate() {
        if position > 0 {
            text.push_str(if has_spans { "`" } else { "\\`" });
        }
        if has_spans && position % 2 == 1 {
            text.push_str(part);
        } else {
            prose(part, &mut text);
        }
    }
    text
}

fn prose(part: &str, text: &mut String) {
    for (position, word) in part.split(' ').enumerate() {
        if position > 0 {
            text.push(' ');
        }
        match link(word) {
            Some((before, link, after)) => {
                characters(before, text);
                text.extend(["<", link, ">"]);
                characters(after, text);
            }
            None => characters(word, text),
        }
    }
}

/// The address in a word, and what is around it.
fn link(word: &str) -> Option<(&str, &str, &str)> {
    let start = ["https://", "http://"]
        .iter()
        .find_map(|scheme| word.find(scheme))?;
    let (before, rest) = word.split_at(start);
    let is_end = |letter: char| {
        letter.is_whitespace()
            || matches!(
                letter,
                '<' | '>' | '"' | '\'' | ')' | '(' | ']' | '[' | '\\' | '{' | '}' | '|'
            )
    };
    let (link, _) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
    let link = link.trim_end_matches(['.', ',', ';', ':', '!', '?', '*']);
    let after = rest.strip_prefix(link).unwrap_or_default();
    (!link.ends_with('/') || link.matches('/').count() > 2).then_some((before, link, after))
}

fn characters(word: &str, text: &mut String) {
    for letter in word.chars() {
        if matches!(letter, '[' | ']' | '<' | '>' | '\\' | '*' | '~' | '|') {
            text.push('\\');
        }
        text.push(letter);
    }
}
