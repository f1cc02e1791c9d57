//! The same objects give the same tables on both servers, with all columns.
//!
//! With `INFORMER_WRITE_COLUMNS` set, writes the definitions of the columns from those of the real
//! server, for another version of Kubernetes.

use std::collections::HashMap;

use http::Request;
use informer_apiserver::ApiServer;
use informer_apiserver::envtest::Environment;
use kube::Client;
use kube::core::{DynamicObject, Resource};
use kube::discovery::{ApiGroup, Discovery};
use serde_json::{Value, json};

use crate::assets::assets;
use crate::shell::{Kubectl, replay};
use crate::transcript::Session;
use crate::{in_process, normalise};

const OBJECTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kubectl/objects.yaml");

/// Commands after the objects are applied: statuses that a kubelet, a scheduler and controllers would
/// have written, and the tables, by kind and name because the real server has objects of its own.
const COMMANDS: &str = include_str!("tables.txt");

fn session() -> Session {
    let apply = format!("kubectl apply -f {OBJECTS}");
    let commands = COMMANDS.lines().map(str::to_owned);
    Session::of(std::iter::once(apply).chain(commands))
}

#[tokio::test]
async fn tables_match_the_real_server() {
    let Some(kubectl) = Kubectl::find() else {
        return;
    };
    let Some(assets) = assets() else {
        return;
    };
    let session = session();
    let server = in_process().await;
    let ours = replay(&kubectl, &session, &server.kubeconfig(), "our-tables").await;
    server.shutdown().await;
    let real = Environment::start(&assets).await.unwrap();
    let kubeconfig = std::fs::read_to_string(real.write_kubeconfig().unwrap()).unwrap();
    let theirs = replay(&kubectl, &session, &kubeconfig, "real-tables").await;
    real.stop().await;

    let mut mismatches = Vec::new();
    for (step, (ours, theirs)) in session.steps.iter().zip(ours.iter().zip(&theirs)) {
        let (ours, theirs) = (normalise::text(ours), normalise::text(theirs));
        if ours != theirs {
            mismatches.push(format!(
                "$ {}--- ours:\n{ours}\n--- real:\n{theirs}\n",
                step.command
            ));
        }
        let is_refused = theirs.contains("Error") || theirs.contains("invalid");
        assert!(!is_refused, "$ {}{theirs}", step.command);
    }
    assert!(
        mismatches.is_empty(),
        "{} differ\n{}",
        mismatches.len(),
        mismatches.join("\n")
    );
}

const COLUMNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/kubectl/columns.jsonl");

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// Members of a line that say where a cell comes from. All others are the definition.
const CELL: [&str; 4] = ["cell", "else", "if", "paths"];

/// A resource whose table has only the columns of the first table of the file.
const PLAIN: &str = "serviceaccounts.";

/// Returns the column definitions of a server by resource.
async fn definitions(client: &Client) -> HashMap<String, Value> {
    let mut definitions = HashMap::new();
    let discovery = Discovery::new(client.clone()).run().await.unwrap();
    let resources = discovery.groups().flat_map(ApiGroup::recommended_resources);
    for (resource, capabilities) in resources {
        if capabilities.supports_operation("list") {
            let path = DynamicObject::url_path(&resource, None);
            let request = Request::get(path).header("accept", TABLE);
            let request = request.body(Vec::new()).unwrap();
            let mut table: Value = client.request(request).await.unwrap();
            let name = format!("{}.{}", resource.plural, resource.group);
            definitions.insert(name, table["columnDefinitions"].take());
        }
    }
    definitions
}

/// Reads the file: each resource with its columns.
fn tables() -> Vec<(String, Vec<Value>)> {
    let mut tables: Vec<(String, Vec<Value>)> = Vec::new();
    for line in std::fs::read_to_string(COLUMNS).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if let Some(resource) = line.get("resource").and_then(Value::as_str) {
            tables.push((resource.to_owned(), Vec::new()));
            continue;
        }
        let mut common = tables[0].1.iter();
        let column = common.find(|column| column["name"] == line).cloned();
        tables.last_mut().unwrap().1.push(column.unwrap_or(line));
    }
    tables
}

/// Writes the file with these definitions. The cells stay those of the column of the same name.
fn write(tables: &[(String, Vec<Value>)], definitions: &HashMap<String, Value>) {
    let (mut lines, mut common) = (Vec::new(), Vec::new());
    for (resource, columns) in tables {
        lines.push(json!({ "resource": resource }));
        let known = definitions.get(resource).unwrap_or(&definitions[PLAIN]);
        for definition in known.as_array().unwrap() {
            let mut column = definition.clone();
            let mut written = columns.iter();
            let written = written.find(|column| column["name"] == definition["name"]);
            let written = written.unwrap_or_else(|| panic!("{resource} has no {definition}"));
            for member in CELL.iter().filter(|member| written.get(**member).is_some()) {
                column[*member] = written[*member].clone();
            }
            if resource == "." {
                common.push(column.clone());
            } else if common.contains(&column) {
                column = column["name"].take();
            }
            lines.push(column);
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(COLUMNS, lines.concat()).unwrap();
}

#[tokio::test]
async fn columns_are_defined_as_on_the_real_server() {
    let Some(assets) = assets() else {
        return;
    };
    let real = Environment::start(&assets).await.unwrap();
    let client = Client::try_from(real.kube_config()).unwrap();
    let theirs = definitions(&client).await;
    real.stop().await;
    let tables = tables();
    if std::env::var_os("INFORMER_WRITE_COLUMNS").is_some() {
        write(&tables, &theirs);
    }
    let server = ApiServer::builder().start().await.unwrap();
    let ours = definitions(&server.client().unwrap()).await;
    server.shutdown().await;
    assert_eq!(ours[PLAIN], theirs[PLAIN]);
    for (resource, _) in tables.iter().skip(1) {
        assert_eq!(ours[resource], theirs[resource], "{resource}");
    }
}
