use super::*;

impl SessionShared {
    /// Returns the notes, each with what the caches show of it.
    pub(in crate::session) fn notes(&self) -> Vec<String> {
        let state = self.state.lock();
        let sights = |note: &Note| -> Vec<Sight> {
            let caches = state.caches_of(&note.write);
            caches.map(|cache| cache.sight(note)).collect()
        };
        state
            .notes
            .all()
            .map(|(_, note)| {
                let Note { write, target, .. } = &**note;
                format!("{write}: {target:?} {:?} {:?}", sights(note), note.ahead)
            })
            .collect()
    }
}
