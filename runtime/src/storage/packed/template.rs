//! [`Templates`]: chooses the object that others of the same owner are stored as differences to.
//!
//! A controller creates its objects from one template, as a `ReplicaSet` its Pods. One dictionary
//! cannot hold the templates of hundreds of controllers. If an object packs badly with the
//! dictionary of its type, it becomes the template of its owner, and the owner's next objects are
//! stored as differences to it.

use std::sync::Arc;

use parking_lot::Mutex;

use super::frame::Template;

/// Current template of an owner.
///
/// The first object that packs badly becomes the template, which costs nothing: it is an object of the
/// store. n such objects cost O(log n) templates, whatever their content.
#[derive(Default)]
pub(super) struct Templates(Mutex<TemplateState>);

#[derive(Default)]
struct TemplateState {
    current: Option<Arc<Template>>,
    attempts: Attempts,
}

/// Number of badly packed objects since the last template, and number of templates.
#[derive(Debug, Default)]
struct Attempts {
    bad: usize,
    templates: u32,
}

// === impl Templates ===

impl Templates {
    pub(super) fn current(&self) -> Option<Arc<Template>> {
        self.0.lock().current.clone()
    }

    /// Records an object that packs badly. Returns `true` if it is to become the template.
    pub(super) fn on_bad(&self) -> bool {
        self.0.lock().attempts.on_bad()
    }

    pub(super) fn set(&self, template: &Arc<Template>) {
        let _previous = self.0.lock().current.replace(Arc::clone(template));
    }
}

// === impl Attempts ===

impl Attempts {
    fn on_bad(&mut self) -> bool {
        self.bad += 1;
        let is_over = self.bad >= 2_usize.saturating_pow(self.templates);
        if is_over {
            self.bad = 0;
            self.templates += 1;
        }
        is_over
    }
}

#[cfg(test)]
mod tests;
