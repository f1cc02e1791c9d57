//! The same options in a file, `informers.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Config, Manifests, Pair};
use crate::error::{Error, Location};

/// A configuration file with every option, commented out: what `informer-gen init` writes.
pub const TEMPLATE: &str = include_str!("template.toml");

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    output: Option<PathBuf>,
    built_in: Vec<String>,
    crd: Vec<Files>,
    crd_type: BTreeMap<String, String>,
    rust: Vec<Files>,
    features: Vec<String>,
    discovery: Vec<String>,
    index: BTreeMap<String, Vec<String>>,
    group_name: BTreeMap<String, String>,
    accessor: BTreeMap<String, String>,
    runtime_path: Option<String>,
    k8s_openapi_path: Option<String>,
    visibility: Option<String>,
    beta_feature: Option<String>,
    alpha_feature: Option<String>,
    file_per_group: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Files {
    files: String,
    module: Option<String>,
}

impl Config {
    /// Reads the options from a TOML file, whose paths are relative to it; `informer-gen init`
    /// writes one that explains them. In a build script call
    /// `println!("cargo::rerun-if-changed=informers.toml")` too.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not TOML, or has an option that there is not. What the
    /// options say is checked later, as ever.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        let options: Options = toml::from_str(&text).map_err(|error| Error::ConfigFile {
            at: location(path, &text, error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        Ok(options.into_config(path.parent().unwrap_or(Path::new(""))))
    }

    /// Adds what `file` says to what is set here, which wins where there can be one only.
    #[must_use]
    pub fn over(mut self, file: Self) -> Self {
        let defaults = Self::new();
        let prepend = |mine: &mut Vec<_>, mut theirs: Vec<_>| {
            theirs.append(mine);
            *mine = theirs;
        };
        prepend(&mut self.built_in, file.built_in);
        prepend(&mut self.features, file.features);
        prepend(&mut self.discovery, file.discovery);
        for (mine, theirs) in [
            (&mut self.manifests, file.manifests),
            (&mut self.rust_source, file.rust_source),
        ] {
            mine.splice(0..0, theirs);
        }
        for (mine, theirs) in [
            (&mut self.crd_type, file.crd_type),
            (&mut self.index, file.index),
            (&mut self.group_name, file.group_name),
            (&mut self.accessor, file.accessor),
        ] {
            mine.splice(0..0, theirs);
        }
        for (mine, theirs, default) in [
            (
                &mut self.runtime_path,
                file.runtime_path,
                defaults.runtime_path,
            ),
            (
                &mut self.k8s_openapi_path,
                file.k8s_openapi_path,
                defaults.k8s_openapi_path,
            ),
            (&mut self.visibility, file.visibility, defaults.visibility),
        ] {
            if *mine == default {
                *mine = theirs;
            }
        }
        self.beta_feature = self.beta_feature.or(file.beta_feature);
        self.alpha_feature = self.alpha_feature.or(file.alpha_feature);
        self.file_per_group |= file.file_per_group;
        if self.out_dir.is_none() {
            self.out_dir = file.out_dir;
            self.file_name = file.file_name;
        }
        self
    }

    /// The file to write, if it was set.
    #[must_use]
    pub fn output(&self) -> Option<PathBuf> {
        let directory = self.out_dir.as_ref()?;
        Some(directory.join(&self.file_name))
    }
}

// === impl Options ===

impl Options {
    fn into_config(self, directory: &Path) -> Config {
        let defaults = Config::new();
        let located = |pattern: String| directory.join(pattern).to_string_lossy().into_owned();
        let files = |files: Vec<Files>| -> Vec<Manifests> {
            let files = files.into_iter();
            files
                .map(|entry| Manifests {
                    pattern: located(entry.files),
                    module: entry.module,
                })
                .collect()
        };
        let indices = self.index.iter();
        let index = indices.flat_map(|(kind, fields)| {
            let fields = fields.iter();
            fields.map(move |field| Pair::new(kind, field))
        });
        let config = Config {
            index: index.collect(),
            built_in: self.built_in,
            manifests: files(self.crd),
            crd_type: pairs(self.crd_type),
            rust_source: files(self.rust),
            features: self.features,
            discovery: self.discovery.into_iter().map(located).collect(),
            group_name: pairs(self.group_name),
            accessor: pairs(self.accessor),
            runtime_path: self.runtime_path.unwrap_or(defaults.runtime_path),
            k8s_openapi_path: self.k8s_openapi_path.unwrap_or(defaults.k8s_openapi_path),
            visibility: self.visibility.unwrap_or(defaults.visibility),
            beta_feature: self.beta_feature,
            alpha_feature: self.alpha_feature,
            file_per_group: self.file_per_group,
            out_dir: None,
            file_name: defaults.file_name,
        };
        match self.output {
            Some(output) => config.write_to(&directory.join(output)),
            None => config,
        }
    }
}

fn pairs(pairs: BTreeMap<String, String>) -> Vec<Pair> {
    let pairs = pairs.into_iter();
    pairs.map(|(key, value)| Pair { key, value }).collect()
}

fn location(path: &Path, text: &str, offset: usize) -> Location {
    let before = text.get(..offset).unwrap_or_default();
    let column = before.rsplit('\n').next().unwrap_or_default();
    Location {
        path: path.to_owned(),
        line: before.matches('\n').count() as u64 + 1,
        column: column.chars().count() as u64 + 1,
    }
}
