//! [`Overview`]: the sections of the live page.

use std::sync::Arc;

use informer_controller::ControllerHandle;
use informer_controller::relations::ReferencedStatus;
use informer_controller::shards::ShardsStatus;
use informer_runtime::ObjectKey;
use informer_runtime::factory::MemoryUsage;
use informer_runtime::status::HandlerMetrics;
use maud::{Markup, html};
use tokio::time::Instant;

use crate::graph;
use crate::html::{Cell, Tone, alert, figure, noted, or_dash, page, pill, spark, table};
use crate::pages::calls_table;
use crate::read::{NAMED, Read, handler_name, holders, state_of};
use crate::ready::Readiness;
use crate::route::path;
use crate::series::Known;
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

struct Section {
    title: &'static str,
    /// Anchor of the section, to which the navigation leads.
    id: &'static str,
    content: Markup,
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
            Section::new("Summary", "summary", self.summary()),
            Section::new("Informers", "informers", self.informers()),
            Section::new("Controllers", "controllers", self.controllers()),
            Section::new("Slices", "slices", self.slices()),
            Section::new("Relations", "relations", relations),
            Section::new("Handlers", "handlers", self.handlers()),
            Section::new("Memory", "memory", self.memory()),
            Section::new("References", "references", self.references()),
        ];
        sections.retain(|section| !section.content.0.is_empty());
        let header = html! {
            nav aria-label="Sections" {
                @for section in &sections {
                    a href={ "#" (section.id) } { (section.title) }
                }
            }
            span #live .pill.idle role="status" { "snapshot" }
            script src="live.js" defer {}
        };
        let main = html! {
            @for section in &sections {
                section #(section.id) aria-label=(section.title) {
                    h2 { (section.title) }
                    (section.content)
                }
            }
        };
        page("", "Overview", &header, &main)
    }

    fn summary(&self) -> Markup {
        let is_good = self.informers.iter().all(|one| one.tone() == Tone::GOOD);
        let (tone, state) = if !self.faults.is_empty() {
            (Tone::BAD, "Not ready")
        } else if !is_good {
            (Tone::WARN, "Ready, with faults")
        } else {
            (Tone::GOOD, "Ready")
        };
        let began = self.shared.began;
        let controllers = &self.settings.controllers;
        let objects: usize = self.informers.iter().map(|one| one.metrics.objects).sum();
        let waiting: usize = controllers.iter().map(|one| one.handle.queue().len()).sum();
        html! {
            div class={ "card summary " (tone.0) } {
                p .headline {
                    (pill(tone, state)) " "
                    span .quiet {
                        (clock(Instant::now())) " UTC, recorded since " (clock(began))
                    }
                }
                ul .causes {
                    @for fault in &self.faults {
                        li { (fault) }
                    }
                }
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
        let rows = self.informers.iter().map(|one| {
            let known = series.of(one.informer.name());
            informer_row(one, known)
        });
        table(rows)
    }

    fn controllers(&self) -> Markup {
        html! {
            @for watched in &self.settings.controllers {
                (controller_card(watched))
            }
            @if self.settings.controllers.is_empty() {
                p .quiet {
                    "None was added: "
                    code { "Service::new(&factory).controller(&handle)" }
                }
            }
        }
    }

    fn slices(&self) -> Markup {
        let known = self.settings.shards.iter().filter_map(|read| read());
        html! {
            @for shards in known {
                (slices_card(&shards))
            }
        }
    }

    fn handlers(&self) -> Markup {
        let mut rows = Vec::new();
        for one in &self.informers {
            for handler in &one.metrics.handlers {
                rows.push(handler_row(one, handler));
            }
        }
        table(rows)
    }

    fn memory(&self) -> Markup {
        let held: usize = self.informers.iter().map(|one| one.held).sum();
        let MemoryUsage { used, budget, .. } = self.memory;
        let whole = budget.unwrap_or(held);
        let rows = self.informers.iter().map(|one| memory_row(one, whole));
        html! {
            @if let Some(budget) = budget {
                p .bar-line {
                    span { (size(used)) " of " (size(budget)) }
                    meter
                        min="0"
                        max="100"
                        low="80"
                        high="95"
                        optimum="0"
                        value=(percent(used, whole)) {}
                    span { (percent(used, whole)) " %" }
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
        html! {
            @if !known.is_empty() {
                (table(known.iter().map(reference_row)))
            }
        }
    }
}

// === impl Section ===

impl Section {
    fn new(title: &'static str, id: &'static str, content: Markup) -> Self {
        Self { title, id, content }
    }
}

fn informer_row(one: &Read, known: &Known) -> [Cell; 10] {
    let name = one.informer.name();
    let status = &one.status;
    let metrics = &one.metrics;
    let link = html! {
        a href=(path("informers", name, None)) { (one.short_name()) }
    };
    let namespaces = one.informer.namespaces().join(", ");
    let since = format!("for {}", ago(status.since));
    let state = html! {
        (noted(one.pill(), since))
        (one.causes())
    };
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
}

fn controller_card(watched: &Watched) -> Markup {
    let name = watched.handle.name();
    let (tone, state) = state_of(&watched.handle);
    let held_back = watched.handle.held_back();
    let mut history = watched.history.lock();
    history.rate.add(0, Instant::now());
    let points = history.rate.points.clone();
    let [failures, latest] = history.latest();
    drop(history);
    html! {
        article .card {
            h3 { (name) " " (pill(tone, state)) }
            div .row {
                (queue_figures(&watched.handle))
                figure .wide {
                    (spark(&points, "calls of reconcile"))
                    figcaption { "calls, ten minutes" }
                }
            }
            @if !held_back.is_empty() {
                h4 { "Held back until caches show their own writes" }
                p {
                    @for key in held_back.iter().take(NAMED) {
                        (why_link(name, key))
                    }
                }
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

fn queue_figures(controller: &ControllerHandle) -> Markup {
    let queue = controller.queue();
    let metrics = queue.metrics();
    let oldest = queue
        .waiting(COMPARED)
        .into_iter()
        .max_by_key(|(_, _, waited)| *waited);
    let running = Some(metrics.longest_running).filter(|time| !time.is_zero());
    html! {
        dl .figures {
            (figure("waiting", number(metrics.depth)))
            @if let Some((key, _, waited)) = oldest {
                @let link = why_link(controller.name(), &key);
                (figure("oldest key", noted(link, time(waited))))
            }
            (figure("delayed", number(metrics.delayed)))
            (figure("workers", controller.workers()))
            (figure("longest call now", or_dash(running.map(time))))
            (figure("calls", number(metrics.work_duration.count())))
            (figure("retries", number(metrics.retries)))
            (figure("failures", alert(Tone::WARN, metrics.failures)))
            (figure("panics", alert(Tone::BAD, metrics.panics)))
            (figure("held back", number(metrics.put_back)))
        }
    }
}

/// Returns a link to the page of a controller's key.
fn why_link(controller: &str, key: &ObjectKey) -> Markup {
    html! {
        a href=(path("why", controller, Some(key))) { (key.to_string()) }
        " "
    }
}

fn handler_row(informer: &Read, handler: &HandlerMetrics) -> [Cell; 8] {
    let stats = &handler.stats;
    let held = match stats.pending_bytes {
        0 => String::new(),
        bytes => size(bytes),
    };
    [
        Cell::text("Handler", handler_name(&handler.name)),
        Cell::text("Informer", informer.short_name()),
        Cell::number("In mailbox", noted(number(stats.pending), held)),
        Cell::number("Delivered", number(stats.delivered)),
        Cell::number("Merged", alert(Tone::WARN, stats.coalesced)),
        Cell::number("Panics", alert(Tone::BAD, stats.panics)),
        Cell::number("Busy", time(stats.busy)),
        Cell::number("Longest call", time(stats.calls.max())),
    ]
}

fn memory_row(one: &Read, whole: usize) -> [Cell; 4] {
    let share = percent(one.held, whole);
    let bar = html! {
        meter min="0" max="100" value=(share) {}
    };
    let form = match one.metrics.packed {
        Some(packed) => format!(
            "packed {}, decoded {}; {} of {} bodies evicted",
            size(packed.packed_bytes),
            size(packed.decoded_bytes),
            number(packed.evicted),
            number(packed.objects)
        ),
        None => "decoded, estimated".to_owned(),
    };
    [
        Cell::text("Informer", one.short_name()),
        Cell::number("Holds", size(one.held)),
        Cell::text("Share", noted(bar, format!("{share} %"))),
        Cell::text("Form", form),
    ]
}

/// Returns a part in percent of the whole, at most 100.
fn percent(part: usize, whole: usize) -> usize {
    let percent = part.saturating_mul(100) / whole.max(1);
    percent.min(100)
}

fn slices_card(shards: &ShardsStatus) -> Markup {
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

fn reference_row((name, status): &(Arc<str>, ReferencedStatus)) -> [Cell; 6] {
    let state = if status.has_synced {
        pill(Tone::GOOD, "synced")
    } else {
        pill(Tone::IDLE, "waits for names")
    };
    [
        Cell::text("Cache", name),
        Cell::text("State", state),
        Cell::number("Names", number(status.names)),
        Cell::number("Unwatched", alert(Tone::BAD, status.unwatched_names)),
        Cell::number("Single watches", number(status.single_watches)),
        Cell::number("Namespace watches", number(status.namespace_watches)),
    ]
}
