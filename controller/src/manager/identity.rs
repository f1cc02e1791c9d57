//! Name of this process, and its namespace, from the environment of its Pod.

use std::env;

use kube::Client;

/// Variable that a Pod's manifest sets by `fieldRef: metadata.name`.
const POD_NAME: &str = "POD_NAME";
/// Variable that a Pod's manifest sets by `fieldRef: metadata.namespace`.
const POD_NAMESPACE: &str = "POD_NAMESPACE";
/// Variable that holds the name of a Pod's host, which is that of the Pod.
const HOSTNAME: &str = "HOSTNAME";

/// Returns the name of the Pod. Elsewhere, a name that no other process has.
pub(super) fn identity() -> String {
    if let Some(pod) = variable(POD_NAME) {
        return pod;
    }
    let host = variable(HOSTNAME).unwrap_or_else(|| "process".to_owned());
    let suffix: String = std::iter::repeat_with(fastrand::lowercase)
        .take(6)
        .collect();
    format!("{host}-{suffix}")
}

/// Returns the namespace of the Pod. Elsewhere, the default namespace of the client: that of the
/// service account, or of the kubeconfig's context.
pub(super) fn namespace(client: &Client) -> String {
    variable(POD_NAMESPACE).unwrap_or_else(|| client.default_namespace().to_owned())
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
