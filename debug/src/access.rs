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

/// Refusal of a request: its status and its reason.
pub(crate) type Denied = (StatusCode, &'static str);

const OTHER_HOST: Denied = (
    StatusCode::MISDIRECTED_REQUEST,
    "the header `Host` names another site: use an address or `localhost`, or permit the name with \
     `Service::host`",
);
const WRONG_TOKEN: Denied = (
    StatusCode::UNAUTHORIZED,
    "a bearer token is needed: `Authorization: Bearer ..`",
);
const NO_TOKEN: Denied = (
    StatusCode::UNAUTHORIZED,
    "this page is not open to the network: serve it on a loopback address, set a token with \
     `Service::token`, or mount it behind a layer of your own with `Service::trusted`",
);

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
        let named: Option<Authority> = headers
            .get(HOST)
            .and_then(|host| host.to_str().ok())
            .and_then(|host| host.parse().ok());
        let Some(host) = named.as_ref().or(authority).map(Authority::host) else {
            return false;
        };
        let address = host.trim_start_matches('[').trim_end_matches(']');
        address.parse::<IpAddr>().is_ok()
            || host.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let expected = self.token.as_ref().map(|token| format!("Bearer {token}"));
        let pair = expected.as_ref().zip(headers.get(AUTHORIZATION));
        pair.is_some_and(|(expected, given)| is_equal(expected.as_bytes(), given.as_bytes()))
    }
}

/// Compares in a time that does not depend on the position of the first difference.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}
