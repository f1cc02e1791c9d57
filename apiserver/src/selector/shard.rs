//! `shardSelector`: a part of the objects, by ranges of a hash (the alpha feature `ShardedListAndWatch`).
//!
//! ```text
//! shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || shardRange(..)
//! ```
//!
//! It has the syntax of CEL and is not evaluated: of its expressions there are calls of `shardRange`
//! and `||`. An object belongs to a range if the FNV-1a hash of the field, 64 bits, is in it, with
//! the start and without the end.

use std::fmt::Write as _;

use crate::store::Stored;

/// The whole range ends here: 2^64.
const END: u128 = 1 << 64;

/// The ranges of one list or watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shard {
    field: Field,
    /// Start and end, as they were written.
    ranges: Vec<(Bound, Bound)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Uid,
    Namespace,
}

/// `0x` and sixteen digits, or 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Bound(u128);

/// What is written, as far as it can be told apart.
#[derive(Debug)]
enum Expression {
    Or(Box<(Expression, Expression)>),
    Call(String, Vec<Expression>),
    Name(String),
    Member(Box<Expression>, String),
    Text(String),
    /// Of another type, by Go's name for it.
    Literal(&'static str),
}

// === impl Shard ===

impl Shard {
    /// Parses the parameter; the error is what is wrong, in the words of the real server where it
    /// is not about syntax.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            let why =
                "empty shard selector is not allowed; omit the parameter for unfiltered lists";
            return Err(why.to_owned());
        }
        let mut parser = Parser { rest: text };
        let expression = parser.expression(0)?;
        parser.end()?;
        let mut terms = Vec::new();
        expression.terms(&mut terms)?;
        let mut terms = terms.into_iter();
        let (field, start, end) = terms.next().ok_or("no shard range")?;
        let mut ranges = vec![(start, end)];
        for (other, start, end) in terms {
            if other != field {
                return Err(format!(
                    "all shard ranges must use the same field, got {:?} and {:?}",
                    field.path(),
                    other.path()
                ));
            }
            ranges.push((start, end));
        }
        Ok(Self { field, ranges })
    }

    pub(super) fn matches(&self, object: &Stored) -> bool {
        let hash = fnv1a(match self.field {
            Field::Uid => object.uid(),
            Field::Namespace => &object.namespace,
        });
        let hash = Bound(hash.into());
        let mut ranges = self.ranges.iter();
        ranges.any(|(start, end)| *start <= hash && hash < *end)
    }

    /// As `shardInfo` says it.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for (start, end) in &self.ranges {
            if !out.is_empty() {
                out.push_str(" || ");
            }
            let field = self.field.path();
            // Writing to a String cannot fail.
            let _ = write!(
                out,
                "shardRange({field}, '{}', '{}')",
                start.text(),
                end.text()
            );
        }
        out
    }
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

// === impl Field ===

impl Field {
    fn path(self) -> &'static str {
        match self {
            Self::Uid => "object.metadata.uid",
            Self::Namespace => "object.metadata.namespace",
        }
    }
}

// === impl Bound ===

impl Bound {
    fn text(self) -> String {
        format!("0x{:016x}", self.0)
    }

    fn parse(argument: &Expression, name: &str) -> Result<Self, String> {
        let text = match argument {
            Expression::Text(text) => text,
            Expression::Literal(kind) => {
                return Err(format!("{name} must be a string literal, got {kind}"));
            }
            other => {
                return Err(format!(
                    "{name} must be a string literal (e.g. '0xff'), got expression kind {}",
                    other.kind()
                ));
            }
        };
        let Some(hex) = text.strip_prefix("0x") else {
            return Err(format!("{name} must have '0x' prefix, got {text:?}"));
        };
        if hex.is_empty() {
            return Err(format!("{name}: hex value is required after '0x'"));
        }
        let digits = hex.len();
        if digits > 17 {
            return Err(format!(
                "{name}: hex value too long ({digits} chars, max 17): {hex:?}"
            ));
        }
        let is_digit = |c: &char| c.is_ascii_digit() || ('a'..='f').contains(c);
        if let Some(wrong) = hex.chars().find(|c| !is_digit(c)) {
            return Err(format!(
                "{name}: invalid hex character \"{wrong}\" in {text:?}"
            ));
        }
        let value = u128::from_str_radix(hex, 16).unwrap_or(END);
        match digits {
            16 => Ok(Self(value)),
            17 if value == END => Ok(Self(value)),
            17 => Err(format!(
                "{name}: 17-digit hex value must be '0x10000000000000000' (2^64), got {text:?}"
            )),
            _ => Err(format!(
                "{name} must be a 0x-prefixed 16-digit hex value, got {text:?} (did you mean \
                 {:?}?)",
                Self(value).text()
            )),
        }
    }
}

// === impl Expression ===

impl Expression {
    /// The number that CEL's parser gives this kind.
    fn kind(&self) -> u8 {
        match self {
            Self::Or(_) | Self::Call(..) => 1,
            Self::Name(_) => 3,
            Self::Text(_) | Self::Literal(_) => 5,
            Self::Member(..) => 7,
        }
    }

