//! Skips values that no type reads, and validates them.

use serde::de::{Deserialize, IgnoredAny};

use super::decoder::{Decoder, Text, via_number};
use super::error::Error;
use super::number::Number;

// === impl Decoder ===

impl<'de> Decoder<'de, '_> {
    /// Consumes a value, and returns its text.
    pub(super) fn take_value(&mut self) -> Result<&'de str, Error> {
        self.token()?;
        let start = self.at;
        self.skip_value()?;
        match self.text.get(start..self.at) {
            Some(value) => Ok(value),
            None => self.malformed(),
        }
    }

    /// Consumes a value.
    pub(super) fn skip_value(&mut self) -> Result<(), Error> {
        match self.token()? {
            b'"' => self.skip_text(),
            b'{' => {
                self.enter(b'}')?;
                let mut is_first = true;
                while self.has_next(b'}', is_first)? {
                    is_first = false;
                    if self.byte(self.at) != Some(b'"') {
                        return self.malformed();
                    }
                    self.skip_text()?;
                    self.take(b':')?;
                    self.skip_value()?;
                }
                self.leave(b'}')
            }
            b'[' => {
                self.enter(b']')?;
                let mut is_first = true;
                while self.has_next(b']', is_first)? {
                    is_first = false;
                    self.skip_value()?;
                }
                self.leave(b']')
            }
            b't' => self.take_word("true"),
            b'f' => self.take_word("false"),
            b'n' => self.take_word("null"),
            _ => match self.take_number()? {
                Number::Natural(_) | Number::Negative(_) => Ok(()),
                Number::Other(text) => {
                    let value = via_number(text, IgnoredAny::deserialize);
                    self.note_rejection(value.map(drop))
                }
            },
        }
    }

    fn skip_text(&mut self) -> Result<(), Error> {
        match self.take_text()? {
            Text::Plain(_) => Ok(()),
            Text::Escaped(text) => {
                let value = self.with_unescaped(text, |_| Ok(()));
                self.note_rejection(value)
            }
        }
    }
}
