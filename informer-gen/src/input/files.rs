//! Finds and reads input files.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, OptionName, Result};

/// Files in the order of their names.
pub(super) struct FoundFiles {
    pub(super) files: Vec<PathBuf>,
    /// Directory in which a new file would change the result.
    pub(super) directory: Option<PathBuf>,
}

/// Resolves the pattern of manifests: a file, a directory or a glob.
pub(super) fn find(pattern: &str) -> Result<FoundFiles> {
    if pattern.is_empty() {
        return Err(refuse(pattern, "names no file"));
    }
    if pattern.contains("://") {
        let reason = "is a URL: download the file, or pass its content, as in \
                      `curl -L .. | informer-gen list --crd -`";
        return Err(refuse(pattern, reason));
    }
    let path = Path::new(pattern);
    // A pipe is not a regular file.
    if path.exists() && !path.is_dir() {
        return Ok(FoundFiles {
            files: vec![path.to_owned()],
            directory: None,
        });
    }
    if path.is_dir() {
        let files = manifests_in(path)?;
        if files.is_empty() {
            let reason = "has no file with the extension yaml, yml or json; a glob such as \
                          `crds/**/*.yaml` reads its folders too";
            return Err(refuse(pattern, reason));
        }
        return Ok(FoundFiles {
            files,
            directory: Some(path.to_owned()),
        });
    }
    let files = matches(pattern)?;
    if files.is_empty() {
        return Err(refuse(pattern, "matches no file"));
    }
    let directory = directory_of(pattern);
    let is_watched = directory.is_dir();
    Ok(FoundFiles {
        files,
        directory: is_watched.then_some(directory),
    })
}

fn refuse(pattern: &str, reason: &str) -> Error {
    OptionName::CRD_MANIFESTS.refuse(pattern, reason)
}

/// Returns the text of a file.
pub(super) fn read(path: &Path) -> Result<String> {
    decode(path, fs::read(path))
}

/// Returns the text of the standard input, which messages call `name`.
pub(super) fn standard_input(name: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let content = io::stdin().read_to_end(&mut bytes).map(|_| bytes);
    decode(name, content)
}

fn decode(path: &Path, content: io::Result<Vec<u8>>) -> Result<String> {
    let bytes = content.map_err(|error| Error::read(path, error))?;
    match informer_manifest::decode(bytes) {
        Ok(text) => Ok(text),
        Err(error) => Err(Error::read(path, error)),
    }
}

fn manifests_in(directory: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error| Error::read(directory, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let extension = path.extension().and_then(OsStr::to_str);
        if matches!(extension, Some("yaml" | "yml" | "json")) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let paths = match glob::glob(pattern) {
        Ok(found) => found,
        Err(error) => return Err(refuse(pattern, &format!("is not a glob: {error}"))),
    };
    let mut files = Vec::new();
    for entry in paths {
        let path = entry.map_err(|error| Error::read(error.path(), error.error()))?;
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the part of a glob before its first special character, up to the last separator.
fn directory_of(pattern: &str) -> PathBuf {
    let special = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let literal = pattern.get(..special).unwrap_or_default();
    let Some(end) = literal.rfind(std::path::is_separator) else {
        return PathBuf::from(".");
    };
    let directory = literal.get(..=end).unwrap_or_default();
    Path::new(directory).components().collect()
}
