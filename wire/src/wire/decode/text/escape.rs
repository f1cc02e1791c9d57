//! Resolves escapes in strings.

use super::error::Error;

const ESCAPE_LEN: usize = 2;
const HEX_LEN: usize = 4;

/// Unescapes the text between two quotes into `out`, whose content is replaced.
pub(super) fn unescape(text: &str, out: &mut String) -> Result<(), Error> {
    out.clear();
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escaped) = rest.split_at_checked(at).ok_or_else(Error::malformed)?;
        let (found, tail) = escape(escaped).ok_or_else(Error::malformed)?;
        out.push_str(plain);
        out.push(found);
        rest = tail;
    }
    out.push_str(rest);
    Ok(())
}

/// Resolves the escape at the start of `text`. Returns the character and the rest of the text.
fn escape(text: &str) -> Option<(char, &str)> {
    let rest = text.get(ESCAPE_LEN..)?;
    let found = match text.as_bytes().get(1)? {
        letter @ (b'"' | b'\\' | b'/') => char::from(*letter),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(rest),
        _ => return None,
    };
    Some((found, rest))
}

/// Parses a code unit, or a surrogate pair. Unpaired surrogates are invalid.
fn unicode(text: &str) -> Option<(char, &str)> {
    let (unit, rest) = hex(text)?;
    if !(0xd800..0xdc00).contains(&unit) {
        return Some((char::from_u32(unit)?, rest));
    }
    let (low, rest) = hex(rest.strip_prefix("\\u")?)?;
    let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    let found = char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + low)?;
    Some((found, rest))
}

fn hex(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(HEX_LEN)?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    Some((number, rest))
}
