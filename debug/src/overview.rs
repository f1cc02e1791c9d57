//! Overview: reads informers, queues and memory, and renders the sections.

use informer_controller::SharedInformerFactory;

use crate::read::{Read, ReadController};
use crate::ready::Readiness;
use crate::shared::Shared;
use crate::text::Now;
use crate::view::{
    Controllers, Graph, Handlers, Informers, Looked, Memory, Section, Summary, html,
};

// === impl Shared ===

impl Shared {
    /// Renders all sections.
    pub(crate) fn sections(&self, now: Now) -> Vec<Section> {
        let looked = &self.look(now);
        let section = |id, title, html| Section { id, title, html };
        vec![
            section("summary", "", html(&Summary(looked))),
            section("informers", "Informers", html(&Informers(looked))),
            section("controllers", "Controllers", html(&Controllers(looked))),
            section("relations", "Relations", html(&graph(looked))),
            section("handlers", "Handlers", html(&Handlers(looked))),
            section("memory", "Memory", html(&Memory(looked))),
        ]
    }

    fn look(&self, now: Now) -> Looked {
        let settings = self.settings();
        let factory = (self.factory)();
        let informers = self.informers().into_iter().map(|informer| {
            let series = self.series.lock();
            let events = series.points(informer.name());
            let began = series.watch_began(informer.name());
            drop(series);
            Read::new(informer, events, began)
        });
        let controllers = settings.controllers.iter().map(|watched| {
            let handle = &watched.handle;
            let calls = self.series.lock().points(&series_of(handle.name()));
            let history = watched.history.lock();
            ReadController::new(handle, &history, calls)
        });
        let memory = factory.as_ref().map(SharedInformerFactory::memory);
        Looked {
            now,
            began: self.began,
            faults: Readiness::of(factory.as_ref(), settings.stale_after).faults,
            informers: informers.collect(),
            controllers: controllers.collect(),
            memory: memory.unwrap_or_default(),
        }
    }
}

/// Returns the name of a controller's series: that of an informer can be the same.
pub(crate) fn series_of(controller: &str) -> String {
    format!("controller {controller}")
}

/// Finds the handlers that queue keys. Their names are that of the queue, and the relation.
fn graph(looked: &Looked) -> Graph<'_> {
    let mut edges = Vec::new();
    for (from, read) in looked.informers.iter().enumerate() {
        for handler in &read.metrics.handlers {
            let name = handler.name.as_str();
            let (queue, relation) = name.split_once(": ").unwrap_or((name, ""));
            let mut controllers = looked.controllers.iter();
            let to = controllers.position(|one| one.handle.queue().name() == queue);
            edges.extend(to.map(|to| (from, to, relation)));
        }
    }
    Graph { looked, edges }
}
