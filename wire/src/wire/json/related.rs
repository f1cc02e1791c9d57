//! Reads the metadata that look-ups need: labels and the controlling owner.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::members::{Elements, Members, Reason, scan};
use super::scan::skip_space;
use crate::wire::Related;

/// Reads the labels and the controller, as far as they are well formed. Malformed parts surface
/// when the object is decoded.
pub(in crate::wire) fn read(bytes: &[u8]) -> Related<'_> {
    let mut related = Related::default();
    // Values that precede a syntax error are kept.
    let _malformed = read_object(bytes, &mut related);
    related.sort_labels();
    related
}

fn read_object<'a>(bytes: &'a [u8], related: &mut Related<'a>) -> Result<(), Reason> {
    let mut members = Members::open(bytes, skip_space(bytes)).ok_or("not an object")?;
    while let Some(member) = members.next()? {
        if member.name(bytes)? == "metadata" {
            return read_metadata(bytes, member.value, related);
        }
        members.skip(&member)?;
    }
    Ok(())
}

fn read_metadata<'a>(bytes: &'a [u8], at: usize, related: &mut Related<'a>) -> Result<(), Reason> {
    let mut members = Members::open(bytes, at).ok_or("not an object")?;
    while let Some(member) = members.next()? {
        match member.name(bytes)?.as_ref() {
            "labels" => {
                related.labels.clear();
                match read_labels(bytes, member.value, &mut related.labels)? {
                    Some(end) => members.resume(end),
                    None => members.skip(&member)?,
                }
            }
            "ownerReferences" => {
                related.controller = None;
                match read_owners(bytes, member.value, &mut related.controller)? {
                    Some(end) => members.resume(end),
                    None => members.skip(&member)?,
                }
            }
            _ => members.skip(&member)?,
        }
    }
    Ok(())
}

fn read_labels<'a>(
    bytes: &'a [u8],
    at: usize,
    labels: &mut Vec<(Cow<'a, str>, Cow<'a, str>)>,
) -> Result<Option<usize>, Reason> {
    let Some(mut members) = Members::open(bytes, at) else {
        return Ok(None);
    };
    while let Some(member) = members.next()? {
        let key = member.name(bytes)?;
        if let Some(value) = members.text(&member, "a label is not a string")? {
            labels.push((key, value));
        }
    }
    Ok(Some(members.at))
}

fn read_owners(
    bytes: &[u8],
    at: usize,
    controller: &mut Option<OwnerReference>,
) -> Result<Option<usize>, Reason> {
    let Some(mut elements) = Elements::open(bytes, at) else {
        return Ok(None);
    };
    while let Some(start) = elements.next()? {
        let range = scan(bytes, start)?;
        elements.resume(range.end);
        let element = bytes.get(range).unwrap_or_default();
        if controller.is_none() {
            *controller = serde_json::from_slice(element)
                .ok()
                .filter(|owner: &OwnerReference| owner.controller == Some(true));
        }
    }
    Ok(Some(elements.at))
}
