//! Names with a special meaning.

/// API group of roles and bindings.
pub(super) const GROUP: &str = "rbac.authorization.k8s.io";

/// Group of the users who may do everything.
pub(super) const MASTERS: &str = "system:masters";

pub(super) const ANONYMOUS: &str = "system:anonymous";
pub(super) const AUTHENTICATED: &str = "system:authenticated";
pub(super) const UNAUTHENTICATED: &str = "system:unauthenticated";
pub(super) const SERVICE_ACCOUNTS: &str = "system:serviceaccounts";
