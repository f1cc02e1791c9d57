//! [`ResourceVersion`] and [`Uid`]: the version of an object, and its identity.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use kube::Resource;

/// Version of an object or of a collection, as the API server sent it.
///
/// Versions are opaque except for equality. [`compare`](Self::compare) orders two versions as far
/// as KEP-5504 allows, which is decimal numbers only. Clones are cheap. The usual version, a number
/// below 2⁶⁴, needs no allocation.
///
/// # Examples
///
/// ```
/// # extern crate informer_wire as informer;
/// use std::cmp::Ordering;
/// use informer::ResourceVersion;
///
/// let old = ResourceVersion::new("99");
/// let new = ResourceVersion::new("100");
/// assert_eq!(old.compare(&new), Some(Ordering::Less));
/// assert_eq!(ResourceVersion::new("abc").compare(&new), None);
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct ResourceVersion(Repr);

#[derive(Clone, Default, PartialEq, Eq, Hash)]
enum Repr {
    #[default]
    Unset,
    /// Prints without leading zeros, so the text is exactly the text that the server sent.
    Number(u64),
    /// Rare, so its length is beside the text: a version of each object is smaller without it.
    Text(Arc<Box<str>>),
}

/// The `metadata.uid` of an object. The same key with another uid is another object.
///
/// UUIDs, which API servers assign, are stored without an allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Uid(UidRepr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum UidRepr {
    /// Bytes, because a `u128` would be aligned to 16 bytes in each object.
    Uuid([u8; 16]),
    Text(Arc<str>),
}

// === impl ResourceVersion ===

impl ResourceVersion {
    /// No version. A LIST or WATCH with this version requests the most recent state.
    pub const UNSET: Self = Self(Repr::Unset);
    /// Version `"0"`. A LIST with this version accepts any state from the server's cache.
    pub const ANY: Self = Self(Repr::Number(0));

    /// Parses a version; an empty text is [`UNSET`](Self::UNSET).
    #[must_use]
    pub fn new(text: &str) -> Self {
        if text.is_empty() {
            return Self::UNSET;
        }
        let canonical = text == "0"
            || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
        match text.parse() {
            Ok(number) if canonical => Self(Repr::Number(number)),
            _ => Self(Repr::Text(Arc::new(text.into()))),
        }
    }

    /// Returns the version of `object`; [`UNSET`](Self::UNSET) if it has none, as before its
    /// creation.
    #[must_use]
    pub fn of<K: Resource>(object: &K) -> Self {
        Self::new(
            object
                .meta()
                .resource_version
                .as_deref()
                .unwrap_or_default(),
        )
    }

    /// Returns `true` if this is [`UNSET`](Self::UNSET) (`""`).
    #[must_use]
    pub fn is_unset(&self) -> bool {
        self.0 == Repr::Unset
    }

    /// Returns `true` if this identifies one state: neither `""` nor `"0"`.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        *self != Self::UNSET && *self != Self::ANY
    }

    /// Orders two versions of one resource, where possible.
    ///
    /// Returns `None` if either version is not a positive decimal number without leading zeros.
    /// Numbers may have any length. apimachinery's counterpart is
    /// `resourceversion.CompareResourceVersion`.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self.digits()?, other.digits()?) {
            (Digits::Small(a), Digits::Small(b)) => Some(a.cmp(&b)),
            (Digits::Small(_), Digits::Large(_)) => Some(Ordering::Less),
            (Digits::Large(_), Digits::Small(_)) => Some(Ordering::Greater),
            (Digits::Large(a), Digits::Large(b)) => Some(a.len().cmp(&b.len()).then(a.cmp(b))),
        }
    }

    /// Returns `true` if this is older than `other`; `false` if the versions cannot be compared.
    #[doc(hidden)]
    #[must_use]
    pub fn is_older_than(&self, other: &Self) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }

    fn digits(&self) -> Option<Digits<'_>> {
        match &self.0 {
            Repr::Unset | Repr::Number(0) => None,
            Repr::Number(number) => Some(Digits::Small(*number)),
            // `Text` holds only texts that do not fit `Number`: longer numbers and texts that are
            // not numbers.
            Repr::Text(text) => {
                let decimal =
                    !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
                decimal.then_some(Digits::Large(text))
            }
        }
    }
}

/// A comparable version: a number that fits 64 bits, or a longer one.
enum Digits<'a> {
    Small(u64),
    Large(&'a str),
}

impl From<&str> for ResourceVersion {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Unset => Ok(()),
            Repr::Number(number) => fmt::Display::fmt(number, f),
            Repr::Text(text) => f.pad(text),
        }
    }
}

impl fmt::Debug for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

// === impl Uid ===

impl Uid {
    /// Parses a uid.
    #[must_use]
    pub fn new(text: &str) -> Self {
        match parse_uuid(text) {
            Some(uuid) => Self(UidRepr::Uuid(uuid.to_be_bytes())),
            None => Self(UidRepr::Text(text.into())),
        }
    }
}

/// Value of each byte as a lower-case hexadecimal digit; [`NO_DIGIT`] for all other bytes.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    digits
};
const NO_DIGIT: u8 = 0xf0;

/// Parses the canonical form only (lower case, hyphens), so that the uid prints unchanged.
fn parse_uuid(text: &str) -> Option<u128> {
    let (first, rest) = text.as_bytes().split_first_chunk::<8>()?;
    let (second, rest) = after_hyphen::<4>(rest)?;
    let (third, rest) = after_hyphen::<4>(rest)?;
    let (fourth, rest) = after_hyphen::<4>(rest)?;
    let (fifth, rest) = after_hyphen::<12>(rest)?;
    let high = (hex(first)? << 32) | (hex(second)? << 16) | hex(third)?;
    let low = (hex(fourth)? << 48) | hex(fifth)?;
    rest.is_empty()
        .then_some((u128::from(high) << 64) | u128::from(low))
}

fn after_hyphen<const N: usize>(text: &[u8]) -> Option<(&[u8; N], &[u8])> {
    text.strip_prefix(b"-")?.split_first_chunk()
}

/// Parses at most 16 digits. Validity is checked once for all digits: each object of a list has a
/// uid, and so may its owners.
fn hex<const N: usize>(digits: &[u8; N]) -> Option<u64> {
    let mut number = 0;
    let mut seen = 0;
    for byte in digits {
        let digit = DIGITS.get(usize::from(*byte)).copied().unwrap_or(NO_DIGIT);
        seen |= digit;
        number = (number << 4) | u64::from(digit);
    }
    (seen & NO_DIGIT == 0).then_some(number)
}

impl From<&str> for Uid {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            UidRepr::Text(text) => f.pad(text),
            UidRepr::Uuid(uuid) => {
                let hex = format!("{:032x}", u128::from_be_bytes(*uuid));
                for (position, digit) in hex.chars().enumerate() {
                    if matches!(position, 8 | 12 | 16 | 20) {
                        f.write_char('-')?;
                    }
                    f.write_char(digit)?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests;
