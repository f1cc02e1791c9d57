//! Queries a cluster for its API discovery and CRDs. Only the command line does so, never a build
//! script.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use informer_gen::Config;

use super::progress::Display;

/// Options of queries to a cluster.
#[derive(Debug, clap::Args)]
pub(super) struct Cluster {
    /// Query the discovery documents of the cluster, and compare as with --discovery
    #[arg(help_heading = "Discovery", long = "discovery-from-cluster")]
    compares: bool,

    /// Query the discovery documents of the cluster, and generate its kinds, as with
    /// --discovery-kinds: MODULE is the Rust module of the types of kinds that are not built in, or
    /// `dynamic`
    #[arg(
        help_heading = "Discovery",
        long = "kinds-from-cluster",
        value_name = "MODULE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    kinds: Option<String>,

    /// Read the CRDs from the cluster, as with --crd: MODULE is the Rust module of the types of
    /// their kinds, or `types` to generate the types, or `dynamic`
    #[arg(
        help_heading = "Inputs",
        long = "from-cluster",
        value_name = "MODULE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    definitions: Option<String>,

    #[command(flatten)]
    place: Place,
}

/// Cluster to query.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// Context of the kubeconfig to use (default: the current context)
    #[arg(long, value_name = "CONTEXT")]
    context: Option<String>,
}

/// Saves the discovery documents of a cluster.
#[derive(Debug, clap::Args)]
pub(super) struct Discover {
    #[command(flatten)]
    place: Place,
    /// File to write; `-` for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Request to a cluster.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// Kinds that the cluster serves.
    Discovery,
    /// `CustomResourceDefinition`s of the cluster.
    Definitions,
}

/// Response of a cluster, with the address of the cluster.
struct Answer {
    /// Address of the cluster.
    origin: String,
    /// Aggregated discovery of all groups, or the list of CRDs.
    json: String,
}

// === impl Cluster ===

impl Cluster {
    /// Returns `config` with the requested documents of the cluster.
    pub(super) fn over(&self, config: Config) -> Result<Config, Box<dyn Error>> {
        let mut config = config;
        if let Some(module) = &self.definitions {
            let Answer { origin, json } = self.place.ask(Question::Definitions)?;
            config = config.crd_text(&origin, &json, module);
        }
        if !self.compares && self.kinds.is_none() {
            return Ok(config);
        }
        let Answer { origin, json } = self.place.ask(Question::Discovery)?;
        Ok(config.discovery_answer(&origin, &json, self.kinds.as_deref()))
    }
}

// === impl Discover ===

impl Discover {
    pub(super) fn run(&self) -> Result<ExitCode, Box<dyn Error>> {
        let json = self.place.ask(Question::Discovery)?.json;
        if self.output == Path::new("-") {
            io::stdout().lock().write_all(json.as_bytes())?;
        } else {
            fs::write(&self.output, json)
                .map_err(|error| format!("cannot write `{}`: {error}", self.output.display()))?;
            eprintln!("wrote {}", self.output.display());
        }
        Ok(ExitCode::SUCCESS)
    }
}

// === impl Place ===

impl Place {
    #[cfg(not(feature = "cluster"))]
    fn ask(&self, _: Question) -> Result<Answer, Box<dyn Error>> {
        let _ = (&self.context, Display::stderr);
        Err(
            "this build of informer-gen cannot query a cluster: install it with \
             `cargo install informer-gen --features cluster`"
                .into(),
        )
    }

    #[cfg(feature = "cluster")]
    fn ask(&self, question: Question) -> Result<Answer, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let display = Display::stderr();
        let answer = runtime.block_on(self.answer(question, display));
        display.clear();
        answer
    }

    #[cfg(feature = "cluster")]
    async fn answer(&self, question: Question, display: Display) -> Result<Answer, Box<dyn Error>> {
        let failed = |action: &str, error: &dyn Error| -> Box<dyn Error> {
            format!("cannot {action}: {}", with_causes(error)).into()
        };
        let mut config = match &self.context {
            None => kube::Config::infer()
                .await
                .map_err(|error| failed("load the configuration of the cluster", &error))?,
            Some(context) => {
                let options = kube::config::KubeConfigOptions {
                    context: Some(context.clone()),
                    ..kube::config::KubeConfigOptions::default()
                };
                kube::Config::from_kubeconfig(&options)
                    .await
                    .map_err(|error| failed("load the configuration of the cluster", &error))?
            }
        };
        config.read_timeout = Some(TIMEOUT);
        let origin = config.cluster_url.to_string();
        display.show(&format!("querying {origin}"));
        let query_failed = |error: &dyn Error| failed(&format!("query {origin}"), error);
        let client = kube::Client::try_from(config).map_err(|error| query_failed(&error))?;
        if let Question::Definitions = question {
            let mut definitions: Vec<serde_json::Value> = Vec::new();
            let mut page = kube::api::ListParams::default().limit(PAGE);
            for read in 1.. {
                let request = kube::core::Request::new(DEFINITIONS).list(&page)?;
                let list: kube::core::ObjectList<serde_json::Value> = client
                    .request(request)
                    .await
                    .map_err(|error| query_failed(&error))?;
                definitions.extend(list.items);
                match list.metadata.continue_ {
                    Some(token) if !token.is_empty() => page = page.continue_token(&token),
                    _ => break,
                }
                if read == PAGES {
                    return Err(format!(
                        "{origin} has more than {PAGES} pages of CRDs ({} so far): save those that \
                         you need, and pass them with --crd",
                        definitions.len()
                    )
                    .into());
                }
                display.show(&format!("querying {origin}: {} CRDs", definitions.len()));
            }
            let list = serde_json::json!({
                "kind": "CustomResourceDefinitionList",
                "apiVersion": "apiextensions.k8s.io/v1",
                "items": definitions,
            });
            let json = list.to_string();
            return Ok(Answer { origin, json });
        }
        let mut items = Vec::new();
        for path in ["/api", "/apis"] {
            let request = http::Request::get(path)
                .header(http::header::ACCEPT, AGGREGATED)
                .body(Vec::new())?;
            let document: serde_json::Value = client
                .request(request)
                .await
                .map_err(|error| query_failed(&error))?;
            match document.get("items") {
                Some(serde_json::Value::Array(groups)) => items.extend(groups.iter().cloned()),
                _ => {
                    return Err(format!(
                       "{origin} does not support aggregated discovery (Kubernetes 1.26 and later): \
                         save the documents of single groups, and pass them with --discovery"
                    )
                    .into());
                }
            }
        }
        let document = serde_json::json!({
            "kind": "APIGroupDiscoveryList",
            "apiVersion": "apidiscovery.k8s.io/v2",
            "metadata": {},
            "items": items,
        });
        let json = serde_json::to_string_pretty(&document)? + "\n";
        Ok(Answer { origin, json })
    }
}

/// Maximum duration of a request.
#[cfg(feature = "cluster")]
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);

/// Path of the CRDs.
#[cfg(feature = "cluster")]
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// CRDs in a page of the list. A CRD can have a megabyte.
#[cfg(feature = "cluster")]
const PAGE: u32 = 50;

/// Maximum number of pages. A server that always has one more would never end.
#[cfg(feature = "cluster")]
const PAGES: u32 = 1_000;

/// Accepted media types. Kubernetes 1.26 to 1.29 serves the second.
#[cfg(feature = "cluster")]
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
     application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

/// Formats an error with its causes, each once.
#[cfg(feature = "cluster")]
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
