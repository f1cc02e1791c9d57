//! Parses numbers.

use super::decoder::Decoder;
use super::error::Error;

/// A number of the text.
#[derive(Debug)]
pub(super) enum Number<'de> {
    Natural(u64),
    /// Below zero.
    Negative(i64),
    /// Any other number: large, with a fraction, `-0`, or malformed.
    Other(&'de str),
}

/// Number of digits that always fit an `i64`.
const MAX_DIGITS: usize = 18;

// === impl Decoder ===

impl<'de> Decoder<'de, '_> {
    /// Consumes the next number.
    pub(super) fn take_number(&mut self) -> Result<Number<'de>, Error> {
        let is_negative = self.byte(self.at) == Some(b'-');
        let first = self.at + usize::from(is_negative);
        let mut end = first;
        let mut number: i64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.byte(end) {
            number = number
                .wrapping_mul(10)
                .wrapping_add(i64::from(digit - b'0'));
            end += 1;
        }
        let digits = end - first;
        let has_more = matches!(self.byte(end), Some(b'.' | b'e' | b'E'));
        let is_plain = match self.byte(first) {
            Some(b'0') => digits == 1 && !is_negative,
            _ => (1..=MAX_DIGITS).contains(&digits),
        };
        if has_more || !is_plain {
            return self.take_number_text().map(Number::Other);
        }
        self.at = end;
        if is_negative {
            return Ok(Number::Negative(-number));
        }
        Ok(Number::Natural(number.unsigned_abs()))
    }

    /// Consumes all bytes that may be part of a number.
    pub(super) fn take_number_text(&mut self) -> Result<&'de str, Error> {
        let start = self.at;
        let mut end = start;
        while let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') = self.byte(end) {
            end += 1;
        }
        self.at = end;
        match self.text.get(start..end) {
            Some(text) if !text.is_empty() => Ok(text),
            _ => self.malformed(),
        }
    }
}
