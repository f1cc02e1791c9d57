//! Errors that rustc prints for wrong uses of the derive, of generated code and of the runtime.
//!
//! The texts are those of one compiler version, because others format the same errors differently.
//! The test runs on the toolchain that CI pins. `TRYBUILD=overwrite cargo test --test ui` accepts
//! the current texts.

use std::env;
use std::process::Command;

/// Most cases of the derive use the stub of the runtime. Others show what only the real runtime, kube
/// and serde reveal, or the wrong scope in generated code.
///
/// S-02.
#[test]
fn mistakes_are_explained() {
    const CARGO: &str = "UI_TESTS_CARGO";
    if env::var_os(CARGO).is_none() {
        // trybuild takes its cargo from the environment.
        let status = Command::new(env::current_exe().unwrap())
            .args(["--exact", "mistakes_are_explained", "--nocapture"])
            .env(CARGO, env!("CARGO"))
            .env("CARGO", env!("CARGO_BIN_EXE_informer-ui-tests"))
            .status();
        assert!(status.unwrap().success(), "see the errors above");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("cases/*/*.rs");
}
