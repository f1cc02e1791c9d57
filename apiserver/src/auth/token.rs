//! Tokens of service accounts: what `serviceaccounts/token` gives out, and whose they are.
//!
//! A token is a JWT that the server has signed. It counts until it expires by the server's clock, or
//! until its account, or what it is bound to, is gone; after a restart there is another key.

mod binding;
mod issued;
mod jwt;
mod request;

pub(crate) use issued::{AUDIENCE, account_of};
pub(crate) use jwt::{NoRandom, Signer};
pub(crate) use request::{audiences_of, request_target, request_token};
