//! Hosts that the server accepts requests for.

use std::net::IpAddr;

use http::uri::Authority;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};

use crate::config::Config;
use crate::status::ApiError;

/// Rejects requests that a page of another site can make a browser send to a server on loopback.
///
/// Such a server may need no credentials. A browser lets a page read responses from the page's own
/// host, and an attacker can resolve the name of that host to loopback (DNS rebinding). The request
/// then has the name in `Host`. A browser also sends some writes of any page to any host; these
/// have the page's host in `Origin`. Other clients send no `Origin`, and may omit `Host`.
pub(super) fn check_hosts(config: &Config, headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(known) = &config.hosts else {
        return Ok(());
    };
    let hosts = headers
        .get_all(header::HOST)
        .iter()
        .map(|value| ("Host", host(value)));
    let origins = headers
        .get_all(header::ORIGIN)
        .iter()
        .map(|value| ("Origin", origin(value)));
    for (header, host) in hosts.chain(origins) {
        if !is_loopback(&host) && !known.iter().any(|known| known.eq_ignore_ascii_case(&host)) {
            return Err(misdirected(header, &host));
        }
    }
    Ok(())
}

/// Returns the host in a `Host` header, without the port; empty if it is malformed.
fn host(value: &HeaderValue) -> String {
    let authority = Authority::try_from(value.as_bytes());
    authority.map_or_else(|_| String::new(), |authority| name(authority.host()))
}

/// Returns the host in an `Origin` header, which is a URL or `null`.
fn origin(value: &HeaderValue) -> String {
    Uri::try_from(value.as_bytes()).map_or_else(
        |_| String::new(),
        |uri| name(uri.host().unwrap_or_default()),
    )
}

/// Removes the brackets around an address and the dot after a fully qualified name.
fn name(host: &str) -> String {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or_else(|| host.strip_suffix('.').unwrap_or(host))
        .to_owned()
}

fn is_loopback(host: &str) -> bool {
    let address = host.parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

fn misdirected(header: &str, host: &str) -> ApiError {
    ApiError::new(
        StatusCode::MISDIRECTED_REQUEST,
        "",
        format!(
            "{header} names the host {host:?}, and this server knows those of loopback: \
             Builder::host_name, or --host-name, adds one"
        ),
    )
}
