//! Texts that must not contain a secret value: errors, statuses, metrics and the log.

use std::error::Error;
use std::fmt::{Debug, Display, Write as _};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use informer::SharedInformer;
use informer::metrics::Collector;
use informer::{Object, Storage};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{Interest, set_global_default};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::support::chain;

/// Secret value, plain and in the JSON of a Secret.
pub(crate) const MARKER: &str = "s3cr3t-7f3a91";
/// Message of a failed [`Evidence::check`].
const FOUND: &str = "a secret is shown";
const ENCODED: &str = "czNjcjN0LTdmM2E5MQ==";

/// Number of tests that read the log. Without readers, the log is not formatted.
static READERS: AtomicUsize = AtomicUsize::new(0);
/// Lines of the log that contain the marker.
static LEAKED: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// Warnings and errors of informer's own code.
static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Texts with their origins.
pub(crate) struct Evidence(Vec<(String, String)>);

// === the secret ===

pub(crate) fn secret(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": { "name": name, "namespace": "default" },
        "data": { "password": ByteString(MARKER.into()) },
    })
}

pub(crate) fn path(name: &str) -> String {
    format!("/api/v1/namespaces/default/secrets/{name}")
}

pub(crate) fn name(secret: &Secret) -> &str {
    secret.metadata.name.as_deref().unwrap()
}

/// Returns the value, as user code reads it.
pub(crate) fn value(secret: &Secret) -> String {
    let bytes = &secret.data.as_ref().unwrap()["password"].0;
    String::from_utf8(bytes.clone()).unwrap()
}

/// Panics like user code that trusts its input, as `assert_eq!` and `expect` do.
pub(crate) fn quote(secret: &Secret) -> ! {
    panic!("cannot use the password {}", value(secret))
}

// === impl Evidence ===

impl Evidence {
    /// Starts to read the log. Suppresses the panics of [`quote`] on stderr, where Rust's own hook
    /// prints their messages. No other output may show them.
    pub(crate) fn new() -> Self {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            set_global_default(Reader).unwrap();
            let print = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                let text = info.to_string();
                if !text.contains(MARKER) || text.contains(FOUND) {
                    print(info);
                }
            }));
        });
        READERS.fetch_add(1, Ordering::SeqCst);
        Self(Vec::new())
    }

    pub(crate) fn text(&mut self, place: &str, text: impl Display) {
        self.0.push((place.to_owned(), text.to_string()));
    }

    /// Records the error in each form in which it can be printed.
    pub(crate) fn error(&mut self, place: &str, error: &(dyn Error + 'static)) {
        self.text(place, chain(error));
        self.debug(place, &error);
    }

    pub(crate) fn debug(&mut self, place: &str, value: &dyn Debug) {
        self.text(place, format_args!("{value:?}\n{value:#?}"));
    }

    /// Records the status and the metrics of an informer.
    pub(crate) fn informer<K: Object, S: Storage<K>>(&mut self, informer: &SharedInformer<K, S>) {
        let status = informer.status();
        self.text("state", &status.state);
        self.debug("status", &status);
        for undecodable in &status.undecodable {
            self.error("undecodable", &*undecodable.error);
        }
        let metrics = informer.metrics();
        self.debug("metrics", &metrics);
        let collector = Collector::new();
        collector.add_informer(informer);
        self.text("metrics page", collector.encode());
    }

    /// Fails if a text, or a line of the log so far, contains the marker. Also fails if none of the
    /// texts contains an expected text.
    pub(crate) fn check(&self, expected: &[&str]) {
        let holds = |text: &str| text.contains(MARKER) || text.contains(ENCODED);
        let mut leaks = String::new();
        for (place, text) in self.0.iter().filter(|(_, text)| holds(text)) {
            let _ = writeln!(leaks, "{place}: {text}");
        }
        for line in LEAKED.lock().iter() {
            let _ = writeln!(leaks, "log: {line}");
        }
        assert!(leaks.is_empty(), "{FOUND}:\n{leaks}");
        let warnings = WARNINGS.lock();
        let texts = self.0.iter().map(|(_, text)| text).chain(&*warnings);
        for expected in expected {
            let is_said = texts.clone().any(|text| text.contains(expected));
            assert!(is_said, "nothing says `{expected}`: {warnings:#?}");
        }
    }
}

impl Drop for Evidence {
    fn drop(&mut self) {
        READERS.fetch_sub(1, Ordering::SeqCst);
    }
}

// === the log ===

/// Reads every event of every level and crate, and the fields of its spans, on all threads.
struct Reader;

impl Reader {
    fn read(metadata: &Metadata<'_>, record: impl FnOnce(&mut Line)) {
        let mut line = Line(format!("{} {}", metadata.level(), metadata.target()));
        record(&mut line);
        if line.0.contains(MARKER) || line.0.contains(ENCODED) {
            LEAKED.lock().push(line.0);
        } else if *metadata.level() <= Level::WARN
            && ["informer_runtime", "informer_controller"]
                .iter()
                .any(|package| metadata.target().starts_with(package))
        {
            WARNINGS.lock().push(line.0);
        }
    }
}

impl Subscriber for Reader {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, _: &Metadata<'_>) -> bool {
        READERS.load(Ordering::SeqCst) > 0
    }

    fn event(&self, event: &Event<'_>) {
        Self::read(event.metadata(), |line| event.record(line));
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        Self::read(span.metadata(), |line| span.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}
