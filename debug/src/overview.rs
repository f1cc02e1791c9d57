//! Overview: reads informers, queues and memory, and renders the sections.

use informer_controller::SharedInformerFactory;

use crate::read::{Read, ReadController};
use crate::ready::Readiness;
use crate::shared::Shared;
use crate::text::Now;
use crate::view::{Looked, Section, html};

// === impl Shared ===

impl Shared {
    /// Renders all sections.
    pub(crate) fn sections(&self, now: Now) -> Vec<Section> {
        let looked = &self.look(now);
        let section = |id, title, html| Section { id, title, html };
        let mut sections = vec![
            section("summary", "", html(&looked.as_summary())),
            section("informers", "Informers", html(&looked.as_informers())),
            section("controllers", "Controllers", html(&looked.as_controllers())),
            section("slices", "Slices", html(&looked.as_slices())),
            section("relations", "Relations", html(&looked.as_relations())),
            section("handlers", "Handlers", html(&looked.as_handlers())),
            section("memory", "Memory", html(&looked.as_memory())),
            section("referenced", "References", html(&looked.as_referenced())),
        ];
        sections.retain(|section| !section.html.trim().is_empty());
        sections
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
        let referenced = settings.referenced.iter().filter_map(|read| read());
        let memory = factory.as_ref().map(SharedInformerFactory::memory);
        Looked {
            now,
            began: self.began,
            faults: Readiness::of(factory.as_ref(), settings.stale_after).faults,
            informers: informers.collect(),
            controllers: controllers.collect(),
            shards: settings.shards.iter().filter_map(|read| read()).collect(),
            referenced: referenced.collect(),
            memory: memory.unwrap_or_default(),
        }
    }
}

/// Returns the name of a controller's series: that of an informer can be the same.
pub(crate) fn series_of(controller: &str) -> String {
    format!("controller {controller}")
}
