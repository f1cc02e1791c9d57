//! Objects and versions that outlive the process (feature `persist`): a redb file behind the state.
//!
//! ```text
//! State::put, remove, rewind --note--> Journal --take (now and then)--> Store::write, one transaction
//! Store::read --restore--> State, before anybody is served
//! ```
//!
//! The state never waits for the disk: the journal has the newest version of what has changed, and
//! a task writes it. What is on disk is always the state as of one revision; a crash loses the last
//! moments, a shutdown loses nothing. The event log is not kept: after a restart, versions before
//! the last one have expired.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bytes::BytesMut;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use serde_json::Value;
use tokio::sync::watch;

use crate::api::state::State;
use crate::document::metadata_str;
use crate::registry::Resource;
use crate::shared::Shared;
use crate::store::Stored;

/// By `plural.group/namespace/name`.
const OBJECTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("objects");
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
const REVISION: &str = "revision";

/// What has changed since it was last written. At most one entry for each object.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    changed: BTreeMap<String, Option<Arc<Stored>>>,
    dirty: watch::Sender<()>,
}

/// The file.
#[derive(Debug)]
pub(crate) struct Store(Database);

/// An object as it was written: key and document.
type Row = (String, Value);

type Error = Box<dyn std::error::Error + Send + Sync>;

// === impl Journal ===

impl Journal {
    pub(crate) fn note(&mut self, resource: &Resource, key: &str, now: Option<Arc<Stored>>) {
        let key = format!("{}.{}/{key}", resource.plural, resource.group);
        self.changed.insert(key, now);
        self.dirty.send_replace(());
    }
}

// === impl Store ===

impl Store {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self(Database::create(path)?))
    }

    /// The revision and the objects of it; nothing in a new file.
    pub(crate) fn read(&self) -> Result<Option<(u64, Vec<Row>)>, Error> {
        // So that both tables are there.
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

    fn write(
        &self,
        revision: u64,
        changed: &BTreeMap<String, Option<Arc<Stored>>>,
    ) -> Result<(), Error> {
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

/// Writes what has changed, again and again, until the server is to end.
pub(crate) async fn keep(store: Arc<Store>, shared: Arc<Shared>) {
    let Some(mut dirty) = shared.state().journal.as_ref().map(|j| j.dirty.subscribe()) else {
        return;
    };
    dirty.mark_changed();
    while !shared.shutdown.is_cancelled() {
        tokio::select! {
            () = shared.shutdown.cancelled() => {}
            _ = dirty.changed() => {}
        }
        flush(&store, &shared).await;
    }
}

/// Writes what has changed. What cannot be written is said, and tried again with the next change.
pub(crate) async fn flush(store: &Arc<Store>, shared: &Arc<Shared>) {
    let (store, shared) = (Arc::clone(store), Arc::clone(shared));
    let writing = tokio::task::spawn_blocking(move || {
        let (revision, changed) = {
            let mut state = shared.state();
            let revision = state.revision();
            let journal = state.journal.as_mut();
            (revision, journal.map(|j| std::mem::take(&mut j.changed)))
        };
        let Some(changed) = changed.filter(|changed| !changed.is_empty()) else {
            return;
        };
        if let Err(error) = store.write(revision, &changed) {
            tracing::error!(%error, "cannot write the objects to disk");
            let mut state = shared.state();
            if let Some(journal) = &mut state.journal {
                for (key, object) in changed {
                    journal.changed.entry(key).or_insert(object);
                }
            }
        }
    });
    if let Err(error) = writing.await {
        tracing::error!(%error, "cannot write the objects to disk");
    }
}

// === impl State ===

impl State {
    /// Goes on from what was kept: definitions first, since the others need them.
    pub(crate) fn restore(&mut self, revision: u64, rows: Vec<Row>) {
        let is_definition = |(key, _): &Row| key.starts_with(crate::registry::crd::PLURAL);
        let (definitions, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_definition);
        for row in definitions.into_iter().chain(others) {
            let key = row.0.clone();
            if self.restore_object(row).is_none() {
                tracing::warn!(key, "cannot restore an object");
            }
        }
        self.resume_at(revision);
    }

    fn restore_object(&mut self, (key, document): Row) -> Option<()> {
        let (resource, key) = key.split_once('/')?;
        let (plural, group) = resource.split_once('.')?;
        let resource = self.registry.get(group, plural).map(Arc::clone)?;
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        let Value::Object(members) = document else {
            return None;
        };
        let revision = metadata_str(&members, "resourceVersion").parse();
        let object = Stored::new(namespace, name, revision.unwrap_or(0), members);
        let object = Arc::new(object);
        self.insert_restored(&resource, Arc::clone(&object));
        if resource.is(crate::registry::crd::GROUP, crate::registry::crd::PLURAL) {
            self.definition_changed(&resource, &object);
        }
        Some(())
    }
}
