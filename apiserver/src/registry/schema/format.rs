//! String formats that the real server checks, as implemented in its `strfmt`; it ignores all
//! others.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::pattern;

/// Reports whether `text` has the format; `None` if the real server ignores the format.
pub(super) fn is_valid(format: &str, text: &str) -> Option<bool> {
    Some(match format.replace('-', "").as_str() {
        "bsonobjectid" => text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "uri" => is_request_uri(text),
        "email" => is_address(text),
        "hostname" => is_host_name(text),
        "ipv4" => text.contains('.') && is_ip(text),
        "ipv6" => Ipv6Addr::from_str(text).is_ok(),
        "cidr" => is_cidr(text),
        "mac" => is_mac(text),
        "uuid" => UUID.is_match(text.as_bytes()),
        "uuid3" => UUID3.is_match(text.as_bytes()),
        "uuid4" => UUID4.is_match(text.as_bytes()),
        "uuid5" => UUID5.is_match(text.as_bytes()),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "creditcard" => is_credit_card(text),
        "ssn" => text.len() == 11 && SSN.is_match(text.as_bytes()),
        "hexcolor" => HEX_COLOR.is_match(text.as_bytes()),
        "rgbcolor" => RGB_COLOR.is_match(text.as_bytes()),
        "byte" => BASE64.is_match(text.as_bytes()),
        "password" => true,
        "date" => is_date(text),
        "duration" => is_duration(text),
        "datetime" => is_date_time(text),
        "k8sshortname" => text.len() <= 63 && SHORT_NAME.is_match(text.as_bytes()),
        "k8slongname" => text.len() <= 253 && LONG_NAME.is_match(text.as_bytes()),
        _ => return None,
    })
}

/// Declares the patterns of formats, copied from the real server.
macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| compiled($pattern));)*
    };
}

patterns! {
    UUID = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
    UUID3 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
    UUID4 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
    UUID5 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
    HOST_NAME = r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$";
    SSN = r"^\d{3}[- ]?\d{2}[- ]?\d{4}$";
    HEX_COLOR = "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
    RGB_COLOR = r"^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$";
    BASE64 = r"^(?:[A-Za-z0-9+\/]{4})*(?:[A-Za-z0-9+\/]{2}==|[A-Za-z0-9+\/]{3}=|[A-Za-z0-9+\/]{4})$";
    CREDIT_CARD = r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$";
    DURATION = r"^[-+]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*)$";
    SCALA_DURATION = r"(?i)\d+\s*(ns|nano[a-zµ]*|us|µs|micro[a-zµ]*|ms|milli[a-zµ]*|s|sec[a-zµ]*|m|min[a-zµ]*|h|hr|hour[a-zµ]*|d|day[a-zµ]*|w|wk|week[a-zµ]*)([^a-zµ]|$)";
    TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
    SHORT_NAME = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
    LONG_NAME = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
    ATOMS = r"^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\x{80}-\x{10ffff}-]+(\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\x{80}-\x{10ffff}-]+)*$";
    QUOTED = r#"^"([^"\\]|\\.)*"$"#;
    SCHEME = "^[a-zA-Z][a-zA-Z0-9+.-]*:";
    HOST = r"^(\[[^\]\s]+\]|[^\s:\[\]<>\x{22}/?#@\\^`{|}%]*)(:[0-9]*)?$";
}

#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, and a test compiles each"
)]
fn compiled(text: &str) -> Regex {
    pattern::compile(text).expect("a pattern of the table compiles")
}

// --- names and addresses ---

fn is_host_name(text: &str) -> bool {
    text.len() <= 255
        && HOST_NAME.is_match(text.as_bytes())
        && text.split('.').all(|label| label.len() <= 63)
}

/// Implements `net/url.ParseRequestURI`: an absolute URI, or an absolute path.
fn is_request_uri(text: &str) -> bool {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) || !has_whole_escapes(text) {
        return false;
    }
    let scheme = SCHEME.find(text.as_bytes()).map_or(0, |found| found.end());
    let rest = text.get(scheme..).unwrap_or_default();
    let Some(after) = rest.strip_prefix('/') else {
        return text == "*" || scheme > 0;
    };
    let Some(authority) = after.strip_prefix('/').filter(|_| scheme > 0) else {
        return true;
    };
    let end = authority.find(['/', '?']).unwrap_or(authority.len());
    let authority = authority.get(..end).unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    HOST.is_match(host.as_bytes())
}

