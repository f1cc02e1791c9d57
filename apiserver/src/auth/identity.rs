//! Who sends a request: tokens, certificates, nobody in particular.

use std::collections::{BTreeMap, HashMap};

use http::{HeaderMap, StatusCode, header};
use uuid::Uuid;

use super::names::{ANONYMOUS, AUTHENTICATED, MASTERS, SERVICE_ACCOUNTS, UNAUTHENTICATED};
use crate::status::ApiError;

/// Who sends a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    pub(crate) name: String,
    /// Of those who are impersonated, and of service accounts that show a token; the tokens and
    /// certificates of a [`Builder`](crate::Builder) give none.
    pub(crate) uid: String,
    pub(crate) groups: Vec<String>,
    pub(crate) extra: BTreeMap<String, Vec<String>>,
}

/// The known tokens.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    users: HashMap<String, User>,
    /// A token of the server's own, for its clients of everything.
    pub(crate) admin: String,
}

// === impl User ===

impl User {
    pub(crate) fn new(name: &str, groups: &[String]) -> Self {
        let mut groups = groups.to_vec();
        if let Some(account) = name.strip_prefix("system:serviceaccount:") {
            let namespace = account.split(':').next().unwrap_or_default();
            groups.push(SERVICE_ACCOUNTS.to_owned());
            groups.push(format!("system:serviceaccounts:{namespace}"));
        }
        groups.push(AUTHENTICATED.to_owned());
        Self {
            name: name.to_owned(),
            groups,
            ..Self::default()
        }
    }

    pub(crate) fn anonymous() -> Self {
        Self {
            name: ANONYMOUS.to_owned(),
            groups: vec![UNAUTHENTICATED.to_owned()],
            ..Self::default()
        }
    }
}

// === impl Access ===

impl Access {
    /// The users of these tokens, and one who may do everything.
    pub(crate) fn new(tokens: &[(String, Vec<String>)]) -> Self {
        let admin = Uuid::new_v4().to_string();
        let mut users: HashMap<_, _> = tokens
            .iter()
            .map(|(name, groups)| (name.clone(), User::new(name, groups)))
            .collect();
        let masters = [MASTERS.to_owned()];
        users.insert(admin.clone(), User::new("admin", &masters));
        Self { users, admin }
    }

    /// Whose certificate the connection has shown, or whose token the request carries: one that is
    /// known here, or an `account`'s.
    pub(crate) fn authenticate(
        &self,
        peer: Option<&User>,
        headers: &HeaderMap,
        account: impl FnOnce(&str) -> Option<User>,
    ) -> Result<User, ApiError> {
        if let Some(user) = peer {
            return Ok(user.clone());
        }
        let Some(value) = headers.get(header::AUTHORIZATION) else {
            return Ok(User::anonymous());
        };
        let token = value.to_str().ok().and_then(|v| v.strip_prefix("Bearer "));
        let token = token.map(str::trim);
        token
            .and_then(|token| self.user_of(token).cloned().or_else(|| account(token)))
            .ok_or_else(|| ApiError::new(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized"))
    }

    /// Whose token it is.
    pub(crate) fn user_of(&self, token: &str) -> Option<&User> {
        self.users.get(token)
    }
}
