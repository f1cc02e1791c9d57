//! Lists: selection of objects at a revision, and pages.
//!
//! No snapshots are stored. The state at an older revision is computed from the current state by
//! undoing the later events, so an exact list or the next page works as long as the log reaches
//! back to its revision.

use std::collections::BTreeMap;
use std::collections::btree_map::Range;
use std::iter::Peekable;
use std::ops::Bound;
use std::sync::Arc;

use crate::api::query::{Match, Query, Version};
use crate::api::selector::{Selector, Shard};
use crate::api::state::ServerState;
use crate::config::Config;
use crate::registry::target::RequestTarget;
use crate::status::ApiError;
use crate::store::Stored;

/// Parameters of a list.
#[derive(Debug)]
pub(crate) struct ListRequest {
    pub(crate) selector: Selector,
    /// Maximum number of items in a page; 0 for all.
    limit: usize,
    from: From,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum From {
    /// The newest state, which must be at least this revision.
    Newest(u64),
    /// The state at this revision.
    Exactly(u64),
    /// The objects after `key`, at `revision` or in the newest state.
    Continue { revision: Option<u64>, key: String },
}

/// Items of one response.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) items: Vec<Arc<Stored>>,
    /// Revision of the state that the items belong to.
    pub(crate) revision: u64,
    pub(crate) continue_token: Option<String>,
    pub(crate) remaining: Option<usize>,
    /// Shard of the objects that the list is limited to.
    pub(crate) shard: Option<String>,
}

// === impl ListRequest ===

