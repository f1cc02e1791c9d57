//! Label selectors, parsed as the real server parses them, with its error messages.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "every other token is an error"
)]

use super::term::{LabelTerm, Test};
use crate::names;

/// Operators between a key and its values.
const OPERATORS: &str = "in, notin, =, ==, !=, gt, lt";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    /// A key, a value, `in` or `notin`.
    Word(&'a str),
    /// `= == != ! > < ( ) ,`
    Symbol(&'static str),
    /// Characters that form no symbol.
    Unknown(&'a str),
    End,
}

struct Parser<'a> {
    rest: &'a str,
}

/// Parses a label selector; the error is the message.
pub(super) fn parse(text: &str) -> Result<Vec<LabelTerm>, String> {
    let mut parser = Parser { rest: text };
    let mut terms = Vec::new();
    loop {
        match parser.peek() {
            Token::Word(_) | Token::Symbol("!") => {}
            Token::End => return Ok(terms),
            other => {
                return Err(format!(
                    "found '{}', expected: !, identifier, or 'end of string'",
                    other.text()
                ));
            }
        }
        let term = parser.term();
        terms.push(term.map_err(|error| format!("unable to parse requirement: {error}"))?);
        match parser.next() {
            Token::End => return Ok(terms),
            Token::Symbol(",") => match parser.peek() {
                Token::Word(_) | Token::Symbol("!") => {}
                other => {
                    return Err(format!(
                        "found '{}', expected: identifier after ','",
                        other.text()
                    ));
                }
            },
            other => {
                return Err(format!(
                    "found '{}', expected: ',' or 'end of string'",
                    other.text()
                ));
            }
        }
    }
}

// === impl Token ===

impl<'a> Token<'a> {
    fn text(&self) -> &'a str {
        match self {
            Self::Word(text) | Self::Unknown(text) | Self::Symbol(text) => text,
            Self::End => "",
        }
    }
}

// === impl Parser ===

impl<'a> Parser<'a> {
    fn next(&mut self) -> Token<'a> {
        let (token, rest) = scan(self.rest);
        self.rest = rest;
        token
    }

    fn peek(&self) -> Token<'a> {
        scan(self.rest).0
    }

    fn term(&mut self) -> Result<LabelTerm, String> {
        let absent = self.peek() == Token::Symbol("!");
        if absent {
            self.next();
        }
        let key = match self.next() {
            Token::Word(key) => key,
            other => return Err(format!("found '{}', expected: identifier", other.text())),
        };
        check("<nil>", key, &names::qualified(key))?;
        let alone = matches!(self.peek(), Token::End | Token::Symbol(","));
        let test = match (absent, alone) {
            (true, _) => Test::Absent,
            (false, true) => Test::Exists,
            (false, false) => self.test(key)?,
        };
        Ok(LabelTerm {
            key: key.to_owned(),
            test,
        })
    }

    fn test(&mut self, key: &str) -> Result<Test, String> {
        let operator = self.next();
        let values = match &operator {
            Token::Word("in" | "notin") => self.values()?,
            Token::Symbol("=" | "==" | "!=" | ">" | "<") => vec![self.value()?],
            other => {
                return Err(format!("found '{}', expected: {OPERATORS}", other.text()));
            }
        };
        let number = || -> Result<i64, String> {
            let text = values.first().map_or("", String::as_str);
            text.parse().map_err(|_| {
                format!(
                    "values[0]: Invalid value: {text:?}: for 'Gt', 'Lt' operators, the value must \
                     be an integer"
                )
            })
        };
        let test = match operator.text() {
            ">" => Test::Above(number()?),
            "<" => Test::Below(number()?),
            "in" | "=" | "==" => Test::In(values.clone()),
            _ => Test::NotIn(values.clone()),
        };
        for (at, value) in values.iter().enumerate() {
            let field = format!("values[{at}][{key}]");
            check(&field, value, &names::label_value(value))?;
        }
        Ok(test)
    }

    /// Parses the value after `=`; a missing value is the empty string.
    fn value(&mut self) -> Result<String, String> {
        match self.peek() {
            Token::End | Token::Symbol(",") => Ok(String::new()),
            Token::Word(value) => {
                self.next();
                Ok(value.to_owned())
            }
            other => Err(format!("found '{}', expected: identifier", other.text())),
        }
    }

    /// Parses `(a, b)` and sorts the values.
    fn values(&mut self) -> Result<Vec<String>, String> {
        let open = self.next();
        if open != Token::Symbol("(") {
            return Err(format!("found '{}' expected: '('", open.text()));
        }
        let mut values = match self.peek() {
            Token::Word(_) | Token::Symbol(",") => self.list()?,
            Token::Symbol(")") => vec![String::new()],
            other => {
                return Err(format!(
                    "found '{}', expected: ',', ')' or identifier",
                    other.text()
                ));
            }
        };
        self.next();
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    /// Parses words and commas up to the closing parenthesis, which remains.
    fn list(&mut self) -> Result<Vec<String>, String> {
        let mut values = Vec::new();
        loop {
            match self.next() {
                Token::Word(value) => {
                    values.push(value.to_owned());
                    match self.peek() {
                        Token::Symbol(",") => {}
                        Token::Symbol(")") => return Ok(values),
                        other => {
                            return Err(format!("found '{}', expected: ',' or ')'", other.text()));
                        }
                    }
                }
                Token::Symbol(",") => {
                    if values.is_empty() {
                        values.push(String::new());
                    }
                    match self.peek() {
                        Token::Symbol(")") => {
                            values.push(String::new());
                            return Ok(values);
                        }
                        Token::Symbol(",") => {
                            self.next();
                            values.push(String::new());
                        }
                        Token::Symbol(_) | Token::Word(_) | Token::Unknown(_) | Token::End => {}
                    }
                }
                other => {
                    return Err(format!(
                        "found '{}', expected: ',', or identifier",
                        other.text()
                    ));
                }
            }
        }
    }
}

fn check(field: &str, value: &str, errors: &[String]) -> Result<(), String> {
    if errors.is_empty() {
        return Ok(());
    }
    let errors = errors.join("; ");
    Err(format!("{field}: Invalid value: {value:?}: {errors}"))
}

/// Returns the first token of `text` and the remaining text.
fn scan(text: &str) -> (Token<'_>, &str) {
    const SYMBOLS: [&str; 9] = ["==", "=", "!=", "!", ">", "<", "(", ")", ","];
    let is_symbol = |c: char| "=!<>(),".contains(c);
    let text = text.trim_start_matches([' ', '\t', '\r', '\n']);
    if text.is_empty() {
        return (Token::End, text);
    }
    for symbol in SYMBOLS {
        if let Some(rest) = text.strip_prefix(symbol) {
            return (Token::Symbol(symbol), rest);
        }
    }
    let end = text
        .find(|c: char| is_symbol(c) || matches!(c, ' ' | '\t' | '\r' | '\n'))
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if word.is_empty() {
        return (Token::Unknown(text), "");
    }
    (Token::Word(word), rest)
}
