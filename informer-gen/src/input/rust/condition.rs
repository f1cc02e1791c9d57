//! Evaluates `#[cfg(..)]` and `#[cfg_attr(..)]`, as far as features determine them.

use std::collections::BTreeSet;
use std::path::Path;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Meta, Token};

use super::parse::literal;
use crate::error::{Error, Location};

/// Enabled features.
pub(super) struct Conditions(BTreeSet<String>);

type Metas = Punctuated<Meta, Token![,]>;

// === impl Conditions ===

impl Conditions {
    pub(super) fn new(features: &[String]) -> Self {
        Self(features.iter().cloned().collect())
    }

    /// Returns the attributes with each `cfg_attr` expanded, or `None` if a `cfg` among them
    /// removes the item.
    pub(super) fn apply(
        &self,
        attributes: &[Attribute],
        path: &Path,
    ) -> Result<Option<Vec<Meta>>, Error> {
        let mut metas = Vec::new();
        for attribute in attributes {
            self.expand(attribute.meta.clone(), path, &mut metas)?;
        }
        for meta in &metas {
            if meta.path().is_ident("cfg") && !self.holds(meta, path)? {
                return Ok(None);
            }
        }
        Ok(Some(metas))
    }

    fn expand(&self, meta: Meta, path: &Path, metas: &mut Vec<Meta>) -> Result<(), Error> {
        if !meta.path().is_ident("cfg_attr") {
            metas.push(meta);
            return Ok(());
        }
        let mut parts = list(&meta, path)?.into_iter();
        let Some(predicate) = parts.next() else {
            return Ok(());
        };
        if self.predicate(&predicate, path)? {
            for part in parts {
                self.expand(part, path, metas)?;
            }
        }
        Ok(())
    }

    /// Reports whether a `cfg(..)` holds.
    fn holds(&self, cfg: &Meta, path: &Path) -> Result<bool, Error> {
        match list(cfg, path)?.first() {
            Some(predicate) => self.predicate(predicate, path),
            None => Ok(true),
        }
    }

    fn predicate(&self, predicate: &Meta, path: &Path) -> Result<bool, Error> {
        let unknown = || {
            Location::of(path, predicate.span()).error(
                "the generator evaluates only features, `test` and `doc`; move the type out of \
                 this `cfg`, or pass its manifest instead of its source",
            )
        };
        let name = predicate.path().get_ident().map(ToString::to_string);
        match (name.as_deref(), predicate) {
            (Some("test" | "doc" | "doctest"), Meta::Path(_)) => Ok(false),
            (Some("feature"), Meta::NameValue(pair)) => {
                let Some(syn::Lit::Str(feature)) = literal(&pair.value) else {
                    return Err(unknown());
                };
                Ok(self.0.contains(&feature.value()))
            }
            (Some("not"), Meta::List(_)) => Ok(!self.holds(predicate, path)?),
            (Some("all"), Meta::List(_)) => self.decides(predicate, false, path),
            (Some("any"), Meta::List(_)) => self.decides(predicate, true, path),
            _ => Err(unknown()),
        }
    }

    /// Evaluates `any` or `all`: one part that equals `value` decides, even if other parts are
    /// unknown.
    fn decides(&self, predicate: &Meta, value: bool, path: &Path) -> Result<bool, Error> {
        let mut undecided = None;
        for part in list(predicate, path)? {
            match self.predicate(&part, path) {
                Ok(found) if found == value => return Ok(value),
                Ok(_) => {}
                Err(error) => undecided = Some(error),
            }
        }
        undecided.map_or(Ok(!value), Err)
    }
}

fn list(meta: &Meta, path: &Path) -> Result<Metas, Error> {
    meta.require_list()
        .and_then(|list| list.parse_args_with(Metas::parse_terminated))
        .map_err(|error| Location::of(path, error.span()).error(error))
}
