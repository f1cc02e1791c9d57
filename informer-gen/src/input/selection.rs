//! Selection among the kinds of the inputs.

use super::loaded::Loaded;
use crate::config::Config;
use crate::error::{Error, Errors, OptionName};
use crate::gvk::Gvk;
use crate::ir::Origin;
use crate::suggest;

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
        let choices = |option, texts: &[String]| {
            let texts = texts.iter().cloned();
            texts.map(|text| Choice { option, text }).collect()
        };
        Self {
            only: choices(OptionName::ONLY, &config.inputs.only),
            skip: choices(OptionName::SKIP, &config.inputs.skip),
        }
    }

    /// Returns the reason why a kind is excluded, or `None` if it is included.
    pub(super) fn leaves_out(&self, gvk: &Gvk) -> Option<String> {
        if self.skip.iter().any(|choice| choice.is(gvk)) {
            return Some(format!("excluded by {}", OptionName::SKIP));
        }
        let is_taken = self.only.is_empty() || self.only.iter().any(|choice| choice.is(gvk));
        (!is_taken).then(|| format!("not listed in {}", OptionName::ONLY))
    }

    /// Adds an error for each name that no kind has.
    pub(super) fn check_used(&self, loaded: &Loaded, errors: &mut Errors) {
        let taken = loaded.resources.iter();
        let taken = taken.map(|resource| (&resource.origin, &resource.gvk, Some(&resource.plural)));
        let left = loaded.skipped.iter();
        let left = left.map(|skipped| (&skipped.origin, &skipped.gvk, skipped.plural.as_ref()));
        let known: Vec<_> = taken
            .chain(left)
            .filter(|(origin, ..)| !matches!(origin, Origin::BuiltIn))
            .map(|(_, gvk, plural)| (gvk.clone(), plural.map(String::as_str)))
            .collect();
        let is_used = |choice: &&Choice| known.iter().any(|(gvk, _)| choice.is(gvk));
        let choices = self.only.iter().chain(&self.skip);
        for choice in choices.filter(|choice| !is_used(choice)) {
            let suggestion = suggest::kind_or_plural(&choice.text, known.iter().cloned());
            errors.add(choice.refuse(&suggestion.to_string()));
        }
    }
}

// === impl Choice ===

impl Choice {
    fn is(&self, gvk: &Gvk) -> bool {
        self.text == gvk.kind || Gvk::parse(&self.text).as_ref() == Some(gvk)
    }

    fn refuse(&self, suggestion: &str) -> Error {
        let reason = format!("is not a kind of the manifests and source{suggestion}");
        self.option.refuse(&self.text, reason)
    }
}
