//! Parses a label selector, as `labels.Parse` of `k8s.io/apimachinery` does.
//!
//! ```text
//! selector    = [ requirement { "," requirement } ]
//! requirement = [ "!" ] key
//!             | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ]
//!             | key ( "in" | "notin" ) "(" [ value ] { "," [ value ] } ")"
//! ```
//!
//! White space only separates words. `in` and `notin` are operators only after a key.

use std::fmt;
use std::str::FromStr;

use super::label::Selector;
use super::requirement::{Operator, Requirement, RequirementError};

/// Error of a text that is not a [`Selector`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{requirement}` is not a label requirement: {reason}")]
pub struct ParseSelectorError {
    requirement: String,
    reason: Reason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Reason {
    /// The next token is not the expected one.
    Syntax {
        expected: &'static str,
        found: Option<String>,
    },
    /// The syntax is valid, but the requirement is not.
    Requirement(RequirementError),
}

/// A token of a selector, with its offset.
#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A key, a value, or `in` and `notin`.
    Word,
    Comma,
    Open,
    Close,
    Not,
    /// `=`, `==`, `!=`, `>` or `<`.
    Compare(Operator),
    End,
}

/// Parser with one token of lookahead.
struct Parser<'a> {
    text: &'a str,
    next: Token<'a>,
}

impl FromStr for Selector {
    type Err = ParseSelectorError;

    /// Parses a selector; an empty text selects all objects.
    ///
    /// # Errors
    ///
    /// The error quotes the first invalid requirement and states what was expected.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parser = Parser {
            text,
            next: scan(text, 0),
        };
        let mut requirements = Vec::new();
        if parser.next.kind == Kind::End {
            return Ok(Self::everything());
        }
        loop {
            let start = parser.next.start;
            let requirement = parser
                .requirement()
                .map_err(|reason| parser.error(start, reason))?;
            requirements.push(requirement);
            if parser.advance().kind == Kind::End {
                return Ok(requirements.into_iter().collect());
            }
        }
    }
}

// === impl Token ===

impl Token<'_> {
    fn ends_requirement(&self) -> bool {
        matches!(self.kind, Kind::Comma | Kind::End)
    }
}

// === impl Parser ===

impl<'a> Parser<'a> {
    /// Returns the next token and scans the one after it.
    fn advance(&mut self) -> Token<'a> {
        let token = self.next;
        self.next = scan(self.text, token.start + token.text.len());
        token
    }

    /// Parses up to, and not including, the next comma or the end.
    fn requirement(&mut self) -> Result<Requirement, Reason> {
        let negated = self.next.kind == Kind::Not;
        if negated {
            self.advance();
        }
        let key = self.word("a label key")?;
        let requirement = match self.next {
            _ if negated => Requirement::new(key, Operator::DoesNotExist, [""; 0]),
            next if next.ends_requirement() => Requirement::new(key, Operator::Exists, [""; 0]),
            Token {
                kind: Kind::Compare(operator),
                ..
            } => {
                self.advance();
                Requirement::new(key, operator, [self.value()?])
            }
            Token { text: "in", .. } => {
                self.advance();
                Requirement::new(key, Operator::In, self.values()?)
            }
            Token { text: "notin", .. } => {
                self.advance();
                Requirement::new(key, Operator::NotIn, self.values()?)
            }
            found => return Err(syntax("an operator or `,`", found)),
        };
        if self.next.ends_requirement() {
            requirement.map_err(Reason::Requirement)
        } else {
            Err(syntax("`,` or the end", self.next))
        }
    }

    fn word(&mut self, expected: &'static str) -> Result<&'a str, Reason> {
        match self.advance() {
            token if token.kind == Kind::Word => Ok(token.text),
            token => Err(syntax(expected, token)),
        }
    }

    /// Parses the value of a comparison; a missing value is empty.
    fn value(&mut self) -> Result<&'a str, Reason> {
        if self.next.ends_requirement() {
            Ok("")
        } else {
            self.word("a value")
        }
    }

    /// Parses values in parentheses; a missing value between two commas is empty.
    fn values(&mut self) -> Result<Vec<&'a str>, Reason> {
        let open = self.advance();
        if open.kind != Kind::Open {
            return Err(syntax("`(`", open));
        }
        let mut values = Vec::new();
        loop {
            let is_word = self.next.kind == Kind::Word;
            values.push(if is_word { self.advance().text } else { "" });
            match self.advance() {
                token if token.kind == Kind::Comma => {}
                token if token.kind == Kind::Close => return Ok(values),
                token => return Err(syntax("`,` or `)`", token)),
            }
        }
    }

    /// Builds an error that quotes the requirement that starts at `start`.
    fn error(&self, start: usize, reason: Reason) -> ParseSelectorError {
        let rest = self.text.get(start..).unwrap_or_default();
        let mut depth = 0_u32;
        let end = rest.find(|symbol| {
            match symbol {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            symbol == ',' && depth == 0
        });
        let requirement = end.and_then(|end| rest.get(..end)).unwrap_or(rest).trim();
        // A superfluous comma has no text before it, so the error quotes the whole selector.
        let quoted = if requirement.is_empty() {
            self.text
        } else {
            requirement
        };
        ParseSelectorError {
            requirement: quoted.to_owned(),
            reason,
        }
    }
}

fn syntax(expected: &'static str, found: Token<'_>) -> Reason {
    let found = (found.kind != Kind::End).then(|| found.text.to_owned());
    Reason::Syntax { expected, found }
}

/// Returns the token at or after `position`.
fn scan(text: &str, position: usize) -> Token<'_> {
    let rest = text.get(position..).unwrap_or_default();
    let rest = rest.trim_start_matches(is_space);
    let kinds = [
        ("==", Kind::Compare(Operator::Equals)),
        ("!=", Kind::Compare(Operator::NotEquals)),
        ("=", Kind::Compare(Operator::Equals)),
        (">", Kind::Compare(Operator::GreaterThan)),
        ("<", Kind::Compare(Operator::LessThan)),
        ("!", Kind::Not),
        ("(", Kind::Open),
        (")", Kind::Close),
        (",", Kind::Comma),
    ];
    let symbol = kinds
        .into_iter()
        .find(|(symbol, _)| rest.starts_with(symbol));
    let (kind, len) = match symbol {
        Some((symbol, kind)) => (kind, symbol.len()),
        None if rest.is_empty() => (Kind::End, 0),
        None => {
            let end = rest.find(|symbol| is_space(symbol) || "=!(),><".contains(symbol));
            (Kind::Word, end.unwrap_or(rest.len()))
        }
    };
    Token {
        kind,
        text: rest.get(..len).unwrap_or_default(),
        start: text.len() - rest.len(),
    }
}

fn is_space(symbol: char) -> bool {
    matches!(symbol, ' ' | '\t' | '\r' | '\n')
}

// === impl Reason ===

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { expected, found } => match found {
                Some(found) => write!(f, "expected {expected}, found `{found}`"),
                None => write!(f, "expected {expected}, found the end"),
            },
            Self::Requirement(error) => fmt::Display::fmt(error, f),
        }
    }
}
