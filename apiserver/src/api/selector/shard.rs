//! Shard selectors: `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`,
//! and several of them joined by `||`.
//!
//! The real server reads them as CEL; this parser accepts the calls only.

use std::fmt::Write as _;
use std::ops::Range;

use crate::store::Stored;

/// 2^64, the end of the range of hashes.
const END: u128 = 1 << 64;

/// Part of the objects, by the hash of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shard {
    field: Field,
    ranges: Vec<Range<u128>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Uid,
    Namespace,
}

// === impl Shard ===

impl Shard {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let terms = text
            .split("||")
            .map(term)
            .collect::<Result<Vec<_>, String>>()?;
        let (field, _) = *terms.first().ok_or("no shard range")?;
        if let Some((other, _)) = terms.iter().find(|(other, _)| *other != field) {
            return Err(format!(
                "all shard ranges must use the same field, got {:?} and {:?}",
                field.path(),
                other.path()
            ));
        }
        Ok(Self {
            field,
            ranges: terms.into_iter().map(|(_, range)| range).collect(),
        })
    }

    pub(super) fn matches(&self, object: &Stored) -> bool {
        let text = match self.field {
            Field::Uid => object.uid(),
            Field::Namespace => &object.namespace,
        };
        let hash = u128::from(fnv1a(text));
        self.ranges.iter().any(|range| range.contains(&hash))
    }

    /// Returns the selector in the spelling of `shardInfo`.
    pub(crate) fn text(&self) -> String {
        let field = self.field.path();
        let mut out = String::new();
        for Range { start, end } in &self.ranges {
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
    fn of_path(path: &str) -> Option<Self> {
        match path {
            "object.metadata.uid" => Some(Self::Uid),
            "object.metadata.namespace" => Some(Self::Namespace),
            _ => None,
        }
    }
    fn path(self) -> &'static str {
        match self {
            Self::Uid => "object.metadata.uid",
            Self::Namespace => "object.metadata.namespace",
        }
    }
}

/// Parses one call.
fn term(text: &str) -> Result<(Field, Range<u128>), String> {
    let list = text
        .trim()
        .strip_prefix("shardRange(")
        .and_then(|rest| rest.strip_suffix(')'))
        .ok_or_else(|| format!("expected shardRange(), got {:?}", text.trim()))?;
    let arguments: Vec<&str> = list.split(',').map(str::trim).collect();
    let [path, start, end] = arguments.as_slice() else {
        let found = arguments.len();
        return Err(format!(
            "shardRange() requires exactly 3 arguments, got {found}"
        ));
    };
    let Some(field) = Field::of_path(path) else {
        return Err(format!(
            "unsupported field path {path:?}; supported: object.metadata.uid, \
             object.metadata.namespace"
        ));
    };
    let range = bound(start, "hexStart")?..bound(end, "hexEnd")?;
    if range.is_empty() {
        return Err(format!(
            "shard range start {:#018x} must be less than end {:#018x}",
            range.start, range.end
        ));
    }
    Ok((field, range))
}

/// Parses `'0x'` and 16 digits, or 2^64, which has 17.
fn bound(literal: &str, name: &str) -> Result<u128, String> {
    let invalid = || format!("{name} must be a 0x-prefixed 16-digit hex value, got {literal}");
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let digits = ['\'', '"']
        .into_iter()
        .find_map(|quote| literal.strip_prefix(quote)?.strip_suffix(quote))
        .and_then(|text| text.strip_prefix("0x"))
        .filter(|digits| digits.chars().all(is_digit))
        .ok_or_else(invalid)?;
    let value = u128::from_str_radix(digits, 16).map_err(|_| invalid())?;
    match digits.len() {
        16 => Ok(value),
        17 if value == END => Ok(value),
        _ => Err(invalid()),
    }
}
