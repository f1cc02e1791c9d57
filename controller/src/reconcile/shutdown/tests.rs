use std::process::{Command, id};

use super::shutdown_signal;

/// A signal between the call and the first poll is not lost.
#[tokio::test]
async fn the_call_itself_listens() {
    let shutdown = shutdown_signal();
    let sent = Command::new("kill")
        .args(["-TERM", &id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    shutdown.await;
}
