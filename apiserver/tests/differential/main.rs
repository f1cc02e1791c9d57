//! Compares the embedded API server with the real server: both receive the same requests, and every
//! difference has to be listed.
//!
//! The real server is `kube-apiserver` with `etcd` in the folder that `KUBEBUILDER_ASSETS` names
//! (`tests/kube-assets/build.sh` builds them). Without it, the responses of the embedded server are
//! compared with those that it gave beside the real one. `differences.rs` lists the accepted differences, and
//! `docs/apiserver-reference.md` in the same words with their reasons. A listed difference that does
//! not occur fails the test, too. `accepted/` records the exact findings of each difference.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failure fails the test; clippy exempts only the test functions themselves"
)]

mod accepted;
#[path = "../support/assets.rs"]
mod assets;
mod call;
mod cases;
mod compare;
mod differences;
mod normalise;
mod recording;
mod script;
mod session;
#[path = "../support/shapes.rs"]
mod shapes;

use std::time::Duration;

use informer_apiserver::ApiServer;
use informer_apiserver::envtest::Environment;
use tokio::time::timeout;

use crate::accepted::Accepted;
use crate::assets::assets;
use crate::assets::require::need;
use crate::differences::{Difference, documented};
use crate::session::Session;

/// A comparison takes two minutes. A longer one is stuck.
const LIMIT: Duration = Duration::from_secs(600);

/// Fails instead of hanging.
async fn in_time(comparison: impl Future<Output = ()>) {
    let ended = timeout(LIMIT, comparison).await;
    assert!(
        ended.is_ok(),
        "the comparison has not ended after {} s",
        LIMIT.as_secs()
    );
}

/// Covers all requests of an API server but shards and what only the real server's controllers
/// would do. `accepted/answers.txt` stands for the real server where its programs are missing.
#[tokio::test]
async fn both_servers_answer_alike() {
    let found = assets::found()
        .map_err(|why| format!("only the half against the real server, because {why}"));
    let real = match need("real-servers", found) {
        Some(assets) => Some(Environment::start(&assets).await.unwrap()),
        None => None,
    };
    let embedded = ApiServer::builder()
        .token("nobody", ["nobodies"])
        .managed_fields(true)
        .start()
        .await
        .unwrap();
    let mut session = Session::new(real.as_ref(), &embedded);
    in_time(Box::pin(cases::run(&mut session))).await;
    embedded.shutdown().await;
    let is_proven = real.is_some();
    if let Some(real) = real {
        real.stop().await;
        judge(&session, &documented().0, "session.txt");
    }
    let other = session.recording.check(is_proven).err().unwrap_or_default();
    assert!(other.is_empty(), "other responses than recorded:\n{other}");
}

/// Compares shards, with the alpha feature of the real server enabled.
#[tokio::test]
async fn both_servers_shard_alike() {
    let Some(assets) = assets() else {
        return;
    };
    let gate = "--feature-gates=ShardedListAndWatch=true";
    let real = Environment::start_with(&assets, &[gate]).await.unwrap();
    let embedded = ApiServer::builder()
        .token("nobody", ["nobodies"])
        .sharded_list_and_watch(true)
        .start()
        .await
        .unwrap();
    let mut session = Session::new(Some(&real), &embedded);
    in_time(Box::pin(cases::run_shards(
        &mut session,
        &embedded.control(),
    )))
    .await;
    embedded.shutdown().await;
    real.stop().await;
    judge(&session, &documented().1, "shards.txt");
}

/// Checks that every finding is a listed difference, that every listed difference was found, and
/// that the findings equal those in the file `name`.
fn judge(session: &Session, differences: &[Difference], name: &str) {
    let mut accepted = Accepted::default();
    let mut seen = vec![0_usize; differences.len()];
    let mut unlisted = Vec::new();
    for finding in &session.findings {
        match differences
            .iter()
            .position(|difference| (difference.explains)(finding))
        {
            Some(index) => {
                seen[index] += 1;
                accepted.add(index, finding);
            }
            None => unlisted.push(finding.to_string()),
        }
    }
    println!(
        "{} calls, {} of them answered alike",
        session.calls, session.alike
    );
    for (difference, times) in differences.iter().zip(&seen) {
        println!("{times:5} {}", difference.what);
    }
    let gone: Vec<&str> = differences
        .iter()
        .zip(&seen)
        .filter(|(_, times)| **times == 0)
        .map(|(difference, _)| difference.what.as_str())
        .collect();
    assert!(
        unlisted.is_empty(),
        "{} unlisted:\n{}",
        unlisted.len(),
        unlisted.join("\n")
    );
    assert!(gone.is_empty(), "listed, but not found: {gone:#?}");
    let mismatch = accepted.check(name, differences).err();
    let mismatch = mismatch.unwrap_or_default();
    assert!(mismatch.is_empty(), "{mismatch}");
}

#[test]
fn every_documented_difference_has_a_reason_and_a_detection() {
    let (of_every_server, of_shards) = documented();
    assert!(of_every_server.len() > of_shards.len());
}
