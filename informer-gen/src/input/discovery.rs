//! Discovery documents of an API server, which are authoritative for its resources.
//!
//! Discovery has plural, scope and verbs, but no types. `served` compares it with the other inputs
//! and so finds mistakes at build time. If configured, `kinds` adds kinds from it, with types from
//! elsewhere.

mod document;
mod kinds;
mod served;

use std::path::Path;

use self::document::Entry;
use self::kinds::Kinds;
use self::served::Served;
use super::types::Types;
use super::{Loaded, node};
use crate::config::Config;
use crate::error::{Error, Location, OptionName};

/// Adds the kinds of the documents that `config` takes kinds from, and compares all loaded kinds
/// with all documents.
pub(super) fn load(config: &Config, types: &Types, loaded: &mut Loaded) -> Result<(), Error> {
    let mut served = Served::default();
    for pattern in &config.discovery {
        served.add(read(pattern, OptionName::Discovery, loaded)?);
    }
    let mut kinds = Kinds::new(config, types)?;
    for source in &config.discovery_kinds {
        let found = read(&source.pattern, OptionName::DiscoveryKinds, loaded)?;
        kinds.add(source, &found.entries, loaded)?;
        served.add(found);
    }
    for answer in &config.documents {
        let mut found = Found::default();
        found.parse(&answer.origin, &answer.text)?;
        if let Some(source) = &answer.kinds {
            kinds.add(source, &found.entries, loaded)?;
        }
        served.add(found);
    }
    kinds.finish()?;
    let mut resources = loaded.resources.iter();
    resources.try_for_each(|resource| served.check(resource))
}

/// Contents of discovery documents.
#[derive(Default)]
struct Found {
    entries: Vec<Entry>,
    /// Position of the last document, for errors about resources that no document contains.
    last: Option<Location>,
}

/// Reads all documents in the matching files.
fn read(pattern: &str, option: OptionName, loaded: &mut Loaded) -> Result<Found, Error> {
    let mut found = Found::default();
    for path in loaded.find(pattern, option)? {
        let text = loaded.text(&path)?;
        found.parse(&path, &text)?;
    }
    Ok(found)
}

// === impl Found ===

impl Found {
    /// Adds the resources in all documents of a text.
    fn parse(&mut self, path: &Path, text: &str) -> Result<(), Error> {
        for document in node::parse(path, text)? {
            document::read(&document, path, &mut self.entries)?;
            self.last = Some(document.at(path));
        }
        Ok(())
    }
}
