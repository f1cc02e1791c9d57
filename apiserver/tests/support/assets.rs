//! Where the real servers are. Part of each test that runs them.

use std::path::PathBuf;

use informer_apiserver::envtest::Environment;

/// The folder of the real servers' programs. Without it a test is skipped, and that is said here.
pub(crate) fn assets() -> Option<PathBuf> {
    let assets = Environment::assets();
    if assets.is_none() {
        eprintln!(
            "SKIPPED: KUBEBUILDER_ASSETS names no kube-apiserver (tests/kube-assets/build.sh makes one)"
        );
    }
    assets
}
