//! Values of scalars, by the rules of go-yaml v2, which `sigs.k8s.io/yaml` uses.
//!
//! These are the words of YAML 1.1 and the numbers of Go: `y` is `true`, `010` is 8, `1_000` is 1000.
//! Numbers of base 60 are strings.

use crate::node::Value;

/// Prefix of the tags that YAML defines.
const CORE: &str = "tag:yaml.org,2002:";

/// Words for `true`.
const TRUE: &str = "y Y yes Yes YES true True TRUE on On ON";

/// Words for `false`.
const FALSE: &str = "n N no No NO false False FALSE off Off OFF";

/// Words for null. The empty text is null too.
const NULL: &str = "~ null Null NULL";

/// Words for numbers that JSON does not have, with their sign.
const SPECIAL: [(&str, f64); 3] = [
    (".nan .NaN .NAN", f64::NAN),
    (".inf .Inf .INF +.inf +.Inf +.INF", f64::INFINITY),
    ("-.inf -.Inf -.INF", f64::NEG_INFINITY),
];

/// Value of a scalar, before the conversion to JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    Integer(i64),
    Unsigned(u64),
    Float(f64),
    String(String),
}

/// Returns the value of a scalar. `is_quoted` excludes plain scalars.
///
/// # Errors
///
/// Returns the reason if the text has no value of the tag.
pub(crate) fn resolve(text: &str, tag: Option<&str>, is_quoted: bool) -> Result<Scalar, String> {
    let string = || Scalar::String(text.to_owned());
    let Some(tag) = tag else {
        return Ok(if is_quoted { string() } else { plain(text) });
    };
    let wrong = || {
        format!(
            "`{}` is not a value of the tag `!!{}`",
            text.escape_debug(),
            name(tag)
        )
    };
    let value = match tag.strip_prefix(CORE).unwrap_or_default() {
        "null" | "bool" | "int" | "float" => plain(text),
        "binary" => return base64(text).map(Scalar::String).ok_or_else(wrong),
        // The other tags say nothing about a scalar. A time is a string in JSON.
        _ => return Ok(string()),
    };
    match (name(tag), value) {
        #[expect(clippy::cast_precision_loss, reason = "the tag demands a float")]
        ("float", Scalar::Integer(integer)) => Ok(Scalar::Float(integer as f64)),
        ("null", value @ Scalar::Null)
        | ("bool", value @ Scalar::Bool(_))
        | ("int", value @ (Scalar::Integer(_) | Scalar::Unsigned(_)))
        | ("float", value @ Scalar::Float(_)) => Ok(value),
        _ => Err(wrong()),
    }
}

fn name(tag: &str) -> &str {
    tag.strip_prefix(CORE).unwrap_or(tag)
}

/// Returns the value of a text without a tag and without quotes.
fn plain(text: &str) -> Scalar {
    let is_word_of = |words: &str| words.split(' ').any(|word| word == text);
    let number = match text.as_bytes().first() {
        None => return Scalar::Null,
        Some(b'.') => fraction(text),
        Some(b'0'..=b'9' | b'+' | b'-') => number(&text.replace('_', "")),
        Some(_) => None,
    };
    if let Some(number) = number {
        return number;
    }
    if is_word_of(TRUE) {
        return Scalar::Bool(true);
    }
    if is_word_of(FALSE) {
        return Scalar::Bool(false);
    }
    if is_word_of(NULL) {
        return Scalar::Null;
    }
    let mut special = SPECIAL.iter();
    match special.find(|(words, _)| is_word_of(words)) {
        Some((_, value)) => Scalar::Float(*value),
        None => Scalar::String(text.to_owned()),
    }
}

/// Parses a number that begins with a digit or a sign, like Go.
fn number(text: &str) -> Option<Scalar> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' | b'-' => text.split_at(1),
        _ => ("", text),
    };
    if let Some(magnitude) = magnitude(digits) {
        let signed = match sign {
            "-" => 0_i64.checked_sub_unsigned(magnitude),
            _ => i64::try_from(magnitude).ok(),
        };
        match signed {
            Some(integer) => return Some(Scalar::Integer(integer)),
            None if sign.is_empty() => return Some(Scalar::Unsigned(magnitude)),
            None => {}
        }
    }
    if is_decimal(digits) {
        return float(text);
    }
    // go-yaml reads a sign behind the prefix, too.
    let binary = text.strip_prefix("0b")?;
    i64::from_str_radix(binary, 2).ok().map(Scalar::Integer)
}

