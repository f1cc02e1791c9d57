//! [`ConsistencyCheck`]: does the cache hold what the server does?

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

/// Compares a snapshot with what the server says its contents are at exactly the same version.
///
/// An additional list, so for tests, and for a look at an informer that one distrusts. Objects are
/// compared by uid and version, not decoded. client-go's counterpart is its consistency detector
/// (`KUBE_WATCHLIST_INCONSISTENCY_DETECTOR`), which panics at a difference and retries for ever.
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

/// What a [`ConsistencyCheck`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// Cache and server hold the same.
    Consistent {
        /// How many objects.
        objects: usize,
    },
    /// They do not.
    Different {
        /// The version at which they were compared.
        resource_version: ResourceVersion,
        /// In what, ordered by key.
        differences: Vec<Difference>,
    },
    /// There is no list to compare with.
    Skipped(Skipped),
}

/// Why there is no list to compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// The version is `""` or `"0"`, which names no state.
    ResourceVersion,
    /// The list options continue another list, and so ask for a part only.
    Continue,
}

/// One object in which cache and server differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Namespace and name.
    pub key: ObjectKey,
    /// What the cache holds.
    pub cached: Option<Identity>,
    /// What the server holds.
    pub listed: Option<Identity>,
}

/// Which object, in which version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// `metadata.uid`; not known of a cached object that never decoded.
    pub uid: Option<Uid>,
    /// `metadata.resourceVersion`.
    pub resource_version: ResourceVersion,
}

/// The server did not list at the version.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot list at exactly resourceVersion \"{resource_version}\", after {attempts} attempts")]
pub struct CheckError {
    /// The version that was asked for.
    pub resource_version: ResourceVersion,
    /// How often.
    pub attempts: u32,
    /// The last answer.
    #[source]
    pub source: SourceError,
}

// === impl ConsistencyCheck ===

impl ConsistencyCheck {
    /// A check that lists in pages of 500, and tries 10 times, 1 s apart.
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

    /// Lists with these options, but for the version. Those of a list that continues another one
    /// have the check skipped.
    pub fn list_options(mut self, options: ListOptions) -> Self {
        self.list_options = options;
        self
    }

    /// How often to list before giving up, at least once; 10 by default.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// How long to wait after a list that failed; 1 s by default. Never shorter than the server
    /// says.
    pub fn retry_after(mut self, retry_after: Duration) -> Self {
        self.retry_after = retry_after;
        self
    }

    /// Lists at the version of `snapshot`, and compares.
    ///
    /// The snapshot must be of an informer over the same source: namespace and selectors count.
    ///
    /// # Errors
    ///
    /// The list failed each time; or the version is too old to be listed at, which is not tried
    /// again.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the request.
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
            let asked = error.retry_after().unwrap_or_default();
            sleep(self.retry_after.max(asked)).await;
        }
    }
}

impl Default for ConsistencyCheck {
    fn default() -> Self {
        Self::new()
    }
}

/// All pages. What the server lists and the source refuses is no object to the informer either.
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

/// The latest version of each object that the cache knows of.
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
