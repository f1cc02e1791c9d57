//! [`Actions`]: keeps or drops each field of an object.

/// Actions for the members of an object.
#[derive(Debug)]
pub(super) struct Actions {
    pub(super) members: Vec<(Box<str>, FieldAction)>,
    /// `true` if all other members are dropped.
    pub(super) drops_others: bool,
}

/// Action for one member.
#[derive(Debug)]
pub(super) enum FieldAction {
    Keep,
    Drop,
    Into(Actions),
}

// === impl Actions ===

impl Actions {
    pub(super) fn new(drops_others: bool) -> Self {
        Self {
            members: Vec::new(),
            drops_others,
        }
    }

    /// Returns the action for the member of this name.
    pub(super) fn step(&self, name: &str) -> &FieldAction {
        // With few members, a linear search is faster than a map.
        let named = self.members.iter().find(|(other, _)| **other == *name);
        let others = if self.drops_others {
            &FieldAction::Drop
        } else {
            &FieldAction::Keep
        };
        named.map_or(others, |(_, step)| step)
    }

    /// Returns `true` if the field at this path is dropped.
    pub(super) fn drops<'a>(&self, mut path: impl Iterator<Item = &'a str>) -> bool {
        match path.next().map(|name| self.step(name)) {
            None | Some(FieldAction::Keep) => false,
            Some(FieldAction::Drop) => true,
            Some(FieldAction::Into(inner)) => inner.drops(path),
        }
    }

    /// Sets the action for the field at this path. It takes precedence over the action for the
    /// members around it.
    pub(super) fn add<S: AsRef<str>>(&mut self, path: &[S], drops: bool) {
        let Some((name, rest)) = path.split_first() else {
            return;
        };
        let is_named = |(known, _): &(Box<str>, FieldAction)| **known == *name.as_ref();
        if !self.members.iter().any(is_named) {
            let step = FieldAction::all(self.drops_others);
            self.members.push((name.as_ref().into(), step));
        }
        let mut members = self.members.iter_mut();
        let Some((_, step)) = members.find(|member| is_named(member)) else {
            return;
        };
        if rest.is_empty() {
            *step = FieldAction::all(drops);
        } else if let FieldAction::Into(inner) = step {
            inner.add(rest, drops);
        } else if drops != matches!(step, FieldAction::Drop) {
            let mut inner = Self::new(!drops);
            inner.add(rest, drops);
            *step = FieldAction::Into(inner);
        }
    }
}

// === impl FieldAction ===

impl FieldAction {
    fn all(drops: bool) -> Self {
        if drops { Self::Drop } else { Self::Keep }
    }
}
