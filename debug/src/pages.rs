//! Pages of an informer, of an object, and of a key of a controller.

use informer_controller::workqueue::Reasons;
use informer_runtime::engine::store_of;
use informer_runtime::{Entry, GenericInformer, ObjectKey, Snapshot};
use maud::{Markup, html};

use crate::history::{Call, HELD_BACK};
use crate::html::{Cell, Tone, figure, noted, or_dash, pill, table};
use crate::read::Read;
use crate::redact::{REDACTED, Removed, redact};
use crate::route::path;
use crate::series::ChangedAt;
use crate::shared::{PageSettings, ServiceShared, Watched};
use crate::text::{ago, clock, number, size, time};

/// Maximum number of keys on the page of an informer.
const LISTED: usize = 500;
/// Maximum number of values of an index that are looked through for those of an object.
const VALUES: usize = 10_000;
const NOT_SHOWN: &str =
    "The content is not shown: the program permits it with `Service::show(&informer)`.";
/// Maximum size of an object that is shown, in bytes of its JSON.
const BODY: usize = 256 << 10;
/// Maximum number of items that wait among which a key is looked for.
const WAITING: usize = 100_000;

/// Title and content of a page, or the reason why it does not exist.
pub(crate) type Page = Result<(String, Markup), String>;

// === impl ServiceShared ===

impl ServiceShared {
    /// Returns the informer of this name, or else those of this plural.
    fn informers_of(&self, name: &str) -> Vec<GenericInformer> {
        let mut informers = self.informers();
        let is_named = informers.iter().any(|one| one.name() == name);
        informers.retain(|one| match one.resource().api_resource.plural.as_str() {
            _ if is_named => one.name() == name,
            plural => plural == name,
        });
        informers
    }

    /// Returns the page of an informer: the keys of its objects.
    pub(crate) fn objects(&self, plural: &str, root: &str) -> Page {
        let found = self.informers_of(plural);
        let informer = found
            .first()
            .ok_or_else(|| format!("No informer caches `{plural}`."))?;
        let name = informer.name();
        let snapshot = store_of(informer).snapshot();
        let retained = informer.metrics().retained_objects;
        let content = html! {
            section {
                h1 { (name) }
                p .quiet {
                    (number(snapshot.len())) " objects in the cache"
                    @if retained > 0 { ", and " (number(retained)) " that were deleted" }
                    @if snapshot.len() > LISTED { ", of which the first " (LISTED) " are listed" }
                    ". The page of an object has its key below this address."
                }
                ul .keys {
                    @for key in snapshot.entries().take(LISTED).map(|entry| &entry.key) {
                        li {
                            a href={ (root) (path("informers", name, Some(key))) } { (key.to_string()) }
                        }
                    }
                }
            }
        };
        Ok((name.to_owned(), content))
    }

    /// Returns the page of an object, as each informer of its plural has it.
    pub(crate) fn object(&self, plural: &str, key: &ObjectKey, root: &str) -> Page {
        let settings = self.settings();
        let found: Vec<Markup> = self
            .informers_of(plural)
            .into_iter()
            .filter_map(|informer| self.found(informer, key, root, &settings))
            .collect();
        if found.is_empty() {
            return Err(format!("No informer of `{plural}` caches `{key}`."));
        }
        let content = html! { @for one in found { section { (one) } } };
        Ok((key.to_string(), content))
    }

    /// Returns what an informer has of an object; `None` if it has nothing.
    fn found(
        &self,
        informer: GenericInformer,
        key: &ObjectKey,
        root: &str,
        settings: &PageSettings,
    ) -> Option<Markup> {
        let snapshot = store_of(&informer).snapshot();
        let entry = snapshot.entry(key);
        let undecodable = snapshot.undecodable(key);
        let version = undecodable.map(|one| &one.resource_version);
        let version = entry.map(|one| &one.resource_version).or(version)?;
        let changed = self.series.lock().of(informer.name()).changed(version);
        let changed = match changed {
            ChangedAt::Between(_, until) => {
                format!("about {} UTC, {} ago", clock(until), ago(until))
            }
            ChangedAt::Before(first) => format!("before {} UTC", clock(first)),
            ChangedAt::Unknown => "a few seconds ago, or unknown".to_owned(),
        };
        let body = body_of(&informer, entry, settings);
        let removed = body.as_ref().ok().map(|(_, removed)| removed);
        let read = Read::new(informer);
        let knows = |one: &&Watched| !one.history.lock().of(key).is_empty();
        let controllers = settings.controllers.iter().filter(knows);
        Some(html! {
            p .over { (read.informer.name()) }
            h1 { (key.to_string()) }
            p {
                (read.pill()) " "
                @for name in controllers.map(|one| one.handle.name()) {
                    a .button href={ (root) (path("why", name, Some(key))) } { "Why? " (name) } " "
                }
            }
            (read.causes())
            dl .facts {
                (figure("resource version", or_dash(entry.map(|one| one.resource_version.to_string()))))
                @if let Some(undecodable) = undecodable {
                    @let version = undecodable.resource_version.to_string();
                    (figure("version that did not decode", html! { span .warn { (version) } }))
                }
                (figure("last change", changed))
                (figure("cache at version", read.informer.last_sync_resource_version().to_string()))
            }
            h2 { "Indices and relations" }
            (table(indices(&snapshot, key, removed)))
            h2 { "As cached" }
            @match &body {
                Ok((json, removed)) => {
                    @if !removed.absent.is_empty() {
                        p .quiet { "To be redacted, and absent: " code { (removed.absent.join(", ")) } }
                    }
                    pre tabindex="0" { (json) }
                }
                Err(reason) => p .quiet { (reason) },
            }
        })
    }