fn has_whole_escapes(text: &str) -> bool {
    let path = text.split('?').next().unwrap_or_default();
    path.split('%').skip(1).all(|after| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Implements `net/mail.ParseAddress`: `a@b`, `<a@b>` or `Name <a@b>`.
fn is_address(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    let Some(bracketed) = text.strip_suffix('>') else {
        return is_plain_address(text);
    };
    let Some((name, address)) = bracketed.rsplit_once('<') else {
        return false;
    };
    let name = name.trim_matches([' ', '\t']);
    let is_word = |word: &str| ATOMS.is_match(word.trim_end_matches('.').as_bytes());
    let is_name = QUOTED.is_match(name.as_bytes()) || name.split_whitespace().all(is_word);
    is_name && is_plain_address(address)
}

fn is_plain_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_local = ATOMS.is_match(local.as_bytes()) || QUOTED.is_match(local.as_bytes());
    let literal = domain
        .strip_prefix('[')
        .and_then(|domain| domain.strip_suffix(']'));
    is_local && literal.map_or_else(|| ATOMS.is_match(domain.as_bytes()), is_ip)
}

/// Reports whether `text` is an address of either family; IPv4 may have leading zeros.
fn is_ip(text: &str) -> bool {
    Ipv6Addr::from_str(text).is_ok() || parse_v4(text).is_some()
}

fn parse_v4(text: &str) -> Option<Ipv4Addr> {
    let mut parts = text.split('.').map(|part| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<u8>().ok()).flatten()
    });
    let address = Ipv4Addr::new(
        parts.next()??,
        parts.next()??,
        parts.next()??,
        parts.next()??,
    );
    parts.next().is_none().then_some(address)
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else {
        return false;
    };
    let most = if parse_v4(address).is_some() {
        32
    } else if Ipv6Addr::from_str(address).is_ok() {
        128
    } else {
        return false;
    };
    let is_number = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
    is_number && bits.parse::<u32>().is_ok_and(|bits| bits <= most)
}

/// Implements `net.ParseMAC`: 6, 8 or 20 bytes, separated by colons, by hyphens, by dots between
/// pairs, or not at all.
fn is_mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (groups, digits): (Vec<&str>, usize) = match (bytes.get(2), bytes.get(4)) {
        (Some(b':'), _) => (text.split(':').collect(), 2),
        (Some(b'-'), _) => (text.split('-').collect(), 2),
        (_, Some(b'.')) => (text.split('.').collect(), 4),
        _ => (vec![text], text.len()),
    };
    let is_group =
        |group: &&str| group.len() == digits && group.bytes().all(|byte| byte.is_ascii_hexdigit());
    matches!(groups.len() * digits, 12 | 16 | 40) && groups.iter().all(is_group)
}

// --- numbers ---

fn is_isbn10(text: &str) -> bool {
    let digits = without_separators(text);
    let [nine @ .., last] = digits.as_slice() else {
        return false;
    };
    let last = if *last == b'X' {
        Some(10)
    } else {
        digit(*last)
    };
    let (Some(last), 9) = (last, nine.len()) else {
        return false;
    };
    let weighted = nine
        .iter()
        .zip(1..)
        .map(|(&byte, weight)| Some(weight * digit(byte)?));
    let sum: Option<u32> = weighted.sum();
    sum.is_some_and(|sum| (sum + 10 * last).is_multiple_of(11))
}

fn is_isbn13(text: &str) -> bool {
    let digits = without_separators(text);
    let factors = [1, 3].into_iter().cycle();
    let weighted = digits
        .iter()
        .zip(factors)
        .map(|(&byte, factor)| Some(factor * digit(byte)?));
    let sum: Option<u32> = weighted.sum();
    digits.len() == 13 && sum.is_some_and(|sum| sum.is_multiple_of(10))
}

fn without_separators(text: &str) -> Vec<u8> {
    let bytes = text.bytes();
    bytes
        .filter(|byte| !matches!(byte, b'-' | b' ' | b'\t' | b'\n' | b'\r' | 0x0c))
        .collect()
}

fn is_credit_card(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    let values = digits.iter().rev().filter_map(|&byte| digit(byte));
    let sum: u32 = values
        .zip([false, true].into_iter().cycle())
        .map(|(value, is_doubled)| match (is_doubled, value) {
            (true, 5..) => 2 * value - 9,
            (true, _) => 2 * value,
            (false, _) => value,
        })
        .sum();
    CREDIT_CARD.is_match(&digits) && sum.is_multiple_of(10)
}

fn digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(10)
}

// --- times ---

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |range: std::ops::Range<usize>| -> Option<i16> {
        let digits = text.get(range)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    };
    let parts = (number(0..4), number(5..7), number(8..10));
    let (Some(year), Some(month), Some(day)) = parts else {
        return false;
    };
    let (Ok(month), Ok(day)) = (i8::try_from(month), i8::try_from(day)) else {
        return false;
    };
    bytes.len() == 10
        && bytes.get(4) == Some(&b'-')
        && bytes.get(7) == Some(&b'-')
        && jiff::civil::Date::new(year, month, day).is_ok()
}

fn is_date_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else {
        return false;
    };
    is_date(date) && TIME.is_match(time.as_bytes())
}

