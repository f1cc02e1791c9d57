//! Values that nobody reads. They have to be right nevertheless.

use serde::de::{Deserialize, IgnoredAny};

use super::decoder::{Decoder, Text, other};
use super::error::Error;
use super::number::Number;

// === impl Decoder ===

impl<'de> Decoder<'de, '_> {
    /// Takes a value, and gives its text.
    pub(super) fn take_value(&mut self) -> Result<&'de str, Error> {
        self.token()?;
        let start = self.at;
        self.skip_value()?;
        match self.text.get(start..self.at) {
            Some(value) => Ok(value),
            None => self.refuse(),
        }
    }

    /// Takes a value.
    pub(super) fn skip_value(&mut self) -> Result<(), Error> {
        match self.token()? {
            b'"' => self.skip_text(),
            b'{' => {
                self.enter(b'}')?;
                let mut is_first = true;
                while self.comes_next(b'}', is_first)? {
                    is_first = false;
                    if self.byte(self.at) != Some(b'"') {
                        return self.refuse();
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
                while self.comes_next(b']', is_first)? {
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
                    let value = other(text, IgnoredAny::deserialize);
                    self.given(value.map(drop))
                }
            },
        }
    }

    fn skip_text(&mut self) -> Result<(), Error> {
        match self.take_text()? {
            Text::Plain(_) => Ok(()),
            Text::Escaped(text) => {
                let value = self.with_unescaped(text, |_| Ok(()));
                self.given(value)
            }
        }
    }
}
