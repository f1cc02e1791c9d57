//! Which hosts a request may be for.

use std::net::IpAddr;

use http::uri::Authority;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};

use crate::config::Config;
use crate::status::ApiError;

/// Refuses requests that a page of another site can make a browser send to a server on loopback.
///
/// That server may ask for no credentials. A browser lets a page read answers of the page's own host,
/// whose name can be made to lead to loopback (DNS rebinding): the request has that name in `Host`.
/// And it sends some writes of any page to any host: these have the page's host in `Origin`. Clients
/// other than browsers send no `Origin`, and may leave `Host` out.
pub(super) fn check_hosts(config: &Config, headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(known) = &config.hosts else {
        return Ok(());
    };
    let hosts = headers.get_all(header::HOST).iter();
    let hosts = hosts.map(|value| ("Host", host(value)));
    let origins = headers.get_all(header::ORIGIN).iter();
    let origins = origins.map(|value| ("Origin", origin(value)));
    for (header, host) in hosts.chain(origins) {
        if !is_loopback(&host) && !known.iter().any(|known| known.eq_ignore_ascii_case(&host)) {
            return Err(misdirected(header, &host));
        }
    }
    Ok(())
}

/// The host that a `Host` names, without port; empty if it is none.
fn host(value: &HeaderValue) -> String {
    let authority = Authority::try_from(value.as_bytes());
    authority.map_or_else(|_| String::new(), |authority| name(authority.host()))
}

/// As [`host`], of an `Origin`, which is a URL or `null`.
fn origin(value: &HeaderValue) -> String {
    let origin = Uri::try_from(value.as_bytes());
    origin.map_or_else(
        |_| String::new(),
        |uri| name(uri.host().unwrap_or_default()),
    )
}

/// `host` without what a URL has around an address, or behind a full name.
fn name(host: &str) -> String {
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let name = address.unwrap_or_else(|| host.strip_suffix('.').unwrap_or(host));
    name.to_owned()
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
