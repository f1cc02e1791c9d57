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
    let requirements = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    requirements
        .map(|text| {
            let text = text.trim();
            requirement(text)
                .map_err(|error| format!("unable to parse requirement {text:?}: {error}"))
        })
        .collect()
}

fn requirement(text: &str) -> Result<LabelTerm, String> {
    if let Some(key) = text.strip_prefix('!') {
        return term(key, Test::Absent);
    }
    let comparison = text.find(['=', '!', '>', '<']).and_then(|at| {
        let (key, rest) = text.split_at(at);
        let mut operators = OPERATORS.into_iter();
        operators.find_map(|operator| Some((key, operator, rest.strip_prefix(operator)?.trim())))
    });
    if let Some((key, operator, value)) = comparison {
        let number = || {
            value
                .parse()
                .map_err(|_| format!("{value:?} is not an integer"))
        };
        return term(
            key,
            match operator {
                ">" => Test::Above(number()?),
                "<" => Test::Below(number()?),
                "!=" => Test::NotIn(values(value)?),
                _ => Test::In(values(value)?),
            },
        );
    }
    let Some((key, rest)) = text.split_once(char::is_whitespace) else {
        return term(text, Test::Exists);
    };
    let set = |rest: &str| {
        let list = rest
            .trim()
            .strip_prefix('(')
            .and_then(|list| list.strip_suffix(')'));
        values(list.ok_or("a set needs parentheses")?)
    };
    let rest = rest.trim();
    if let Some(rest) = rest.strip_prefix("notin") {
        return term(key, Test::NotIn(set(rest)?));
    }
    match rest.strip_prefix("in") {
        Some(rest) => term(key, Test::In(set(rest)?)),
        None => Err("expected in, notin, =, ==, !=, > or < after the key".to_owned()),
    }
}

fn term(key: &str, test: Test) -> Result<LabelTerm, String> {
    let key = key.trim().to_owned();
    check(&key, &names::qualified(&key))?;
    Ok(LabelTerm { key, test })
}

/// Returns the values of a list, sorted and without duplicates.
fn values(list: &str) -> Result<Vec<String>, String> {
    let mut values: Vec<String> = list
        .split(',')
        .map(|value| value.trim().to_owned())
        .collect();
    values.sort_unstable();
    values.dedup();
    values
        .iter()
        .try_for_each(|value| check(value, &names::label_value(value)))?;
    Ok(values)
}

fn check(text: &str, errors: &[String]) -> Result<(), String> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(format!("Invalid value: {text:?}: {}", errors.join("; ")))
}
