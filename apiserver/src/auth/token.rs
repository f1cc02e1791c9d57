//! Tokens of service accounts: their creation by `serviceaccounts/token`, and their verification.
//!
//! A token is a JWT that the server has signed. It is valid until it expires by the server's clock,
//! or until its account or the object that it is bound to is deleted. A restarted server has a new
//! key and rejects older tokens.

mod binding;
mod issued;
mod jwt;
mod request;

pub(crate) use issued::{AUDIENCE, account_of};
pub(crate) use jwt::{NoRandom, Signer};
pub(crate) use request::{audiences_of, request_target, request_token};
