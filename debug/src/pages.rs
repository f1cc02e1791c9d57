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
use crate::shared::{PageSettings, ServiceShared};
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

/// Page without its frame.
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) content: Markup,
}

/// Content of an object as it is shown.
struct ShownBody {
    /// JSON of the object, or its size if it is too large.
    json: String,
    removed: Removed,
}

// === impl ServiceShared ===

impl ServiceShared {
    /// Returns the informer of this name, or else those of this plural.
    fn informers_of(&self, name: &str) -> Vec<GenericInformer> {
        let mut informers = self.informers();
        if informers.iter().any(|one| one.name() == name) {
            informers.retain(|one| one.name() == name);
        } else {
            informers.retain(|one| one.resource().api_resource.plural == name);
        }
        informers
    }

    /// Returns the page of an informer: the keys of its objects.
    ///
    /// This and the other pages are errors, with the reason, if they do not exist.
    pub(crate) fn objects(&self, plural: &str, root: &str) -> Result<Page, String> {
        let informers = self.informers_of(plural);
        let Some(informer) = informers.first() else {
            return Err(format!("No informer caches `{plural}`."));
        };
        let name = informer.name();
        let snapshot = store_of(informer).snapshot();
        let retained = informer.metrics().retained_objects;
        let content = html! {
            section {
                h1 { (name) }
                p .quiet {
                    (number(snapshot.len())) " objects in the cache"
                    @if retained > 0 {
                        ", and " (number(retained)) " that were deleted"
                    }
                    @if snapshot.len() > LISTED {
                        ", of which the first " (LISTED) " are listed"
                    }
                    ". The page of an object has its key below this address."
                }
                ul .keys {
                    @for entry in snapshot.entries().take(LISTED) {
                        @let key = &entry.key;
                        li {
                            a href={ (root) (path("informers", name, Some(key))) } {
                                (key.to_string())
                            }
                        }
                    }
                }
            }
        };
        Ok(Page {
            title: name.to_owned(),
            content,
        })
    }

    /// Returns the page of an object, as each informer of its plural has it.
    pub(crate) fn object(&self, plural: &str, key: &ObjectKey, root: &str) -> Result<Page, String> {
        let settings = self.settings();
        let mut found = Vec::new();
        for informer in self.informers_of(plural) {
            found.extend(self.found(informer, key, root, &settings));
        }
        if found.is_empty() {
            return Err(format!("No informer of `{plural}` caches `{key}`."));
        }
        let content = html! {
            @for one in found {
                section { (one) }
            }
        };
        Ok(Page {
            title: key.to_string(),
            content,
        })
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
        let version = match (entry, undecodable) {
            (Some(entry), _) => &entry.resource_version,
            (None, Some(undecodable)) => &undecodable.resource_version,
            (None, None) => return None,
        };
        let changed = self.series.lock().of(informer.name()).changed(version);
        let decoded = entry.map(|one| one.resource_version.to_string());
        let reached = informer.last_sync_resource_version().to_string();
        let body = body_of(&informer, entry, settings);
        let removed = body.as_ref().ok().map(|body| &body.removed);
        let read = Read::new(informer);
        Some(html! {
            p .over { (read.informer.name()) }
            h1 { (key.to_string()) }
            p {
                (read.pill()) " "
                @for watched in &settings.controllers {
                    @if !watched.history.lock().of(key).is_empty() {
                        (why_button(watched.handle.name(), key, root))
                    }
                }
            }
            (read.causes())
            dl .facts {
                (figure("resource version", or_dash(decoded)))
                @if let Some(undecodable) = undecodable {
                    @let version = html! {
                        span .warn { (undecodable.resource_version.to_string()) }
                    };
                    (figure("version that did not decode", version))
                }
                (figure("last change", text_of(changed)))
                (figure("cache at version", reached))
            }
            h2 { "Indices and relations" }
            (table(indices(&snapshot, key, removed)))
            h2 { "As cached" }
            @match &body {
                Ok(body) => {
                    @if !body.removed.absent.is_empty() {
                        p .quiet {
                            "To be redacted, and absent: "
                            code { (body.removed.absent.join(", ")) }
                        }
                    }
                    pre tabindex="0" { (body.json) }
                }
                Err(reason) => p .quiet { (reason) },
            }
        })
    }

    /// Returns the page of a controller's key: where it is, and why it was queued.
    pub(crate) fn why(&self, name: &str, key: &ObjectKey, root: &str) -> Result<Page, String> {
        let controllers = self.settings().controllers;
        let Some(watched) = controllers.iter().find(|one| one.handle.name() == name) else {
            return Err(format!("No controller `{name}` was added."));
        };
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
                    @if is_in_work {
                        (pill(Tone::GOOD, "in work")) " "
                    }
                    @if let Some((_, _, waited)) = &waiting {
                        (pill(Tone::WARN, &format!("waits for {}", time(*waited)))) " "
                    }
                    @if is_held_back {
                        (pill(Tone::WARN, HELD_BACK)) " "
                    }
                    @if !is_in_work && waiting.is_none() && !is_held_back {
                        (pill(Tone::IDLE, "not queued")) " "
                    }
                    @for informer in informers {
                        @let name = informer.name();
                        a .button href={ (root) (path("informers", name, Some(key))) } { (name) }
                        " "
                    }
                }
                @if let Some((_, reasons, _)) = &waiting {
                    (reasons_list(reasons))
                }
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
        Ok(Page {
            title: format!("{key} · {name}"),
            content,
        })
    }
}

