//! Kinds that two groups serve from one store, each in its own form.
//!
//! `events` of the core group and of `events.k8s.io` are the same objects with different member
//! names. They are stored in the form of the core group.

use crate::document::Members;
use crate::store::Stored;

/// Member names: the stored one, and the one that a group shows.
type Renames = &'static [(&'static str, &'static str)];

const EVENTS: Renames = &[
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

const EVENTS_GROUP: &str = "events.k8s.io";

fn renames(group: &str) -> Renames {
    if group == EVENTS_GROUP { EVENTS } else { &[] }
}

/// Returns the group and plural under which the objects of a resource are stored.
pub(super) fn stored_as<'a>(group: &'a str, plural: &'a str) -> (&'a str, &'a str) {
    if group == EVENTS_GROUP {
        ("", plural)
    } else {
        (group, plural)
    }
}

/// Returns the group of an `apiVersion`: `apps` for `apps/v1`, empty for `v1`.
pub(crate) fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// Returns the object as `group` shows it; `None` if that is its stored form.
pub(crate) fn shown_by(group: &str, object: &Stored) -> Option<Stored> {
    if renames(group).is_empty() {
        return None;
    }
    let mut members = object.members();
    to_shown(group, &mut members);
    Some(Stored::new(
        &object.namespace,
        &object.name,
        object.revision,
        members,
    ))
}

/// Renames members to their stored names.
pub(crate) fn to_stored(group: &str, members: &mut Members) {
    for (stored, shown) in renames(group) {
        rename(members, shown, stored);
    }
}

/// Renames stored members to the names that `group` shows.
pub(crate) fn to_shown(group: &str, members: &mut Members) {
    for (stored, shown) in renames(group) {
        rename(members, stored, shown);
    }
}

fn rename(members: &mut Members, from: &str, to: &str) {
    if let Some(value) = members.remove(from) {
        members.insert(to.to_owned(), value);
    }
}

/// Converts the path of a field in `group` to the stored path.
pub(crate) fn stored_path(group: &str, path: &mut [String]) {
    let renamed = |first: &String| renames(group).iter().find(|(_, shown)| shown == first);
    if let Some(first) = path.first_mut()
        && let Some((stored, _)) = renamed(first)
    {
        (*stored).clone_into(first);
    }
}
