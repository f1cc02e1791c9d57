//! Decoding of files to text.

use std::string::FromUtf8Error;

/// Error of a file whose encoding is not supported.
#[derive(Debug, thiserror::Error)]
pub enum NotText {
    /// The file has no byte order mark of UTF-16, and is not valid UTF-8.
    #[error("is neither UTF-8 nor UTF-16 with a byte order mark; save it as UTF-8")]
    Utf8(#[source] FromUtf8Error),
    /// The file has a byte order mark of UTF-16, and is not valid UTF-16.
    #[error("has a byte order mark of UTF-16, but is not valid UTF-16; save it as UTF-8")]
    Utf16,
}

/// Decodes the bytes of a file: UTF-8, or UTF-16 with a byte order mark as `PowerShell` writes it.
///
/// The byte order mark is not part of the text.
///
/// # Errors
///
/// If the bytes have another encoding.
pub fn decode(bytes: Vec<u8>) -> Result<String, NotText> {
    match bytes.as_slice() {
        [0xff, 0xfe, units @ ..] => utf16(units, u16::from_le_bytes),
        [0xfe, 0xff, units @ ..] => utf16(units, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8(rest.to_vec()).map_err(NotText::Utf8),
        _ => String::from_utf8(bytes).map_err(NotText::Utf8),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, NotText> {
    let (pairs, []) = bytes.as_chunks() else {
        return Err(NotText::Utf16);
    };
    let units: Vec<u16> = pairs.iter().copied().map(unit).collect();
    String::from_utf16(&units).map_err(|_| NotText::Utf16)
}
