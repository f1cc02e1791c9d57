//! Connects to the cluster of the example: an embedded API server, or a real one.

use std::collections::BTreeMap;
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use informer::{ObjectKey, SharedInformerFactory};
use informer_apiserver::ApiServer;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, CustomResourceExt as _};
use serde_json::json;
use tokio::time::timeout;

use crate::api::Foo;

/// Maximum time until the server serves a new definition.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs a controller for Foo, and simulates a user. Without arguments, starts an embedded API
/// server.
#[derive(clap::Parser)]
#[command(version)]
pub(crate) struct Args {
    /// Uses the cluster of this kubeconfig instead
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig (default: the current context)
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// Namespace of the Foo
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) namespace: String,
    /// Serves the debug page at this address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) debug: Option<SocketAddr>,
    /// Repeats the play slowly until Ctrl-C
    #[arg(long)]
    pub(crate) hold: bool,
}

/// API server with a client.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    pub(crate) description: String,
    embedded: Option<ApiServer>,
}

impl Cluster {
    pub(crate) async fn connect(args: &Args) -> Result<Self, Box<dyn Error>> {
        if args.kubeconfig.is_none() && args.context.is_none() {
            let server = ApiServer::builder().create_namespaces(true).start().await?;
            let client = informer::connect(server.kube_config())?;
            let description = format!("embedded, {}", server.url());
            return Ok(Self {
                client,
                description,
                embedded: Some(server),
            });
        }
        let kubeconfig = match &args.kubeconfig {
            Some(path) => Kubeconfig::read_from(path)?,
            None => Kubeconfig::read()?,
        };
        let options = KubeConfigOptions {
            context: args.context.clone(),
            ..Default::default()
        };
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
        let description = config.cluster_url.to_string();
        Ok(Self {
            client: informer::connect(config)?,
            description,
            embedded: None,
        })
    }

    /// Returns `true` if no other controllers act on the cluster, such as the deployment
    /// controller.
    pub(crate) fn is_embedded(&self) -> bool {
        self.embedded.is_some()
    }

    /// Installs the CustomResourceDefinition of Foo, and waits until it is served.
    pub(crate) async fn install_crd(&self) -> Result<(), Box<dyn Error>> {
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let mut definition = Foo::crd();
        // Groups that end in `k8s.io` belong to the Kubernetes community, and need an approval
        // annotation.
        let approval = (
            "api-approved.kubernetes.io".to_owned(),
            "unapproved, an example".to_owned(),
        );
        definition.metadata.annotations = Some(BTreeMap::from([approval]));
        match api.create(&PostParams::default(), &definition).await {
            Ok(_) => {}
            Err(kube::Error::Api(status)) if status.is_already_exists() => {
                let patch = Patch::Merge(json!({ "spec": definition.spec }));
                api.patch(Foo::crd_name(), &PatchParams::default(), &patch)
                    .await?;
            }
            Err(error) => return Err(error.into()),
        }
        self.wait_until_established(Foo::crd_name()).await
    }

    async fn wait_until_established(&self, name: &str) -> Result<(), Box<dyn Error>> {
        let factory = SharedInformerFactory::builder(self.client.clone()).build()?;
        let definitions = factory.informer::<CustomResourceDefinition>();
        factory.start()?;
        let key = ObjectKey::cluster(name);
        let established = definitions
            .indexer()
            .wait_until(move |all| all.get(&key).is_some_and(|found| is_established(&found)));
        let waited = timeout(PATIENCE, established).await;
        factory.shutdown().await;
        if waited.is_err() {
            return Err(
                format!("CustomResourceDefinition {name} is not established after 10 s").into(),
            );
        }
        Ok(())
    }

    pub(crate) async fn shutdown(self) {
        if let Some(server) = self.embedded {
            server.shutdown().await;
        }
    }
}

fn is_established(definition: &CustomResourceDefinition) -> bool {
    informer::is_condition_true(&definition.status, "Established")
}
