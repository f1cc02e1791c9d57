//! State that the reflectors of one factory share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, WeakShared};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::gate::Gate;
use super::room::Room;
use super::turn::Turns;
use crate::base::sync::Mutex;
use crate::object::ResourceVersion;
use crate::status::SourceError;
use crate::storage::Account;

/// Result of a request for the server's version.
type Answer = Result<ResourceVersion, SourceError>;

/// State that the reflectors of one factory share, which all use one client. By default, a reflector
/// shares with no other. Clones share the state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Peers {
    pub(crate) turns: Turns,
    pub(super) outages: Arc<Outages>,
    pub(super) gate: Arc<Gate>,
    pub(crate) room: Room,
    pub(crate) account: Arc<Account>,
    pub(crate) loads: LoadTurns,
    /// `true` if first lists must not come from the server's watch cache at "0", which may lack recent
    /// writes.
    pub(crate) lists_consistently: Arc<AtomicBool>,
}

/// Bound on the number of loads of evicted objects at the same time. The others wait in order.
#[derive(Debug, Clone)]
pub(crate) struct LoadTurns(pub(crate) Arc<Semaphore>);

/// Maximum number of loads at the same time.
const LOADS: usize = 8;

/// Version of the server after outages, for which one reflector asks on behalf of all.
#[derive(Debug, Default)]
pub(super) struct Outages(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Last answer, and the time of its request.
    answer: Option<(Instant, ResourceVersion)>,
    /// Last request, which ends when no reflector waits for it.
    request: Option<(Instant, WeakShared<BoxFuture<'static, Answer>>)>,
}

// === impl LoadTurns ===

impl Default for LoadTurns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(LOADS)))
    }
}

// === impl Outages ===

impl Outages {
    /// Returns the server's version after a connection was lost at this time, and whether `ask` was
    /// called for it. Shares the answer and the failure of a request that another reflector sent
    /// after that time.
    pub(super) async fn version_after(
        &self,
        lost: Instant,
        ask: impl Future<Output = Answer> + Send + 'static,
    ) -> (Answer, bool) {
        let (sent, request, is_own) = {
            let mut known = self.0.lock();
            let answer = known.answer.as_ref().filter(|(sent, _)| *sent >= lost);
            if let Some((_, version)) = answer {
                return (Ok(version.clone()), false);
            }
            let pending = known.request.as_ref().filter(|(sent, _)| *sent >= lost);
            let pending = pending.and_then(|(sent, request)| Some((*sent, request.upgrade()?)));
            if let Some((sent, request)) = pending {
                (sent, request, false)
            } else {
                let (now, request) = (Instant::now(), ask.boxed().shared());
                known.request = Shared::downgrade(&request).map(|request| (now, request));
                (now, request, true)
            }
        };
        let answer = request.await;
        if let Ok(version) = &answer {
            self.0.lock().answer = Some((sent, version.clone()));
        }
        (answer, is_own)
    }
}