fn text_of(changed: ChangedAt) -> String {
    match changed {
        ChangedAt::Between(_, until) => format!("about {} UTC, {} ago", clock(until), ago(until)),
        ChangedAt::Before(first) => format!("before {} UTC", clock(first)),
        ChangedAt::Unknown => "a few seconds ago, or unknown".to_owned(),
    }
}

/// Returns a link to the page of a controller's key.
fn why_button(controller: &str, key: &ObjectKey, root: &str) -> Markup {
    html! {
        a .button href={ (root) (path("why", controller, Some(key))) } { "Why? " (controller) }
        " "
    }
}

/// Returns an object without what must not leave the process, or the reason why it is not shown.
fn body_of(
    informer: &GenericInformer,
    entry: Option<&Entry>,
    settings: &PageSettings,
) -> Result<ShownBody, String> {
    let Some(decoded) = entry else {
        return Err("No version of the object did decode.".to_owned());
    };
    let Some(show) = settings.shown.get(informer.name()) else {
        return Err(NOT_SHOWN.to_owned());
    };
    let mut object = show(decoded)?;
    let api = &informer.resource().api_resource;
    let is_secret = api.group.is_empty() && api.kind == "Secret";
    let removed = redact(&mut object, is_secret, &settings.redacted);
    let mut json = serde_json::to_string_pretty(&object).unwrap_or_default();
    if json.len() > BODY {
        json = format!("The object has {} of JSON.", size(json.len()));
    }
    Ok(ShownBody { json, removed })
}

/// Returns the indices with the values of an object. The values stay hidden of an object that is not
/// shown, and of a Secret; otherwise those that contain a value that was removed.
fn indices(
    snapshot: &Snapshot<Entry>,
    key: &ObjectKey,
    removed: Option<&Removed>,
) -> impl Iterator<Item = [Cell; 2]> {
    snapshot.index_names().map(move |name| {
        let values = match removed {
            Some(removed) if !removed.is_secret => {
                index_values(snapshot, name.as_ref(), key, &removed.values)
            }
            _ => "(values are not shown)".to_owned(),
        };
        [
            Cell::text("Index", name.to_string()),
            Cell::text("Values", values),
        ]
    })
}

/// Returns the values of an object in an index, without those that contain a `hidden` one.
fn index_values(
    snapshot: &Snapshot<Entry>,
    index: &str,
    key: &ObjectKey,
    hidden: &[String],
) -> String {
    let values = snapshot.list_index_func_values(index).unwrap_or_default();
    if values.len() > VALUES {
        return format!("(one of {} values)", values.len());
    }
    let mut shown: Vec<&str> = Vec::new();
    for value in &values {
        let keys = snapshot.index_keys(index, value).unwrap_or_default();
        if !keys.contains(key) {
            continue;
        }
        let is_hidden = hidden.iter().any(|one| value.contains(one.as_str()));
        shown.push(if is_hidden { REDACTED } else { value });
    }
    if shown.is_empty() {
        shown.push("(no value)");
    }
    shown.join(", ")
}

/// Returns a table of calls, with their keys as links if they are those of a whole `controller`.
pub(crate) fn calls_table(calls: &[Call], controller: Option<&str>) -> Markup {
    let rows = calls.iter().map(|call| {
        let mut row = Vec::new();
        if let Some(name) = controller {
            row.push(key_cell(name, &call.key));
        }
        row.extend(call_cells(call));
        row
    });
    table(rows)
}

fn key_cell(controller: &str, key: &ObjectKey) -> Cell {
    let link = html! {
        a href=(path("why", controller, Some(key))) { (key.to_string()) }
    };
    Cell::text("Key", link)
}

fn call_cells(call: &Call) -> [Cell; 5] {
    let ended = noted(ago(call.ended) + " ago", clock(call.ended) + " UTC");
    let end = html! {
        span .(call.tone.0) { (call.end) }
    };
    [
        Cell::text("Ended", ended),
        Cell::text("Reasons", reasons_list(&call.reasons)),
        Cell::number("Waited", time(call.waited)),
        Cell::number("Worked", time(call.worked)),
        Cell::text("End", end),
    ]
}

fn reasons_list(reasons: &Reasons) -> Markup {
    html! {
        ul .reasons {
            @for (reason, adds) in reasons.iter() {
                li {
                    (reason.to_string())
                    @if adds > 1 {
                        " " span .quiet { "×" (adds) }
                    }
                }
            }
            @if reasons.beyond > 0 {
                li { (reasons.beyond) " more" }
            }
        }
    }
}
