//! Selection among the kinds of the inputs.

use super::loaded::Loaded;
use crate::config::Config;
use crate::error::{Error, Errors, OptionName};
use crate::gvk::Gvk;
use crate::ir::Origin;
use crate::suggest::{self, KnownKind, Suggestion};

/// Options that select kinds.
#[derive(Debug)]
pub(super) struct Selection {
    only: Vec<Choice>,
    skip: Vec<Choice>,
}

/// Name in one of the options.
#[derive(Debug)]
struct Choice {
    option: OptionName,
    text: String,
}

// === impl Selection ===

impl Selection {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            only: choices(OptionName::ONLY, &config.inputs.only),
            skip: choices(OptionName::SKIP, &config.inputs.skip),
        }
    }

    /// Returns the reason why a kind is excluded, or `None` if it is included.
    pub(super) fn leaves_out(&self, gvk: &Gvk) -> Option<String> {
        if has(&self.skip, gvk) {
            return Some(format!("excluded by {}", OptionName::SKIP));
        }
        if self.only.is_empty() || has(&self.only, gvk) {
            return None;
        }
        Some(format!("not listed in {}", OptionName::ONLY))
    }

    /// Adds an error for each name that no kind has.
    pub(super) fn check_used(&self, loaded: &Loaded, errors: &mut Errors) {
        let mut known: Vec<KnownKind<'_>> = Vec::new();
        for resource in &loaded.resources {
            if resource.origin != Origin::BuiltIn {
                known.push(resource.names());
            }
        }
        for skipped in &loaded.skipped {
            if skipped.origin != Origin::BuiltIn {
                known.push((skipped.gvk.clone(), skipped.plural.as_deref()));
            }
        }
        for choice in self.only.iter().chain(&self.skip) {
            if known.iter().any(|(gvk, _)| gvk.is_named(&choice.text)) {
                continue;
            }
            let suggestion = suggest::kind_or_plural(&choice.text, known.iter().cloned());
            errors.add(choice.refuse(&suggestion));
        }
    }
}

// === impl Choice ===

impl Choice {
    fn refuse(&self, suggestion: &Suggestion) -> Error {
        let reason = format!("is not a kind of the manifests and source{suggestion}");
        self.option.refuse(&self.text, reason)
    }
}

/// Reports whether one of `choices` is a kind.
fn has(choices: &[Choice], gvk: &Gvk) -> bool {
    choices.iter().any(|choice| gvk.is_named(&choice.text))
}

fn choices(option: OptionName, texts: &[String]) -> Vec<Choice> {
    texts
        .iter()
        .map(|text| Choice {
            option,
            text: text.clone(),
        })
        .collect()
}
