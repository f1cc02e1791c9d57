//! [`ConsistencyCheck`]: compares a cache with the API server's state.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use futures::StreamExt as _;
use tokio::time::sleep;

use crate::indexer::Snapshot;
use crate::object::{ObjectKey, ResourceVersion, Uid};
use crate::source::{ListOptions, ListPart, ListerWatcher, ResourceVersionMatch};
use crate::status::SourceError;

const DEFAULT_ATTEMPTS: u32 = 10;
const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(1);
const PAGE_SIZE: u32 = 500;

/// Comparison of a snapshot with a list from the API server at exactly the same resourceVersion.
///
/// The check costs an additional list, so it is intended for tests and for debugging. Objects are
/// compared by uid and resourceVersion, without decoding. client-go's counterpart is its
/// consistency detector (`KUBE_WATCHLIST_INCONSISTENCY_DETECTOR`), which panics on a difference and
/// retries without limit.
///
/// # Examples
///
/// ```
/// # use informer_runtime::SharedInformer;
/// # use informer_runtime::consistency::{Checked, ConsistencyCheck};
/// # use informer_runtime::source::ListerWatcher;
/// # use k8s_openapi::api::core::v1::Pod;
/// # async fn doc(source: impl ListerWatcher, pods: SharedInformer<Pod>)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// let checked = ConsistencyCheck::new().run(&source, &pods.snapshot()).await?;
/// if let Checked::Different { differences, .. } = checked {
///     for difference in differences {
///         eprintln!("{difference}");
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ConsistencyCheck {
    list_options: ListOptions,
    attempts: u32,
    retry_after: Duration,
}

/// Result of a [`ConsistencyCheck`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// The cache and the API server hold the same objects.
    Consistent {
        /// Number of objects.
        objects: usize,
    },
    /// The cache and the API server differ.
    Different {
        /// resourceVersion of the comparison.
        resource_version: ResourceVersion,
        /// Differing objects, ordered by key.
        differences: Vec<Difference>,
    },
    /// No list is possible to compare with.
    Skipped(Skipped),
}

/// Reason why no list is possible to compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// The snapshot's version is `""` or `"0"`, which identifies no state.
    ResourceVersion,
    /// The list options continue another list, so they select only a part of the objects.
    Continue,
}

/// Object that differs between the cache and the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Namespace and name.
    pub key: ObjectKey,
    /// Object in the cache.
    pub cached: Option<Identity>,
    /// Object on the API server.
    pub listed: Option<Identity>,
}

/// uid and resourceVersion of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// `metadata.uid`; `None` for a cached object that never decoded.
    pub uid: Option<Uid>,
    /// `metadata.resourceVersion`.
    pub resource_version: ResourceVersion,
}

/// Error of a list at the snapshot's resourceVersion.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot list at exactly resourceVersion \"{resource_version}\", after {attempts} attempts")]
pub struct CheckError {
    /// resourceVersion of the list.
    pub resource_version: ResourceVersion,
    /// Number of attempts.
    pub attempts: u32,
    /// Error of the last attempt.
    #[source]
    pub source: SourceError,
}

// === impl ConsistencyCheck ===

impl ConsistencyCheck {
    /// Creates a check that lists in pages of 500 objects, in up to 10 attempts, 1 s apart.
    pub fn new() -> Self {
        Self {
            list_options: ListOptions {
                limit: Some(PAGE_SIZE),
                ..ListOptions::default()
            },
            attempts: DEFAULT_ATTEMPTS,
            retry_after: DEFAULT_RETRY_AFTER,
        }
    }

    /// Sets the options of the list, except for its version. If the options continue another list,
    /// the check is skipped.
    pub fn list_options(mut self, options: ListOptions) -> Self {
        self.list_options = options;
        self
    }

    /// Sets the maximum number of attempts, at least 1. Default: 10.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// Sets the pause after a failed attempt. Default: 1 s. A longer `Retry-After` of the API
    /// server takes precedence.
    pub fn retry_after(mut self, retry_after: Duration) -> Self {
        self.retry_after = retry_after;
        self
    }

