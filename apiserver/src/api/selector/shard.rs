//! `shardSelector`: a part of the objects, by ranges of a hash (the alpha feature
//! `ShardedListAndWatch`).
//!
//! ```text
//! shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || shardRange(..)
//! ```
//!
//! The selector has the syntax of CEL but is not evaluated as CEL: it consists of calls of
//! `shardRange` and of `||`. An object belongs to a range if the 64-bit FNV-1a hash of its field is
//! at least the start and less than the end.

mod syntax;

use std::fmt::Write as _;

use self::syntax::Expression;
use crate::store::Stored;

/// End of the whole hash range: 2^64.
const END: u128 = 1 << 64;

/// Ranges of one list or watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shard {
    field: Field,
    /// Start and end of each range, in the given order.
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

// === impl Shard ===

impl Shard {
    /// Parses the parameter. The error is the message; except for syntax errors, it has the words
    /// of the real server.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            let message =
                "empty shard selector is not allowed; omit the parameter for unfiltered lists";
            return Err(message.to_owned());
        }
        let expression = Expression::parse(text)?;
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

    /// Returns the text for `shardInfo`.
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
            Expression::Or(_)
            | Expression::Call(..)
            | Expression::Name(_)
            | Expression::Member(..) => {
                return Err(format!(
                    "{name} must be a string literal (e.g. '0xff'), got expression kind {}",
                    argument.kind()
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
            Self::Name(_) | Self::Member(..) | Self::Text(_) | Self::Literal(_) => Err(format!(
                "unexpected expression kind {}; expected shardRange() call or || operator",
                self.kind()
            )),
        }
    }

    fn path(&self) -> Result<String, String> {
        match self {
            Self::Name(name) => Ok(name.clone()),
            Self::Member(of, name) => Ok(format!("{}.{name}", of.path()?)),
            Self::Or(_) | Self::Call(..) | Self::Text(_) | Self::Literal(_) => Err(format!(
                "shardRange() first argument: expected field path (e.g. object.metadata.uid), got \
                 expression kind {}",
                self.kind()
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
