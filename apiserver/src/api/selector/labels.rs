//! Label selectors: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`.

use super::term::{LabelTerm, Test};
use crate::names;

/// Comparisons, longer ones first.
const OPERATORS: [&str; 5] = ["==", "!=", "=", ">", "<"];

pub(super) fn parse(text: &str) -> Result<Vec<LabelTerm>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let mut terms = Vec::new();
    for part in parts {
        let trimmed = part.trim();
        match requirement(trimmed) {
            Ok(term) => terms.push(term),
            Err(error) => {
                return Err(format!("unable to parse requirement {trimmed:?}: {error}"));
            }
        }
    }
    Ok(terms)
}

fn requirement(text: &str) -> Result<LabelTerm, String> {
    if let Some(key) = text.strip_prefix('!') {
        return term(key, Test::Absent);
    }
    if let Some(at) = text.find(['=', '!', '>', '<']) {
        let (key, rest) = text.split_at(at);
        if let Some(condition) = comparison(rest)? {
            return term(key, condition);
        }
    }
    let Some((key, rest)) = text.split_once(char::is_whitespace) else {
        return term(text, Test::Exists);
    };
    let condition = rest.trim();
    if let Some(set) = condition.strip_prefix("notin") {
        return term(key, Test::NotIn(set_values(set)?));
    }
    match condition.strip_prefix("in") {
        Some(set) => term(key, Test::In(set_values(set)?)),
        None => Err("expected in, notin, =, ==, !=, > or < after the key".to_owned()),
    }
}

/// Parses an operator and its value, such as `!=a`; `None` for a text without an operator.
fn comparison(text: &str) -> Result<Option<Test>, String> {
    for operator in OPERATORS {
        let Some(rest) = text.strip_prefix(operator) else {
            continue;
        };
        let value = rest.trim();
        let condition = match operator {
            ">" => Test::Above(integer(value)?),
            "<" => Test::Below(integer(value)?),
            "!=" => Test::NotIn(values(value)?),
            _ => Test::In(values(value)?),
        };
        return Ok(Some(condition));
    }
    Ok(None)
}

fn integer(value: &str) -> Result<i64, String> {
    value
        .parse()
        .map_err(|_| format!("{value:?} is not an integer"))
}

fn term(key: &str, test: Test) -> Result<LabelTerm, String> {
    let name = key.trim();
    check(name, &names::qualified(name))?;
    Ok(LabelTerm {
        key: name.to_owned(),
        test,
    })
}

/// Returns the values of a list in parentheses.
fn set_values(set: &str) -> Result<Vec<String>, String> {
    let list = set
        .trim()
        .strip_prefix('(')
        .and_then(|list| list.strip_suffix(')'))
        .ok_or("a set needs parentheses")?;
    values(list)
}

/// Returns the values of a list, sorted and without duplicates.
fn values(list: &str) -> Result<Vec<String>, String> {
    let mut values: Vec<String> = list
        .split(',')
        .map(|value| value.trim().to_owned())
        .collect();
    values.sort_unstable();
    values.dedup();
    for value in &values {
        check(value, &names::label_value(value))?;
    }
    Ok(values)
}

fn check(text: &str, errors: &[String]) -> Result<(), String> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(format!("Invalid value: {text:?}: {}", errors.join("; ")))
}