    /// Lists at the version of `snapshot`, and compares.
    ///
    /// The snapshot must belong to an informer over the same source, with the same namespace and
    /// selectors.
    ///
    /// # Errors
    ///
    /// Fails if every attempt failed. Fails without further attempts if the API server has expired
    /// the version.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    pub async fn run<H: Clone + Send + Sync + 'static>(
        &self,
        source: &dyn ListerWatcher,
        snapshot: &Snapshot<H>,
    ) -> Result<Checked, CheckError> {
        let version = snapshot.resource_version();
        if self.list_options.continue_token.is_some() {
            return Ok(Checked::Skipped(Skipped::Continue));
        }
        if !version.is_exact() {
            return Ok(Checked::Skipped(Skipped::ResourceVersion));
        }
        let listed = self.list(source, version).await?;
        Ok(compare(&cached(snapshot), &listed, version))
    }

    async fn list(
        &self,
        source: &dyn ListerWatcher,
        version: &ResourceVersion,
    ) -> Result<BTreeMap<ObjectKey, Identity>, CheckError> {
        let options = ListOptions {
            resource_version: version.clone(),
            resource_version_match: Some(ResourceVersionMatch::Exact),
            ..self.list_options.clone()
        };
        let mut attempts = 0;
        loop {
            attempts += 1;
            let error = match list_all(source, options.clone()).await {
                Ok(listed) => return Ok(listed),
                Err(error) => error,
            };
            if attempts >= self.attempts || error.is_expired() {
                return Err(CheckError {
                    resource_version: version.clone(),
                    attempts,
                    source: error,
                });
            }
            let requested = error.retry_after().unwrap_or_default();
            sleep(self.retry_after.max(requested)).await;
        }
    }
}

impl Default for ConsistencyCheck {
    fn default() -> Self {
        Self::new()
    }
}

/// Lists all pages. Leaves out rejected items, because the informer does not cache them either.
async fn list_all(
    source: &dyn ListerWatcher,
    mut options: ListOptions,
) -> Result<BTreeMap<ObjectKey, Identity>, SourceError> {
    let mut listed = BTreeMap::new();
    loop {
        let mut parts = source.list(options.clone()).await?;
        let meta = loop {
            match parts.next().await.transpose()? {
                Some(ListPart::Items(items)) => {
                    listed.extend(items.into_iter().flatten().map(|raw| {
                        let identity = Identity {
                            uid: raw.uid().cloned(),
                            resource_version: raw.resource_version().clone(),
                        };
                        (raw.key().clone(), identity)
                    }));
                }
                Some(ListPart::End(meta)) => break meta,
                None => {
                    let reason = "the list ended without its metadata";
                    return Err(SourceError::Malformed(reason.to_owned()));
                }
            }
        };
        let Some(token) = meta.continue_token else {
            return Ok(listed);
        };
        options = ListOptions {
            limit: options.limit,
            continue_token: Some(token),
            ..ListOptions::default()
        };
    }
}

/// Returns the latest known version of each cached object, including undecodable ones.
fn cached<H: Clone + Send + Sync + 'static>(
    snapshot: &Snapshot<H>,
) -> BTreeMap<ObjectKey, Identity> {
    let good = snapshot.iter().map(|entry| {
        let identity = Identity {
            uid: entry.uid.clone(),
            resource_version: entry.resource_version.clone(),
        };
        (entry.key.clone(), identity)
    });
    let undecodable = snapshot.undecodable_all().map(|object| {
        let identity = Identity {
            uid: None,
            resource_version: object.resource_version.clone(),
        };
        (object.key.clone(), identity)
    });
    good.chain(undecodable).collect()
}

fn compare(
    cached: &BTreeMap<ObjectKey, Identity>,
    listed: &BTreeMap<ObjectKey, Identity>,
    version: &ResourceVersion,
) -> Checked {
    let only_listed = listed.keys().filter(|key| !cached.contains_key(*key));
    let mut differences: Vec<Difference> = cached
        .keys()
        .chain(only_listed)
        .map(|key| Difference {
            key: key.clone(),
            cached: cached.get(key).cloned(),
            listed: listed.get(key).cloned(),
        })
        .filter(|difference| !difference.is_none())
        .collect();
    if differences.is_empty() {
        return Checked::Consistent {
            objects: listed.len(),
        };
    }
    differences.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    Checked::Different {
        resource_version: version.clone(),
        differences,
    }
}

// === impl Difference ===

impl Difference {
    fn is_none(&self) -> bool {
        match (&self.cached, &self.listed) {
            (Some(cached), Some(listed)) => {
                let same_uid = cached.uid.is_none() || cached.uid == listed.uid;
                same_uid && cached.resource_version == listed.resource_version
            }
            (cached, listed) => cached.is_none() && listed.is_none(),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            key,
            cached,
            listed,
        } = self;
        match (cached, listed) {
            (Some(cached), Some(listed)) => {
                write!(f, "{key}: the cache has {cached}, the server {listed}")
            }
            (Some(cached), None) => write!(f, "{key}: the cache has {cached}, the server nothing"),
            (None, Some(listed)) => write!(f, "{key}: the cache has nothing, the server {listed}"),
            (None, None) => write!(f, "{key}: neither has it"),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resourceVersion \"{}\"", self.resource_version)?;
        match &self.uid {
            Some(uid) => write!(f, " of uid {uid}"),
            None => Ok(()),
        }
    }
}
