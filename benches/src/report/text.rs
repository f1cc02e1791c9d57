//! Formats numbers and tables.

use std::fmt::Write as _;

use crate::figures::Spread;

/// Formats a ratio with three significant digits.
pub(super) fn ratio(value: f64) -> String {
    if value < 0.1 {
        format!("{value:.3}")
    } else if value < 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    }
}

/// Formats a ratio with its range, unless all runs have the same ratio.
pub(super) fn interval(spread: &Spread) -> String {
    let median = ratio(spread.median);
    if spread.least.to_bits() == spread.most.to_bits() {
        return median;
    }
    format!("{median} ({}–{})", ratio(spread.least), ratio(spread.most))
}

/// Formats an integer with commas between groups of three digits.
pub(super) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Lays out a table for a terminal. The first cell of each line is aligned to the left, all others
/// to the right.
pub(super) fn align(lines: &[(String, Vec<String>)]) -> String {
    let longest = |texts: &mut dyn Iterator<Item = &String>| {
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let first = longest(&mut lines.iter().map(|line| &line.0));
    let columns = lines.iter().map(|line| line.1.len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|at| longest(&mut lines.iter().filter_map(|line| line.1.get(at))))
        .collect();
    let mut text = String::new();
    for (name, cells) in lines {
        let mut line = format!("{name:first$}");
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(line, "  {cell:>width$}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Renders a Markdown table. All columns but the first are right-aligned.
pub(super) fn table(heads: &[String], rows: &[(String, Vec<String>)]) -> String {
    let mut text = String::new();
    let [first, others @ ..] = heads else {
        return text;
    };
    let _ = writeln!(text, "| {first} | {} |", others.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(others.len()));
    for (name, cells) in rows {
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    text
}

/// Breaks a paragraph into lines of at most 100 columns.
pub(super) fn wrap(paragraph: &str) -> String {
    let mut text = String::new();
    let mut columns = 0;
    for word in paragraph.split_whitespace() {
        let width = word.chars().count();
        if columns > 0 && columns + 1 + width > 100 {
            text.push('\n');
            columns = 0;
        }
        if columns > 0 {
            text.push(' ');
            columns += 1;
        }
        text.push_str(word);
        columns += width;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_paragraph_is_wrapped_between_words() {
        let text = wrap(&"word ".repeat(50));
        let widths: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(widths, [99, 99, 49]);
    }
}
