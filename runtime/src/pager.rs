//! [`ListPager`]: a long list, item by item, without a cache and without holding all of it.

use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::vec;

use futures::{Stream, StreamExt as _};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::ResourceVersion;
use crate::source::{ListOptions, ListPart, ListerWatcher, SourceError};
use crate::wire::{ListMeta, RawObject, Rejected};

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
/// # use informer_runtime::pager::ListPager;
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

type Item = Result<RawObject, Rejected>;
/// A page, or why there is none.
type Fetched = Result<(Vec<Item>, ListMeta), SourceError>;

// === impl ListPager ===

impl ListPager {
    /// A pager with pages of 500 items, of which it fetches 10 ahead.
    pub fn new(source: Arc<dyn ListerWatcher>) -> Self {
        Self {
            source,
            page_size: PAGE_SIZE,
            pages_ahead: PAGES_AHEAD,
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

    /// Lists with these options. Continue requests carry neither their version nor their match.
    pub fn items(&self, options: ListOptions) -> ListItems {
        ListItems {
            phase: Phase::Pending(self.clone(), options),
            page: Vec::new().into_iter(),
            resource_version: None,
        }
    }

    /// Fetches pages until the last one, an error, or nobody wants them.
    async fn fetch(self, mut options: ListOptions, pages: mpsc::Sender<Fetched>) {
        let limit = options.limit.unwrap_or(self.page_size.get());
        options.limit = Some(limit);
        // A place first: what is being fetched counts as being ahead.
        while let Ok(place) = pages.reserve().await {
            let page = page(&*self.source, options).await;
            let next = match &page {
                Ok((_, meta)) => meta.continue_token.clone(),
                Err(_) => None,
            };
            place.send(page);
            let Some(token) = next else { return };
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
            .finish_non_exhaustive()
    }
}

async fn page(source: &dyn ListerWatcher, options: ListOptions) -> Fetched {
    let mut parts = source.list(options).await?;
    let mut items = Vec::new();
    while let Some(part) = parts.next().await {
        match part? {
            ListPart::Items(more) => items.extend(more),
            ListPart::End(meta) => return Ok((items, meta)),
        }
    }
    let reason = "the list ended without its metadata";
    Err(SourceError::Malformed(reason.to_owned()))
}

// === impl ListItems ===

impl ListItems {
    /// The version that the list is of, which is that of its first page; `None` before that has
    /// come. A watch from it sees everything that the list did not.
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
                    if let Some(Err(error)) = ended {
                        let error = SourceError::Panicked(error.to_string());
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
                Some(Ok((items, meta))) => {
                    self.resource_version.get_or_insert(meta.resource_version);
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