/// Parses an integer without a sign, with Go's prefixes.
fn magnitude(digits: &str) -> Option<u64> {
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, digits.get(2..)?),
        [b'0', b'o' | b'O', _, ..] => (8, digits.get(2..)?),
        [b'0', b'b' | b'B', _, ..] => (2, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// Reports whether a text is digits with an optional fraction and an optional exponent.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    let is_exponent = |exponent: &str| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && are_digits(digits)
    };
    has_digits && are_digits(whole) && are_digits(fraction) && exponent.is_none_or(is_exponent)
}

/// Parses a number that begins with a point. Go allows underscores only between digits here.
fn fraction(text: &str) -> Option<Scalar> {
    let mut groups = text.split('_');
    let ends_with_digit = |group: &str| group.ends_with(|last: char| last.is_ascii_digit());
    let begins_with_digit = |group: &str| group.starts_with(|first: char| first.is_ascii_digit());
    let first = groups.next()?;
    let mut before = first;
    for group in groups {
        if !ends_with_digit(before) || !begins_with_digit(group) {
            return None;
        }
        before = group;
    }
    let plain = text.replace('_', "");
    is_decimal(&plain).then(|| float(&plain)).flatten()
}

/// Parses a decimal number. `None` if it is too large.
fn float(text: &str) -> Option<Scalar> {
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(Scalar::Float(value))
}

/// Decodes base64 with padding. Line breaks have no meaning.
fn base64(text: &str) -> Option<String> {
    let letters: Vec<u8> = text
        .bytes()
        .filter(|byte| !b"\r\n".contains(byte))
        .collect();
    let (groups, []) = letters.as_chunks::<4>() else {
        return None;
    };
    let mut bytes = Vec::with_capacity(groups.len() * 3);
    for (position, group) in groups.iter().enumerate() {
        let padding = group
            .iter()
            .rev()
            .take_while(|letter| **letter == b'=')
            .count();
        if padding > 2 || (padding > 0 && position + 1 < groups.len()) {
            return None;
        }
        let mut bits = 0_u32;
        for letter in group.iter().take(4 - padding) {
            bits = (bits << 6) | sextet(*letter)?;
        }
        let [_, group @ ..] = (bits << (6 * padding)).to_be_bytes();
        bytes.extend(group.iter().take(3 - padding));
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn sextet(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

// === impl Scalar ===

impl Scalar {
    /// Returns the value in JSON.
    ///
    /// # Errors
    ///
    /// Returns the reason if JSON has no such number.
    pub(crate) fn value(self) -> Result<Value, String> {
        Ok(match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Integer(value) => Value::Integer(value),
            Self::Unsigned(value) => Value::Unsigned(value),
            Self::String(text) => Value::String(text),
            Self::Float(value) => float_value(value)?,
        })
    }

    /// Returns the text of a key.
    ///
    /// # Errors
    ///
    /// Returns the reason if the scalar cannot be a key.
    pub(crate) fn key(self) -> Result<String, String> {
        match self {
            Self::String(text) => Ok(text),
            Self::Bool(value) => Ok(value.to_string()),
            Self::Integer(value) => Ok(value.to_string()),
            Self::Float(value) => Ok(float_key(value)),
            Self::Null => Err("null cannot be a key: quote the key".to_owned()),
            Self::Unsigned(value) => Err(format!("{value} is too large for a key: quote the key")),
        }
    }
}

/// Returns a float as Go writes it to JSON and reads it again: without a fraction it is an integer.
fn float_value(value: f64) -> Result<Value, String> {
    if !value.is_finite() {
        return Err("JSON has neither infinite numbers nor NaN: quote the text".to_owned());
    }
    let is_written_out = value.abs() < 1e21;
    let text = value.to_string();
    let integer = || text.parse().ok().map(Value::Integer);
    let unsigned = || text.parse().ok().map(Value::Unsigned);
    let whole = is_written_out
        .then(|| integer().or_else(unsigned))
        .flatten();
    Ok(whole.unwrap_or(Value::Float(value)))
}

/// Returns a float as a key: like `strconv.FormatFloat(value, 'g', -1, 32)`, and as go-yaml writes
/// what is no number.
fn float_key(value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "sigs.k8s.io/yaml has 32 bits here"
    )]
    let value = value as f32;
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}.inf");
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    value.to_string()
}
