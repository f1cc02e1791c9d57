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

/// Day of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Date {
    year: i64,
    month: i64,
    day: i64,
}

/// 0001-01-01T00:00:00Z: Go's zero time, which is null in JSON.
const ZERO: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z; JSON has no later time.
const LAST: i64 = 253_402_300_799;
const DAY: i64 = 86_400;
/// Days of 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const BEFORE_1970: i64 = 719_468;

// === impl Timestamp ===

impl Timestamp {
    /// Decodes a message; `None` is the zero time.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>, Malformed> {
        if bytes.is_empty() {
            return Ok(None);
        }
        if let Some(seconds) = usual_seconds(bytes) {
            return Ok(Some(Self { seconds, nanos: 0 }));
        }
        let mut time = Self {
            seconds: 0,
            nanos: 0,
        };
        let mut reader = Reader::new(bytes);
        while let Some(record) = reader.record()? {
            match record {
                (1, Payload::Varint(seconds)) => time.seconds = seconds.cast_signed(),
                (2, Payload::Varint(nanos)) => match u32::try_from(nanos) {
                    Ok(nanos @ ..1_000_000_000) => time.nanos = nanos,
                    _ => return Err(Malformed("nanoseconds")),
                },
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
        let (clock, behind) = rest.strip_prefix(['T', 't'])?.split_at_checked(8)?;
        let (micros, zone) = match behind.strip_prefix(['.', ',']) {
            Some(fraction) => micros_of(fraction)?,
            None => (0, behind),
        };
        let local = Date::parse(date)?.days() * DAY + second_of(clock)?;
        let seconds = local - offset_of(zone)?;
        let nanos = if is_micro { micros * 1000 } else { 0 };
        let is_valid = (ZERO..=LAST).contains(&seconds);
        is_valid.then_some(Self { seconds, nanos })
    }

    /// Reports whether the time is Go's zero time.
    pub(crate) fn is_zero(self) -> bool {
        self.seconds == ZERO && self.nanos == 0
    }

    fn text(self, micros: Option<u32>) -> Text {
        let date = Date::from_days(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        let (bytes, length) = match micros {
            None => (*b"0000-00-00T00:00:00Z       ", 20),
            Some(_) => (*b"0000-00-00T00:00:00.000000Z", 27),
        };
        let mut text = Text { bytes, length };
        text.put(0, date.year / 100);
        text.put(2, date.year % 100);
        text.put(5, date.month);
        text.put(8, date.day);
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
    let (before, after) = text.get(1..)?.split_once(':')?;
    let hours = number(before, 2)?;
    let minutes = number(after, 2)?;
    if hours > 23 || minutes > 59 {
        return None;
    }
    Some(sign * (hours * 3600 + minutes * 60))
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Decodes what API servers write for the times from 1978 to 3058: seconds of five bytes, and no
/// nanoseconds. The others take the slow path.
#[inline]
fn usual_seconds(bytes: &[u8]) -> Option<i64> {
    let [8, varint @ .., 16, 0] = bytes else {
        return None;
    };
    let [low @ .., last @ ..0x80] = <[u8; 5]>::try_from(varint).ok()? else {
        return None;
    };
    let mut seconds = i64::from(last);
    for byte in low.into_iter().rev() {
        if byte < 0x80 {
            return None;
        }
        seconds = (seconds << 7) | i64::from(byte & 0x7f);
    }
    Some(seconds)
}

/// Parses hours, minutes and seconds; returns seconds.
fn second_of(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let hour = number(parts.next()?, 2)?;
    let minute = number(parts.next()?, 2)?;
    let second = number(parts.next()?, 2)?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(hour * 3600 + minute * 60 + second)
}

/// Parses the digits of a fraction; returns whole microseconds, and the text behind the digits.
fn micros_of(text: &str) -> Option<(u32, &str)> {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.strip_suffix(behind)?;
    if digits.is_empty() {
        return None;
    }
    let mut micros = 0;
    for digit in digits.chars().chain(std::iter::repeat('0')).take(6) {
        micros = micros * 10 + digit.to_digit(10)?;
    }
    Some((micros, behind))
}

// === impl Date ===

impl Date {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let date = Self {
            year: number(parts.next()?, 4)?,
            month: number(parts.next()?, 2)?,
            day: number(parts.next()?, 2)?,
        };
        if parts.next().is_some() || !(1..=12).contains(&date.month) {
            return None;
        }
        // A valid day survives the conversion to a number of days and back.
        let is_day = Self::from_days(date.days()) == date;
        is_day.then_some(date)
    }

    /// Returns the days since 1970-01-01.
    ///
    /// Years start in March here, so that the leap day is the last day of a year.
    fn days(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let months_since_march = (self.month + 9) % 12;
        let day_of_year = (153 * months_since_march + 2) / 5 + self.day - 1;
        let leap_days = year_of_era / 4 - year_of_era / 100;
        let day_of_era = year_of_era * 365 + leap_days + day_of_year;
        era * ERA + day_of_era - BEFORE_1970
    }

    /// Inverse of [`days`](Self::days).
    fn from_days(days: i64) -> Self {
        let all_days = days + BEFORE_1970;
        let era = all_days.div_euclid(ERA);
        let day_of_era = all_days.rem_euclid(ERA);
        let passed_leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
        let year_of_era = (day_of_era - passed_leap_days) / 365;
        let leap_days = year_of_era / 4 - year_of_era / 100;
        let day_of_year = day_of_era - (365 * year_of_era + leap_days);
        let months_since_march = (5 * day_of_year + 2) / 153;
        let month = if months_since_march < 10 {
            months_since_march + 3
        } else {
            months_since_march - 9
        };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * months_since_march + 2) / 5 + 1,
        }
    }
}

#[cfg(test)]
mod tests;
