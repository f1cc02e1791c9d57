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
}

// === impl Set ===

impl Set {
    /// Creates the set of these paths of field names.
    pub(crate) fn of_fields(paths: &[&[&str]]) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert_fields(path);
        }
        set
    }

    /// Adds a path of field names.
    pub(crate) fn insert_fields(&mut self, names: &[&str]) {
        let mut path = Vec::new();
        for name in names {
            path.push(Element::field(*name));
        }
        self.insert(&path);
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
        if !node.is_empty() {
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

    pub(super) fn extend(&mut self, other: &Self) {
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
        let mut both = Self::default();
        for (step, ours) in &self.0 {
            let Some(theirs) = other.0.get(step) else {
                continue;
            };
            let node = Node {
                member: ours.member && theirs.member,
                below: ours.below.intersection(&theirs.below),
            };
            both.add(step.clone(), node);
        }
        both
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
        let mut rest = Self::default();
        for (step, ours) in self.0 {
            let Some(theirs) = other.0.get(&step) else {
                rest.0.insert(step, ours);
                continue;
            };
            if theirs.member && with_below {
                continue;
            }
            let node = Node {
                member: ours.member && !theirs.member,
                below: ours.below.subtract(&theirs.below, with_below),
            };
            rest.add(step, node);
        }
        rest
    }

    /// Returns the set with each prefix of a member that is a field of the schema as an additional
    /// member.
    pub(super) fn with_named_fields(&self, types: &Types, of: TypeId) -> Self {
        let atom = types.atom(of);
        let mut named = BTreeMap::new();
        for (step, node) in &self.0 {
            let is_prefix = !node.below.is_empty();
            let below = match type_at(atom, step) {
                Some(of) => node.below.with_named_fields(types, of),
                None => node.below.clone(),
            };
            let member = node.member || (is_prefix && is_named_field(atom, step));
            named.insert(step.clone(), Node { member, below });
        }
        Self(named)
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

/// Reports whether `step` is a field of the schema.
fn is_named_field(atom: &Atom, step: &Element) -> bool {
    let Element::Field(name) = step else {
        return false;
    };
    match &atom.map {
        Some(map) => map.fields.contains_key(name),
        None => false,
    }
}

/// Returns the type of the value at `step`.
fn type_at(atom: &Atom, step: &Element) -> Option<TypeId> {
    match step {
        Element::Field(name) => atom.map.as_ref()?.of(name),
        Element::Key(_) => Some(atom.list.as_ref()?.element),
        Element::Value(_) | Element::Index(_) => None,
    }
}
