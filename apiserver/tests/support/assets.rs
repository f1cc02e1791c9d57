//! Folder of the real servers, for the test crates that run them.

#[path = "../../../tests/support/require.rs"]
pub(crate) mod require;

use std::path::PathBuf;

use informer_apiserver::envtest::Environment;

/// Returns the folder of the real servers' programs. Without it, the test is skipped or fails, as
/// [`require`] decides.
pub(crate) fn assets() -> Option<PathBuf> {
    require::need("real-servers", found())
}

/// Returns the folder, or the reason why it is missing.
pub(crate) fn found() -> Result<PathBuf, String> {
    Environment::assets().ok_or_else(|| {
        "KUBEBUILDER_ASSETS names no kube-apiserver (tests/kube-assets/build.sh builds it)".into()
    })
}
