//! Selection of built-in kinds, and errors of kinds that cannot be selected.

use std::collections::BTreeSet;

use informer_codegen::names::api;

use super::kind::{Kind, kinds};
use crate::config::BuiltIns;
use crate::error::{Error, OptionName, Result};
use crate::gvk::Gvk;
use crate::ir::VersionGate;
use crate::suggest::{self, Suggestion};

/// Kinds that users may ask for, but that cannot be listed, with the reasons.
const NOT_LISTABLE: &str = include_str!("not_listable.txt");

/// Returns the kinds that cannot be listed, with the reasons.
pub(super) fn not_listable() -> impl Iterator<Item = (Gvk, &'static str)> {
    NOT_LISTABLE.lines().filter_map(|row| {
        let (kind, why) = row.split_once(": ")?;
        Some((Gvk::parse(kind)?, why))
    })
}

/// Selection: a class of kinds, and kinds by name.
pub(super) struct Wanted {
    class: BuiltIns,
    named: BTreeSet<Gvk>,
}

// === impl Wanted ===

impl Wanted {
    pub(super) fn new(selectors: &[String]) -> Result<Self> {
        let mut wanted = Self {
            class: BuiltIns::None,
            named: BTreeSet::new(),
        };
        for selector in selectors {
            if let Some(class) = BuiltIns::parse(selector) {
                wanted.class = wanted.class.max(class);
            } else {
                wanted.named.insert(known(selector)?);
            }
        }
        Ok(wanted)
    }

    /// Returns the reason why a kind is not generated, or `None` if it is.
    pub(super) fn refuses(&self, gvk: &Gvk, kind: &Kind) -> Option<String> {
        if let Some(reason) = kind.unwatchable {
            return Some(format!("not watchable: {reason}"));
        }
        if self.named.contains(gvk) {
            return None;
        }
        let reason = match self.class {
            BuiltIns::All => return None,
            BuiltIns::Stable if api::is_stable(&gvk.version) => return None,
            BuiltIns::Stable => "not stable, and not selected by name",
            BuiltIns::None => "not selected",
        };
        Some(limited(reason, kind))
    }
}

/// Appends the Kubernetes versions of a kind to a reason.
fn limited(reason: &str, kind: &Kind) -> String {
    let gate = VersionGate::new(kind.first_minor, kind.last_minor, None);
    match gate.versions() {
        Some(versions) => format!("{reason} (Kubernetes {versions})"),
        None => reason.to_owned(),
    }
}

/// Returns the watchable kind with this name, such as `v1/Pod`, or `Pod` if no other kind has it.
fn known(selector: &str) -> Result<Gvk> {
    let gvk = match parse(selector) {
        Ok(parsed) => parsed,
        Err(reason) => return Err(OptionName::BUILT_IN.refuse(selector, reason)),
    };
    let reason = if let Some(kind) = kinds().find(|kind| kind.gvk() == gvk) {
        match kind.unwatchable {
            Some(reason) => reason,
            None => return Ok(gvk),
        }
    } else if let Some((_, reason)) = not_listable().find(|(kind, _)| *kind == gvk) {
        reason
    } else {
        let suggestion = meant(&gvk.to_string());
        return Err(Error::new(format!("no built-in kind `{gvk}`{suggestion}")));
    };
    Err(Error::new(format!(
        "built-in kind `{gvk}` is not watchable: {reason}"
    )))
}

/// Returns the kind of a full name, or of a short name that a built-in kind has.
fn parse(selector: &str) -> Result<Gvk, String> {
    if let Some(gvk) = Gvk::parse(selector) {
        return Ok(gvk);
    }
    if kinds().any(|kind| kind.gvk().kind == selector) {
        return suggest::find(selector, kinds().map(Kind::names), "");
    }
    let expected = "is neither `stable`, `all` nor `none`, nor a kind such as \
                    `apps/v1/Deployment` or `Pod`";
    Err(format!("{expected}{}", meant(selector)))
}

/// Suggests the nearest kind or class.
fn meant(selector: &str) -> Suggestion {
    let kind = suggest::kind_or_plural(selector, kinds().map(Kind::names));
    if kind.0.is_some() {
        return kind;
    }
    let classes = [BuiltIns::Stable, BuiltIns::All, BuiltIns::None];
    suggest::nearest(selector, classes.map(|class| class.name().to_owned()))
}
