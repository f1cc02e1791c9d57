//! Contents of tokens.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::binding::{Binding, uid_of};
use super::jwt::Signer;
use crate::api::state::State;
use crate::auth::User;
use crate::document::texts;

/// Default audience of a token: this server.
pub(crate) const AUDIENCE: &str = "https://kubernetes.default.svc";

/// Tolerated difference of clocks, in seconds.
const LEEWAY: i64 = 60;

/// Contents of a token.
#[derive(Debug)]
pub(super) struct Issued {
    /// Identifier of the token.
    pub(super) id: String,
    pub(super) namespace: String,
    pub(super) account: String,
    /// Uid of the account.
    pub(super) uid: String,
    pub(super) audiences: Vec<String>,
    /// Object that has to exist; it also adds to the `extra` of the user.
    pub(super) binding: Option<Binding>,
    /// Seconds since 1970.
    pub(super) since: i64,
    pub(super) until: i64,
}

/// User and audiences of a verified token.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) user: User,
    pub(crate) audiences: Vec<String>,
}

// === impl Issued ===

impl Issued {
    /// Returns the claims of the token.
    pub(super) fn claims(&self) -> Value {
        let mut about = json!({
            "namespace": self.namespace,
            "serviceaccount": { "name": self.account, "uid": self.uid },
        });
        if let (Some(binding), Value::Object(about)) = (&self.binding, &mut about) {
            about.extend(binding.claims());
        }
        json!({
            "iss": AUDIENCE,
            "sub": self.subject(),
            "aud": self.audiences,
            "jti": self.id,
            "iat": self.since,
            "nbf": self.since,
            "exp": self.until,
            "kubernetes.io": about,
        })
    }

    /// Decodes the claims of a token that this server has signed.
    fn of(claims: &Value) -> Option<Self> {
        let about = claims.get("kubernetes.io")?;
        let account = about.get("serviceaccount")?;
        let text = |of: &Value, field| Some(of.get(field)?.as_str()?.to_owned());
        Some(Self {
            id: text(claims, "jti")?,
            namespace: text(about, "namespace")?,
            account: text(account, "name")?,
            uid: text(account, "uid")?,
            audiences: texts(claims, "aud"),
            binding: Binding::of_claims(about),
            since: claims.get("nbf")?.as_i64()?,
            until: claims.get("exp")?.as_i64()?,
        })
    }

    fn subject(&self) -> String {
        format!("system:serviceaccount:{}:{}", self.namespace, self.account)
    }
}

/// Returns the user of a token, if the token is valid for one of `audiences`.
///
/// # Errors
///
/// The reason in the real server's words; `None` if this server has not issued the token.
pub(crate) fn account_of(
    signer: &Signer,
    state: &State,
    token: &str,
    audiences: &[String],
) -> Result<Account, Option<String>> {
    let claims = signer.verify(token).ok_or(None)?;
    let issued = &Issued::of(&claims).ok_or(None)?;
    let meant = issued.audiences.iter();
    let meant: Vec<String> = meant
        .filter(|audience| audiences.contains(audience))
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
    let mut extra = BTreeMap::from([(
        "authentication.kubernetes.io/credential-id".to_owned(),
        vec![format!("JTI={}", issued.id)],
    )]);
    extra.extend(issued.binding.iter().flat_map(Binding::extra));
    let user = User {
        uid: issued.uid.clone(),
        extra,
        ..User::new(&issued.subject(), &[])
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

/// Formats a list of strings as Go prints it: `["a" "b"]`.
fn quoted(list: &[String]) -> String {
    let list: Vec<String> = list.iter().map(|text| format!("{text:?}")).collect();
    format!("[{}]", list.join(" "))
}
