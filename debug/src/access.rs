//! Who may see what: the `Host` header, the token, and the headers of each answer. Pure.

use std::net::IpAddr;

use http::header::{AUTHORIZATION, HOST, HeaderMap};
use http::uri::Authority;
use http::{Request, StatusCode};

/// Place from which requests come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Access {
    /// Unknown, or the network: a token is needed for all but the probes and, if no token is set,
    /// the metrics.
    #[default]
    Network,
    /// This machine. A web page could still send requests, by a name that it lets point here.
    Loopback,
    /// A layer of the user's in front of the service decides.
    Trusted,
}

/// Refusal of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Denied {
    pub(crate) status: StatusCode,
    pub(crate) reason: &'static str,
}

const OTHER_HOST: Denied = Denied {
    status: StatusCode::MISDIRECTED_REQUEST,
    reason: "the header `Host` names another site: use an address or `localhost`, or permit the \
             name with `Service::host`",
};
const WRONG_TOKEN: Denied = Denied {
    status: StatusCode::UNAUTHORIZED,
    reason: "a bearer token is needed: `Authorization: Bearer ..`",
};
const NO_TOKEN: Denied = Denied {
    status: StatusCode::UNAUTHORIZED,
    reason: "this page is not open to the network: serve it on a loopback address, set a token \
             with `Service::token`, or mount it behind a layer of your own with `Service::trusted`",
};

/// Settings of the user.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    pub(crate) token: Option<String>,
    pub(crate) hosts: Vec<String>,
}

/// Headers of each answer: no script, style or frame of another origin, and no copy in a cache.
pub(crate) const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
];

// === impl Rules ===

impl Rules {
    pub(crate) fn check<B>(&self, request: &Request<B>, access: Access) -> Result<(), Denied> {
        let path = request.uri().path();
        let headers = request.headers();
        let is_probe = matches!(path, "/livez" | "/readyz");
        let is_public = is_probe || (path == "/metrics" && self.token.is_none());
        let is_own_host = self.is_own_host(headers, request.uri().authority());
        match access {
            Access::Trusted => Ok(()),
            _ if self.has_token(headers) => Ok(()),
            Access::Network if is_public => Ok(()),
            _ if !is_own_host => Err(OTHER_HOST),
            _ if is_probe => Ok(()),
            _ if self.token.is_some() => Err(WRONG_TOKEN),
            Access::Network => Err(NO_TOKEN),
            Access::Loopback => Ok(()),
        }
    }

    /// Reports whether the host is an address, `localhost`, or a name of the user's. A page that
    /// rebinds its own name to this address sends its own name.
    fn is_own_host(&self, headers: &HeaderMap, authority: Option<&Authority>) -> bool {
        let named = authority_of(headers);
        let Some(authority) = named.as_ref().or(authority) else {
            return false;
        };
        let host = authority.host();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        address.parse::<IpAddr>().is_ok()
            || host.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let (Some(token), Some(given)) = (&self.token, headers.get(AUTHORIZATION)) else {
            return false;
        };
        let expected = format!("Bearer {token}");
        is_equal(expected.as_bytes(), given.as_bytes())
    }
}

/// Returns the authority in the header `Host`; `None` if there is none, or if it is malformed.
fn authority_of(headers: &HeaderMap) -> Option<Authority> {
    let host = headers.get(HOST)?.to_str().ok()?;
    host.parse().ok()
}

/// Compares in a time that does not depend on the position of the first difference.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut differences = 0;
    for (a, b) in one.iter().zip(other) {
        differences |= a ^ b;
    }
    one.len() == other.len() && differences == 0
}
