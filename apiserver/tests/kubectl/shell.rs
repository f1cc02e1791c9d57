//! One shell for one session, as in a terminal.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;

use crate::assets::require::need;
use crate::transcript::Session;

/// Minor version with which the sessions were recorded.
const MINOR: &str = "37";

/// Separator after the output of each command.
const MARK: char = '\u{1e}';

/// Timeout of a session, which takes some seconds.
const PATIENCE: Duration = Duration::from_secs(180);

/// A kubectl of the right version.
#[derive(Debug)]
pub(crate) struct Kubectl {
    folder: PathBuf,
}

// === impl Kubectl ===

impl Kubectl {
    /// Returns the kubectl in `KUBEBUILDER_ASSETS`, or else on the `PATH`. Without one, the test is
    /// skipped or fails, as [`require`](crate::assets::require) decides.
    pub(crate) fn find() -> Option<Self> {
        let assets = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = assets.into_iter().chain(std::env::split_paths(&path));
        let mut found = folders.filter(|folder| folder.join("kubectl").is_file());
        let fitting = found.find(|folder| minor(&folder.join("kubectl")).as_deref() == Some(MINOR));
        let fitting = fitting.map(|folder| Self { folder }).ok_or_else(|| {
            format!(
                "there is no kubectl 1.{MINOR} in KUBEBUILDER_ASSETS or on the PATH \
                 (tests/kube-assets/build.sh makes one)"
            )
        });
        need("real-servers", fitting)
    }
}

fn minor(kubectl: &Path) -> Option<String> {
    let version = Command::new(kubectl)
        .args(["version", "--client", "--output=json"])
        .output()
        .ok()?;
    let version: serde_json::Value = serde_json::from_slice(&version.stdout).ok()?;
    let minor = version.pointer("/clientVersion/minor")?.as_str()?;
    Some(minor.to_owned())
}

/// Returns the output of each command of `session`, run in a folder of its own.
pub(crate) async fn replay(
    kubectl: &Kubectl,
    session: &Session,
    kubeconfig: &str,
    name: &str,
) -> Vec<String> {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("kubectl-{name}"));
    drop(std::fs::remove_dir_all(&home));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("kubeconfig"), kubeconfig).unwrap();

    let printed = home.join("printed");
    let mut script = "exec 2>&1\n".to_owned();
    for step in &session.steps {
        script.push_str(&step.command);
        script.push_str("printf '\\036'\n");
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(kubectl.folder.clone()).chain(std::env::split_paths(&path));
    let mut shell = tokio::process::Command::new("sh")
        .current_dir(&home)
        .env("PATH", std::env::join_paths(folders).unwrap())
        // Its cache belongs to this session only, too.
        .env("HOME", &home)
        .env("KUBECONFIG", home.join("kubeconfig"))
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(std::fs::File::create(&printed).unwrap())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = shell.stdin.take().unwrap();
    stdin.write_all(script.as_bytes()).await.unwrap();
    drop(stdin);
    let ended = tokio::time::timeout(PATIENCE, shell.wait()).await;
    let text = std::fs::read_to_string(&printed).unwrap();
    assert!(ended.is_ok(), "the session hangs after\n{text}");
    let mut outputs: Vec<String> = text.split(MARK).map(str::to_owned).collect();
    // There is no output after the last separator.
    assert_eq!(outputs.pop().as_deref(), Some(""));
    outputs
}
