//! Tokens of service accounts: what `serviceaccounts/token` gives out, and whose they are.
//!
//! A token is a random text that the server remembers, not a JWT: nobody but the server can read who
//! it is of. It counts until it expires by the server's clock, or until its account, or what it is
//! bound to, is gone.

mod binding;
mod issued;
mod request;

pub(crate) use issued::{AUDIENCE, Tokens, account_of};
pub(crate) use request::{audiences_of, request_target, request_token};
