//! Waits until caches show writes.
//!
//! ```text
//! look ─► ask about writes without an answer ─► wait ─► ask about all ─► wait ─► leave out, or fail
//!                                               half of the limit        the other half
//! ```
//!
//! The second question ends what would be waited for in vain, whatever the reason is: a restore of the
//! server has lost the write, or an object ends in a way that the answer to its deletion does not tell.

use std::sync::Arc;
use std::time::Duration;

use informer_runtime::engine::Chain;
use tokio::task::yield_now;
use tokio::time::timeout;
use tracing::warn;

use super::error::SessionError;
use super::need::{Need, unseen};
use super::notes::NoteTarget;
use super::shared::SessionShared;

// === impl SessionShared ===

impl SessionShared {
    /// Waits until caches show the writes that `look` returns. Looks again after the server was asked.
    pub(super) async fn show(
        &self,
        within: Duration,
        look: impl Fn() -> Result<Vec<Need>, SessionError>,
    ) -> Result<(), SessionError> {
        let mut needs = look()?;
        if needs.is_empty() {
            return Ok(());
        }
        let refused: Vec<u64> = needs
            .iter()
            .filter(|need| need.is_refused())
            .map(|need| need.cache.number)
            .collect();
        let show = async {
            if self.ask(&needs, false).await? {
                needs = look()?;
            }
            if let Ok(shown) = timeout(within / 2, self.wait(&mut needs, &look)).await {
                return shown;
            }
            self.ask(&needs, true).await?;
            needs = look()?;
            self.wait(&mut needs, &look).await
        };
        let end = timeout(within, show).await;
        self.drop_seen(needs.iter().map(|need| need.number));
        if let Ok(shown) = end {
            return shown;
        }
        for need in &needs {
            // Refused all the time, and not only by a server that has just been started.
            if refused.contains(&need.cache.number) {
                need.cache.give_up(&need.note.write.namespace);
            }
        }
        needs.retain(|need| need.cache.awaits(&need.note));
        if needs.is_empty() {
            return Ok(());
        }
        Err(unseen(&needs, within))
    }

    /// Waits until the caches show the writes that are noted now. Looks again at the end: a cache
    /// may hold by then what it left out before, or may be released.
    async fn wait(
        &self,
        needs: &mut Vec<Need>,
        look: impl Fn() -> Result<Vec<Need>, SessionError>,
    ) -> Result<(), SessionError> {
        let later = self.next_number();
        while !needs.is_empty() {
            for need in &*needs {
                need.wait().await?;
            }
            *needs = look()?;
            needs.retain(|need| need.number < later);
            if !needs.is_empty() {
                // A cache that was released is still among those of its reader for a moment.
                yield_now().await;
            }
        }
        Ok(())
    }

    /// Asks the server about writes. Returns `true` if there was something to ask.
    async fn ask(&self, needs: &[Need], doubts: bool) -> Result<bool, SessionError> {
        let mut has_asked = false;
        for need in needs {
            // One question at a time: the answer may serve the next one.
            let Ok(_turn) = self.asking.acquire().await else {
                return Ok(has_asked);
            };
            let Some((question, before)) = self.question(need, doubts) else {
                continue;
            };
            has_asked = true;
            match question.ask(&self.client).await {
                Ok(answer) => self.learn(&question, answer, &before),
                Err(error) if is_refused(&error) && doubts => {
                    for write in self.give_up(&question) {
                        warn!(%write, error = %Chain(&error), "the outcome of a write stays unknown: grant `list`");
                    }
                }
                // The server may have just been started. It is asked again.
                Err(error) if is_refused(&error) => {}
                Err(source) if need.note.target == NoteTarget::Unknown => {
                    return Err(SessionError::Unknown {
                        write: Box::new(need.note.write.clone()),
                        source: Arc::new(source),
                    });
                }
                // The answer to the write still tells what to wait for.
                Err(_) => {}
            }
        }
        Ok(has_asked)
    }
}

fn is_refused(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if matches!(status.code, 401 | 403 | 404 | 405))
}
