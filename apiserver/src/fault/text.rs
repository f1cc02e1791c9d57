//! Text form of faults and matchers, and its parser.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

use super::kind::Fault;
use crate::fault::requests::Matcher;
use crate::registry::target::Verb;

/// Characters that a word of a script has to escape.
const NOT_IN_WORDS: &AsciiSet = &CONTROLS.add(b' ').add(b'%').add(b'"');

/// Error of a text that is not a fault or a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
pub struct ParseFaultError {
    line: Option<usize>,
    reason: Cow<'static, str>,
}

// === impl ParseFaultError ===

impl ParseFaultError {
    fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            line: None,
            reason: reason.into(),
        }
    }

    pub(super) fn in_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }
}

fn word(text: &[u8]) -> impl fmt::Display {
    percent_encode(text, NOT_IN_WORDS)
}

fn decode_word(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

// === to text ===

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status {
                code,
                reason,
                message,
                retry_after,
            } => {
                write!(f, "status {code} {}", word(reason.as_bytes()))?;
                if let Some(seconds) = retry_after {
                    write!(f, " retry-after={seconds}")?;
                }
                write!(f, " {}", serde_json::Value::from(message.as_str()))
            }
            Self::Raw {
                code,
                content_type,
                body,
            } => {
                let content_type = word(content_type.as_bytes());
                write!(f, "raw {code} {content_type} {}", word(body))
            }
            Self::Stall => f.write_str("stall"),
            Self::StallAfter(bytes) => write!(f, "stall-after {bytes}"),
            Self::CutAfter(bytes) => write!(f, "cut {bytes}"),
            Self::TruncateAfter(bytes) => write!(f, "truncate {bytes}"),
            Self::Delay(time) => write!(f, "delay {}", Time(*time)),
            Self::Slow { bytes, pause } => write!(f, "slow {bytes} {}", Time(*pause)),
            Self::LoseBookmarks(count) => write!(f, "lose-bookmarks {count}"),
            Self::DuplicateEvents(count) => write!(f, "duplicate {count}"),
            Self::CloseAfter(count) => write!(f, "close-after {count}"),
            Self::ExpireAfter(count) => write!(f, "expire-after {count}"),
            Self::Undecodable(count) => write!(f, "undecodable {count}"),
            Self::Compact => f.write_str("compact"),
            Self::Rewind(versions) => write!(f, "rewind {versions}"),
            Self::DisconnectWatches => f.write_str("disconnect-watches"),
            Self::CloseWatches => f.write_str("close-watches"),
            Self::ClockSkew(seconds) => write!(f, "clock-skew {seconds}"),
        }
    }
}

/// The form in a [`FaultScript`](crate::FaultScript): `list pods`,
/// `* * namespace=x query=continue`.
impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = self.verb.map_or("*", Verb::as_str);
        let resource = self.resource.as_deref().unwrap_or("*");
        write!(f, "{verb} {}", word(resource.as_bytes()))?;
        let pairs = [("namespace", &self.namespace), ("name", &self.name)];
        let pairs = pairs
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let queries = self.query.iter().map(|text| ("query", text));
        pairs
            .chain(queries)
            .try_for_each(|(name, value)| write!(f, " {name}={}", word(value.as_bytes())))
    }
}

/// A duration, printed in the largest unit of which it is a whole number.
struct Time(Duration);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        for (unit, size) in UNITS {
            if nanos.is_multiple_of(size) {
                return write!(f, "{}{unit}", nanos / size);
            }
        }
        Ok(())
    }
}

const UNITS: [(&str, u128); 4] = [
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

// === from text ===

/// The remaining words of a fault.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn next(&mut self, what: &'static str) -> Result<&'a str, ParseFaultError> {
        let text = self.0.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.0 = rest;
        if word.is_empty() {
            return Err(ParseFaultError::new(format!("{what} is missing")));
        }
        Ok(word)
    }

    fn number<T: FromStr>(&mut self, what: &'static str) -> Result<T, ParseFaultError> {
        let word = self.next(what)?;
        word.parse()
            .map_err(|_| ParseFaultError::new(format!("{what} cannot be {word:?}")))
    }

    fn time(&mut self, what: &'static str) -> Result<Duration, ParseFaultError> {
        let word = self.next(what)?;
        let invalid = || {
            ParseFaultError::new(format!(
                "{what} is {word:?} instead of, for example, 5ms or 2s"
            ))
        };
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: u128 = digits.parse().map_err(|_| invalid())?;
        let unit = word.get(digits.len()..).unwrap_or_default();
        let (_, size) = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .ok_or_else(invalid)?;
        let nanos = number
            .checked_mul(*size)
            .and_then(|n| u64::try_from(n).ok());
        nanos.map(Duration::from_nanos).ok_or_else(invalid)
    }

    /// Returns the remaining text.
    fn rest(&mut self) -> &'a str {
        std::mem::take(&mut self.0).trim()
    }

    fn end(&self) -> Result<(), ParseFaultError> {
        match self.0.trim() {
            "" => Ok(()),
            more => Err(ParseFaultError::new(format!(
                "unexpected {more:?} at the end"
            ))),
        }
    }
}

