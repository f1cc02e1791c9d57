use std::collections::HashMap;
use std::future::pending;

use http::Request;
use kube::client::Body;
use tokio::task::JoinSet;
use tokio::time::{advance, sleep, timeout};

use super::*;
use crate::tests::server::Server;
use crate::tests::{ms, secs};

const HOUR: Duration = Duration::from_secs(3600);

// Used by the tests of what runs under a lease, too.
impl Held {
    pub(crate) fn for_test(until: Instant) -> Self {
        Self {
            until: Arc::new(Mutex::new(until)),
            ended: CancellationToken::new(),
        }
    }

    pub(crate) fn lose(&self) {
        self.ended.cancel();
    }
}

/// Treatment of a candidate's requests, by their number.
#[derive(Clone, Default)]
struct Network {
    /// Requests whose response takes this time after the server has handled the request.
    slow: HashMap<usize, Duration>,
    /// Requests that are handled, but never answered.
    silent: Vec<usize>,
    /// Number of the first request that no longer reaches the server.
    cut_after: Option<usize>,
}

fn elector(server: &Server, identity: &str, network: Network) -> LeaderElector {
    let (client, mut number) = (server.client(), 0);
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, network) = (client.clone(), network.clone());
        number += 1;
        async move {
            if network.cut_after.is_some_and(|first| number >= first) {
                return Err(std::io::Error::other("connection refused"));
            }
            let answered = client.send(request).await;
            if network.silent.contains(&number) {
                pending::<()>().await;
            }
            sleep(network.slow.get(&number).copied().unwrap_or_default()).await;
            answered.map_err(std::io::Error::other)
        }
    });
    let client = Client::new(service, "default");
    LeaderElector::new(client, "default", "lease", identity)
}

