//! [`Overview`]: the sections of the live page.

use std::sync::Arc;

use informer_controller::relations::ReferencedStatus;
use informer_controller::shards::ShardsStatus;
use informer_runtime::ObjectKey;
use informer_runtime::factory::MemoryUsage;
use maud::{Markup, html};
use tokio::time::Instant;

use crate::graph;
use crate::html::{Cell, Tone, alert, figure, noted, or_dash, page, pill, spark, table};
use crate::pages::calls_table;
use crate::read::{NAMED, Read, handler_name, holders, state_of};
use crate::ready::Readiness;
use crate::route::path;
use crate::shared::{PageSettings, ServiceShared, Watched};
use crate::text::{ago, clock, number, ranges, size, time};

/// Number of waiting items among which the oldest one is looked for.
const COMPARED: usize = 4096;

/// State of everything that the page shows.
pub(crate) struct Overview<'s> {
    shared: &'s ServiceShared,
    settings: PageSettings,
    informers: Vec<Read>,
    /// Reasons why the factory is not ready.
    faults: Vec<String>,
    memory: MemoryUsage,
}

// === impl Overview ===

impl<'s> Overview<'s> {
    pub(crate) fn of(shared: &'s ServiceShared) -> Self {
        let settings = shared.settings();
        let factory = (shared.factory)();
        Self {
            shared,
            informers: shared.informers().into_iter().map(Read::new).collect(),
            faults: Readiness::of(factory.as_ref(), settings.stale_after).faults,
            memory: factory.map(|factory| factory.memory()).unwrap_or_default(),
            settings,
        }
    }

    /// Returns the page, with the sections that have a content.
    pub(crate) fn page(&self) -> String {
        let relations = graph::draw(&self.informers, &self.settings.controllers);
        let mut sections = vec![
            ("Summary", "summary", self.summary()),
            ("Informers", "informers", self.informers()),
            ("Controllers", "controllers", self.controllers()),
            ("Slices", "slices", self.slices()),
            ("Relations", "relations", relations),
            ("Handlers", "handlers", self.handlers()),
            ("Memory", "memory", self.memory()),
            ("References", "references", self.references()),
        ];
        sections.retain(|(.., content)| !content.0.is_empty());
        let nav = html! {
            nav aria-label="Sections" {
                @for (title, id, _) in &sections { a href={ "#" (id) } { (title) } }
            }
            span #live .pill.idle role="status" { "snapshot" }
            script src="live.js" defer {}
        };
        let content = html! {
            @for (title, id, content) in &sections {
                section #(id) aria-label=(title) { h2 { (title) } (content) }
            }
        };
        page("", "Overview", &nav, &content)
    }

    fn summary(&self) -> Markup {
        let is_good = self.informers.iter().all(|one| one.tone() == Tone::GOOD);
        let (tone, state) = match (self.faults.is_empty(), is_good) {
            (false, _) => (Tone::BAD, "Not ready"),
            (true, false) => (Tone::WARN, "Ready, with faults"),
            (true, true) => (Tone::GOOD, "Ready"),
        };
        let began = self.shared.began;
        let controllers = &self.settings.controllers;
        let objects: usize = self.informers.iter().map(|one| one.metrics.objects).sum();
        let waiting: usize = controllers.iter().map(|one| one.handle.queue().len()).sum();
        html! {
            div class={ "card summary " (tone.0) } {
                p .headline {
                    (pill(tone, state)) " "
                    span .quiet { (clock(Instant::now())) " UTC, recorded since " (clock(began)) }
                }
                ul .causes { @for fault in &self.faults { li { (fault) } } }
                dl .figures {
                    (figure("informers", self.informers.len()))
                    (figure("objects", number(objects)))
                    (figure("controllers", controllers.len()))
                    (figure("keys waiting", number(waiting)))
                }
            }
        }
    }

