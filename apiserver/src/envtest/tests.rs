use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use super::process::Port;
use super::{Environment, EnvironmentError};

/// A server of another test got the port before `kube-apiserver` listened. It accepted a connection,
/// so the certificate was read before it existed.
#[test]
fn a_port_is_reserved_before_a_program_listens() {
    let port = Port::reserve().unwrap();
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, port.number));
    assert_eq!(other.unwrap_err().kind(), ErrorKind::AddrInUse);
}

/// The error for a missing program names the variable that leads to the programs.
#[tokio::test]
async fn a_missing_program_is_named_with_the_variable_that_leads_to_it() {
    let error = Environment::start(Path::new("/nowhere")).await.unwrap_err();
    assert!(matches!(error, EnvironmentError::Start { .. }));
    let text = error.to_string();
    assert!(text.contains("etcd"), "{text}");
    assert!(text.contains("KUBEBUILDER_ASSETS"), "{text}");
}

/// A program that exits at once is reported with its log, without a wait of 90 seconds.
#[cfg(unix)]
#[tokio::test]
async fn a_program_that_ends_is_reported_with_its_log() {
    use std::os::unix::fs::PermissionsExt;

    let assets = tempfile::TempDir::new().unwrap();
    let etcd = assets.path().join("etcd");
    std::fs::write(&etcd, "#!/bin/sh\necho no space left; exit 3\n").unwrap();
    std::fs::set_permissions(&etcd, std::fs::Permissions::from_mode(0o755)).unwrap();

    let error = Environment::start(assets.path()).await.unwrap_err();
    let EnvironmentError::Ended { program, log, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*program, "etcd");
    assert_eq!(log.trim(), "no space left");
}