impl ListRequest {
    /// Parses the query. `limit` is ignored at resourceVersion "0", as in a server that answers such
    /// lists from its cache.
    pub(crate) fn parse(query: &Query, config: &Config) -> Result<Self, ApiError> {
        let requested = query.number("limit")?.unwrap_or(0);
        query.number("timeoutSeconds")?;
        let selector = Selector::parse(query.get("labelSelector"), query.get("fieldSelector"))?;
        let matching = query.list_match()?;
        // As in the real server, a negative limit is no limit.
        let mut limit = usize::try_from(requested).unwrap_or(0);
        let token = query.get("continue");
        let mut continued = None;
        if !token.is_empty() {
            continued = Some(parse_token(token)?);
            if !matches!(query.get("resourceVersion"), "" | "0") {
                return Err(ApiError::bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
        }
        let version = query
            .version()
            .map_err(|error| ApiError::bad_request(format!("invalid resource version: {error}")))?;
        if version == Version::Any {
            limit = 0;
        }
        let start = match version {
            Version::Unset | Version::Any => From::Newest(0),
            Version::At(revision) => match matching {
                Match::Exact => From::Exactly(revision),
                // A paged list at a version without `resourceVersionMatch` is exact, as in the real
                // server for compatibility.
                Match::Unset if limit > 0 => From::Exactly(revision),
                Match::Unset | Match::NotOlderThan => From::Newest(revision),
            },
        };
        let from = continued.unwrap_or(start);
        Ok(Self {
            selector: selector.with_shard(query, config.sharding)?,
            limit,
            from,
        })
    }

    /// Creates the request for all objects that match `selector` in the newest state.
    pub(crate) fn all(selector: Selector) -> Self {
        Self {
            selector,
            limit: 0,
            from: From::Newest(0),
        }
    }

    /// Lists the state at `revision` in pages of `limit` objects.
    pub(crate) fn in_pages(selector: Selector, revision: u64, limit: usize) -> Self {
        Self {
            selector,
            limit,
            from: From::Exactly(revision),
        }
    }

    /// Returns the request for the page after `page`; `None` after the last one.
    pub(crate) fn after(mut self, page: &Page) -> Option<Self> {
        let token = page.continue_token.as_deref()?;
        self.from = parse_token(token).ok()?;
        Some(self)
    }
}

fn token(revision: Option<u64>, key: &str) -> String {
    match revision {
        Some(revision) => format!("{revision}.{key}"),
        None => format!("-1.{key}"),
    }
}

fn parse_token(token: &str) -> Result<From, ApiError> {
    let invalid = || ApiError::bad_request("invalid continue token: continue key is not valid");
    let (number, key) = token.split_once('.').ok_or_else(invalid)?;
    let revision = match number {
        "-1" => None,
        number => Some(number.parse().map_err(|_| invalid())?),
    };
    Ok(From::Continue {
        revision,
        key: key.to_owned(),
    })
}

/// Lists the collection that `target` names.
pub(crate) fn list(
    state: &ServerState,
    target: &RequestTarget,
    request: &ListRequest,
) -> Result<Page, ApiError> {
    state.current(target)?;
    request.selector.check(target)?;
    let (revision, after) = list_position(state, &request.from)?;
    let prefix = match target.namespace.as_str() {
        "" => String::new(),
        namespace => format!("{namespace}/"),
    };
    let past = state.store.past(target.resource.id, revision);
    let start = match after {
        Some(key) if *key >= *prefix => Bound::Excluded(key),
        _ => Bound::Included(prefix.as_str()),
    };
    let range = (start, Bound::Unbounded);
    let empty = BTreeMap::new();
    let table = state.store.table(target.resource.id).unwrap_or(&empty);
    let merged = Merged {
        now: table.range::<str, _>(range).peekable(),
        then: past.range::<str, _>(range).peekable(),
    };
    let mut objects = merged.take_while(|(key, _)| key.starts_with(&prefix));
    let selector = request.selector.of_stored(target);

    let mut page = Page {
        items: Vec::new(),
        revision,
        continue_token: None,
        remaining: None,
        shard: None,
    };
    let mut last = None;
    for (key, object) in objects.by_ref() {
        if !selector.matches(object) {
            continue;
        }
        last = Some(key);
        page.items.push(Arc::clone(object));
        if page.items.len() == request.limit {
            break;
        }
    }
    if let Some(last) = last
        && objects.next().is_some()
    {
        page.continue_token = Some(token(Some(revision), last));
        // As in the real server, the number of remaining objects is unknown if the list has a
        // selector.
        if request.selector.is_everything() {
            page.remaining = Some(1 + objects.count());
        }
    }
    // In the real server, lists of custom resources lack this field.
    if !target.resource.custom {
        page.shard = request.selector.shard().map(Shard::text);
    }
    Ok(page)
}

/// Returns the revision to list and the key to start after.
fn list_position<'a>(
    state: &ServerState,
    from: &'a From,
) -> Result<(u64, Option<&'a str>), ApiError> {
    let newest = state.store.revision();
    match from {
        From::Newest(least) | From::Exactly(least) if *least > newest => {
            Err(ApiError::too_large_resource_version(*least, newest))
        }
        From::Newest(_) => Ok((newest, None)),
        From::Exactly(revision) if *revision < state.store.log.compacted() => Err(
            ApiError::expired("The resourceVersion for the provided list is too old."),
        ),
        From::Exactly(revision) => Ok((*revision, None)),
        From::Continue {
            revision: Some(revision),
            key,
        } => {
            if *revision < state.store.log.compacted() {
                Err(ApiError::continue_expired(token(None, key)))
            } else if *revision > newest {
                Err(ApiError::bad_request(
                    "invalid continue token: continue key is not valid",
                ))
            } else {
                Ok((*revision, Some(key)))
            }
        }
        From::Continue {
            revision: None,
            key,
        } => Ok((newest, Some(key))),
    }
}

/// The current objects, overridden by their versions in `then`.
struct Merged<'a> {
    now: Peekable<Range<'a, String, Arc<Stored>>>,
    then: Peekable<Range<'a, String, Option<Arc<Stored>>>>,
}

impl<'a> Iterator for Merged<'a> {
    type Item = (&'a str, &'a Arc<Stored>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let present = self.now.peek().map(|(key, _)| *key);
            let is_next = |(key, _): &(&String, _)| present.is_none_or(|present| *key <= present);
            let Some((key, past)) = self.then.next_if(is_next) else {
                return self.now.next().map(|(key, object)| (key.as_str(), object));
            };
            self.now.next_if(|(present, _)| *present == key);
            // An entry without a version did not exist at the revision.
            if let Some(object) = past {
                return Some((key, object));
            }
        }
    }
}
