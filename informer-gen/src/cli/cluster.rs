//! Queries a cluster for its CRDs. Only the command line does so, never a build script.

use std::error::Error;

use informer_gen::Config;

/// Options of queries to a cluster.
#[derive(Debug, clap::Args)]
pub(super) struct Cluster {
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

    /// Context of the kubeconfig to use (default: the current context)
    #[arg(long, value_name = "CONTEXT")]
    context: Option<String>,
}

/// CRDs of a cluster.
struct Answer {
    /// Address of the cluster.
    origin: String,
    /// List of the CRDs.
    json: String,
}

// === impl Cluster ===

impl Cluster {
    /// Returns `config` with the requested CRDs of the cluster.
    pub(super) fn over(&self, config: Config) -> Result<Config, Box<dyn Error>> {
        let Some(module) = &self.definitions else {
            return Ok(config);
        };
        let Answer { origin, json } = self.ask()?;
        Ok(config.crd_text(&origin, &json, module))
    }

    #[cfg(not(feature = "cluster"))]
    fn ask(&self) -> Result<Answer, Box<dyn Error>> {
        let _ = &self.context;
        Err(
            "this build of informer-gen cannot query a cluster: install it with \
             `cargo install informer-gen --features cluster`"
                .into(),
        )
    }

    #[cfg(feature = "cluster")]
    fn ask(&self) -> Result<Answer, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(self.answer())
    }

    #[cfg(feature = "cluster")]
    async fn answer(&self) -> Result<Answer, Box<dyn Error>> {
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
        let query_failed = |error: &dyn Error| failed(&format!("query {origin}"), error);
        let client = kube::Client::try_from(config).map_err(|error| query_failed(&error))?;
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
        }
        let list = serde_json::json!({
            "kind": "CustomResourceDefinitionList",
            "apiVersion": "apiextensions.k8s.io/v1",
            "items": definitions,
        });
        let json = list.to_string();
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
