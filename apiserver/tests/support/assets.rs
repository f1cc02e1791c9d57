//! Where the real servers are. Part of each test crate that runs them.

#[path = "../../../tests/support/require.rs"]
pub(crate) mod require;

use std::path::PathBuf;

use informer_apiserver::envtest::Environment;

/// The folder of the real servers' programs. Without it a test is skipped, or fails, as
/// [`require`] says.
pub(crate) fn assets() -> Option<PathBuf> {
    let assets = Environment::assets().ok_or_else(|| {
        "KUBEBUILDER_ASSETS names no kube-apiserver (tests/kube-assets/build.sh makes one)".into()
    });
    require::need("real-servers", assets)
}
