//! The objects and their history. Pure.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::object::{ObjectKey, ResourceVersion};
use crate::source::{ListOptions, ResourceVersionMatch};
use crate::status::SourceError;
use crate::wire::{ApiStatus, ListMeta, RawEvent, RawObject, Rejected, StatusCause};

#[derive(Debug, Default)]
pub(super) struct ServerState {
    objects: BTreeMap<ObjectKey, RawObject>,
    version: u64,
    /// Events for watches, including bookmarks, each with the version that it leads to.
    history: Vec<(u64, RawEvent)>,
    /// The history up to and including this version was discarded.
    forgotten: u64,
    /// Number of resets; a watch of an older epoch is closed.
    epoch: u64,
    /// Remaining objects of paged lists, by continue token.
    pages: HashMap<String, Rest>,
    tokens: u64,
    /// `true` if no watch sends the next change.
    pub(super) loses_next: bool,
    pub(super) list_error: Option<SourceError>,
    pub(super) watch_error: Option<SourceError>,
}

#[derive(Debug)]
struct Rest {
    version: ResourceVersion,
    objects: Vec<RawObject>,
}

/// Position of a watch.
#[derive(Debug, Clone)]
pub(super) struct Cursor {
    epoch: u64,
    /// Index into the history.
    next: usize,
    allows_bookmarks: bool,
}

// === impl ServerState ===

impl ServerState {
    pub(super) fn version(&self) -> ResourceVersion {
        version(self.version)
    }

    pub(super) fn keys(&self) -> Vec<ObjectKey> {
        self.objects.keys().cloned().collect()
    }

    pub(super) fn change(
        &mut self,
        change: impl FnOnce(RawObject) -> RawEvent,
        mut object: Value,
    ) -> Result<ResourceVersion, Rejected> {
        let next = self.version + 1;
        if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
            metadata.insert("resourceVersion".to_owned(), next.to_string().into());
        }
        let object = RawObject::from_value(&object)?;
        let key = object.key().clone();
        self.version = next;
        let event = change(object.clone());
        if matches!(event, RawEvent::Deleted(_)) {
            self.objects.remove(&key);
        } else {
            self.objects.insert(key, object);
        }
        if !std::mem::take(&mut self.loses_next) {
            self.history.push((next, event));
        }
        Ok(version(next))
    }

    pub(super) fn bookmark(&mut self) {
        let event = RawEvent::bookmark(self.version());
        self.history.push((self.version, event));
    }

    /// Returns the discarded data, which the caller drops without the lock.
    pub(super) fn reset_watch(&mut self) -> impl Sized + use<> {
        self.epoch += 1;
        self.forgotten = self.version;
        (
            std::mem::take(&mut self.history),
            std::mem::take(&mut self.pages),
        )
    }

    pub(super) fn list(
        &mut self,
        options: &ListOptions,
    ) -> Result<(Vec<RawObject>, ListMeta), SourceError> {
        if let Some(error) = &self.list_error {
            return Err(error.clone());
        }
        let Rest {
            version,
            mut objects,
        } = match &options.continue_token {
            Some(token) => self.pages.remove(token).ok_or_else(expired)?,
            None => self.list_all(options)?,
        };
        let limit = options.limit.filter(|&limit| limit > 0);
        let limit = limit.map_or(usize::MAX, |limit| limit as usize);
        if objects.len() <= limit {
            return Ok((objects, ListMeta::at(version)));
        }
        let rest = objects.split_off(limit);
        self.tokens += 1;
        let token = self.tokens.to_string();
        let meta = ListMeta {
            remaining_item_count: Some(rest.len() as u64),
            ..ListMeta::page(version.clone(), token.clone())
        };
        let objects_left = Rest {
            version,
            objects: rest,
        };
        self.pages.insert(token, objects_left);
        Ok((objects, meta))
    }

    fn list_all(&self, options: &ListOptions) -> Result<Rest, SourceError> {
        let requested = number(&options.resource_version);
        if requested > self.version {
            return Err(too_large(requested, self.version));
        }
        let is_exact = options.resource_version_match == Some(ResourceVersionMatch::Exact);
        if is_exact && requested != self.version {
            return Err(expired());
        }
        Ok(Rest {
            version: self.version(),
            objects: self.objects.values().cloned().collect(),
        })
    }

    /// Returns the current state, for a watch that starts with it.
    pub(super) fn initial_events(&self) -> Vec<RawEvent> {
        self.objects
            .values()
            .cloned()
            .map(RawEvent::Added)
            .collect()
    }

    /// Returns the start position of a watch whose client has seen everything up to `seen`; `None`
    /// if the history after that version was discarded.
    pub(super) fn cursor(&self, seen: u64, allows_bookmarks: bool) -> Option<Cursor> {
        (seen >= self.forgotten).then(|| Cursor {
            epoch: self.epoch,
            next: self
                .history
                .partition_point(|&(version, _)| version <= seen),
            allows_bookmarks,
        })
    }

    /// Returns the next event of a watch; an error means that the watch is closed.
    pub(super) fn next(&self, cursor: &mut Cursor) -> Result<Option<RawEvent>, WatchClosed> {
        if cursor.epoch != self.epoch {
            return Err(WatchClosed);
        }
        while let Some((_, event)) = self.history.get(cursor.next) {
            cursor.next += 1;
            if cursor.allows_bookmarks || !matches!(event, RawEvent::Bookmark { .. }) {
                return Ok(Some(event.clone()));
            }
        }
        Ok(None)
    }

    pub(super) fn last_version(&self) -> u64 {
        self.version
    }
}

/// Error of a watch that a reset closed.
#[derive(Debug)]
pub(super) struct WatchClosed;

fn version(number: u64) -> ResourceVersion {
    ResourceVersion::new(&number.to_string())
}

/// Returns a version as the counter from which it was created; 0 for other texts.
pub(super) fn number(version: &ResourceVersion) -> u64 {
    version.to_string().parse().unwrap_or_default()
}

pub(super) fn expired() -> SourceError {
    ApiStatus::new(410, "Expired", "too old resource version").into()
}

fn too_large(requested: u64, current: u64) -> SourceError {
    let message = format!("Too large resource version: {requested}, current: {current}");
    let cause = StatusCause {
        reason: "ResourceVersionTooLarge".to_owned(),
        message: "Too large resource version".to_owned(),
    };
    SourceError::from(ApiStatus {
        causes: vec![cause],
        ..ApiStatus::new(504, "Timeout", &message)
    })
}
