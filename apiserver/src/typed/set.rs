//! Sets of paths.

use std::collections::BTreeMap;

use super::element::Element;
use super::types::{Atom, TypeId, Types};

/// A set of paths, as a tree. A step belongs to it as a member, or as the prefix of a member:
/// `.spec` may be owned, or only `.spec.replicas`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Set(BTreeMap<Element, Node>);

/// A step that is a member itself, a prefix of members, or both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) member: bool,
    pub(super) below: Set,
}

// === impl Node ===

impl Node {
    fn is_empty(&self) -> bool {
        !self.member && self.below.is_empty()
    }

    fn kept(self) -> Option<Self> {
        (!self.is_empty()).then_some(self)
    }
}

// === impl Set ===

impl Set {
    /// Creates the set of these paths of field names.
    pub(crate) fn of_fields(paths: &[&[&str]]) -> Self {
        let mut set = Self::default();
        for path in paths {
            let path: Vec<Element> = path.iter().map(|name| Element::field(*name)).collect();
            set.insert(&path);
        }
        set
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a path. The empty path, for the whole document, is ignored.
    pub(crate) fn insert(&mut self, path: &[Element]) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        // Most steps exist already; this avoids cloning them.
        if !self.0.contains_key(first) {
            self.0.insert(first.clone(), Node::default());
        }
        if let Some(node) = self.0.get_mut(first) {
            if rest.is_empty() {
                node.member = true;
            } else {
                node.below.insert(rest);
            }
        }
    }

    pub(super) fn add(&mut self, step: Element, node: Node) {
        if let Some(node) = node.kept() {
            self.0.insert(step, node);
        }
    }

    pub(super) fn get(&self, step: &Element) -> Option<&Node> {
        self.0.get(step)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Element, &Node)> {
        self.0.iter()
    }

    pub(crate) fn union(mut self, other: &Self) -> Self {
        self.extend(other);
        self
    }

    fn extend(&mut self, other: &Self) {
        for (step, theirs) in &other.0 {
            match self.0.get_mut(step) {
                Some(ours) => {
                    ours.member |= theirs.member;
                    ours.below.extend(&theirs.below);
                }
                None => {
                    self.0.insert(step.clone(), theirs.clone());
                }
            }
        }
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let both = self.0.iter().filter_map(|(step, ours)| {
            let theirs = other.0.get(step)?;
            let node = Node {
                member: ours.member && theirs.member,
                below: ours.below.intersection(&theirs.below),
            };
            Some((step.clone(), node.kept()?))
        });
        Self(both.collect())
    }

    /// Returns the paths of `self` that are not in `other`. Paths below a path of `other` stay.
    pub(crate) fn difference(self, other: &Self) -> Self {
        self.subtract(other, false)
    }

    /// Returns the paths of `self` that are neither in `other` nor below a path of it.
    pub(crate) fn without(self, other: &Self) -> Self {
        self.subtract(other, true)
    }

    fn subtract(self, other: &Self, with_below: bool) -> Self {
        let rest = self.0.into_iter().filter_map(|(step, ours)| {
            let node = match other.0.get(&step) {
                None => return Some((step, ours)),
                Some(theirs) if theirs.member && with_below => return None,
                Some(theirs) => Node {
                    member: ours.member && !theirs.member,
                    below: ours.below.subtract(&theirs.below, with_below),
                },
            };
            Some((step, node.kept()?))
        });
        Self(rest.collect())
    }

    /// Returns the set with each prefix of a member that is a field of the schema as an additional
    /// member.
    pub(super) fn with_named_fields(&self, types: &Types, of: TypeId) -> Self {
        let atom = types.atom(of);
        let named = self.0.iter().map(|(step, node)| {
            let (is_named, below) = next_type(atom, step);
            let below = below.map_or_else(
                || node.below.clone(),
                |of| node.below.with_named_fields(types, of),
            );
            let member = node.member || (is_named && !node.below.is_empty());
            (step.clone(), Node { member, below })
        });
        Self(named.collect())
    }

    /// Calls `visit` with each path: at each level first the members, then the paths below them.
    pub(crate) fn for_each(&self, visit: &mut impl FnMut(&[Element])) {
        self.for_each_below(&mut Vec::new(), visit);
    }

    fn for_each_below(&self, path: &mut Vec<Element>, visit: &mut impl FnMut(&[Element])) {
        for (step, _) in self.0.iter().filter(|(_, node)| node.member) {
            path.push(step.clone());
            visit(path);
            path.pop();
        }
        for (step, node) in &self.0 {
            path.push(step.clone());
            node.below.for_each_below(path, visit);
            path.pop();
        }
    }
}

/// Reports whether `step` is a field of the schema, and returns its type.
fn next_type(atom: &Atom, step: &Element) -> (bool, Option<TypeId>) {
    match (step, &atom.map, &atom.list) {
        (Element::Field(name), Some(map), _) => match map.fields.get(name) {
            Some(field) => (true, Some(field.of)),
            None => (false, map.element),
        },
        (Element::Key(_), _, Some(list)) => (false, Some(list.element)),
        _ => (false, None),
    }
}
