//! [`Chain`]: an error with its causes, as it appears in logs.

use std::error::Error;
use std::fmt;

use kube::core::Status;

/// Formats an error and its causes in one line. Omits a cause that an error before it has quoted. A
/// `Status` of the API server is a sentence.
#[derive(Debug)]
pub struct Chain<'a>(pub &'a (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut quoting = text_of(self.0);
        f.write_str(&quoting)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = text_of(error);
            if !quotes(&quoting, &text) {
                write!(f, ": {text}")?;
                quoting = text;
            }
            cause = error.source();
        }
        Ok(())
    }
}

/// Reports whether a text ends with a cause, or names it before that cause's own causes.
fn quotes(text: &str, cause: &str) -> bool {
    text.ends_with(cause) || text.contains(&format!("{cause}: "))
}

/// Returns the text of one error. `kube` formats a `Status` with its `Debug` form, on several hundred
/// characters.
fn text_of(error: &(dyn Error + 'static)) -> String {
    let status = match error.downcast_ref() {
        Some(kube::Error::Api(status)) => Some(status),
        // As `kube` hands it on as its source.
        _ => error.downcast_ref::<Box<Status>>(),
    };
    let Some(status) = status else {
        return error.to_string();
    };
    let message = Some(status.message.as_str()).filter(|message| !message.is_empty());
    let message = message.unwrap_or("the API server refused the request");
    match status.reason.as_str() {
        "" => format!("{message} (HTTP {})", status.code),
        reason => format!("{message} (HTTP {}, {reason})", status.code),
    }
}

#[cfg(test)]
mod tests;
