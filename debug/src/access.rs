//! Who may see what: the `Host` header, the token, and the headers of each answer. Pure.

use std::net::IpAddr;

use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue};
use http::uri::Authority;

use crate::route::Route;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denied {
    /// The `Host` is a name that may be another site's.
    Host,
    /// The token is missing or wrong.
    Token,
    /// A token is needed, and none is set.
    NoToken,
}

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
    pub(crate) fn check(
        &self,
        route: Option<&Route>,
        access: Access,
        headers: &HeaderMap,
        authority: Option<&Authority>,
    ) -> Result<(), Denied> {
        if access == Access::Trusted || self.has_token(headers) {
            return Ok(());
        }
        let is_probe = route.is_some_and(Route::is_probe);
        let is_public = is_probe || (route == Some(&Route::Metrics) && self.token.is_none());
        if access == Access::Network && is_public {
            return Ok(());
        }
        if !self.is_own_host(headers, authority) {
            return Err(Denied::Host);
        }
        match (&self.token, access) {
            _ if is_probe => Ok(()),
            (Some(_), _) => Err(Denied::Token),
            (None, Access::Network) => Err(Denied::NoToken),
            (None, Access::Loopback | Access::Trusted) => Ok(()),
        }
    }

    /// Reports whether the host is an address, `localhost`, or a name of the user's. A page that
    /// rebinds its own name to this address sends its own name.
    fn is_own_host(&self, headers: &HeaderMap, authority: Option<&Authority>) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = host.and_then(|host| host.parse::<Authority>().ok());
        let Some(host) = host.as_ref().or(authority).map(Authority::host) else {
            return false;
        };
        let address = host.trim_start_matches('[').trim_end_matches(']');
        address.parse::<IpAddr>().is_ok()
            || host.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(AUTHORIZATION);
        let given = given.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        match (&self.token, given) {
            (Some(token), Some(given)) => is_equal(token.as_bytes(), given),
            _ => false,
        }
    }
}

/// Compares in a time that does not depend on the position of the first difference.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

/// Adds [`HEADERS`].
pub(crate) fn protect(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
