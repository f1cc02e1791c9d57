//! Formats of strings, as far as definitions of controllers use them. The real server knows some
//! more, such as `isbn` and `creditcard`; here, they are not checked.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::bytes::Regex;

use super::pattern;
use crate::names;

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| compiled($pattern));)*
    };
}

patterns! {
    URI = "^(/|[a-zA-Z][a-zA-Z0-9+.-]*:)([^\\x00-\\x20\\x7f%]|%[0-9a-fA-F]{2})*$";
    EMAIL = r#"^[^@\s<>"]+@[^@\s<>"]+$"#;
    HOST_NAME = r"^[\p{L}\p{S}0-9]([\p{L}\p{S}0-9-]*[\p{L}\p{S}0-9])?(\.[\p{L}\p{S}0-9]([\p{L}\p{S}0-9-]*[\p{L}\p{S}0-9])?)*$";
    MAC = "^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5,7}$|^[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){5,7}$";
    UUID = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
    DURATION = r"^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$";
    WORDS = r"(?i)\d+\s*(ns|us|µs|ms|s|m|h|d|w|((nano|micro|milli)?sec|min|hr|hour|day|wk|week)[a-z]*)([^a-zµ]|$)";
}

#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, and a test compiles each"
)]
fn compiled(text: &str) -> Regex {
    pattern::compile(text).expect("a pattern of the table compiles")
}

/// Reports whether `text` has the format; `None` for an unknown format.
pub(super) fn is_valid(format: &str, text: &str) -> Option<bool> {
    let bytes = text.as_bytes();
    Some(match format.replace('-', "").as_str() {
        "byte" => !text.is_empty() && STANDARD.decode(text).is_ok(),
        "cidr" => is_cidr(text),
        "date" => text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok(),
        "datetime" => text.to_uppercase().parse::<jiff::Timestamp>().is_ok(),
        "duration" => DURATION.is_match(bytes) || WORDS.is_match(bytes),
        "email" => EMAIL.is_match(bytes),
        "hostname" => text.len() <= 255 && HOST_NAME.is_match(bytes),
        "ipv4" => text.contains('.') && text.parse::<IpAddr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "k8sshortname" => names::label(text).is_empty(),
        "k8slongname" => names::subdomain(text).is_empty(),
        "mac" => MAC.is_match(bytes),
        "password" => true,
        "uri" => URI.is_match(bytes),
        "uuid" => UUID.is_match(bytes),
        _ => return None,
    })
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else {
        return false;
    };
    let most = match address.parse() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    if bits.starts_with('+') {
        return false;
    }
    bits.parse::<u32>().is_ok_and(|bits| bits <= most)
}
