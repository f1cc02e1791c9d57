//! redb file that keeps objects and versions across restarts.
//!
//! Its content is always the state at one revision.

use std::path::Path;

use bytes::BytesMut;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use serde_json::Value;

use super::journal::Changed;

/// Keyed by `plural.group/namespace/name`.
const OBJECTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("objects");
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
const REVISION: &str = "revision";

/// The open file.
#[derive(Debug)]
pub(crate) struct File(Database);

/// A stored object: key and document.
pub(crate) type Row = (String, Value);

pub(crate) type Error = Box<dyn std::error::Error + Send + Sync>;

// === impl File ===

impl File {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self(Database::create(path)?))
    }

    /// Returns the revision and its objects; `None` if the file is new.
    pub(crate) fn read(&self) -> Result<Option<(u64, Vec<Row>)>, Error> {
        // Creates both tables if they are missing.
        let transaction = self.0.begin_write()?;
        transaction.open_table(OBJECTS)?;
        transaction.open_table(NUMBERS)?;
        transaction.commit()?;
        let transaction = self.0.begin_read()?;
        let numbers = transaction.open_table(NUMBERS)?;
        let Some(revision) = numbers.get(REVISION)? else {
            return Ok(None);
        };
        let mut rows = Vec::new();
        for row in transaction.open_table(OBJECTS)?.iter()? {
            let (key, document) = row?;
            rows.push((
                key.value().to_owned(),
                serde_json::from_slice(document.value())?,
            ));
        }
        Ok(Some((revision.value(), rows)))
    }

    /// Writes the changes up to `revision` in one transaction.
    pub(crate) fn write(&self, revision: u64, changed: &Changed) -> Result<(), Error> {
        let transaction = self.0.begin_write()?;
        {
            let mut objects = transaction.open_table(OBJECTS)?;
            let mut document = BytesMut::new();
            for (key, object) in changed {
                document.clear();
                match object {
                    Some(object) => {
                        object.write(b"", &mut document);
                        objects.insert(key.as_str(), &document[..])?;
                    }
                    None => _ = objects.remove(key.as_str())?,
                }
            }
            transaction
                .open_table(NUMBERS)?
                .insert(REVISION, revision)?;
        }
        transaction.commit()?;
        Ok(())
    }
}
