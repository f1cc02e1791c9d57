//! A request, independent of the server that receives it.

use std::fmt;

use http::Method;
use serde_json::Value;

/// One request. In path and body, `$name.rv$`, `$name.uid$`, `$name.token$` and `$name.name$` stand
/// for values in the metadata of the response that was kept as `name`.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) accept: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) keep: Option<String>,
    pub(crate) sender: Sender,
}

/// Sender of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sender {
    Admin,
    /// A user without permissions.
    Nobody,
}

// === impl Call ===

impl Call {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            accept: None,
            content_type: None,
            body: None,
            keep: None,
            sender: Sender::Admin,
        }
    }

    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.text(&body.to_string())
            .content_type("application/json")
    }

    pub(crate) fn text(mut self, body: &str) -> Self {
        self.body = Some(body.to_owned());
        self
    }

    pub(crate) fn content_type(mut self, value: &str) -> Self {
        self.content_type = (!value.is_empty()).then(|| value.to_owned());
        self
    }

    pub(crate) fn accept(mut self, value: &str) -> Self {
        self.accept = Some(value.to_owned());
        self
    }

    /// Keeps the metadata of the response as `name`.
    pub(crate) fn keep(mut self, name: &str) -> Self {
        self.keep = Some(name.to_owned());
        self
    }

    /// Sends the request as a user without permissions.
    pub(crate) fn by_nobody(mut self) -> Self {
        self.sender = Sender::Nobody;
        self
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        for (name, value) in [("accept", &self.accept), ("type", &self.content_type)] {
            if let Some(value) = value.as_deref().filter(|v| *v != "application/json") {
                write!(f, " {name}={value}")?;
            }
        }
        match &self.sender {
            Sender::Admin => {}
            Sender::Nobody => write!(f, " as nobody")?,
        }
        match &self.body {
            Some(body) => write!(f, " {}", body.chars().take(300).collect::<String>()),
            None => Ok(()),
        }
    }
}
