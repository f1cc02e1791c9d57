//! What escapes in strings stand for.

use super::error::Error;

const ESCAPE_LEN: usize = 2;
const HEX_LEN: usize = 4;

/// Puts the text between two quotes into `out`, in place of what was there.
pub(super) fn unescape(text: &str, out: &mut String) -> Result<(), Error> {
    out.clear();
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escaped) = rest.split_at_checked(at).ok_or_else(Error::malformed)?;
        let (found, behind) = escape(escaped).ok_or_else(Error::malformed)?;
        out.push_str(plain);
        out.push(found);
        rest = behind;
    }
    out.push_str(rest);
    Ok(())
}

/// What `text` begins with, from the backslash on, and what is behind it.
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

/// A character by its number; by two, one after the other, if it is beyond 16 bits. Halves of such a
/// pair are no characters.
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
