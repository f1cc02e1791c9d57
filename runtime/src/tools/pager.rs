//! [`ListPager`]: a long list, item by item, without a cache and without holding all of it.
//!
//! In pages, or streamed (`streamed`) where that is asked for and the server can.

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

/// Lists page by page, and fetches a few pages ahead of what is being handled.
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
///     // The list may fail, and one item may be refused.
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

/// The items of a list, in the server's order; from [`ListPager::items`].
///
/// An item that the source refused comes as what it is. An error of the list comes after the items
/// of the pages before it, and is the last thing that comes. That may be that the list took so long
/// that its version has expired, on any page: there is no falling back to a list without pages,
/// since some of the items are handled already.
///
/// Pages are fetched by a task that belongs to this: it begins when this is first polled, inside a
/// tokio runtime, and dropping this ends it and drops the request.
#[must_use = "a stream does nothing unless it is polled"]
pub struct ListItems {
    phase: Phase,
    /// The items of the page that is being handled.
    page: vec::IntoIter<Item>,
    resource_version: Option<ResourceVersion>,
}

enum Phase {
    Pending(ListPager, ListOptions),
    Fetching {
        fetched: mpsc::Receiver<Fetched>,
        /// The one task that fetches.
        task: JoinSet<()>,
    },
    Ended,
}

// === impl ListPager ===

impl ListPager {
    /// A pager with pages of 500 items, of which it fetches 10 ahead.
    pub fn new(source: Arc<dyn ListerWatcher>) -> Self {
        Self {
            source,
            page_size: PAGE_SIZE,
            pages_ahead: PAGES_AHEAD,
            watch_list: WatchListMode::Never,
        }
    }

    /// How many items a page has, where [`ListOptions::limit`] does not say; 500 by default.
    pub fn page_size(mut self, items: NonZeroU32) -> Self {
        self.page_size = items;
        self
    }

    /// How many pages wait to be handled at most, the one that is being fetched included; 10 by
    /// default. Then fetching waits.
    pub fn pages_ahead(mut self, pages: NonZeroUsize) -> Self {
        self.pages_ahead = pages;
        self
    }

    /// Whether the list may be streamed (KEP-3157), which costs a server less than pages do and
    /// cannot expire between two of them. Default: [`WatchListMode::Never`].
    ///
    /// With [`WatchListMode::Auto`] it is one watch request, where the source can and where that
    /// gives the [same list](ListOptions::watch_list_options): not with a limit, for one. What is
    /// fetched ahead is counted in pages as ever. The closing bookmark brings the version, and so it
    /// is known at the end only. If the server refuses, or the stream ends or is silent for 30 s
    /// before its first page is full, pages are asked for; after that it is the list's error.
    ///
    /// client-go's typed clients do the same with the feature gate `WatchListClient`, and hold the
    /// whole list meanwhile.
    pub fn watch_list(mut self, mode: WatchListMode) -> Self {
        self.watch_list = mode;
        self
    }

    /// Lists with these options. Continue requests carry neither their version nor their match.
    pub fn items(&self, options: ListOptions) -> ListItems {
        ListItems {
            phase: Phase::Pending(self.clone(), options),
            page: Vec::new().into_iter(),
            resource_version: None,
        }
    }

    /// Fetches until the end, an error, or nobody wants more.
    async fn fetch(self, options: ListOptions, pages: mpsc::Sender<Fetched>) {
        let may_stream =
            self.watch_list == WatchListMode::Auto && self.source.supports_watch_list();
        if may_stream && let Some(watch) = options.watch_list_options(streamed::WATCH_TIMEOUT) {
            match streamed::fetch(&*self.source, watch, self.page_size, &pages).await {
                Ended::Over => return,
                Ended::BeforeTheFirst(error) => {
                    debug!(%error, "no streaming list, asking for pages");
                }
            }
        }
        self.fetch_pages(options, &pages).await;
    }

    async fn fetch_pages(&self, mut options: ListOptions, pages: &mpsc::Sender<Fetched>) {
        let limit = options.limit.unwrap_or(self.page_size.get());
        options.limit = Some(limit);
        // A place first: what is being fetched counts as being ahead.
        while let Ok(place) = pages.reserve().await {
            let token = match page(&*self.source, options).await {
                Ok((part, token)) => {
                    place.send(Ok(part));
                    token
                }
                Err(error) => {
                    place.send(Err(error));
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

/// A page, and the token of the next one.
async fn page(
    source: &dyn ListerWatcher,
    options: ListOptions,
) -> Result<(Part, Option<String>), SourceError> {
    let asked = options.continue_token.clone();
    let mut parts = source.list(options).await?;
    let mut items = Vec::new();
    while let Some(part) = parts.next().await {
        match part? {
            ListPart::Items(more) => items.extend(more),
            ListPart::End(meta) if asked.is_some() && asked == meta.continue_token => {
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
    /// The version that the list is of, which is that of its first page; `None` before that has
    /// come, and before the end of a [streamed](ListPager::watch_list) list. A watch from it sees
    /// everything that the list did not.
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
