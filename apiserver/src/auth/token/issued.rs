//! The tokens that were given out.

use std::collections::{BTreeMap, HashMap, VecDeque};

use uuid::Uuid;

use super::binding::{Binding, uid_of};
use crate::api::state::State;
use crate::auth::User;

/// Whom a token is for that names nobody: this server.
pub(crate) const AUDIENCE: &str = "https://kubernetes.default.svc";

/// How many tokens are remembered; one more, and the oldest counts no longer.
const MAX_TOKENS: usize = 10_000;

/// How many seconds clocks may be apart.
const LEEWAY: i64 = 60;

/// The tokens that were given out.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    issued: HashMap<String, Issued>,
    /// The oldest first.
    order: VecDeque<String>,
}

/// What a token stands for.
#[derive(Debug)]
pub(super) struct Issued {
    pub(super) namespace: String,
    pub(super) account: String,
    /// Of the account.
    pub(super) uid: String,
    pub(super) audiences: Vec<String>,
    /// What else has to be there, and goes into the `extra` of the user.
    pub(super) binding: Option<Binding>,
    /// Seconds since 1970.
    pub(super) since: i64,
    pub(super) until: i64,
}

/// Whose token it is, and for whom.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) user: User,
    pub(crate) audiences: Vec<String>,
}

// === impl Tokens ===

impl Tokens {
    /// Remembers what a new token stands for, and returns the token.
    pub(super) fn issue(&mut self, issued: Issued) -> String {
        let id = Uuid::new_v4();
        // The first half is known by everybody who sees the user.
        let token = format!("{id}.{}", Uuid::new_v4().simple());
        self.issued.insert(token.clone(), issued);
        self.order.push_back(token.clone());
        if self.order.len() > MAX_TOKENS
            && let Some(oldest) = self.order.pop_front()
        {
            self.issued.remove(&oldest);
        }
        token
    }
}

/// Whose token it is, if it counts and is for one of `audiences`.
///
/// # Errors
///
/// Why it does not count, in the real server's words; nothing if no such token was given out.
pub(crate) fn account_of(
    tokens: &Tokens,
    state: &State,
    token: &str,
    audiences: &[String],
) -> Result<Account, Option<String>> {
    let issued = tokens.issued.get(token).ok_or(None)?;
    let meant = issued.audiences.iter();
    let meant: Vec<String> = meant
        .filter(|one| audiences.contains(one))
        .cloned()
        .collect();
    if meant.is_empty() {
        return Err(Some(format!(
            "token audiences {} is invalid for the target audiences {}",
            quoted(&issued.audiences),
            quoted(audiences)
        )));
    }
    check(state, issued).map_err(Some)?;
    let name = format!(
        "system:serviceaccount:{}:{}",
        issued.namespace, issued.account
    );
    let id = token.split('.').next().unwrap_or_default();
    let mut extra = BTreeMap::from([(
        "authentication.kubernetes.io/credential-id".to_owned(),
        vec![format!("JTI={id}")],
    )]);
    extra.extend(issued.binding.iter().flat_map(Binding::extra));
    let user = User {
        uid: issued.uid.clone(),
        extra,
        ..User::new(&name, &[])
    };
    Ok(Account {
        user,
        audiences: meant,
    })
}

fn check(state: &State, issued: &Issued) -> Result<(), String> {
    let now = state.clock.seconds();
    if now > issued.until.saturating_add(LEEWAY) {
        return Err("service account token has expired".to_owned());
    }
    if now < issued.since.saturating_sub(LEEWAY) {
        return Err("service account token is not valid yet".to_owned());
    }
    let (namespace, name) = (&issued.namespace, &issued.account);
    let uid = uid_of(state, "serviceaccounts", namespace, name)
        .ok_or_else(|| format!("serviceaccounts {name:?} not found"))?;
    if uid != issued.uid {
        return Err(format!(
            "service account UID ({uid}) does not match claim ({})",
            issued.uid
        ));
    }
    match &issued.binding {
        Some(binding) => binding.check(state, namespace),
        None => Ok(()),
    }
}

/// `["a" "b"]`, as Go prints a list of texts.
fn quoted(list: &[String]) -> String {
    let list: Vec<String> = list.iter().map(|text| format!("{text:?}")).collect();
    format!("[{}]", list.join(" "))
}

#[cfg(test)]
mod tests {
    use super::{Issued, MAX_TOKENS, Tokens};

    #[test]
    fn one_token_too_many_forgets_the_oldest() {
        let mut tokens = Tokens::default();
        let mut issue = || {
            tokens.issue(Issued {
                namespace: String::new(),
                account: String::new(),
                uid: String::new(),
                audiences: Vec::new(),
                binding: None,
                since: 0,
                until: 0,
            })
        };
        let (first, second) = (issue(), issue());
        for _ in 2..=MAX_TOKENS {
            issue();
        }
        assert_eq!(tokens.issued.len(), MAX_TOKENS);
        assert_eq!(tokens.order.len(), MAX_TOKENS);
        assert!(!tokens.issued.contains_key(&first));
        assert!(tokens.issued.contains_key(&second));
    }
}
