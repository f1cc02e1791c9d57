//! Shard selectors: `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`,
//! and several of them joined by `||`.
//!
//! The real server reads them as CEL; this parser accepts the calls only.

use std::fmt::Write as _;

use crate::store::Stored;

/// 2^64, the end of the range of hashes.
const END: u128 = 1 << 64;

/// Part of the objects, by the hash of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shard {
    field: Field,
    /// Start (inclusive) and end (exclusive).
    ranges: Vec<(u128, u128)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Uid,
    Namespace,
}

// === impl Shard ===

impl Shard {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let terms: Result<Vec<_>, _> = text.split("||").map(term).collect();
        let terms = terms?;
        let (field, ..) = *terms.first().ok_or("no shard range")?;
        if let Some((other, ..)) = terms.iter().find(|(other, ..)| *other != field) {
            return Err(format!(
                "all shard ranges must use the same field, got {:?} and {:?}",
                field.path(),
                other.path()
            ));
        }
        let ranges = terms.into_iter().map(|(_, start, end)| (start, end));
        Ok(Self {
            field,
            ranges: ranges.collect(),
        })
    }

    pub(super) fn matches(&self, object: &Stored) -> bool {
        let hash = u128::from(fnv1a(match self.field {
            Field::Uid => object.uid(),
            Field::Namespace => &object.namespace,
        }));
        let mut ranges = self.ranges.iter();
        ranges.any(|(start, end)| *start <= hash && hash < *end)
    }

    /// Returns the selector in the spelling of `shardInfo`.
    pub(crate) fn text(&self) -> String {
        let field = self.field.path();
        let mut out = String::new();
        for (start, end) in &self.ranges {
            let or = if out.is_empty() { "" } else { " || " };
            let _ = write!(
                out,
                "{or}shardRange({field}, '{start:#018x}', '{end:#018x}')"
            );
        }
        out
    }
}

/// Hash of the real server: 64-bit FNV-1a.
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

/// Parses one call.
fn term(text: &str) -> Result<(Field, u128, u128), String> {
    let arguments = text
        .trim()
        .strip_prefix("shardRange(")
        .and_then(|rest| rest.strip_suffix(')'))
        .ok_or_else(|| format!("expected shardRange(), got {:?}", text.trim()))?;
    let arguments: Vec<&str> = arguments.split(',').map(str::trim).collect();
    let [path, start, end] = arguments.as_slice() else {
        let found = arguments.len();
        return Err(format!(
            "shardRange() requires exactly 3 arguments, got {found}"
        ));
    };
    let fields = [Field::Uid, Field::Namespace];
    let Some(field) = fields.into_iter().find(|field| field.path() == *path) else {
        return Err(format!(
            "unsupported field path {path:?}; supported: object.metadata.uid, \
             object.metadata.namespace"
        ));
    };
    let (start, end) = (bound(start, "hexStart")?, bound(end, "hexEnd")?);
    if start >= end {
        return Err(format!(
            "shard range start {start:#018x} must be less than end {end:#018x}"
        ));
    }
    Ok((field, start, end))
}

/// Parses `'0x'` and 16 digits, or 2^64, which has 17.
fn bound(literal: &str, name: &str) -> Result<u128, String> {
    let text = ['\'', '"']
        .into_iter()
        .find_map(|quote| literal.strip_prefix(quote)?.strip_suffix(quote));
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let digits = text.and_then(|text| text.strip_prefix("0x"));
    let digits = digits.filter(|digits| digits.chars().all(is_digit));
    digits
        .and_then(|digits| Some((digits.len(), u128::from_str_radix(digits, 16).ok()?)))
        .filter(|(length, value)| *length == 16 || (*length == 17 && *value == END))
        .map(|(_, value)| value)
        .ok_or_else(|| format!("{name} must be a 0x-prefixed 16-digit hex value, got {literal}"))
}
