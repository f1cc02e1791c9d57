//! The sources of `k8s-openapi`.

#[path = "files.rs"]
mod files;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns each source of the version `1.minor` below the folder of [`sources`]: the module that
/// exports its type, such as `api::core::v1`, and the text.
pub(crate) fn modules(sources: &Path, minor: u8) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let root = sources.join(format!("v1_{minor}"));
    let mut modules = Vec::new();
    for file in files::files(&root, "rs", &[])? {
        let folder = file.parent().unwrap_or(&root).strip_prefix(&root)?;
        let names: Vec<_> = folder.iter().map(|name| name.to_string_lossy()).collect();
        modules.push((names.join("::"), fs::read_to_string(&file)?));
    }
    Ok(modules)
}

/// Returns the folder that has a subfolder for each version of Kubernetes.
///
/// Queries cargo for this platform only, because the packages of other platforms may not be
/// downloaded.
pub(crate) fn sources() -> Result<PathBuf, Box<dyn Error>> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = String::from_utf8(Command::new(rustc).arg("-vV").output()?.stdout)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let output = Command::new(env::var("CARGO")?)
        .args(["metadata", "--format-version", "1", "--offline"])
        .args([
            "--filter-platform",
            host.ok_or("rustc does not name its host")?,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata
        .get("packages")
        .and_then(|packages| packages.as_array());
    let package = packages.into_iter().flatten().find(|package| {
        let name = package.get("name");
        name.is_some_and(|name| name == "k8s-openapi")
    });
    let manifest = package.and_then(|package| package.get("manifest_path")?.as_str());
    let manifest = Path::new(manifest.ok_or("k8s-openapi is not a dependency")?);
    Ok(manifest.with_file_name("src"))
}
