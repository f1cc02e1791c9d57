//! Files below a folder.
//!
//! This file is part of several test crates.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the files below `folder` with this extension, in order of their paths. Does not enter
/// hidden folders and those named in `skipped`.
pub(crate) fn files(folder: &Path, extension: &str, skipped: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if !entry.file_type()?.is_dir() {
                if path.extension().is_some_and(|found| found == extension) {
                    found.push(path);
                }
            } else if !name.starts_with('.') && !skipped.contains(&&*name) {
                folders.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
