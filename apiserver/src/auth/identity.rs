//! Authentication by tokens, and the anonymous user.

use std::collections::HashMap;

use http::{HeaderMap, StatusCode, header};
use uuid::Uuid;

use super::names::{ANONYMOUS, AUTHENTICATED, MASTERS, SERVICE_ACCOUNTS, UNAUTHENTICATED};
use crate::status::ApiError;

/// User who sends a request.
#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) groups: Vec<String>,
}

/// Registered tokens.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    users: HashMap<String, User>,
    /// Random token of the server's own administrator clients.
    pub(crate) admin: String,
}

// === impl User ===

impl User {
    pub(crate) fn new(name: &str, given: &[String]) -> Self {
        let mut groups = given.to_vec();
        if let Some(account) = name.strip_prefix("system:serviceaccount:") {
            let namespace = account.split(':').next().unwrap_or_default();
            groups.push(SERVICE_ACCOUNTS.to_owned());
            groups.push(format!("system:serviceaccounts:{namespace}"));
        }
        groups.push(AUTHENTICATED.to_owned());
        Self {
            name: name.to_owned(),
            groups,
        }
    }

    pub(super) fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|known| known == group)
    }

    pub(crate) fn anonymous() -> Self {
        Self {
            name: ANONYMOUS.to_owned(),
            groups: vec![UNAUTHENTICATED.to_owned()],
        }
    }
}

// === impl Access ===

impl Access {
    /// Creates the users of these tokens, and the administrator.
    pub(crate) fn new(tokens: &[(String, Vec<String>)]) -> Self {
        let admin = Uuid::new_v4().to_string();
        let mut users = HashMap::new();
        for (name, groups) in tokens {
            users.insert(name.clone(), User::new(name, groups));
        }
        let masters = [MASTERS.to_owned()];
        users.insert(admin.clone(), User::new("admin", &masters));
        Self { users, admin }
    }

    /// Returns the user of the request's token.
    pub(crate) fn authenticate(&self, headers: &HeaderMap) -> Result<User, ApiError> {
        let Some(value) = headers.get(header::AUTHORIZATION) else {
            return Ok(User::anonymous());
        };
        if let Ok(text) = value.to_str()
            && let Some(token) = text.strip_prefix("Bearer ")
            && let Some(user) = self.user_of(token.trim())
        {
            return Ok(user.clone());
        }
        Err(ApiError::new(
            StatusCode::UNAUTHORIZED,
            "Unauthorized",
            "Unauthorized",
        ))
    }

    /// Returns the user of a registered token.
    pub(crate) fn user_of(&self, token: &str) -> Option<&User> {
        self.users.get(token)
    }
}