    fn terms(&self, out: &mut Vec<(Field, Bound, Bound)>) -> Result<(), String> {
        match self {
            Self::Or(sides) => {
                sides.0.terms(out)?;
                sides.1.terms(out)
            }
            Self::Call(name, arguments) if name == "shardRange" => {
                out.push(range(arguments)?);
                Ok(())
            }
            Self::Call(name, _) => Err(format!(
                "unsupported function {name:?}; only shardRange() and || are allowed"
            )),
            other => Err(format!(
                "unexpected expression kind {}; expected shardRange() call or || operator",
                other.kind()
            )),
        }
    }

    fn path(&self) -> Result<String, String> {
        match self {
            Self::Name(name) => Ok(name.clone()),
            Self::Member(of, name) => Ok(format!("{}.{name}", of.path()?)),
            other => Err(format!(
                "shardRange() first argument: expected field path (e.g. object.metadata.uid), got \
                 expression kind {}",
                other.kind()
            )),
        }
    }
}

fn range(arguments: &[Expression]) -> Result<(Field, Bound, Bound), String> {
    let [field, start, end] = arguments else {
        return Err(format!(
            "shardRange() requires exactly 3 arguments, got {}",
            arguments.len()
        ));
    };
    let path = field.path()?;
    let fields = [Field::Uid, Field::Namespace];
    let Some(field) = fields.into_iter().find(|field| field.path() == path) else {
        return Err(format!(
            "unsupported field path {path:?}; supported: object.metadata.uid, \
             object.metadata.namespace"
        ));
    };
    let (start, end) = (
        Bound::parse(start, "hexStart")?,
        Bound::parse(end, "hexEnd")?,
    );
    if start >= end {
        return Err(format!(
            "shard range start {} must be less than end {}",
            start.text(),
            end.text()
        ));
    }
    Ok((field, start, end))
}

/// Reads as much of CEL as can be meant: names, members, calls, texts, numbers, `||`, parentheses.
struct Parser<'a> {
    rest: &'a str,
}

/// How deep parentheses and arguments may be in each other.
const MAX_DEPTH: usize = 32;

// === impl Parser ===

impl Parser<'_> {
    fn expression(&mut self, depth: usize) -> Result<Expression, String> {
        if depth > MAX_DEPTH {
            return Err(self.wrong());
        }
        let mut left = self.operand(depth)?;
        while self.takes("||") {
            let right = self.operand(depth)?;
            left = Expression::Or(Box::new((left, right)));
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Expression, String> {
        let mut operand = match self.next() {
            Some('(') => {
                self.expect("(")?;
                let inner = self.expression(depth + 1)?;
                self.expect(")")?;
                inner
            }
            Some('\'' | '"') => self.text()?,
            Some(c) if c.is_ascii_digit() => {
                self.word();
                let is_whole = !self.takes(".");
                self.word();
                Expression::Literal(if is_whole { "int64" } else { "float64" })
            }
            Some(_) => self.named(None, depth)?,
            None => return Err(self.wrong()),
        };
        while self.takes(".") {
            operand = self.named(Some(operand), depth)?;
        }
        Ok(operand)
    }

    /// A name, or a call of it; `of` is what it is a member of.
    fn named(&mut self, of: Option<Expression>, depth: usize) -> Result<Expression, String> {
        let name = self.word();
        if name.is_empty() {
            return Err(self.wrong());
        }
        if self.takes("(") {
            // As in the real server, what a call is a member of does not matter.
            return Ok(Expression::Call(name, self.arguments(depth)?));
        }
        Ok(match of {
            Some(of) => Expression::Member(Box::new(of), name),
            None if name == "true" || name == "false" => Expression::Literal("bool"),
            None => Expression::Name(name),
        })
    }

    fn arguments(&mut self, depth: usize) -> Result<Vec<Expression>, String> {
        let mut arguments = Vec::new();
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression(depth + 1)?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn text(&mut self) -> Result<Expression, String> {
        let mut chars = self.rest.chars();
        let quote = chars.next().unwrap_or_default();
        let rest = chars.as_str();
        // There is nothing to escape in a number.
        match rest.split_once(quote) {
            Some((text, rest)) if !text.contains(['\\', '\n']) => {
                self.rest = rest;
                Ok(Expression::Text(text.to_owned()))
            }
            _ => Err(self.wrong()),
        }
    }

    fn word(&mut self) -> String {
        self.next();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    /// Skips white space and looks at what comes.
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn takes(&mut self, token: &str) -> bool {
        self.next();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.takes(token) {
            Ok(())
        } else {
            Err(self.wrong())
        }
    }

    fn end(&mut self) -> Result<(), String> {
        match self.next() {
            None => Ok(()),
            Some(_) => Err(self.wrong()),
        }
    }

    fn wrong(&self) -> String {
        let rest: String = self.rest.chars().take(20).collect();
        if rest.is_empty() {
            "CEL parse error: Syntax error: unexpected end".to_owned()
        } else {
            format!("CEL parse error: Syntax error at {rest:?}")
        }
    }
}
