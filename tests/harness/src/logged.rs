//! Captures the log lines of a package, for its tests.
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

/// Name of a package, and its lines.
type Listener = (String, Rc<RefCell<Vec<Line>>>);

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

/// Log lines of this thread since [`capture`], until this value is dropped.
#[derive(Debug)]
pub struct Logged(Rc<RefCell<Vec<Line>>>);

/// Captures the log lines of the package of `module` on this thread. A later call replaces an
/// earlier one.
pub fn capture(module: &str) -> Logged {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        set_global_default(PerThread).expect("no other global subscriber is installed");
    });
    let lines = Rc::default();
    let package = module.split("::").next().unwrap_or(module).to_owned();
    let lines_of = (package, Rc::clone(&lines));
    LISTENER.set(Some(lines_of));
    Logged(lines)
}

impl Logged {
    pub fn lines(&self) -> Vec<Line> {
        self.0.borrow().clone()
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
                .is_some_and(|(_, lines)| Rc::ptr_eq(lines, &self.0))
            {
                *listener = None;
            }
        });
    }
}

struct PerThread;

impl Subscriber for PerThread {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.is_event() && metadata.target().starts_with("informer") {
            Interest::sometimes()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
            && metadata.target().starts_with("informer")
            && LISTENER.with_borrow(Option::is_some)
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut text = Text::default();
        event.record(&mut text);
        LISTENER.with_borrow(|listener| {
            if let Some((package, lines)) = listener
                && metadata.target().starts_with(&**package)
            {
                lines.borrow_mut().push(Line {
                    level: *metadata.level(),
                    target: metadata.target(),
                    text: text.message + &text.fields,
                });
            }
        });
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
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
