//! `Timestamp`: seconds and nanoseconds since 1970 in protobuf, RFC 3339 in JSON.

use crate::wire::{Malformed, Payload, Reader, WireType, put_tag, put_varint};

/// Protobuf form of `Time` and `MicroTime`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp {
    seconds: i64,
    nanos: u32,
}

/// Text of a timestamp, without an allocation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    bytes: [u8; 27],
    length: usize,
}

/// 0001-01-01T00:00:00Z: Go's zero time, which is null in JSON.
const ZERO: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z; JSON has no later time.
const LAST: i64 = 253_402_300_799;
const DAY: i64 = 86_400;

// === impl Timestamp ===

impl Timestamp {
    /// Decodes a message; `None` is the zero time.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>, Malformed> {
        let mut time = Self {
            seconds: 0,
            nanos: 0,
        };
        if bytes.is_empty() {
            return Ok(None);
        }
        // Fast path: what API servers write for the times from 1978 to 3058.
        if let [8, seconds @ .., 16, 0] = bytes
            && let Ok([low @ .., last @ ..0x80]) = <[u8; 5]>::try_from(seconds)
            && low.iter().all(|byte| *byte >= 0x80)
        {
            time.seconds = low.iter().rev().fold(i64::from(last), |seconds, byte| {
                (seconds << 7) | i64::from(byte & 0x7f)
            });
            return Ok(Some(time));
        }
        let mut reader = Reader::new(bytes);
        while let Some(record) = reader.record()? {
            match record {
                (1, Payload::Varint(seconds)) => time.seconds = seconds.cast_signed(),
                (2, Payload::Varint(nanos)) => {
                    time.nanos = u32::try_from(nanos)
                        .ok()
                        .filter(|&nanos| nanos < 1_000_000_000)
                        .ok_or(Malformed("nanoseconds"))?;
                }
                _ => return Err(Malformed("a timestamp")),
            }
        }
        if !(ZERO..=LAST).contains(&time.seconds) {
            return Err(Malformed("a time of the years 1 to 9999"));
        }
        Ok((!time.is_zero()).then_some(time))
    }

    /// Encodes the message's fields; like Go, always writes both.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        put_tag(out, 1, WireType::Varint);
        put_varint(out, self.seconds.cast_unsigned());
        put_tag(out, 2, WireType::Varint);
        put_varint(out, u64::from(self.nanos));
    }

    /// Formats a `Time` for JSON: `2006-01-02T15:04:05Z`. Nanoseconds are dropped.
    pub(crate) fn to_seconds(self) -> Text {
        self.text(None)
    }

    /// Formats a `MicroTime` for JSON: `2006-01-02T15:04:05.000000Z`.
    pub(crate) fn to_micros(self) -> Text {
        self.text(Some(self.nanos / 1000))
    }

    /// Parses a time. `Time` has whole seconds, `MicroTime` whole microseconds.
    pub(crate) fn parse(text: &str, is_micro: bool) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let (year, month, day) = date_of(date)?;
        let rest = rest.strip_prefix(['T', 't'])?;
        let (time, mut rest) = rest.split_at_checked(8)?;
        let mut parts = time.split(':').map(|part| number(part, 2));
        let hour = parts.next()??;
        let minute = parts.next()??;
        let second = parts.next()??;
        if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut nanos = 0;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let end = fraction
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(fraction.len());
            let (digits, behind) = fraction.split_at_checked(end)?;
            if digits.is_empty() {
                return None;
            }
            let kept = if is_micro { 6 } else { 0 };
            nanos = digits
                .chars()
                .chain(std::iter::repeat('0'))
                .take(kept)
                .fold(0, |nanos, digit| {
                    nanos * 10 + digit.to_digit(10).unwrap_or(0)
                })
                * 1000;
            rest = behind;
        }
        let seconds =
            days_of(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset_of(rest)?;
        let time = Self { seconds, nanos };
        (ZERO..=LAST).contains(&seconds).then_some(time)
    }

    /// Reports whether the time is Go's zero time.
    pub(crate) fn is_zero(self) -> bool {
        self.seconds == ZERO && self.nanos == 0
    }

    fn text(self, micros: Option<u32>) -> Text {
        let (year, month, day) = date_from(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        let (bytes, length) = match micros {
            None => (*b"0000-00-00T00:00:00Z       ", 20),
            Some(_) => (*b"0000-00-00T00:00:00.000000Z", 27),
        };
        let mut text = Text { bytes, length };
        text.put(0, year / 100);
        text.put(2, year % 100);
        text.put(5, month);
        text.put(8, day);
        text.put(11, second / 3600);
        text.put(14, second / 60 % 60);
        text.put(17, second % 60);
        if let Some(micros) = micros.map(i64::from) {
            text.put(20, micros / 10_000);
            text.put(22, micros / 100 % 100);
            text.put(24, micros % 100);
        }
        text
    }
}

// === impl Text ===

impl Text {
    pub(crate) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Writes a number of two digits.
    fn put(&mut self, at: usize, number: i64) {
        if let Some(slots) = self.bytes.get_mut(at..at + 2) {
            let digits = [number / 10, number % 10];
            slots.copy_from_slice(&digits.map(|digit| b'0' + digit.to_le_bytes()[0]));
        }
    }
}

/// Parses `Z`, or an offset in hours and minutes; returns seconds.
fn offset_of(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let hours = number(hours, 2)?;
    let minutes = number(minutes, 2)?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

fn date_of(text: &str) -> Option<(i64, i64, i64)> {
    let mut parts = text.split('-');
    let year = number(parts.next()?, 4)?;
    let month = number(parts.next()?, 2)?;
    let day = number(parts.next()?, 2)?;
    // A valid day survives the conversion to a number of days and back.
    let is_day = parts.next().is_none()
        && (1..=12).contains(&month)
        && date_from(days_of(year, month, day)) == (year, month, day);
    is_day.then_some((year, month, day))
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Returns the days since 1970-01-01 in the Gregorian calendar.
///
/// Years start in March here, so that the leap day is the last day of a year.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Inverse of `days_of`.
fn date_from(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests;
