//! [`ListPager`]: reads a long list item by item, without a cache and without holding all of it.
//!
//! The list is fetched in pages. If requested and supported, it is streamed instead (`streamed`).

mod part;
mod streamed;

use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::vec;

use futures::{Stream, StreamExt as _};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tracing::debug;

use self::part::{Fetched, Item, Part};
use self::streamed::Ended;
use crate::object::ResourceVersion;
use crate::reflector::WatchListMode;
use crate::source::{ListOptions, ListPart, ListerWatcher};
use crate::status::{LISTER_WATCHER, REPEATED_TOKEN, SourceError};

const PAGE_SIZE: NonZeroU32 = NonZeroU32::new(500).unwrap();
const PAGES_AHEAD: NonZeroUsize = NonZeroUsize::new(10).unwrap();

/// Pager of a list that fetches a few pages ahead of the consumer.
///
/// client-go's counterpart is `pager.ListPager` with `EachListItem`.
///
/// # Examples
///
/// ```
/// # use std::sync::Arc;
/// # use futures::StreamExt;
/// # use informer_runtime::tools::ListPager;
/// # use informer_runtime::source::{ListOptions, ListerWatcher};
/// # use k8s_openapi::api::core::v1::Pod;
/// # async fn doc(source: Arc<dyn ListerWatcher>) -> Result<(), Box<dyn std::error::Error>> {
/// let mut items = ListPager::new(source).items(ListOptions::default());
/// while let Some(item) = items.next().await {
///     // The list may fail, and a single item may be rejected.
///     let pod: Pod = item??.decode()?;
///     println!("{:?}", pod.metadata.name);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use]
pub struct ListPager {
    source: Arc<dyn ListerWatcher>,
    page_size: NonZeroU32,
    pages_ahead: NonZeroUsize,
    watch_list: WatchListMode,
}

/// Stream of a list's items, in the API server's order. Returned by [`ListPager::items`].
///
/// A rejected item is an `Err` inside the `Ok`. An error of the list comes after the items of the
/// pages before it, and ends the stream. On any page, this can be the expiry of the list's version,
/// if the list took too long. The stream does not fall back to a list without pages, because the
/// consumer has handled some items already.
///
/// A task fetches the pages. It starts at the first poll, which must be inside a tokio runtime.
/// Dropping the stream ends the task and cancels its request.
#[must_use = "a stream does nothing unless it is polled"]
pub struct ListItems {
    phase: Phase,
    /// Remaining items of the current page.
    page: vec::IntoIter<Item>,
    resource_version: Option<ResourceVersion>,
}

enum Phase {
    Pending(ListPager, ListOptions),
    Fetching {
        fetched: mpsc::Receiver<Fetched>,
        /// Task that fetches. The set never has a second task.
        task: JoinSet<()>,
    },
    Ended,
}

// === impl ListPager ===

impl ListPager {
    /// Creates a pager that lists in pages of 500 items, and fetches up to 10 pages ahead.
    pub fn new(source: Arc<dyn ListerWatcher>) -> Self {
        Self {
            source,
            page_size: PAGE_SIZE,
            pages_ahead: PAGES_AHEAD,
            watch_list: WatchListMode::Never,
        }
    }

    /// Sets the number of items per page, unless [`ListOptions::limit`] is set. Default: 500.
    pub fn page_size(mut self, items: NonZeroU32) -> Self {
        self.page_size = items;
        self
    }

    /// Sets the maximum number of pages that are fetched ahead, including the page in flight.
    /// Default: 10. When this number is reached, fetching waits for the consumer.
    pub fn pages_ahead(mut self, pages: NonZeroUsize) -> Self {
        self.pages_ahead = pages;
        self
    }

    /// Sets whether the list may be streamed (KEP-3157). A streaming list costs the API server less
    /// than pages, and cannot expire between two pages. Default: [`WatchListMode::Never`].
    ///
    /// With [`WatchListMode::Auto`], the list is one watch request, if the source supports it and
    /// if it yields the [same list](ListOptions::watch_list_options); a limit, for example,
    /// excludes it. The number of pages ahead applies as for paged lists. The version is known only
    /// at the end, because the closing bookmark contains it. If the API server rejects the request,
    /// or if the stream ends or is silent for 30 s before its first page is full, the pager falls
    /// back to pages. Later failures are errors of the list.
    ///
    /// client-go's typed clients do the same with the feature gate `WatchListClient`, but hold the
    /// whole list in memory.
    pub fn watch_list(mut self, mode: WatchListMode) -> Self {
        self.watch_list = mode;
        self
    }

