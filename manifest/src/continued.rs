//! Quoted scalars that continue at the indentation of their key.
//!
//! YAML requires the continuation lines of a quoted scalar to be deeper than the enclosing block,
//! and the parser enforces this. libyaml, and therefore go-yaml and every tool of Kubernetes, does
//! not. Leading white space of such a line has no meaning, so the text with deeper lines is the
//! same document.
//!
//! The scanner distinguishes the quotes that open a scalar from those in plain and block scalars
//! and in comments. It runs only on texts that the parser has rejected.

/// Maximum indentation, in spaces, of a text that is repaired: each continuation line grows by the
/// deepest one.
const MAX_INDENTATION: usize = 1000;

/// Reports whether the parser has rejected a text because of such a scalar.
pub(crate) fn is_cause(message: &str) -> bool {
    message.contains("invalid indentation in multiline quoted scalar")
}

/// Returns the text with all continuation lines of quoted scalars indented far enough; `None` if it
/// has no such lines, or if a line is deeper than [`MAX_INDENTATION`].
pub(crate) fn indented(text: &str) -> Option<String> {
    let deepest = text.lines().map(indentation).max()?;
    if deepest > MAX_INDENTATION {
        return None;
    }
    let deeper = " ".repeat(deepest + 1);
    let mut lines = Lines::default();
    let mut result = String::with_capacity(text.len());
    let mut is_changed = false;
    for line in text.split_inclusive('\n') {
        if lines.quote.is_some() && !line.trim().is_empty() {
            result.push_str(&deeper);
            is_changed = true;
        }
        result.push_str(line);
        lines.next(line);
    }
    is_changed.then_some(result)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Constructs that the lines so far leave open.
#[derive(Default)]
struct Lines {
    /// Quote that has to close the current scalar.
    quote: Option<u8>,
    /// Number of open brackets of flow collections.
    brackets: usize,
    /// Indentation of the parent of a plain or block scalar, which continues in all deeper lines.
    scalar: Option<usize>,
}

impl Lines {
    fn next(&mut self, line: &str) {
        if self.quote.is_none() && self.brackets == 0 {
            if line.trim().is_empty() {
                return;
            }
            if self.scalar.is_some_and(|parent| indentation(line) > parent) {
                return;
            }
        }
        self.scalar = None;
        self.scan(line.trim_end().as_bytes());
    }

    /// Scans the tokens of a line.
    fn scan(&mut self, line: &[u8]) {
        let mut position = 0;
        // Column of the innermost block entry that begins in this line.
        let mut entry = None;
        while let Some(&byte) = line.get(position) {
            if let Some(quote) = self.quote {
                position = self.quoted(line, position, quote);
                continue;
            }
            position += match byte {
                b' ' | b'\t' | b',' => 1,
                b'#' => return,
                b'{' | b'[' => {
                    self.brackets += 1;
                    1
                }
                b'}' | b']' => {
                    self.brackets = self.brackets.saturating_sub(1);
                    1
                }
                b'"' | b'\'' => {
                    entry = entry.max(Some(position));
                    self.quote = Some(byte);
                    1
                }
                b'-' | b'?' | b':' if ends_word(line.get(position + 1)) => {
                    if byte != b':' {
                        entry = Some(position);
                    }
                    1
                }
                b'|' | b'>' if self.brackets == 0 => {
                    self.scalar = entry;
                    return;
                }
                // Tags, anchors and aliases.
                b'!' | b'&' | b'*' => word(line, position),
                _ => {
                    let (length, is_key) = plain(line, position, self.brackets > 0);
                    if is_key {
                        entry = Some(position);
                    } else if self.brackets == 0 {
                        self.scalar = entry;
                    }
                    length
                }
            };
        }
    }

    /// Returns the position after the scalar, or the end of the line if the scalar continues.
    fn quoted(&mut self, line: &[u8], mut position: usize, quote: u8) -> usize {
        while let Some(&byte) = line.get(position) {
            let is_escaped_quote =
                quote == b'\'' && byte == quote && line.get(position + 1) == Some(&quote);
            if is_escaped_quote || (quote == b'"' && byte == b'\\') {
                position += 2;
                continue;
            }
            position += 1;
            if byte == quote {
                self.quote = None;
                break;
            }
        }
        position
    }
}

fn ends_word(byte: Option<&u8>) -> bool {
    byte.is_none_or(u8::is_ascii_whitespace)
}

/// Returns the length up to the next white space.
fn word(line: &[u8], start: usize) -> usize {
    let rest = line.get(start..).unwrap_or_default();
    let end = rest.iter().position(u8::is_ascii_whitespace);
    end.unwrap_or(rest.len())
}

/// Returns the length of a plain scalar in a line, and whether a colon follows.
fn plain(line: &[u8], start: usize, in_flow: bool) -> (usize, bool) {
    let mut position = start;
    while let Some(&byte) = line.get(position) {
        let next = line.get(position + 1);
        let ends = match byte {
            b':' => ends_word(next) || (in_flow && matches!(next, Some(b',' | b']' | b'}'))),
            b'#' => position > start && line.get(position - 1).is_some_and(u8::is_ascii_whitespace),
            b',' | b'[' | b']' | b'{' | b'}' => in_flow,
            _ => false,
        };
        if ends {
            return (position - start, byte == b':');
        }
        position += 1;
    }
    (position - start, false)
}
