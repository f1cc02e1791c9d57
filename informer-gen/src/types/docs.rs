//! Converts descriptions of a schema into Rust documentation.
//!
//! A description is arbitrary prose. Text that rustdoc would treat as a link, a tag, a heading, or
//! code to test is escaped. Lists and code spans are kept.

/// Maximum width of a line, unless a single word is longer.
const WIDTH: usize = 100;

/// Writes a description as the comment above an item at the indentation `indent`, or `otherwise` if
/// it is empty.
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

/// Returns the lines of a description, escaped and filled.
pub(crate) fn lines(description: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in description.lines() {
        let line: String = line.chars().filter(|letter| is_shown(*letter)).collect();
        let line = line.trim();
        // Fences would begin code. The enclosed text is treated as prose.
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

/// Reports whether a letter is kept. Direction marks could disguise the text, and rustc denies
/// them.
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

/// Escapes a word at the beginning of a line, where some words are markup.
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
    // With an odd number of backticks, one of them would begin a span that never ends.
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

/// Splits a word into its address and the text around it.
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