    /// Lists with these options. Continue requests contain neither the version nor the version
    /// match.
    pub fn items(&self, options: ListOptions) -> ListItems {
        ListItems {
            phase: Phase::Pending(self.clone(), options),
            page: Vec::new().into_iter(),
            resource_version: None,
        }
    }

    /// Fetches until the list ends, an error occurs, or the receiver is dropped.
    async fn fetch(self, options: ListOptions, pages: mpsc::Sender<Fetched>) {
        let may_stream =
            self.watch_list == WatchListMode::Auto && self.source.supports_watch_list();
        if may_stream && let Some(watch) = options.watch_list_options(streamed::WATCH_TIMEOUT) {
            match streamed::fetch(&*self.source, watch, self.page_size, &pages).await {
                Ended::Over => return,
                Ended::BeforeFirstPart(error) => {
                    debug!(%error, "streaming list failed, falling back to pages");
                }
            }
        }
        self.fetch_pages(options, &pages).await;
    }

    async fn fetch_pages(&self, mut options: ListOptions, pages: &mpsc::Sender<Fetched>) {
        let limit = options.limit.unwrap_or(self.page_size.get());
        options.limit = Some(limit);
        // Reserved before the request, because the page in flight counts as a page ahead.
        while let Ok(permit) = pages.reserve().await {
            let token = match page(&*self.source, options).await {
                Ok((part, token)) => {
                    permit.send(Ok(part));
                    token
                }
                Err(error) => {
                    permit.send(Err(error));
                    None
                }
            };
            let Some(token) = token else { return };
            options = ListOptions {
                limit: Some(limit),
                continue_token: Some(token),
                ..ListOptions::default()
            };
        }
    }
}

impl fmt::Debug for ListPager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListPager")
            .field("page_size", &self.page_size)
            .field("pages_ahead", &self.pages_ahead)
            .field("watch_list", &self.watch_list)
            .finish_non_exhaustive()
    }
}

/// Fetches a page, and returns it with the continue token of the next page.
async fn page(
    source: &dyn ListerWatcher,
    options: ListOptions,
) -> Result<(Part, Option<String>), SourceError> {
    let requested = options.continue_token.clone();
    let mut parts = source.list(options).await?;
    let mut items = Vec::new();
    while let Some(part) = parts.next().await {
        match part? {
            ListPart::Items(more) => items.extend(more),
            ListPart::End(meta) if requested.is_some() && requested == meta.continue_token => {
                return Err(SourceError::Malformed(REPEATED_TOKEN.to_owned()));
            }
            ListPart::End(meta) => {
                let version = Some(meta.resource_version);
                return Ok((Part { items, version }, meta.continue_token));
            }
        }
    }
    let reason = "the list ended without its metadata";
    Err(SourceError::Malformed(reason.to_owned()))
}

// === impl ListItems ===

impl ListItems {
    /// Returns the list's version, which is the version of its first page. Returns `None` before
    /// that page has arrived, and before the end of a [streamed](ListPager::watch_list) list. A
    /// watch from this version sees every change that the list does not contain.
    #[must_use]
    pub fn resource_version(&self) -> Option<&ResourceVersion> {
        self.resource_version.as_ref()
    }

    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Fetched>> {
        loop {
            match &mut self.phase {
                Phase::Ended => return Poll::Ready(None),
                Phase::Pending(pager, options) => {
                    let ahead = pager.pages_ahead.get().min(Semaphore::MAX_PERMITS);
                    let (sender, fetched) = mpsc::channel(ahead);
                    let mut task = JoinSet::new();
                    task.spawn(pager.clone().fetch(options.clone(), sender));
                    self.phase = Phase::Fetching { fetched, task };
                }
                Phase::Fetching { fetched, task } => {
                    if let Some(page) = ready!(fetched.poll_recv(cx)) {
                        return Poll::Ready(Some(page));
                    }
                    let ended = ready!(task.poll_join_next(cx));
                    self.phase = Phase::Ended;
                    if let Some(Err(_)) = ended {
                        let error = SourceError::Panicked(LISTER_WATCHER);
                        return Poll::Ready(Some(Err(error)));
                    }
                }
            }
        }
    }
}

impl Stream for ListItems {
    type Item = Result<Item, SourceError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(item) = self.page.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match ready!(self.poll_page(cx)) {
                Some(Ok(Part { items, version })) => {
                    self.resource_version = self.resource_version.take().or(version);
                    self.page = items.into_iter();
                }
                Some(Err(error)) => {
                    self.phase = Phase::Ended;
                    return Poll::Ready(Some(Err(error)));
                }
                None => return Poll::Ready(None),
            }
        }
    }
}

impl fmt::Debug for ListItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListItems")
            .field("resource_version", &self.resource_version)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
