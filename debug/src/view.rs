//! Views: the data of the templates in `templates/`, which format it with the functions of
//! [`text`](crate::text).

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use informer_controller::relations::ReferencedStatus;
use informer_controller::shards::ShardsStatus;
use informer_controller::workqueue::Reasons;
use informer_controller::{Entry, GenericInformer, ObjectKey, Undecodable};
use tokio::time::Instant;

use crate::history::Call;
use crate::read::{self, Read, ReadController};
use crate::series::Changed;
use crate::text::{self, Now, Of};
use crate::tone::Tone;
use crate::{route, spark};

/// Overview: the sections, which are rendered once for all viewers.
#[derive(Debug, Template)]
#[template(path = "overview.html")]
pub(crate) struct Overview<'p> {
    pub(crate) root: &'p str,
    pub(crate) sections: &'p [Section],
}

/// Part of the overview, as HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) html: String,
}

/// Content of the overview. Each block of the template is a section.
#[derive(Debug, Template)]
#[template(
    path = "sections.html",
    blocks = [
        "summary", "informers", "controllers", "slices",
        "relations", "handlers", "memory", "referenced",
    ]
)]
pub(crate) struct Looked {
    pub(crate) now: Now,
    pub(crate) began: Now,
    /// Reasons why the factory is not ready.
    pub(crate) faults: Vec<String>,
    pub(crate) informers: Vec<Read>,
    pub(crate) controllers: Vec<ReadController>,
    pub(crate) shards: Vec<ShardsStatus>,
    /// Caches of referenced objects, by name.
    pub(crate) referenced: Vec<(Arc<str>, ReferencedStatus)>,
    /// Memory that counts against the budget, and the budget, in bytes.
    pub(crate) memory: (usize, Option<usize>),
}

/// Page with a title and a text, such as that of an unknown object.
#[derive(Debug, Template)]
#[template(path = "message.html")]
pub(crate) struct Message<'p> {
    pub(crate) root: &'p str,
    pub(crate) title: &'p str,
    pub(crate) text: &'p str,
}

/// Keys of the objects of an informer.
#[derive(Debug, Template)]
#[template(path = "objects.html")]
pub(crate) struct Objects<'p> {
    pub(crate) root: &'p str,
    pub(crate) informer: &'p str,
    pub(crate) total: usize,
    pub(crate) keys: Vec<&'p ObjectKey>,
}

/// Object in the informers of its plural.
#[derive(Debug, Template)]
#[template(path = "object.html")]
pub(crate) struct Shown<'p> {
    pub(crate) root: &'p str,
    pub(crate) key: &'p ObjectKey,
    pub(crate) found: Vec<Found>,
    /// Controllers that know the key.
    pub(crate) controllers: Vec<String>,
    pub(crate) now: Now,
}

/// Object in one informer.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) read: Read,
    pub(crate) entry: Option<Entry>,
    pub(crate) undecodable: Option<Undecodable>,
    pub(crate) changed: Changed,
    /// Names of indices with the values of the object.
    pub(crate) indices: Vec<(String, String)>,
    /// The object as JSON, or the reason why it is not shown.
    pub(crate) body: Result<String, String>,
    /// Paths to redact that the object does not have.
    pub(crate) absent: Vec<String>,
}

/// Key of a controller: where it is, and why it was queued.
#[derive(Debug, Template)]
#[template(path = "why.html")]
pub(crate) struct Why<'p> {
    pub(crate) root: &'p str,
    pub(crate) controller: &'p str,
    pub(crate) key: &'p ObjectKey,
    /// Informers whose objects the controller reconciles.
    pub(crate) informers: Vec<GenericInformer>,
    pub(crate) waiting: Option<(Reasons, Duration)>,
    pub(crate) is_in_work: bool,
    pub(crate) is_held_back: bool,
    pub(crate) calls: Vec<Arc<Call>>,
    pub(crate) now: Now,
    pub(crate) began: Instant,
}

// === impl Looked ===

impl Looked {
    /// Returns the state of the whole, in a word.
    pub(crate) fn state(&self) -> (Tone, &'static str) {
        if !self.faults.is_empty() {
            return (Tone::Bad, "Not ready");
        }
        if self.informers.iter().all(|one| one.tone() == Tone::Good) {
            (Tone::Good, "Ready")
        } else {
            (Tone::Warn, "Ready, with faults")
        }
    }

    pub(crate) fn objects(&self) -> usize {
        self.informers.iter().map(|one| one.metrics.objects).sum()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.controllers.iter().map(|one| one.metrics.depth).sum()
    }

    pub(crate) fn held(&self) -> usize {
        self.informers.iter().map(|one| one.held).sum()
    }

    /// Finds the handlers that queue keys of a controller. Their names are that of its queue, and the
    /// relation. Returns the positions of the informer and of the controller, and the relation, which
    /// is empty for the controller's own objects.
    fn edges(&self) -> Vec<(usize, usize, &str)> {
        let mut edges = Vec::new();
        for (from, read) in self.informers.iter().enumerate() {
            for handler in &read.metrics.handlers {
                let name = handler.name.as_str();
                let (queue, relation) = name.split_once(": ").unwrap_or((name, ""));
                let mut controllers = self.controllers.iter();
                let to = controllers.position(|one| one.handle.queue().name() == queue);
                edges.extend(to.map(|to| (from, to, relation)));
            }
        }
        edges
    }

    /// Returns a part of the budget, or without one of all that is held, in percent.
    pub(crate) fn percent(&self, bytes: impl Of<usize>) -> usize {
        let bytes = bytes.of();
        let whole = self.memory.1.unwrap_or_else(|| self.held()).max(1);
        (bytes.saturating_mul(100) / whole).min(100)
    }
}

/// Returns the page. Writing into a string does not fail.
pub(crate) fn html(view: &impl Template) -> String {
    view.render().unwrap_or_else(|error| error.to_string())
}