    fn informers(&self) -> Markup {
        let mut series = self.shared.series.lock();
        table(self.informers.iter().map(|one| {
            let name = one.informer.name();
            let status = &one.status;
            let metrics = &one.metrics;
            let known = series.of(name);
            let link = html! { a href=(path("informers", name, None)) { (one.short_name()) } };
            let namespaces = one.informer.namespaces().join(", ");
            let since = format!("for {}", ago(status.since));
            let state = html! { (noted(one.pill(), since)) (one.causes()) };
            let drawn = spark(&known.events.points, "events");
            let events = noted(drawn, number(metrics.events) + " in all");
            let encoding = status.encoding.map(|encoding| encoding.to_string());
            [
                Cell::text("Informer", noted(link, namespaces)),
                Cell::text("State", state),
                Cell::number("Objects", number(metrics.objects)),
                Cell::number("Memory", size(one.held)),
                Cell::number("Lag", or_dash(status.last_progress.map(ago))),
                Cell::text("Events, 10 min", events),
                Cell::number("Watch", or_dash(known.watch_began().map(ago))),
                Cell::number("Lists", noted(number(metrics.lists), one.relists())),
                Cell::number("Queued", number(metrics.queued_deltas)),
                Cell::text("Encoding", or_dash(encoding)),
            ]
        }))
    }

    fn controllers(&self) -> Markup {
        html! {
            @for watched in &self.settings.controllers { (Self::controller(watched)) }
            @if self.settings.controllers.is_empty() {
                p .quiet { "None was added: " code { "Service::new(&factory).controller(&handle)" } }
            }
        }
    }

    fn controller(watched: &Watched) -> Markup {
        let queue = watched.handle.queue();
        let name = watched.handle.name();
        let metrics = queue.metrics();
        let (tone, state) = state_of(&watched.handle);
        let mut history = watched.history.lock();
        history.rate.add(0, Instant::now());
        let points = history.rate.points.clone();
        let [failures, latest] = history.latest();
        drop(history);
        let oldest = queue
            .waiting(COMPARED)
            .into_iter()
            .max_by_key(|(_, _, waited)| *waited);
        let running = Some(metrics.longest_running).filter(|time| !time.is_zero());
        let held_back = watched.handle.held_back();
        let link = |key: &ObjectKey| {
            html! { a href=(path("why", name, Some(key))) { (key.to_string()) } " " }
        };
        html! {
            article .card {
                h3 { (name) " " (pill(tone, state)) }
                div .row {
                    dl .figures {
                        (figure("waiting", number(metrics.depth)))
                        @if let Some((key, _, waited)) = oldest {
                            (figure("oldest key", noted(link(&key), time(waited))))
                        }
                        (figure("delayed", number(metrics.delayed)))
                        (figure("workers", watched.handle.workers()))
                        (figure("longest call now", or_dash(running.map(time))))
                        (figure("calls", number(metrics.work_duration.count())))
                        (figure("retries", number(metrics.retries)))
                        (figure("failures", alert(Tone::WARN, metrics.failures)))
                        (figure("panics", alert(Tone::BAD, metrics.panics)))
                        (figure("held back", number(metrics.put_back)))
                    }
                    figure .wide {
                        (spark(&points, "calls of reconcile"))
                        figcaption { "calls, ten minutes" }
                    }
                }
                @if !held_back.is_empty() {
                    h4 { "Held back until caches show their own writes" }
                    p { @for key in held_back.iter().take(NAMED) { (link(key)) } }
                }
                @if !failures.is_empty() {
                    h4 { "Last failures" }
                    (calls_table(&failures, Some(name)))
                }
                h4 { "Last calls" }
                (calls_table(&latest, Some(name)))
            }
        }
    }

    fn slices(&self) -> Markup {
        let shards = self.settings.shards.iter().filter_map(|read| read());
        html! { @for shards in shards { (slices_of(&shards)) } }
    }

    fn handlers(&self) -> Markup {
        let handlers = self.informers.iter().flat_map(|one| {
            let handlers = one.metrics.handlers.iter();
            handlers.map(|handler| (one.short_name(), handler))
        });
        table(handlers.map(|(informer, handler)| {
            let stats = &handler.stats;
            let bytes = Some(stats.pending_bytes).filter(|bytes| *bytes > 0);
            let mailbox = noted(number(stats.pending), bytes.map(size).unwrap_or_default());
            [
                Cell::text("Handler", handler_name(&handler.name)),
                Cell::text("Informer", informer),
                Cell::number("In mailbox", mailbox),
                Cell::number("Delivered", number(stats.delivered)),
                Cell::number("Merged", alert(Tone::WARN, stats.coalesced)),
                Cell::number("Panics", alert(Tone::BAD, stats.panics)),
                Cell::number("Busy", time(stats.busy)),
                Cell::number("Longest call", time(stats.calls.max())),
            ]
        }))
    }

