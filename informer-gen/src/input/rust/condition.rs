//! Evaluates `#[cfg(..)]` and `#[cfg_attr(..)]`, as far as features determine them.

use std::collections::BTreeSet;
use std::path::Path;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Meta, Token};

use super::parse::literal;
use crate::error::{Location, Result};

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
    pub(super) fn apply(&self, attributes: &[Attribute], path: &Path) -> Result<Option<Vec<Meta>>> {
        self.evaluate(attributes).map_err(|error| {
            let at = Location::of(path, error.span());
            at.error(error)
        })
    }

    fn evaluate(&self, attributes: &[Attribute]) -> syn::Result<Option<Vec<Meta>>> {
        let mut metas = Vec::new();
        for attribute in attributes {
            self.expand(attribute.meta.clone(), &mut metas)?;
        }
        for meta in &metas {
            if meta.path().is_ident("cfg") && !self.holds(meta)? {
                return Ok(None);
            }
        }
        Ok(Some(metas))
    }

    fn expand(&self, meta: Meta, metas: &mut Vec<Meta>) -> syn::Result<()> {
        if !meta.path().is_ident("cfg_attr") {
            metas.push(meta);
            return Ok(());
        }
        let mut parts = list(&meta)?.into_iter();
        let Some(predicate) = parts.next() else {
            return Ok(());
        };
        if self.predicate(&predicate)? {
            for part in parts {
                self.expand(part, metas)?;
            }
        }
        Ok(())
    }

    /// Reports whether a `cfg(..)` holds.
    fn holds(&self, cfg: &Meta) -> syn::Result<bool> {
        match list(cfg)?.first() {
            Some(predicate) => self.predicate(predicate),
            None => Ok(true),
        }
    }

    fn predicate(&self, predicate: &Meta) -> syn::Result<bool> {
        let Some(name) = predicate.path().get_ident() else {
            return Err(unknown(predicate));
        };
        match (name.to_string().as_str(), predicate) {
            ("test" | "doc" | "doctest", Meta::Path(_)) => Ok(false),
            ("feature", Meta::NameValue(pair)) => {
                let Some(syn::Lit::Str(feature)) = literal(&pair.value) else {
                    return Err(unknown(predicate));
                };
                Ok(self.0.contains(&feature.value()))
            }
            ("not", Meta::List(_)) => Ok(!self.holds(predicate)?),
            ("all", Meta::List(_)) => self.decides(predicate, false),
            ("any", Meta::List(_)) => self.decides(predicate, true),
            _ => Err(unknown(predicate)),
        }
    }

    /// Evaluates `any` or `all`: one part that equals `value` decides, even if other parts are
    /// unknown.
    fn decides(&self, predicate: &Meta, value: bool) -> syn::Result<bool> {
        let mut undecided = None;
        for part in list(predicate)? {
            match self.predicate(&part) {
                Ok(found) if found == value => return Ok(value),
                Ok(_) => {}
                Err(error) => undecided = Some(error),
            }
        }
        match undecided {
            Some(error) => Err(error),
            None => Ok(!value),
        }
    }
}

fn unknown(predicate: &Meta) -> syn::Error {
    syn::Error::new(
        predicate.span(),
        "the generator evaluates only features, `test` and `doc`; move the type out of this `cfg`, \
         or pass its manifest instead of its source",
    )
}

fn list(meta: &Meta) -> syn::Result<Metas> {
    meta.require_list()?
        .parse_args_with(Metas::parse_terminated)
}