impl FromStr for Fault {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, ParseFaultError> {
        const COUNT: &str = "the number of events";
        let mut words = Words(text);
        let fault = match words.next("the fault")? {
            "status" => status(&mut words)?,
            "raw" => Self::Raw {
                code: words.number("the status code")?,
                content_type: decode_word(words.next("the content type")?),
                body: percent_decode_str(words.rest()).collect::<Vec<_>>().into(),
            },
            "stall" => Self::Stall,
            "stall-after" => Self::StallAfter(words.number("the number of bytes")?),
            "cut" => Self::CutAfter(words.number("the number of bytes")?),
            "truncate" => Self::TruncateAfter(words.number("the number of bytes")?),
            "delay" => Self::Delay(words.time("the time")?),
            "slow" => Self::Slow {
                bytes: words.number("the number of bytes")?,
                pause: words.time("the pause")?,
            },
            "lose-bookmarks" => Self::LoseBookmarks(words.number("the number of bookmarks")?),
            "duplicate" => Self::DuplicateEvents(words.number(COUNT)?),
            "close-after" => Self::CloseAfter(words.number(COUNT)?),
            "expire-after" => Self::ExpireAfter(words.number(COUNT)?),
            "undecodable" => Self::Undecodable(words.number("the number of objects")?),
            "compact" => Self::Compact,
            "rewind" => Self::Rewind(words.number("the number of versions")?),
            "disconnect-watches" => Self::DisconnectWatches,
            "close-watches" => Self::CloseWatches,
            "clock-skew" => Self::ClockSkew(words.number("the number of seconds")?),
            other => return Err(ParseFaultError::new(format!("unknown fault {other:?}"))),
        };
        words.end()?;
        Ok(fault)
    }
}

/// Parses the words after `status`.
fn status(words: &mut Words<'_>) -> Result<Fault, ParseFaultError> {
    let code = words.number("the status code")?;
    let reason = decode_word(words.next("the reason")?);
    let mut retry_after = None;
    if let Some(rest) = words.0.trim_start().strip_prefix("retry-after=") {
        *words = Words(rest);
        retry_after = Some(words.number("the number of seconds")?);
    }
    let message = match words.rest() {
        "" => String::new(),
        text => serde_json::from_str(text)
            .map_err(|_| ParseFaultError::new(format!("the message {text} is not in quotes")))?,
    };
    Ok(Fault::Status {
        code,
        reason,
        message,
        retry_after,
    })
}

/// Parses a line of a script: `list pods #2: cut 700`.
pub(super) fn step(line: &str) -> Result<(Matcher, usize, Fault), ParseFaultError> {
    let form = || ParseFaultError::new("not of the form `list pods #2: cut 700`");
    let (request, fault) = line.split_once(": ").ok_or_else(form)?;
    let (request, nth) = request.rsplit_once(" #").ok_or_else(form)?;
    let nth = nth.parse().ok().filter(|nth| *nth > 0).ok_or_else(form)?;
    Ok((matcher(request)?, nth, fault.parse()?))
}

fn matcher(text: &str) -> Result<Matcher, ParseFaultError> {
    let mut words = Words(text);
    let mut matcher = Matcher::any();
    match words.next("the verb")? {
        "*" => {}
        name => {
            let verb = Verb::ALL.into_iter().find(|verb| verb.as_str() == name);
            let unknown = || ParseFaultError::new(format!("unknown verb {name:?}"));
            matcher = matcher.verb(verb.ok_or_else(unknown)?);
        }
    }
    match words.next("the resource")? {
        "*" => {}
        name => matcher = matcher.resource(decode_word(name)),
    }
    while words.end().is_err() {
        let word = words.next("a condition")?;
        matcher = match word.split_once('=') {
            Some(("namespace", value)) => matcher.namespace(decode_word(value)),
            Some(("name", value)) => matcher.name(decode_word(value)),
            Some(("query", value)) => matcher.query(decode_word(value)),
            _ => {
                let reason = format!("{word:?} is neither namespace=, name= nor query=");
                return Err(ParseFaultError::new(reason));
            }
        };
    }
    Ok(matcher)
}

#[cfg(test)]
mod tests;
