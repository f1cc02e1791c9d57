//! Names that mean something.

/// The API group of roles and bindings.
pub(super) const GROUP: &str = "rbac.authorization.k8s.io";

/// Who may do everything.
pub(super) const MASTERS: &str = "system:masters";

pub(super) const ANONYMOUS: &str = "system:anonymous";
pub(super) const AUTHENTICATED: &str = "system:authenticated";
pub(super) const UNAUTHENTICATED: &str = "system:unauthenticated";
pub(super) const SERVICE_ACCOUNTS: &str = "system:serviceaccounts";
