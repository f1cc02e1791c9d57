//! Impersonation: the headers `Impersonate-User`, `-Group`, `-Uid` and `-Extra-`.

use std::collections::BTreeMap;

use http::HeaderMap;
use percent_encoding::percent_decode_str;

use super::identity::User;
use super::names::{ANONYMOUS, UNAUTHENTICATED};
use super::wish::Wish;
use crate::registry::target::ResourcePath;
use crate::status::ApiError;

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";
const UID: &str = "impersonate-uid";
const EXTRA: &str = "impersonate-extra-";

/// Prefix of the user name of a service account.
const ACCOUNT: &str = "system:serviceaccount:";

/// Returns the impersonated user, if the request has one.
///
/// `may` checks whether the sender may use the verb `impersonate` on `users`, `groups` and
/// `serviceaccounts`.
pub(crate) fn impersonated(
    headers: &HeaderMap,
    may: impl Fn(&Wish<'_>) -> Result<(), ApiError>,
) -> Result<Option<User>, ApiError> {
    let name = first(headers, USER);
    let groups = all(headers, GROUP);
    let uid = first(headers, UID);
    let extra = extra(headers);
    if name.is_empty() {
        if groups.is_empty() && uid.is_empty() && extra.is_empty() {
            return Ok(None);
        }
        let message = "requested impersonation without impersonating a user name";
        return Err(ApiError::bad_request(message));
    }
    let account = name.strip_prefix(ACCOUNT).and_then(|a| a.split_once(':'));
    let wish = match account {
        Some((namespace, name)) => resource("serviceaccounts", namespace, name),
        None => resource("users", "", &name),
    };
    let groups_wished = groups.iter().map(|group| resource("groups", "", group));
    for path in std::iter::once(wish).chain(groups_wished) {
        may(&Wish::Resource {
            verb: "impersonate",
            path: &path,
        })?;
    }
    let mut user = if name == ANONYMOUS {
        let groups = [groups, vec![UNAUTHENTICATED.to_owned()]].concat();
        User {
            name,
            groups,
            ..User::default()
        }
    } else {
        User::new(&name, &groups)
    };
    user.uid = uid;
    user.extra = extra;
    Ok(Some(user))
}

fn resource(plural: &str, namespace: &str, name: &str) -> ResourcePath {
    ResourcePath {
        version: "v1".to_owned(),
        namespace: namespace.to_owned(),
        plural: plural.to_owned(),
        name: name.to_owned(),
        ..ResourcePath::default()
    }
}

fn all(headers: &HeaderMap, name: &str) -> Vec<String> {
    let values = headers.get_all(name).into_iter();
    let values = values.filter_map(|value| Some(value.to_str().ok()?.to_owned()));
    values.filter(|value| !value.is_empty()).collect()
}

fn first(headers: &HeaderMap, name: &str) -> String {
    all(headers, name).into_iter().next().unwrap_or_default()
}

fn extra(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let keys = headers
        .keys()
        .filter_map(|header| Some((header, header.as_str().strip_prefix(EXTRA)?)));
    keys.map(|(header, key)| {
        let key = percent_decode_str(key).decode_utf8_lossy().into_owned();
        (key, all(headers, header.as_str()))
    })
    .collect()
}