    /// Returns the page of a controller's key: where it is, and why it was queued.
    pub(crate) fn why(&self, name: &str, key: &ObjectKey, root: &str) -> Page {
        let settings = self.settings();
        let watched = settings
            .controllers
            .iter()
            .find(|one| one.handle.name() == name)
            .ok_or_else(|| format!("No controller `{name}` was added."))?;
        let queue = watched.handle.queue();
        let waiting = queue
            .waiting(WAITING)
            .into_iter()
            .find(|(item, _, _)| item == key);
        let is_in_work = queue.in_work().contains(key);
        let is_held_back = watched.handle.held_back().contains(key);
        let calls = watched.history.lock().of(key);
        let mut informers = self.informers();
        informers.retain(|informer| {
            let handlers = informer.metrics().handlers;
            handlers.iter().any(|handler| handler.name == queue.name())
        });
        let content = html! {
            section {
                p .over { "controller " (name) }
                h1 { (key.to_string()) }
                p {
                    @if is_in_work { (pill(Tone::GOOD, "in work")) " " }
                    @if let Some((_, _, waited)) = &waiting {
                        (pill(Tone::WARN, &format!("waits for {}", time(*waited)))) " "
                    }
                    @if is_held_back { (pill(Tone::WARN, HELD_BACK)) " " }
                    @if !is_in_work && waiting.is_none() && !is_held_back {
                        (pill(Tone::IDLE, "not queued")) " "
                    }
                    @for informer in informers {
                        @let name = informer.name();
                        a .button href={ (root) (path("informers", name, Some(key))) } { (name) } " "
                    }
                }
                @if let Some((_, reasons, _)) = &waiting { (reasons_list(reasons)) }
                h2 { "Why was it queued?" }
                @if calls.is_empty() {
                    p .quiet {
                        "No call is known since " (clock(self.began)) " UTC, when the page began."
                    }
                } @else {
                    (calls_table(&calls, None))
                    p .quiet {
                        "The eight last calls, the last one first. A key that waits already is not "
                        "queued again: later reasons are merged, and counted."
                    }
                }
            }
        };
        Ok((format!("{key} · {name}"), content))
    }
}

/// Returns the JSON of an object without what must not leave the process, and what was removed; or
/// the reason why it is not shown.
fn body_of(
    informer: &GenericInformer,
    entry: Option<&Entry>,
    settings: &PageSettings,
) -> Result<(String, Removed), String> {
    let entry = entry.ok_or("No version of the object did decode.")?;
    let show = settings.shown.get(informer.name()).ok_or(NOT_SHOWN)?;
    let mut object = show(entry)?;
    let api = &informer.resource().api_resource;
    let is_secret = api.group.is_empty() && api.kind == "Secret";
    let removed = redact(&mut object, is_secret, &settings.redacted);
    let mut text = serde_json::to_string_pretty(&object).unwrap_or_default();
    if text.len() > BODY {
        text = format!("The object has {} of JSON.", size(text.len()));
    }
    Ok((text, removed))
}

/// Returns the indices with the values of an object. The values stay hidden of an object that is not
/// shown, and of a Secret; otherwise those that contain a value that was removed.
fn indices(
    snapshot: &Snapshot<Entry>,
    key: &ObjectKey,
    removed: Option<&Removed>,
) -> impl Iterator<Item = [Cell; 2]> {
    let of_index = move |name: &str| {
        let Some(Removed { values: hidden, .. }) = removed.filter(|one| !one.is_secret) else {
            return "(values are not shown)".to_owned();
        };
        let values = snapshot.list_index_func_values(name).unwrap_or_default();
        if values.len() > VALUES {
            return format!("(one of {} values)", values.len());
        }
        let mut shown: Vec<&str> = Vec::new();
        for value in &values {
            let keys = snapshot.index_keys(name, value).unwrap_or_default();
            if keys.contains(key) {
                let is_hidden = hidden.iter().any(|one| value.contains(one.as_str()));
                shown.push(if is_hidden { REDACTED } else { value });
            }
        }
        if shown.is_empty() {
            shown.push("(no value)");
        }
        shown.join(", ")
    };
    let names = snapshot.index_names();
    names.map(move |name| {
        let values = of_index(name.as_ref());
        [
            Cell::text("Index", name.to_string()),
            Cell::text("Values", values),
        ]
    })
}

/// Returns a table of calls, with their keys as links if they are those of a whole `controller`.
pub(crate) fn calls_table(calls: &[Call], controller: Option<&str>) -> Markup {
    table(calls.iter().map(|call| {
        let key = controller.map(|name| {
            let link = path("why", name, Some(&call.key));
            Cell::text("Key", html! { a href=(link) { (call.key.to_string()) } })
        });
        let ended = noted(ago(call.ended) + " ago", clock(call.ended) + " UTC");
        key.into_iter().chain([
            Cell::text("Ended", ended),
            Cell::text("Reasons", reasons_list(&call.reasons)),
            Cell::number("Waited", time(call.waited)),
            Cell::number("Worked", time(call.worked)),
            Cell::text("End", html! { span .(call.tone.0) { (call.end) } }),
        ])
    }))
}

fn reasons_list(reasons: &Reasons) -> Markup {
    html! {
        ul .reasons {
            @for (reason, adds) in reasons.iter() {
                li { (reason.to_string()) @if adds > 1 { " " span .quiet { "×" (adds) } } }
            }
            @if reasons.beyond > 0 { li { (reasons.beyond) " more" } }
        }
    }
}
