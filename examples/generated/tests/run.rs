//! The example terminates, and prints the expected output.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

#[tokio::test]
async fn the_generated_informers_fill_and_their_indices_work() {
    let ended = Command::new(env!("CARGO_BIN_EXE_informer-example-generated"))
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(Duration::from_secs(60), ended)
        .await
        .expect("it ends")
        .expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "2 websites, 3 Deployments\n\
         shop.example.com is served by\n  default/shop-blue\n  default/shop-green\n\
         default/shop-tls is for shop.example.com\n"
    );
}
