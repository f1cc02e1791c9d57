//! Faults of a real connection, through the whole stack of kube.

use std::error::Error as _;

use kube::{Client, Config};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::{KubeListerWatcher, event, failed, pods, read_list, read_watch, watching};
use crate::source::{ListOptions, ListerWatcher};
use crate::status::SourceError;

/// Creates a source whose server reads the first request, sends this text, and closes the
/// connection.
async fn saying(answer: String) -> (KubeListerWatcher, impl Future<Output = ()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            request.push(connection.read_u8().await.unwrap());
        }
        connection.write_all(answer.as_bytes()).await.unwrap();
        connection.shutdown().await.unwrap();
    };
    (connect(port), server)
}

fn connect(port: u16) -> KubeListerWatcher {
    let config = Config::new(format!("http://127.0.0.1:{port}").parse().unwrap());
    pods(Client::try_from(config).unwrap())
}

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
                       Transfer-Encoding: chunked\r\n\r\n";

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

#[tokio::test]
async fn r09_a_port_without_a_listener_refuses_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = failed(connect(port).list(ListOptions::default()).await);
    assert!(
        matches!(error, SourceError::ConnectionRefused(_)),
        "{error:?}"
    );
    assert!(error.source().is_some());
}

/// E-11, W-16.
#[tokio::test]
async fn e11_a_connection_cut_between_events_is_an_unexpected_end() {
    let (source, server) = saying(CHUNKED.to_owned() + &chunk(&event("ADDED", "a"))).await;
    let client = async { read_watch(source.watch(watching()).await.unwrap()).await };
    let ((seen, error), ()) = tokio::join!(client, server);
    let error = error.unwrap();
    assert_eq!(seen, ["a"]);
    assert!(matches!(error, SourceError::Transport(_)), "{error:?}");
    assert!(error.is_unexpected_eof(), "{error:?}");
}

#[tokio::test]
async fn e11_a_connection_cut_before_the_answer_is_an_unexpected_end() {
    let (source, server) = saying(String::new()).await;
    let (answer, ()) = tokio::join!(source.watch(watching()), server);
    let error = failed(answer);
    assert!(error.is_unexpected_eof(), "{error:?}");
}

#[tokio::test]
async fn w16_a_list_shorter_than_its_content_length_fails() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n";
    let (source, server) = saying(format!("{head}{{\"kind\":\"List\"}}")).await;
    let client = async { read_list(source.list(ListOptions::default()).await.unwrap()).await };
    let ((groups, end), ()) = tokio::join!(client, server);
    assert!(groups.is_empty());
    assert!(failed(end).is_unexpected_eof());
}

#[tokio::test]
async fn w17_a_watch_that_the_server_closes_ends_without_an_error() {
    let answer = CHUNKED.to_owned() + &chunk(&event("ADDED", "a")) + "0\r\n\r\n";
    let (source, server) = saying(answer).await;
    let client = async { read_watch(source.watch(watching()).await.unwrap()).await };
    let ((seen, error), ()) = tokio::join!(client, server);
    assert_eq!((seen.len(), error.is_none()), (1, true));
}
