//! Quoted scalars that are continued at the indentation of their key.
//!
//! YAML wants the lines of a quoted scalar in a block to be deeper than the block, and the parser insists on it.
//! libyaml, and so go-yaml and every tool of Kubernetes, does not. White space at the beginning of such a line means
//! nothing, so that the text with deeper lines is the same document.
//!
//! A line is looked at as far as it takes to tell the quotes that open a scalar from those within plain and block
//! scalars and within comments. It is only asked about texts that the parser refuses.

/// The deepest indentation, in spaces, of a text that is mended: each line that is continued becomes longer by it.
const MAX_INDENTATION: usize = 1000;

/// Whether the parser has refused a text because of such a scalar.
pub(crate) fn is_cause(message: &str) -> bool {
    message.contains("invalid indentation in multiline quoted scalar")
}

/// The text with all continuation lines of quoted scalars as deep as needed; `None` if there are none, or if a line is
/// deeper than [`MAX_INDENTATION`].
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

/// What the lines so far leave open.
#[derive(Default)]
struct Lines {
    /// The quote that has to close a scalar.
    quote: Option<u8>,
    /// The brackets of flow collections.
    brackets: usize,
    /// A plain or a block scalar goes on in all lines that are deeper than this.
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

    /// Follows the tokens of a line.
    fn scan(&mut self, line: &[u8]) {
        let mut position = 0;
        // The column of the innermost entry of a block that begins in this line.
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

    /// The position behind the scalar, or the end of the line if it goes on.
    fn quoted(&mut self, line: &[u8], mut position: usize, quote: u8) -> usize {
        while let Some(&byte) = line.get(position) {
            let doubled = quote == b'\'' && byte == quote && line.get(position + 1) == Some(&quote);
            if doubled || (quote == b'"' && byte == b'\\') {
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

/// The length of what reaches to the next white space.
fn word(line: &[u8], start: usize) -> usize {
    let rest = line.get(start..).unwrap_or_default();
    let end = rest.iter().position(u8::is_ascii_whitespace);
    end.unwrap_or(rest.len())
}

/// The length of a plain scalar in a line, and whether a colon follows.
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
