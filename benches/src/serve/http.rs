//! The subset of HTTP/1.1 that the measured clients need.

use std::io::{self, BufRead};

/// Head of a GET request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) path: String,
    /// Query parameters, not decoded. The server reads numbers and booleans only.
    query: Vec<(String, String)>,
    /// `true` if the client accepts Kubernetes' protobuf.
    pub(super) accepts_protobuf: bool,
}

// === impl Request ===

impl Request {
    /// Reads a request. Returns `None` at the end of the connection.
    pub(super) fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut request = Self::parse(&line);
        while line.trim_end() != "" {
            line.clear();
            if from.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            if let Some(request) = &mut request
                && let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("accept")
            {
                request.accepts_protobuf = value.contains(informer_protobuf::MEDIA_TYPE);
            }
        }
        if request.is_none() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "not a GET request",
            ));
        }
        Ok(request)
    }

    fn parse(line: &str) -> Option<Self> {
        let target = line.strip_prefix("GET ")?.split(' ').next()?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut parameters = Vec::new();
        for pair in query.split('&') {
            if let Some((name, value)) = pair.split_once('=') {
                parameters.push((name.to_owned(), value.to_owned()));
            }
        }
        Some(Self {
            path: path.to_owned(),
            query: parameters,
            accepts_protobuf: false,
        })
    }

    fn get(&self, name: &str) -> Option<&str> {
        let pair = self.query.iter().find(|pair| pair.0 == name)?;
        Some(&pair.1)
    }

    /// Reports whether the parameter is `true`.
    pub(super) fn is_set(&self, name: &str) -> bool {
        matches!(self.get(name), Some("true" | "1"))
    }

    /// Returns the parameter as a number, or 0 if it is missing.
    pub(super) fn number(&self, name: &str) -> usize {
        self.get(name)
            .and_then(|value| value.parse().ok())
            .unwrap_or_default()
    }
}