/// The leadership is counted from the moment at which its write was sent, not from its answer.
#[tokio::test(start_paused = true)]
async fn a_slow_answer_to_the_acquiring_write_does_not_make_two_leaders() {
    for delay in [4, 8, 12, 20, 40] {
        let server = Server::new(0);
        let slow = HashMap::from([(2, secs(delay))]);
        let a = elector(
            &server,
            "a",
            Network {
                slow,
                ..Network::default()
            },
        );
        let b = elector(&server, "b", Network::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { a.acquire().await.unwrap() });
        sleep(ms(100)).await;
        tasks.spawn(async move { b.acquire().await.unwrap() });
        let mut leaders = vec![tasks.join_next().await.unwrap().unwrap()];
        for _ in 0..600 {
            while let Some(leader) = tasks.try_join_next() {
                leaders.push(leader.unwrap());
            }
            let leading = leaders.iter().filter(|leader| !leader.is_lost()).count();
            assert!(leading <= 1, "{delay} s: {leading} leaders");
            sleep(ms(100)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_request_without_an_answer_neither_loses_a_lease_nor_blocks_its_acquisition() {
    // Read, creation, first renewal; then one that nobody answers.
    for silent in [vec![1], vec![2], vec![3], vec![4]] {
        let network = Network {
            silent: silent.clone(),
            ..Network::default()
        };
        let elector = elector(&Server::new(0), "a", network);
        let leader = timeout(HOUR, elector.acquire()).await;
        let leader = leader
            .unwrap_or_else(|_| panic!("{silent:?}: waits for ever"))
            .unwrap();
        let lost = timeout(HOUR, leader.lost()).await;
        assert!(lost.is_err(), "{silent:?}: lost");
    }
}

/// Cuts a leader with these durations off after its acquisition.
async fn leaders_after_a_cut(
    lease: Duration,
    renew: Duration,
    retry: Duration,
) -> Result<usize, LeaderElectionError> {
    let server = Server::new(0);
    let candidate = |identity, network| {
        elector(&server, identity, network)
            .lease_duration(lease)
            .renew_deadline(renew)
            .retry_period(retry)
    };
    let cut = Network {
        cut_after: Some(3),
        ..Network::default()
    };
    let a = candidate("a", cut).acquire().await?;
    let b = candidate("b", Network::default());
    let b = timeout(HOUR, b.acquire())
        .await
        .expect("the lease expires")?;
    Ok(usize::from(!a.is_lost()) + usize::from(!b.is_lost()))
}

#[tokio::test(start_paused = true)]
async fn fractions_of_seconds_never_make_two_leaders() {
    for (lease, renew, retry) in [
        (15_000, 10_000, 2_000),
        (2_900, 1_900, 100),
        (1_000, 900, 10),
    ] {
        let leaders = leaders_after_a_cut(ms(lease), ms(renew), ms(retry)).await;
        assert_eq!(leaders.unwrap(), 1, "{lease} {renew} {retry}");
    }
    for (lease, renew, retry) in [
        (1_900, 1_800, 100),
        (900, 500, 100),
        (15_999, 15_500, 2_000),
    ] {
        let error = leaders_after_a_cut(ms(lease), ms(renew), ms(retry))
            .await
            .unwrap_err();
        assert!(error.to_string().contains("lease_duration"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn huge_durations_do_not_overflow() {
    let year = 365 * 24 * HOUR;
    for renew in [50 * year, 68 * year] {
        let elector = elector(&Server::new(0), "a", Network::default());
        let elector = elector.lease_duration(Duration::MAX).renew_deadline(renew);
        for elector in [elector.clone(), elector.retry_period(renew / 2)] {
            let leader = elector.acquire().await.unwrap();
            assert!(timeout(HOUR, leader.lost()).await.is_err(), "lost at once");
        }
    }
    let elector = elector(&Server::new(0), "a", Network::default());
    let longest = elector
        .lease_duration(Duration::MAX)
        .renew_deadline(Duration::MAX / 2);
    assert!(longest.acquire().await.is_err());
}

/// A process that was suspended knows at once that its lease may have a new holder.
#[tokio::test(start_paused = true)]
async fn a_leader_that_was_suspended_is_no_leader_before_its_tasks_run() {
    let leader = elector(&Server::new(0), "a", Network::default())
        .acquire()
        .await
        .unwrap();
    let mut lost = std::pin::pin!(leader.lost());
    assert!(futures::poll!(&mut lost).is_pending());
    // Polled without the runtime between: no timer has fired.
    let mut suspended = std::pin::pin!(advance(secs(20)));
    assert!(futures::poll!(&mut suspended).is_pending());
    assert!(leader.is_lost());
    assert!(futures::poll!(&mut lost).is_ready());
}

/// K-22: a standby tells for whom it waits, once for each holder.
#[tokio::test(start_paused = true)]
async fn k22_a_standby_logs_the_holder_of_the_lease() {
    let server = Server::new(0);
    let log = crate::logged::capture("informer_controller::reconcile::leader_election");
    let [a, b, c] = ["a", "b", "c"].map(|name| elector(&server, name, Network::default()));
    let first = a.acquire().await.unwrap();
    let mut tasks = JoinSet::new();
    for standby in [b, c] {
        tasks.spawn(async move { standby.acquire().await.unwrap() });
        sleep(secs(30)).await;
    }
    first.release().await;
    let second = tasks.join_next().await.unwrap().unwrap();
    sleep(secs(30)).await;
    let text = log.text();
    let waits = |identity: &str, holder: &str| {
        let waits = format!(
            "waiting for the lease lease=\"lease\" identity=\"{identity}\" holder=\"{holder}\""
        );
        text.matches(&waits).count()
    };
    assert_eq!((waits("b", "a"), waits("c", "a")), (1, 1), "{text}");
    assert_eq!(waits("b", "c") + waits("c", "b"), 1, "{text}");
    assert_eq!(text.matches("waiting").count(), 3, "{text}");
    drop(second);
}

/// K-26. A candidate tries on, whatever the API server answers: roles are replaced, tokens expire, and
/// a namespace is created late. It tells about each state once.
#[tokio::test(start_paused = true)]
async fn k26_no_refusal_ends_a_standby() {
    let server = Server::new(0);
    let log = crate::logged::capture("informer_controller::reconcile::leader_election");
    let [a, b] = ["a", "b"].map(|name| elector(&server, name, Network::default()));
    let mut tasks = JoinSet::new();
    server.fail(|_| Some((403, "Forbidden")));
    tasks.spawn(async move { a.acquire().await.unwrap() });
    sleep(secs(30)).await;
    server.fail(|_| None);
    let leader = tasks.join_next().await.unwrap().unwrap();
    tasks.spawn(async move { b.acquire().await.unwrap() });
    sleep(secs(30)).await;
    for code in [401, 403, 404, 422, 500] {
        server.fail(move |_| Some((code, "Refused")));
        sleep(secs(30)).await;
        assert!(tasks.try_join_next().is_none(), "{code} ends the standby");
    }
    server.fail(|_| None);
    leader.release().await;
    let next = tasks.join_next().await.unwrap().unwrap();
    assert!(!next.is_lost());
    let text = log.text();
    let warnings = text.matches("cannot acquire the lease, retrying").count();
    assert_eq!(warnings, 6, "{text}");
}
