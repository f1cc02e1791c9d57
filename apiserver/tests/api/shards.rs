//! `shardSelector` and `shardInfo` with the feature enabled. `tests/differential` compares their
//! results with the real server.

use informer_apiserver::ApiServer;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::support::{Lines, crd, fill, get, put};

const MAPS: &str = "/api/v1/configmaps";
const MIDDLE: &str = "0x8000000000000000";

fn selector(start: &str, end: &str) -> String {
    let text = format!("shardRange(object.metadata.uid, '{start}', '{end}')");
    utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string()
}

fn halves() -> [String; 2] {
    [
        selector("0x0000000000000000", MIDDLE),
        selector(MIDDLE, "0x10000000000000000"),
    ]
}

async fn sharded() -> ApiServer {
    let builder = ApiServer::builder().sharded_list_and_watch(true);
    builder.start().await.unwrap()
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap().iter();
    let name = |item: &Value| item["metadata"]["name"].as_str().unwrap().to_owned();
    items.map(name).collect()
}

#[tokio::test]
async fn halves_are_disjoint_and_complete() {
    let server = sharded().await;
    fill(&server, 40);
    let mut all = Vec::new();
    for half in halves() {
        let (_, list) = get(&server, &format!("{MAPS}?shardSelector={half}")).await;
        let part = names(&list);
        assert!(part.len() > 5, "{part:?}");
        all.extend(part);
        let echo = list["metadata"]["shardInfo"]["selector"].as_str().unwrap();
        assert!(
            echo.starts_with("shardRange(object.metadata.uid, '0x"),
            "{echo}"
        );

        // The pages contain the same objects, and every page reports its shard.
        let mut paged = Vec::new();
        let mut token = String::new();
        loop {
            let path = format!("{MAPS}?limit=3&shardSelector={half}&continue={token}");
            let (_, page) = get(&server, &path).await;
            assert_eq!(page["metadata"]["shardInfo"]["selector"], echo);
            assert_eq!(page["metadata"]["remainingItemCount"], Value::Null);
            paged.extend(names(&page));
            match page["metadata"]["continue"].as_str() {
                Some(next) => token = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(paged, names(&list));
    }
    all.sort();
    let (_, list) = get(&server, MAPS).await;
    assert_eq!(list["metadata"]["shardInfo"], Value::Null);
    assert_eq!(all, names(&list));
}

#[tokio::test]
async fn each_event_belongs_to_one_half() {
    let server = sharded().await;
    let mut watches = Vec::new();
    for half in halves() {
        watches.push(Lines::open(&server, &format!("{MAPS}?watch=1&shardSelector={half}")).await);
    }
    fill(&server, 20);
    let mut events = Vec::new();
    for half in halves() {
        let (_, list) = get(&server, &format!("{MAPS}?shardSelector={half}")).await;
        let added = names(&list).into_iter().map(|name| format!("ADDED {name}"));
        events.push(added.collect::<Vec<_>>());
    }
    for name in ["c-00003", "c-00009"] {
        let path = format!("/api/v1/namespaces/default/configmaps/{name}");
        server.control().delete_direct(&path).unwrap();
        for half in &mut events {
            if half.contains(&format!("ADDED {name}")) {
                half.push(format!("DELETED {name}"));
            }
        }
    }
    // Created after the deletions, so that an event in the wrong half is detected.
    for number in 10..40 {
        put(&server, &format!("d-{number}"));
    }
    for (half, events) in halves().iter().zip(&mut events) {
        let (_, list) = get(&server, &format!("{MAPS}?shardSelector={half}")).await;
        let later = names(&list)
            .into_iter()
            .filter(|name| name.starts_with('d'));
        events.extend(later.map(|name| format!("ADDED {name}")));
    }
    assert_eq!(events.concat().len(), 52, "{events:?}");
    for (watch, expected) in watches.iter_mut().zip(events) {
        assert_eq!(watch.shorts(expected.len()).await, expected);
    }
}

/// As in the real server, whose lists of unknown types lack the field.
#[tokio::test]
async fn lists_of_custom_resources_and_of_metadata_lack_shard_info() {
    let server = sharded().await;
    fill(&server, 3);
    let whole = selector("0x0000000000000000", "0x10000000000000000");
    let path = format!("{MAPS}?shardSelector={whole}");
    let form = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    let (_, list) = crate::support::get_as(&server, &path, form).await;
    assert_eq!(names(&list).len(), 3);
    assert_eq!(list["metadata"]["shardInfo"], Value::Null);
    assert_eq!(
        get(&server, &path).await.1["metadata"]["shardInfo"],
        json!({
            "selector": "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')",
        })
    );

    let control = server.control();
    control.create_direct(definition()).unwrap();
    for number in 0..20 {
        let metadata = json!({ "name": format!("w-{number:02}") });
        let widget =
            json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata });
        control.create_direct(widget).unwrap();
    }
    let mut all = Vec::new();
    for half in halves() {
        let path = format!("/apis/example.com/v1/widgets?shardSelector={half}");
        let (_, list) = get(&server, &path).await;
        assert_eq!(list["metadata"]["shardInfo"], Value::Null);
        all.extend(names(&list));
    }
    assert_eq!(all.len(), 20);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 20, "{all:?}");
}

fn definition() -> Value {
    let version = json!({
        "name": "v1", "served": true, "storage": true,
        "schema": { "openAPIV3Schema": { "type": "object" } },
    });
    crd("Widget", "Namespaced", &json!([version]))
}
