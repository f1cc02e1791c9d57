//! Query parameters of resource requests.

use std::collections::HashMap;

use crate::status::{ApiError, FieldCause};
use crate::url::parameters;

const MATCH: &str = "resourceVersionMatch";
const INITIAL: &str = "sendInitialEvents";
const NOT_WITH_CONTINUE: &str = "resourceVersionMatch is forbidden when continue is provided";

/// The decoded query. As in the real server, the first value of a repeated parameter wins.
#[derive(Debug, Default)]
pub(crate) struct Query(HashMap<String, String>);

/// Value of `resourceVersionMatch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Match {
    Unset,
    Exact,
    NotOlderThan,
}

/// Value of `resourceVersion`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// Absent or empty: the most recent version.
    Unset,
    /// `0`: any version that the server has.
    Any,
    /// A version that the client has seen.
    At(u64),
}

// === impl Query ===

impl Query {
    pub(crate) fn parse(query: &str) -> Self {
        let mut values = HashMap::new();
        for (name, value) in parameters(query) {
            values.entry(name).or_insert(value);
        }
        Self(values)
    }

    /// Reports whether the parameter is present, even as the empty string.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Returns the parameter as a bool, decoded like the real server: any value but `0`, `f` and
    /// `false` is true, including the empty one.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.optional_flag(name).unwrap_or(false)
    }

    pub(crate) fn optional_flag(&self, name: &str) -> Option<bool> {
        let value = self.0.get(name)?;
        Some(!matches!(
            value.to_ascii_lowercase().as_str(),
            "0" | "f" | "false"
        ))
    }

    /// Returns the parameter as a number; `None` if it is absent.
    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let text = self.get(name);
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| {
            ApiError::bad_request(format!(
                "strconv.ParseInt: parsing {text:?}: invalid syntax"
            ))
        })
    }

    /// Returns `resourceVersion`, or the error message of an invalid value.
    pub(crate) fn version(&self) -> Result<Version, String> {
        match self.get("resourceVersion") {
            "" => Ok(Version::Unset),
            "0" => Ok(Version::Any),
            text => text.parse().map(Version::At).map_err(|_| {
                format!(
                    "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing \
                     {text:?}: invalid syntax"
                )
            }),
        }
    }

    /// Returns `resourceVersionMatch` of a list, and rejects the combinations that the real server
    /// rejects.
    pub(crate) fn list_match(&self) -> Result<Match, ApiError> {
        let text = self.get(MATCH);
        let version = self.get("resourceVersion");
        let is_given = !text.is_empty();
        let mut causes = Vec::new();
        let mut forbid = |field, detail| causes.push(FieldCause::forbidden(field, detail));
        if is_given && version.is_empty() {
            forbid(
                MATCH,
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            );
        }
        if is_given && self.continues() {
            forbid(MATCH, NOT_WITH_CONTINUE);
        }
        if text == "Exact" && version == "0" {
            forbid(
                MATCH,
                "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            );
        }
        if self.has(INITIAL) {
            forbid(INITIAL, "sendInitialEvents is forbidden for list");
        }
        let parsed = match text {
            "Exact" => Match::Exact,
            "NotOlderThan" => Match::NotOlderThan,
            _ => Match::Unset,
        };
        if is_given && parsed == Match::Unset {
            let known = ["Exact", "NotOlderThan", ""];
            causes.push(FieldCause::not_supported(MATCH, text, &known));
        }
        rejected(&causes)?;
        Ok(parsed)
    }

    /// Returns `sendInitialEvents` of a watch. If `disabled`, answers like a server without
    /// WatchList.
    pub(crate) fn initial_events(&self, disabled: bool) -> Result<Option<bool>, ApiError> {
        let text = self.get(MATCH);
        let requested = self.optional_flag(INITIAL);
        let is_other = text != "NotOlderThan";
        let mut causes = Vec::new();
        let mut forbid = |field, detail| causes.push(FieldCause::forbidden(field, detail));
        if requested.is_some() && is_other {
            forbid(
                MATCH,
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            );
        }
        if requested.is_some() && disabled {
            forbid(
                INITIAL,
                "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
            );
        }
        if requested.is_none() && !text.is_empty() {
            forbid(
                MATCH,
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            );
        }
        if self.continues() {
            forbid(MATCH, NOT_WITH_CONTINUE);
        }
        if is_other && !text.is_empty() {
            causes.push(FieldCause::not_supported(MATCH, text, &["NotOlderThan"]));
        }
        rejected(&causes)?;
        Ok(requested)
    }

    fn continues(&self) -> bool {
        !self.get("continue").is_empty()
    }
}

fn rejected(causes: &[FieldCause]) -> Result<(), ApiError> {
    if causes.is_empty() {
        Ok(())
    } else {
        Err(ApiError::invalid_options("ListOptions", causes))
    }
}