/// Accepts `time.ParseDuration`, or a Scala duration anywhere in the text.
fn is_duration(text: &str) -> bool {
    DURATION.is_match(text.as_bytes()) || SCALA_DURATION.is_match(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formats of apiextensions' `formats.go`, with values that its Go libraries accept and
    /// reject.
    #[expect(clippy::too_many_lines, reason = "a table")]
    #[test]
    fn formats_match_the_real_server() {
        for (format, valid, invalid) in [
            (
                "bsonobjectid",
                &["5f1f1f1f1f1f1f1f1f1f1f1f"][..],
                &["5f", "5g1f1f1f1f1f1f1f1f1f1f1f"][..],
            ),
            (
                "uri",
                &[
                    "/a",
                    "https://a.b:80/c?d#e",
                    "urn:a:b",
                    "http://[::1]:1/",
                    "http://u@h",
                    "http:///a b",
                    "*",
                ],
                &[
                    "",
                    "a",
                    "a/b",
                    "http://a b/",
                    "http://a:x/",
                    "/%zz",
                    "//\n",
                    "://a",
                ],
            ),
            (
                "email",
                &[
                    "a@b",
                    "a.b+c@d.e",
                    "A B <a@b.c>",
                    "<a@b>",
                    "\"a b\"@c",
                    "a@[127.0.0.1]",
                ],
                &["", "a", "a@", "@b", "a b@c", "a@b>", "a@b c", "a..b@c"],
            ),
            (
                "hostname",
                &["a", "a.example", "1.example.com", "ü.de", "a-b"],
                &["", "a_b", "-a.de", "a..b", ".", "a.b.1"],
            ),
            (
                "ipv4",
                &["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"],
                &["1.2.3", "1.2.3.256", "::1", ""],
            ),
            (
                "ipv6",
                &["::1", "fe80::1", "::ffff:1.2.3.4"],
                &["1.2.3.4", "::g", "fe80::1%eth0"],
            ),
            (
                "cidr",
                &["10.0.0.0/8", "::/0", "fe80::/128"],
                &["10.0.0.0", "10.0.0.0/33", "::/129", "x/1", "1.2.3.4/+1"],
            ),
            (
                "mac",
                &[
                    "00:00:5e:00:53:01",
                    "00-00-5E-00-53-01",
                    "0000.5e00.5301",
                    "02:00:5e:10:00:00:00:01",
                ],
                &["00:00:5e:00:53", "00:00:5e:00:53:0g", "00005e00530", ""],
            ),
            (
                "uuid",
                &[
                    "0ab12c34-1234-1234-1234-0123456789AB",
                    "0ab12c34123412341234012345678900",
                ],
                &["x", "0ab12c34"],
            ),
            (
                "uuid3",
                &["0ab12c34-1234-3234-1234-0123456789ab"],
                &["0ab12c34-1234-1234-1234-0123456789ab"],
            ),
            (
                "uuid4",
                &["0ab12c34-1234-4234-8234-0123456789ab"],
                &["0ab12c34-1234-4234-1234-0123456789ab"],
            ),
            (
                "uuid5",
                &["0ab12c34-1234-5234-8234-0123456789ab"],
                &["0ab12c34-1234-4234-8234-0123456789ab"],
            ),
            (
                "isbn",
                &["0321751043", "978-0321751041"],
                &["0321751044", "1"],
            ),
            (
                "isbn10",
                &["0-321-75104-3", "080442957X"],
                &["978-0321751041", "X321751043"],
            ),
            (
                "isbn13",
                &["978-0321751041"],
                &["0321751043", "978-0321751042"],
            ),
            (
                "creditcard",
                &["4111 1111 1111 1111", "378282246310005"],
                &["4111111111111112", "1", ""],
            ),
            ("ssn", &["123-45-6789"], &["123456789", "123-45-678x"]),
            ("hexcolor", &["#FFF", "ffffff"], &["#ffff", "red"]),
            (
                "rgbcolor",
                &["rgb(0, 255,7)"],
                &["rgb(0,256,0)", "rgb(1,2)"],
            ),
            ("byte", &["Zm9v", "Zg=="], &["", "Zg=", "Z g="]),
            ("password", &["", "x"], &[]),
            (
                "date",
                &["2024-02-29"],
                &["2023-02-29", "2024-2-29", "24-02-29", "2024-02-29T", ""],
            ),
            (
                "duration",
                &[
                    "1h30m",
                    "0",
                    "-1.5s",
                    "22 ns",
                    "3 days",
                    "1w",
                    "in 5 minutes",
                ],
                &["", "1", "1x", "h"],
            ),
            (
                "date-time",
                &["2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20+01:00"],
                &[
                    "2014-12-15",
                    "2014-12-15T24:00:00Z",
                    "2014-12-15T19:30:20",
                    "2014-13-15T19:30:20Z",
                    "",
                ],
            ),
            ("k8s-short-name", &["a-1"], &["A", "a.b", "-a", ""]),
            ("k8s-long-name", &["a.b-c.1"], &["a..b", "A", ""]),
        ] {
            for text in valid {
                assert_eq!(is_valid(format, text), Some(true), "{text:?} is a {format}");
            }
            for text in invalid {
                assert_eq!(
                    is_valid(format, text),
                    Some(false),
                    "{text:?} is no {format}"
                );
            }
        }
        assert_eq!(
            is_valid("int-or-string", "x"),
            None,
            "the real server knows no such format"
        );
    }
}