    fn memory(&self) -> Markup {
        let held: usize = self.informers.iter().map(|one| one.held).sum();
        let MemoryUsage { used, budget, .. } = self.memory;
        let whole = budget.unwrap_or(held).max(1);
        let percent_of = |bytes: usize| (bytes.saturating_mul(100) / whole).min(100);
        let rows = self.informers.iter().map(|one| {
            let packed = one.metrics.packed.map(|packed| {
                let bodies = size(packed.packed_bytes);
                let decoded = size(packed.decoded_bytes);
                let evicted = number(packed.evicted);
                let objects = number(packed.objects);
                format!("packed {bodies}, decoded {decoded}; {evicted} of {objects} bodies evicted")
            });
            let percent = percent_of(one.held);
            let meter = html! { meter min="0" max="100" value=(percent) {} };
            [
                Cell::text("Informer", one.short_name()),
                Cell::number("Holds", size(one.held)),
                Cell::text("Share", noted(meter, format!("{percent} %"))),
                Cell::text(
                    "Form",
                    packed.unwrap_or_else(|| "decoded, estimated".to_owned()),
                ),
            ]
        });
        html! {
            @if let Some(budget) = budget {
                p .bar-line {
                    span { (size(used)) " of " (size(budget)) }
                    meter min="0" max="100" low="80" high="95" optimum="0" value=(percent_of(used)) {}
                    span { (percent_of(used)) " %" }
                }
            } @else {
                p .quiet { (size(held)) " held, without a budget." }
            }
            (table(rows))
        }
    }

    fn references(&self) -> Markup {
        let known: Vec<_> = self
            .settings
            .referenced
            .iter()
            .filter_map(|read| read())
            .collect();
        html! { @if !known.is_empty() { (table(known.iter().map(reference))) } }
    }
}

fn slices_of(shards: &ShardsStatus) -> Markup {
    let overdue = shards.overdue.len();
    let rows = holders(shards)
        .into_iter()
        .map(|(name, (tone, state), slices)| {
            [
                Cell::text("Replica", name),
                Cell::text("State", pill(tone, state)),
                Cell::number("Holds", slices.len()),
                Cell::text("Slices", ranges(&slices)),
            ]
        });
    html! {
        article .card {
            h3 { (shards.name) }
            @if shards.is_blocked {
                p { "Blocked: a live replica uses another number or kind of slices." }
            }
            @if overdue > 0 {
                p { "Overdue: an informer cannot list the objects, or a handler takes no events." }
            }
            @if shards.is_ignored {
                p { "The API server ignores shard selectors: each replica receives all objects." }
            }
            dl .figures {
                (figure("owned here", shards.owned.len()))
                (figure("slices", shards.holders.len()))
                (figure("overdue", alert(Tone::WARN, overdue)))
                (figure("replicas alive", shards.replicas.len()))
                (figure("gained", number(shards.gained)))
                (figure("handed over", number(shards.released)))
                (figure("lost", alert(Tone::WARN, shards.lost)))
            }
            (table(rows))
        }
    }
}

fn reference((name, status): &(Arc<str>, ReferencedStatus)) -> [Cell; 6] {
    let synced = status.has_synced.then(|| pill(Tone::GOOD, "synced"));
    let state = synced.unwrap_or_else(|| pill(Tone::IDLE, "waits for names"));
    [
        Cell::text("Cache", name),
        Cell::text("State", state),
        Cell::number("Names", number(status.names)),
        Cell::number("Unwatched", alert(Tone::BAD, status.unwatched_names)),
        Cell::number("Single watches", number(status.single_watches)),
        Cell::number("Namespace watches", number(status.namespace_watches)),
    ]
}
