//! Reads the options from a TOML file, `informers.toml`.

mod index;
mod place;
mod relation;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use self::index::IndexEntry;
pub(crate) use self::place::Texts;
use self::relation::RelationEntry;
use super::{Config, IndexOf, Manifests, Pair, RelationOf};
use crate::error::{Error, Location};
use crate::relation::{Owns, Reference, Selects};
use crate::suggest;

/// Configuration file with every option, commented out, which `informer-gen init` writes.
pub const TEMPLATE: &str = include_str!("template.toml");

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    output: Option<PathBuf>,
    built_in: Vec<String>,
    crd: Vec<Files>,
    types: Option<bool>,
    crd_type: BTreeMap<String, String>,
    rust: Vec<Files>,
    only: Vec<String>,
    skip: Vec<String>,
    dynamic: Vec<String>,
    features: Vec<String>,
    index: BTreeMap<String, Vec<IndexEntry>>,
    owns: BTreeMap<String, Vec<RelationEntry<Owns>>>,
    references: BTreeMap<String, Vec<RelationEntry<Reference>>>,
    selects: BTreeMap<String, Vec<RelationEntry<Selects>>>,
    group_name: BTreeMap<String, String>,
    accessor: BTreeMap<String, String>,
    prefix: BTreeMap<String, String>,
    runtime_path: Option<String>,
    k8s_openapi_path: Option<String>,
    visibility: Option<String>,
    beta_feature: Option<String>,
    alpha_feature: Option<String>,
    file_per_group: Option<bool>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Files {
    files: String,
    module: Option<String>,
}

impl Config {
    /// Reads the options from a TOML file. Paths in the file are relative to its directory.
    /// `informer-gen init` writes a file that explains the options.
    ///
    /// The file is an input: a build script reports it to cargo.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not TOML, or has an unknown option. The
    /// values of the options are checked later, by the method that ends the chain.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })?;
        let options: Options = toml::from_str(&text).map_err(|error| Error::ConfigFile {
            at: location(path, &text, error.span().map_or(0, |span| span.start)),
            message: readable(error.message()),
        })?;
        let directory = path.parent().unwrap_or(Path::new(""));
        let mut config = options.into_config(directory);
        config.read.push(path.to_owned());
        config.texts.push(Texts::new(path, &text));
        Ok(config)
    }

    /// Adds the options of `file` to these. If both set an option with a single value, the value of
    /// `self` wins, even if it equals the default.
    #[must_use]
    pub fn over(mut self, file: Self) -> Self {
        fn prepend<T>(mine: &mut Vec<T>, theirs: Vec<T>) {
            mine.splice(0..0, theirs);
        }
        prepend(&mut self.built_in, file.built_in);
        prepend(&mut self.only, file.only);
        prepend(&mut self.skip, file.skip);
        prepend(&mut self.dynamic, file.dynamic);
        prepend(&mut self.features, file.features);
        prepend(&mut self.manifests, file.manifests);
        prepend(&mut self.rust_source, file.rust_source);
        prepend(&mut self.crd_type, file.crd_type);
        prepend(&mut self.index, file.index);
        prepend(&mut self.owns, file.owns);
        prepend(&mut self.references, file.references);
        prepend(&mut self.selects, file.selects);
        prepend(&mut self.group_name, file.group_name);
        prepend(&mut self.accessor, file.accessor);
        prepend(&mut self.prefix, file.prefix);
        prepend(&mut self.manifest_texts, file.manifest_texts);
        prepend(&mut self.read, file.read);
        prepend(&mut self.texts, file.texts);
        self.runtime_path = self.runtime_path.or(file.runtime_path);
        self.k8s_openapi_path = self.k8s_openapi_path.or(file.k8s_openapi_path);
        self.visibility = self.visibility.or(file.visibility);
        self.beta_feature = self.beta_feature.or(file.beta_feature);
        self.alpha_feature = self.alpha_feature.or(file.alpha_feature);
        self.file_per_group = self.file_per_group.or(file.file_per_group);
        self.types = self.types.or(file.types);
        if self.out_dir.is_none() {
            self.out_dir = file.out_dir;
            self.file_name = self.file_name.or(file.file_name);
        }
        self
    }

    /// Returns the output file, if it was set.
    #[must_use]
    pub fn output(&self) -> Option<PathBuf> {
        let directory = self.out_dir.as_ref()?;
        Some(directory.join(self.main_file()))
    }
}

// === impl Options ===

impl Options {
    fn into_config(self, directory: &Path) -> Config {
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
        let indices = self.index.into_iter();
        let index = indices.flat_map(|(kind, entries)| {
            let entries = entries.into_iter();
            entries.map(move |IndexEntry(index)| IndexOf {
                kind: kind.clone(),
                index,
            })
        });
        let config = Config {
            index: index.collect(),
            owns: relations(self.owns),
            references: relations(self.references),
            selects: relations(self.selects),
            built_in: self.built_in,
            manifests: files(self.crd),
            types: self.types,
            crd_type: pairs(self.crd_type),
            rust_source: files(self.rust),
            only: self.only,
            skip: self.skip,
            dynamic: self.dynamic,
            features: self.features,
            group_name: pairs(self.group_name),
            accessor: pairs(self.accessor),
            prefix: pairs(self.prefix),
            runtime_path: self.runtime_path,
            k8s_openapi_path: self.k8s_openapi_path,
            visibility: self.visibility,
            beta_feature: self.beta_feature,
            alpha_feature: self.alpha_feature,
            file_per_group: self.file_per_group,
            ..Config::default()
        };
        match self.output {
            Some(output) => config.write_to(&directory.join(output)),
            None => config,
        }
    }
}

fn relations<T>(entries: BTreeMap<String, Vec<RelationEntry<T>>>) -> Vec<RelationOf<T>> {
    let entries = entries.into_iter().flat_map(|(kind, entries)| {
        let entries = entries.into_iter();
        entries.map(move |RelationEntry(relation)| RelationOf {
            kind: kind.clone(),
            relation,
        })
    });
    entries.collect()
}

fn pairs(pairs: BTreeMap<String, String>) -> Vec<Pair> {
    let pairs = pairs.into_iter();
    pairs.map(|(key, value)| Pair { key, value }).collect()
}

/// Rephrases serde's message in terms of TOML, and suggests the nearest name for an unknown option.
fn readable(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2).map(str::to_owned);
    if message.starts_with("unknown field")
        && let Some(unknown) = quoted.next()
    {
        let suggestion = suggest::nearest(&unknown, quoted);
        if suggestion.0.is_some() {
            return format!("unknown option `{unknown}`{suggestion}");
        }
        return message.replacen("unknown field", "unknown option", 1);
    }
    message
        .replace("expected a sequence", "expected an array, in brackets")
        .replace("expected a map", "expected a table")
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
