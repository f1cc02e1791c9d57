//! What an API server says of its resources: the word that counts.
//!
//! Discovery knows plural, scope and verbs, and no types. It is compared with what the other inputs
//! say (`served`), which shows where they are wrong before a request at run time does; and, where
//! the user wants it, it adds kinds (`kinds`), whose types come from elsewhere.

mod document;
mod kinds;
mod served;

use std::path::PathBuf;

use self::document::Entry;
use self::kinds::Kinds;
use self::served::Served;
use super::types::{Module, Types};
use super::{Loaded, node};
use crate::config::Config;
use crate::error::{Error, OptionName};

/// Adds the kinds of the documents that `config` takes kinds from, and compares all that is loaded
/// with all documents.
pub(super) fn load(config: &Config, types: &Types, loaded: &mut Loaded) -> Result<(), Error> {
    let mut served = Served::default();
    for pattern in &config.discovery {
        for (path, text) in read(pattern, OptionName::Discovery, loaded)? {
            served.add(entries(&path, &text)?);
        }
    }
    let mut kinds = Kinds::new(config, types)?;
    for source in &config.discovery_kinds {
        let module = Module::new(source.module.as_deref(), OptionName::DiscoveryKinds)?;
        let mut found = Vec::new();
        for (path, text) in read(&source.pattern, OptionName::DiscoveryKinds, loaded)? {
            found.extend(entries(&path, &text)?);
        }
        kinds.add(&source.pattern, &module, &found, loaded)?;
        served.add(found);
    }
    for answer in &config.documents {
        let found = entries(&answer.origin, &answer.text)?;
        if let Some(source) = &answer.kinds {
            let module = Module::new(source.module.as_deref(), OptionName::DiscoveryKinds)?;
            kinds.add(&source.pattern, &module, &found, loaded)?;
        }
        served.add(found);
    }
    kinds.finish()?;
    let mut resources = loaded.resources.iter();
    resources.try_for_each(|resource| served.check(resource))
}

/// The files that match, with their texts.
fn read(
    pattern: &str,
    option: OptionName,
    loaded: &mut Loaded,
) -> Result<Vec<(PathBuf, String)>, Error> {
    let files = loaded.find(pattern, option)?.into_iter();
    files
        .map(|path| loaded.text(&path).map(|text| (path, text)))
        .collect()
}

/// The resources in all documents of a text.
fn entries(path: &std::path::Path, text: &str) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for document in node::parse(path, text)? {
        document::read(&document, path, &mut entries)?;
    }
    Ok(entries)
}
