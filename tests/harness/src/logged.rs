//! Captures the log lines and spans of a package, for its tests.
//!
//! One global subscriber serves the whole test program and separates the lines by thread. A scoped
//! subscriber per test would lose lines: `tracing` caches the interest of each call site for all
//! threads, and may have computed it on a thread without a subscriber.

use std::cell::RefCell;
use std::fmt::{self, Debug, Write as _};
use std::rc::Rc;
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{Interest, set_global_default};
use tracing::{Event, Level, Metadata, Subscriber};

thread_local! {
    static LISTENER: RefCell<Option<Listener>> = const { RefCell::new(None) };
}

/// Name of a package, and what it has logged.
type Listener = (String, Rc<RefCell<Captured>>);

#[derive(Debug, Default)]
struct Captured {
    lines: Vec<Line>,
    spans: Vec<String>,
}

/// One log event. Its fields print as `message name=value name=value`.
#[derive(Debug, Clone)]
pub struct Line {
    pub level: Level,
    pub target: &'static str,
    pub text: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.level, self.text)
    }
}

/// Log lines and spans of this thread since [`capture`], until this value is dropped.
#[derive(Debug)]
pub struct Logged(Rc<RefCell<Captured>>);

/// Captures the log lines and spans of the package of `module` on this thread. A later call replaces an
/// earlier one.
pub fn capture(module: &str) -> Logged {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        set_global_default(PerThread).expect("no other global subscriber is installed");
    });
    let captured = Rc::default();
    let package = module.split("::").next().unwrap_or(module).to_owned();
    LISTENER.set(Some((package, Rc::clone(&captured))));
    Logged(captured)
}

impl Logged {
    pub fn lines(&self) -> Vec<Line> {
        self.0.borrow().lines.clone()
    }

    /// Returns the spans in the order of their creation, each as `name field=value field=value`.
    pub fn spans(&self) -> Vec<String> {
        self.0.borrow().spans.clone()
    }

    /// Returns the events as text, one line each.
    pub fn text(&self) -> String {
        let lines = self.lines();
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        lines.concat()
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        LISTENER.with_borrow_mut(|listener| {
            if listener
                .as_ref()
                .is_some_and(|(_, captured)| Rc::ptr_eq(captured, &self.0))
            {
                *listener = None;
            }
        });
    }
}

struct PerThread;

impl PerThread {
    /// Hands what this thread captures of the package of `metadata` to `note`.
    fn note(metadata: &Metadata<'_>, note: impl FnOnce(&mut Captured)) {
        LISTENER.with_borrow(|listener| {
            if let Some((package, captured)) = listener
                && metadata.target().starts_with(&**package)
            {
                note(&mut captured.borrow_mut());
            }
        });
    }
}

impl Subscriber for PerThread {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.target().starts_with("informer") {
            Interest::sometimes()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("informer") && LISTENER.with_borrow(Option::is_some)
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut text = Text::default();
        event.record(&mut text);
        let line = Line {
            level: *metadata.level(),
            target: metadata.target(),
            text: text.message + &text.fields,
        };
        Self::note(metadata, |captured| captured.lines.push(line));
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = Text::default();
        span.record(&mut text);
        let span_text = span.metadata().name().to_owned() + &text.fields;
        Self::note(span.metadata(), |captured| captured.spans.push(span_text));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            let _infallible = write!(self.fields, " {}={value:?}", field.name());
        }
    }
}
