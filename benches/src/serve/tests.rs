use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use informer_protobuf::EventSplitter;
use k8s_openapi::api::core::v1::Pod;
use kube::core::ApiResource;
use serde_json::{Value, json};

use super::*;
use crate::world::Kind;

/// Client connection.
struct Client(BufReader<TcpStream>);

impl Client {
    fn new(address: SocketAddr) -> Self {
        Self(BufReader::new(TcpStream::connect(address).unwrap()))
    }

    fn send(&mut self, target: &str) {
        self.send_accepting(target, "application/json");
    }

    fn send_accepting(&mut self, target: &str, accept: &str) {
        let request = format!("GET {target} HTTP/1.1\r\nHost: x\r\naccept: {accept}\r\n\r\n");
        self.0.get_mut().write_all(request.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn head(&mut self) -> Vec<String> {
        std::iter::repeat_with(|| self.line())
            .take_while(|line| !line.is_empty())
            .collect()
    }

    /// Returns the body of a response with a content length.
    fn get(&mut self, target: &str) -> String {
        self.send(target);
        String::from_utf8(self.body(target)).unwrap()
    }

    fn body(&mut self, target: &str) -> Vec<u8> {
        let head = self.head();
        assert_eq!(head[0], "HTTP/1.1 200 OK", "{target}");
        let length = head
            .iter()
            .find_map(|line| line.strip_prefix("Content-Length: "));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        self.0.read_exact(&mut body).unwrap();
        body
    }

    fn list(&mut self, query: &str) -> Value {
        serde_json::from_str(&self.get(&format!("/api/v1/pods{query}"))).unwrap()
    }

    /// Returns the next event of a watch, which is one chunk.
    fn event(&mut self) -> Option<Value> {
        let chunk = self.chunk();
        (!chunk.is_empty()).then(|| serde_json::from_slice(&chunk).unwrap())
    }

    fn chunk(&mut self) -> Vec<u8> {
        let length = usize::from_str_radix(&self.line(), 16).unwrap();
        let mut chunk = vec![0; length + 2];
        self.0.read_exact(&mut chunk).unwrap();
        chunk.truncate(length);
        chunk
    }
}

/// Number of paced events in each part.
const PACED: usize = 3;

fn server(objects: usize, events: usize) -> SocketAddr {
    server_of(Kind::Uniform, objects, events)
}

fn server_of(kind: Kind, objects: usize, events: usize) -> SocketAddr {
    let world = crate::world::World {
        kind,
        objects,
        events,
    };
    let objects = Objects::of(&world, None).unwrap();
    start(World::new(&objects, &world, PACED).unwrap()).unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["metadata"]["name"].as_str().unwrap())
        .collect()
}

#[test]
fn pages_together_are_the_whole_list() {
    let mut client = Client::new(server(7, 0));
    let whole = client.list("");
    assert_eq!(whole["metadata"]["continue"], Value::Null);
    assert_eq!(names(&whole).len(), 7);
    let first = client.list("?limit=3");
    let token = first["metadata"]["continue"].as_str().unwrap();
    assert_eq!(first["metadata"]["remainingItemCount"], 4);
    let second = client.list(&format!("?limit=3&continue={token}"));
    let token = second["metadata"]["continue"].as_str().unwrap();
    let third = client.list(&format!("?limit=3&continue={token}"));
    assert_eq!(third["metadata"]["continue"], Value::Null);
    let paged = [names(&first), names(&second), names(&third)];
    assert_eq!(paged.each_ref().map(Vec::len), [3, 3, 1]);
    assert_eq!(paged.concat(), names(&whole));
    for page in [&second, &third] {
        let version = &page["metadata"]["resourceVersion"];
        assert_eq!(version, &first["metadata"]["resourceVersion"]);
    }
}

#[test]
fn a_page_that_ends_with_the_list_has_no_successor() {
    let mut client = Client::new(server(4, 0));
    for limit in [4, 5] {
        let list = client.list(&format!("?limit={limit}"));
        assert_eq!(names(&list).len(), 4);
        assert_eq!(list["metadata"]["continue"], Value::Null);
    }
}

#[test]
fn a_watch_sends_events_when_told_to() {
    let address = server(2, 3);
    let (mut watch, mut control) = (Client::new(address), Client::new(address));
    watch.send("/api/v1/pods?watch=true&resourceVersion=1");
    watch.head();
    control.get("/-/events");
    let events: Vec<Value> = (0..3).map(|_| watch.event().unwrap()).collect();
    for (event, restarts) in events.iter().zip([1, 1, 2]) {
        assert_eq!(event["type"], "MODIFIED");
        assert_eq!(event["object"]["kind"], "Pod");
        let status = &event["object"]["status"]["containerStatuses"][0];
        assert_eq!(status["restartCount"], restarts);
    }
    let name = |at: usize| &events[at]["object"]["metadata"]["name"];
    assert_eq!(name(0), name(2));
    assert_ne!(name(0), name(1));
}

#[test]
fn a_client_learns_the_resources_and_what_to_look_up() {
    let mut client = Client::new(server(40, 0));
    let mut answer = |order| serde_json::from_str::<Value>(&client.get(order)).unwrap();
    assert_eq!(answer("/-/resources")[0]["plural"], "pods");
    let lookups = answer("/-/lookups");
    let label = json!(["app.kubernetes.io/name", "checkout"]);
    let nodes = json!(["node-0000.eu-central.example.com"]);
    assert_eq!(lookups, json!({ "label": label, "nodes": nodes }));
    assert_eq!(client.get("/-/connections"), "0");
}

#[test]
fn each_of_many_resources_has_the_same_objects() {
    let address = server_of(Kind::Types, 3, 0);
    let (mut client, mut other) = (Client::new(address), Client::new(address));
    let resources: Vec<ApiResource> = serde_json::from_str(&client.get("/-/resources")).unwrap();
    assert_eq!(resources.len(), 3);
    assert_eq!(resources[0].api_version, "type-000.example.com/v1");
    let mut list = |number| {
        let target = format!("/apis/type-{number:03}.example.com/v1/things");
        serde_json::from_str::<Value>(&other.get(&target)).unwrap()
    };
    let (first, third) = (list(0), list(2));
    assert_eq!(names(&first), names(&third));
    assert_eq!(names(&first).len(), 5);
    assert_eq!(third["apiVersion"], "type-002.example.com/v1");
    assert_eq!(third["kind"], "ThingList");
    assert_eq!(client.get("/-/connections"), "1");
}

#[test]
fn objects_other_than_pods_are_json_in_any_case() {
    let mut client = Client::new(server_of(Kind::Routes, 2, 0));
    let target = "/apis/gateway.networking.k8s.io/v1/httproutes";
    client.send_accepting(target, PROTOBUF);
    let list: Value = serde_json::from_slice(&client.body(target)).unwrap();
    assert_eq!(names(&list), ["service-00000", "service-00001"]);
}

#[test]
fn an_expired_watch_ends_and_the_command_waits_for_the_next_list() {
    let address = server(1, 0);
    let mut watch = Client::new(address);
    watch.list("");
    watch.send("/api/v1/pods?watch=true");
    watch.head();
    let control = thread::spawn(move || Client::new(address).get("/-/expire"));
    assert_eq!(watch.event().unwrap()["object"]["code"], 410);
    assert!(watch.event().is_none());
    // The connection remains usable.
    let list = watch.list("");
    let version = control.join().unwrap();
    assert_eq!(list["metadata"]["resourceVersion"].to_string(), version);
}

#[test]
fn a_new_client_ends_the_watches_of_the_previous_client() {
    let address = server(1, 1);
    let (mut watch, mut control) = (Client::new(address), Client::new(address));
    watch.send("/api/v1/pods?watch=true");
    watch.head();
    control.get("/-/events");
    watch.event().unwrap();
    control.get("/-/reset");
    assert_eq!(watch.0.read_to_end(&mut Vec::new()).unwrap(), 0);
}

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf,application/json";

#[test]
fn both_encodings_are_equivalent() {
    let mut client = Client::new(server(5, 0));
    for query in ["", "?limit=2", "?limit=2&continue=4"] {
        let target = format!("/api/v1/pods{query}");
        client.send_accepting(&target, PROTOBUF);
        let body = client.body(&target);
        let list: Value = informer_protobuf::from_slice(&body).unwrap();
        let json = client.list(query);
        let of = |list: &Value, name: &str| list["metadata"].get(name).cloned();
        for name in ["continue", "remainingItemCount"] {
            assert_eq!(of(&list, name), of(&json, name), "{query} {name}");
        }
        let pods =
            |list: &Value| -> Vec<Pod> { serde_json::from_value(list["items"].clone()).unwrap() };
        assert!(!pods(&json).is_empty());
        assert_eq!(pods(&list), pods(&json), "{query}");
    }
}

#[test]
fn a_watch_in_protobuf_is_made_of_frames() {
    let address = server(1, 2);
    let (mut watch, mut control) = (Client::new(address), Client::new(address));
    watch.send_accepting("/api/v1/pods?watch=true", PROTOBUF);
    watch.head();
    control.get("/-/events");
    let mut splitter = EventSplitter::new();
    let mut events = Vec::new();
    for _ in 0..2 {
        splitter.push(&watch.chunk().into(), &mut events).unwrap();
    }
    let types: Vec<_> = events
        .iter()
        .map(|event| event.as_ref().unwrap().event_type.clone())
        .collect();
    assert_eq!(types, ["MODIFIED", "MODIFIED"]);
}

#[test]
fn a_streaming_list_has_the_objects_of_a_list_and_its_version() {
    let address = server(70, 0);
    let mut client = Client::new(address);
    let list = client.list("");
    let target = "/api/v1/pods?watch=true&sendInitialEvents=true";
    let pods = |objects: &[Value]| -> Vec<Pod> {
        let typed = |object: &Value| serde_json::from_value(object.clone()).unwrap();
        objects.iter().map(typed).collect()
    };
    let expected = pods(list["items"].as_array().unwrap());

    let mut watch = Client::new(address);
    watch.send(target);
    watch.head();
    let events: Vec<Value> = (0..71).map(|_| watch.event().unwrap()).collect();
    let (end, added) = events.split_last().unwrap();
    let objects: Vec<Value> = added.iter().map(|event| event["object"].clone()).collect();
    assert_eq!(pods(&objects), expected);
    assert!(added.iter().all(|event| event["type"] == "ADDED"));
    assert_eq!(objects[69]["kind"], "Pod");
    assert_eq!(end["type"], "BOOKMARK");
    let metadata = &end["object"]["metadata"];
    assert_eq!(metadata["annotations"]["k8s.io/initial-events-end"], "true");
    // The second list.
    let first: u64 = list["metadata"]["resourceVersion"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(metadata["resourceVersion"], (first + 1).to_string());

    let mut watch = Client::new(address);
    watch.send_accepting(target, PROTOBUF);
    watch.head();
    let mut splitter = EventSplitter::new();
    let mut events = Vec::new();
    for _ in 0..71 {
        splitter.push(&watch.chunk().into(), &mut events).unwrap();
    }
    let objects = events.iter().map(|event| {
        let object = event.as_ref().unwrap().object.clone();
        informer_protobuf::from_slice::<Value>(&object).unwrap()
    });
    let objects: Vec<Value> = objects.collect();
    assert_eq!(pods(&objects[..70]), expected);
    let annotations = &objects[70]["metadata"]["annotations"];
    assert_eq!(annotations["k8s.io/initial-events-end"], "true");
}

#[test]
fn sustained_events_have_new_versions_in_each_round() {
    let address = server_of(Kind::Sustained, 2, 60);
    for accept in ["application/json", PROTOBUF] {
        let (mut watch, mut control) = (Client::new(address), Client::new(address));
        control.get("/-/reset");
        watch.send_accepting("/api/v1/pods?watch=true", accept);
        watch.head();
        control.get("/-/events");
        let mut versions = Vec::new();
        for _ in 0..60 {
            let chunk = watch.chunk();
            let text = String::from_utf8_lossy(&chunk);
            let at = text.find("100000").unwrap();
            versions.push(text[at..at + 10].parse::<u64>().unwrap());
        }
        let first = versions[0];
        assert_eq!(versions, (first..first + 60).collect::<Vec<_>>());
    }
}

#[test]
fn paced_events_are_sent_at_their_times() {
    let address = server(1, 1);
    let (mut watch, mut control) = (Client::new(address), Client::new(address));
    watch.send("/api/v1/pods?watch=true&resourceVersion=1");
    watch.head();
    control.get("/-/paced");
    let first = watch.event().unwrap();
    for _ in 1..PACED {
        watch.event().unwrap();
    }
    // The paced events follow the prepared events.
    assert_eq!(
        first["object"]["status"]["containerStatuses"][0]["restartCount"],
        2
    );
    let sent: Vec<u64> = serde_json::from_str(&control.get("/-/sent")).unwrap();
    assert_eq!(sent.len(), PACED);
    let took = sent.last().unwrap() - sent.first().unwrap();
    assert!(
        took >= (PACED as u64 - 1) * 1_000_000_000 / paced::RATE,
        "{took}"
    );
}
