//! Record of every response of the embedded server: `accepted/answers.txt`.
//!
//! A run with the real server proves the record; a run without it checks that the embedded server
//! still answers so. `ACCEPT_DIFFERENCES=1` rewrites the file in a run with the real server.

use std::fmt::Write as _;
use std::path::Path;

use crate::accepted::hash;
use crate::call::Call;
use crate::session::Answer;

/// Lines of the file: the code of each response and a hash, beside the request and the response that
/// they stand for.
#[derive(Debug, Default)]
pub(crate) struct Recording(Vec<(String, String)>);

// === impl Recording ===

impl Recording {
    pub(crate) fn add(&mut self, call: &Call, answer: &Answer) {
        let whole = format!("{call}\n    {answer:?}");
        let line = format!("{} {:08x}", answer.code, hash(&whole));
        self.0.push((line, whole));
    }

    /// Compares the responses with the file, or writes it.
    pub(crate) fn check(&self, may_write: bool) -> Result<(), String> {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/differential/accepted/answers.txt"
        );
        let lines: Vec<&str> = self.0.iter().map(|(line, _)| line.as_str()).collect();
        if may_write && std::env::var_os("ACCEPT_DIFFERENCES").is_some() {
            std::fs::write(Path::new(path), lines.join("\n") + "\n").unwrap();
            return Ok(());
        }
        let known = std::fs::read_to_string(path).unwrap();
        let known: Vec<&str> = known.lines().collect();
        let mut text = String::new();
        for ((line, whole), known) in self.0.iter().zip(&known) {
            if line != known {
                let _ = writeln!(text, "{line}, recorded as {known}: {whole}");
            }
        }
        if known.len() != lines.len() {
            let _ = writeln!(text, "{} calls, recorded {}", lines.len(), known.len());
        }
        if text.is_empty() { Ok(()) } else { Err(text) }
    }
}
