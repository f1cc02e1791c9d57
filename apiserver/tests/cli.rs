//! The command line, as a user meets it.
#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails a test; clippy only knows the test functions themselves"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_informer-apiserver"))
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn complaint(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn help_names_every_option() {
    let output = command().arg("--help").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for option in [
        "--port",
        "--kubeconfig",
        "--crd",
        "--load",
        "--data-dir",
        "--tls",
        "--user",
        "--sharded-list-and-watch",
        "--managed-fields",
        "--verbose",
    ] {
        assert!(text.contains(option), "{option} is missing in {text}");
    }
}

#[test]
fn complaints_name_the_file_and_the_cause() {
    let output = command().args(["--load", "/nonexistent"]).output().unwrap();
    let expected = "informer-apiserver: cannot read /nonexistent: No such file or directory";
    assert!(complaint(&output).starts_with(expected));

    let broken = file("broken.json", "{ not json");
    let output = command().arg("--load").arg(&broken).output().unwrap();
    assert!(complaint(&output).contains("broken.json: "));

    let pod = file("pod.yaml", "kind: Pod\n");
    let output = command().arg("--crd").arg(&pod).output().unwrap();
    assert!(complaint(&output).contains("is not a CustomResourceDefinition, but \"Pod\""));
}

/// Loads YAML, writes a kubeconfig, serves, and ends with 0 on Ctrl-C.
#[cfg(unix)]
#[test]
fn it_serves_until_it_is_interrupted() {
    let objects = file(
        "objects.yaml",
        "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a, namespace: team}\n---\n",
    );
    let kubeconfig = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kubeconfig");
    let mut server = command()
        .arg("--load")
        .arg(&objects)
        .arg("--kubeconfig")
        .arg(&kubeconfig)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let address = first.rsplit("//").next().unwrap().to_owned();
    // Shown last, when everything is ready.
    assert!(lines.any(|line| line.unwrap().contains("Ctrl-C")));
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    assert!(text.contains(&format!("\"server\": \"http://{address}\"")));

    let mut connection = TcpStream::connect(&address).unwrap();
    let request =
        "GET /api/v1/namespaces/team/configmaps/a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");

    let interrupt = Command::new("kill")
        .args(["-INT", &server.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
