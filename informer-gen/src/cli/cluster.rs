//! What a cluster serves, asked on demand: by the command line only, never in a build.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use informer_gen::Config;

use super::progress::Display;

/// Which cluster to ask, and what to do with its answer.
#[derive(Debug, clap::Args)]
pub(super) struct Cluster {
    /// Ask the cluster what it serves, and compare as with --discovery
    #[arg(help_heading = "Discovery", long = "discovery-from-cluster")]
    compares: bool,

    /// Ask the cluster what it serves, and generate its kinds, as with --discovery-kinds: the
    /// types of those that are not built in are in MODULE, or `dynamic`
    #[arg(
        help_heading = "Discovery",
        long = "kinds-from-cluster",
        value_name = "MODULE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    kinds: Option<String>,

    /// Read the definitions of custom resources from the cluster, as with --crd: the types of their
    /// kinds are in MODULE, or `types` to have them written, or `dynamic`
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

/// Which cluster.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// The context of the kubeconfig that names the cluster; if not given, the current one
    #[arg(long, value_name = "CONTEXT")]
    context: Option<String>,
}

/// Saves what a cluster serves.
#[derive(Debug, clap::Args)]
pub(super) struct Discover {
    #[command(flatten)]
    place: Place,
    /// The file to write; `-` for stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// What a cluster is asked.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// Which kinds it serves.
    Discovery,
    /// Which custom resources are defined.
    Definitions,
}

/// What a cluster said, and who it is.
struct Answer {
    /// Its address.
    origin: String,
    /// The aggregated discovery of all groups, or the list of definitions.
    json: String,
}

// === impl Cluster ===

impl Cluster {
    /// `config`, with the cluster's answer if that is wanted.
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
            "this informer-gen cannot ask a cluster: build it with its feature `cluster`, \
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
        let failed = |what: &str, error: &dyn Error| -> Box<dyn Error> {
            format!("cannot {what}: {}", with_causes(error)).into()
        };
        let mut config = match &self.context {
            None => kube::Config::infer()
                .await
                .map_err(|error| failed("find a cluster to ask", &error))?,
            Some(context) => {
                let options = kube::config::KubeConfigOptions {
                    context: Some(context.clone()),
                    ..kube::config::KubeConfigOptions::default()
                };
                kube::Config::from_kubeconfig(&options)
                    .await
                    .map_err(|error| failed("find a cluster to ask", &error))?
            }
        };
        config.read_timeout = Some(TIMEOUT);
        let origin = config.cluster_url.to_string();
        display.show(&format!("asking {origin} what it serves"));
        let asked = |error: &dyn Error| failed(&format!("ask {origin} what it serves"), error);
        let client = kube::Client::try_from(config).map_err(|error| asked(&error))?;
        let get = async |path: &str, accept: &str| {
            let request = http::Request::get(path)
                .header(http::header::ACCEPT, accept)
                .body(Vec::new())?;
            let document: serde_json::Value = client
                .request(request)
                .await
                .map_err(|error| asked(&error))?;
            Ok::<_, Box<dyn Error>>(document)
        };
        if let Question::Definitions = question {
            let json = get(DEFINITIONS, "application/json").await?.to_string();
            return Ok(Answer { origin, json });
        }
        let mut items = Vec::new();
        for path in ["/api", "/apis"] {
            let document = get(path, AGGREGATED).await?;
            match document.get("items") {
                Some(serde_json::Value::Array(groups)) => items.extend(groups.iter().cloned()),
                _ => {
                    return Err(format!(
                        "{origin} knows no aggregated discovery, which is there since Kubernetes \
                         1.26: save the documents of single groups, and give them with --discovery"
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

/// How long an answer may take.
#[cfg(feature = "cluster")]
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);

/// Where the definitions are.
#[cfg(feature = "cluster")]
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// What is asked for; the second form is that of Kubernetes 1.26 to 1.29.
#[cfg(feature = "cluster")]
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
     application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

/// An error and what it comes from, each once.
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
