//! Requests the CRDs of a cluster, page by page.

use std::error::Error;
use std::time::Duration;

use kube::config::KubeConfigOptions;
use kube::core::{ObjectList, Request};
use kube::{Client, Config};
use serde_json::{Value, json};

use super::ClusterAnswer;

/// Maximum duration of a request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Path of the CRDs.
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// CRDs in a page of the list. A CRD can have a megabyte.
const PAGE: u32 = 50;

/// Maximum number of pages. A server that always has one more would never end.
const PAGES: u32 = 1_000;

/// Returns the CRDs of the cluster of a context, by default of the current one.
pub(super) fn definitions(context: Option<String>) -> Result<ClusterAnswer, Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(answer(context))
}

async fn answer(context: Option<String>) -> Result<ClusterAnswer, Box<dyn Error>> {
    let mut config = configuration(context)
        .await
        .map_err(|error| failed("load the configuration of the cluster", &*error))?;
    config.read_timeout = Some(TIMEOUT);
    let origin = config.cluster_url.to_string();
    let items = pages(config, &origin).await?;
    let list = json!({
        "kind": "CustomResourceDefinitionList",
        "apiVersion": "apiextensions.k8s.io/v1",
        "items": items,
    });
    Ok(ClusterAnswer {
        origin,
        json: list.to_string(),
    })
}

async fn configuration(context: Option<String>) -> Result<Config, Box<dyn Error>> {
    if context.is_none() {
        return Ok(Config::infer().await?);
    }
    let options = KubeConfigOptions {
        context,
        ..KubeConfigOptions::default()
    };
    Ok(Config::from_kubeconfig(&options).await?)
}

/// Reads all pages of the list.
async fn pages(config: Config, origin: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    let query_failed = |error: kube::Error| failed(&format!("query {origin}"), &error);
    let client = Client::try_from(config).map_err(query_failed)?;
    let mut definitions: Vec<Value> = Vec::new();
    let mut page = kube::api::ListParams::default().limit(PAGE);
    for _ in 0..PAGES {
        let request = Request::new(DEFINITIONS).list(&page)?;
        let answer = client.request::<ObjectList<Value>>(request).await;
        let list = answer.map_err(query_failed)?;
        definitions.extend(list.items);
        match list.metadata.continue_ {
            Some(token) if !token.is_empty() => page = page.continue_token(&token),
            _ => return Ok(definitions),
        }
    }
    Err(format!(
        "{origin} has more than {PAGES} pages of CRDs ({} so far): save those that you need, and \
         pass them with --crd",
        definitions.len()
    )
    .into())
}

fn failed(action: &str, error: &dyn Error) -> Box<dyn Error> {
    format!("cannot {action}: {}", with_causes(error)).into()
}

/// Formats an error with its causes, each once.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
