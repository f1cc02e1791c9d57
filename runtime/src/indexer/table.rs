//! [`Table`]: a persistent array with room for a value at each [`Slot`].

use std::sync::Arc;

use derive_where::derive_where;

/// Position of an object in the tables of a store. Slots of removed objects are used again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Slot(pub(super) u32);

/// Values by slot. A clone costs O(1) and shares all nodes; a write copies the nodes on the path to
/// its slot, unless no other table shares them.
///
/// A read visits one node for each four bits of the largest slot. All nodes but the last are few
/// enough to stay in a processor's cache.
#[derive_where(Clone, Default)]
pub(super) struct Table<T> {
    root: Node<T>,
    /// Number of levels above the leaves.
    height: u32,
}

/// The kind of a node is beside the pointer to it, so a read loads one cache line of each node, and
/// branches are as small with large values.
#[derive_where(Clone, Default)]
enum Node<T> {
    #[derive_where(default)]
    Empty,
    Branch(Arc<[Node<T>; WIDTH]>),
    Leaf(Arc<[Option<T>; WIDTH]>),
}

/// Values of one slot in two tables, which differ.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference<'a, T> {
    pub(super) slot: Slot,
    pub(super) old: Option<&'a T>,
    pub(super) new: Option<&'a T>,
}

/// Small, because a write to the table of objects changes the reference count of each object in the
/// leaf.
const WIDTH: usize = 1 << BITS;
const BITS: u32 = 4;

// === impl Slot ===

impl Slot {
    /// Returns the position in a node of `level`, of which 0 is that of the leaves.
    fn position(self, level: u32) -> usize {
        (self.0 >> (level * BITS)) as usize % WIDTH
    }
}

// === impl Table ===

impl<T> Table<T> {
    pub(super) fn get(&self, slot: Slot) -> Option<&T> {
        if !self.has_room(slot) {
            return None;
        }
        let mut node = &self.root;
        let mut level = self.height;
        loop {
            match node {
                Node::Empty => return None,
                Node::Branch(children) => {
                    node = children.get(slot.position(level))?;
                    level = level.saturating_sub(1);
                }
                Node::Leaf(values) => return values.get(slot.position(0))?.as_ref(),
            }
        }
    }

    #[cfg(test)]
    pub(super) fn ptr_eq(&self, other: &Self) -> bool {
        self.root.is(&other.root)
    }

    fn has_room(&self, slot: Slot) -> bool {
        let above = slot.0.checked_shr((self.height + 1) * BITS);
        above.unwrap_or_default() == 0
    }
}

impl<T: Clone> Table<T> {
    /// Stores a value, or nothing, and returns the previous value.
    pub(super) fn replace(&mut self, slot: Slot, value: Option<T>) -> Option<T> {
        std::mem::replace(self.place(slot)?, value)
    }

    /// Returns the place of a slot, to write to it.
    pub(super) fn place(&mut self, slot: Slot) -> Option<&mut Option<T>> {
        while !self.has_room(slot) {
            let mut root = std::mem::take(&mut self.root);
            // The root is the first child, and nothing is left for the others.
            let children = std::array::from_fn(|_| std::mem::take(&mut root));
            self.root = Node::Branch(Arc::new(children));
            self.height += 1;
        }
        let mut level = self.height;
        let mut next = &mut self.root;
        loop {
            match next {
                Node::Empty if level == 0 => *next = Node::Leaf(Arc::new([const { None }; WIDTH])),
                Node::Empty => *next = Node::Branch(Arc::default()),
                Node::Branch(children) => {
                    next = Arc::make_mut(children).get_mut(slot.position(level))?;
                    level = level.saturating_sub(1);
                }
                Node::Leaf(values) => return Arc::make_mut(values).get_mut(slot.position(0)),
            }
        }
    }
}

impl<T: PartialEq> Table<T> {
    /// Returns the slots with other values than in `older`, ascending. Skips all nodes that both
    /// tables share.
    pub(super) fn differences<'a>(&'a self, older: &'a Self) -> Vec<Difference<'a, T>> {
        let mut found = Vec::new();
        let height = self.height.max(older.height);
        let trees = (older.at_height(height), self.at_height(height));
        differences(trees, height, 0, &mut found);
        found
    }

    /// Returns the table as a tree of this height, which is at least its own.
    fn at_height(&self, height: u32) -> Tree<'_, T> {
        Tree {
            node: &self.root,
            levels_above: height - self.height,
        }
    }
}

// === impl Node ===

impl<T> Node<T> {
    /// Reports whether both have the same content because they share it.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Empty, Self::Empty) => true,
            (Self::Branch(children), Self::Branch(others)) => Arc::ptr_eq(children, others),
            (Self::Leaf(values), Self::Leaf(others)) => Arc::ptr_eq(values, others),
            _ => false,
        }
    }
}

// === Differences ===

/// Part of a table. `levels_above` imagined nodes are above `node`, each with a first child alone.
struct Tree<'a, T> {
    node: &'a Node<T>,
    levels_above: u32,
}

impl<'a, T> Tree<'a, T> {
    fn child(&self, position: usize) -> Self {
        let node = match self.node {
            Node::Branch(children) if self.levels_above == 0 => children.get(position),
            node if self.levels_above > 0 && position == 0 => Some(node),
            Node::Empty | Node::Branch(_) | Node::Leaf(_) => None,
        };
        Self {
            node: node.unwrap_or(&Node::Empty),
            levels_above: self.levels_above.saturating_sub(1),
        }
    }

    fn value(&self, position: usize) -> Option<&'a T> {
        match self.node {
            Node::Leaf(values) => values.get(position)?.as_ref(),
            Node::Empty | Node::Branch(_) => None,
        }
    }
}

fn differences<'a, T: PartialEq>(
    (older, newer): (Tree<'a, T>, Tree<'a, T>),
    level: u32,
    first: u32,
    found: &mut Vec<Difference<'a, T>>,
) {
    // A node has the same level in all tables that share it.
    if older.node.is(newer.node) {
        return;
    }
    if let Some(below) = level.checked_sub(1) {
        for (position, number) in (0..WIDTH).zip(0_u32..) {
            let first = first | (number << (level * BITS));
            let parts = (older.child(position), newer.child(position));
            differences(parts, below, first, found);
        }
        return;
    }
    for (position, number) in (0..WIDTH).zip(0_u32..) {
        let old = older.value(position);
        let new = newer.value(position);
        if old != new {
            let slot = Slot(first | number);
            found.push(Difference { slot, old, new });
        }
    }
}

#[cfg(test)]
mod tests;
