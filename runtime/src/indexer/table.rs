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
    root: Option<Arc<Node<T>>>,
    /// Number of levels above the leaves.
    height: u32,
}

#[derive(Clone)]
enum Node<T> {
    Branch([Option<Arc<Node<T>>>; WIDTH]),
    Leaf([Option<T>; WIDTH]),
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
        let mut node = self.root.as_deref()?;
        let mut level = self.height;
        loop {
            match node {
                Node::Branch(children) => {
                    node = children.get(slot.position(level))?.as_deref()?;
                    level = level.saturating_sub(1);
                }
                Node::Leaf(values) => return values.get(slot.position(0))?.as_ref(),
            }
        }
    }

    #[cfg(test)]
    pub(super) fn ptr_eq(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (Some(root), Some(other)) => Arc::ptr_eq(root, other),
            (root, other) => root.is_none() && other.is_none(),
        }
    }

    fn has_room(&self, slot: Slot) -> bool {
        let above = slot.0.checked_shr((self.height + 1) * BITS);
        above.unwrap_or_default() == 0
    }
}

impl<T: Clone> Table<T> {
    /// Stores a value, or nothing, and returns the previous value.
    pub(super) fn replace(&mut self, slot: Slot, value: Option<T>) -> Option<T> {
        while !self.has_room(slot) {
            if let Some(root) = self.root.take() {
                let mut children = [const { None }; WIDTH];
                if let Some(first) = children.first_mut() {
                    *first = Some(root);
                }
                self.root = Some(Arc::new(Node::Branch(children)));
            }
            self.height += 1;
        }
        let mut level = self.height;
        let mut next = &mut self.root;
        loop {
            match Arc::make_mut(next.get_or_insert_with(|| Arc::new(Node::empty(level)))) {
                Node::Branch(children) => {
                    next = children.get_mut(slot.position(level))?;
                    level = level.saturating_sub(1);
                }
                Node::Leaf(values) => {
                    return std::mem::replace(values.get_mut(slot.position(0))?, value);
                }
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
            node: self.root.as_ref(),
            levels_above: height - self.height,
        }
    }
}

// === impl Node ===

impl<T> Node<T> {
    fn empty(level: u32) -> Self {
        if level == 0 {
            Self::Leaf([const { None }; WIDTH])
        } else {
            Self::Branch([const { None }; WIDTH])
        }
    }
}

// === Differences ===

/// Part of a table. `levels_above` imagined nodes are above `node`, each with a first child alone.
struct Tree<'a, T> {
    node: Option<&'a Arc<Node<T>>>,
    levels_above: u32,
}

impl<'a, T> Tree<'a, T> {
    fn child(&self, position: usize) -> Self {
        let node = match self.levels_above {
            0 => self.node.and_then(|node| match &**node {
                Node::Branch(children) => children.get(position)?.as_ref(),
                Node::Leaf(_) => None,
            }),
            _ => self.node.filter(|_| position == 0),
        };
        Self {
            node,
            levels_above: self.levels_above.saturating_sub(1),
        }
    }

    fn value(&self, position: usize) -> Option<&'a T> {
        match &**self.node? {
            Node::Leaf(values) => values.get(position)?.as_ref(),
            Node::Branch(_) => None,
        }
    }
}

fn differences<'a, T: PartialEq>(
    (older, newer): (Tree<'a, T>, Tree<'a, T>),
    level: u32,
    first: u32,
    found: &mut Vec<Difference<'a, T>>,
) {
    let is_shared = match (older.node, newer.node) {
        (Some(old), Some(new)) => Arc::ptr_eq(old, new) && older.levels_above == newer.levels_above,
        (old, new) => old.is_none() && new.is_none(),
    };
    if is_shared {
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
        let (old, new) = (older.value(position), newer.value(position));
        if old != new {
            let slot = Slot(first | number);
            found.push(Difference { slot, old, new });
        }
    }
}

#[cfg(test)]
mod tests;
