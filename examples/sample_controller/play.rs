//! Simulates a user of Foo, who acts and waits for the controller.

use std::time::Duration;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::k8s::apps::v1::DeploymentInformer;
use informer::{ObjectKey, SharedInformerFactory};
use k8s_openapi::api::apps::v1::Deployment;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::api::{Foo, FooInformer, FooInformerFactory as _, FooSpec};
use crate::cluster::Cluster;
use crate::report::Report;

/// Maximum duration of a step.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause between two steps of a slow play.
const PAUSE: Duration = Duration::from_secs(3);

pub(crate) struct Play {
    foos: FooInformer,
    deployments: DeploymentInformer,
    foo_api: Api<Foo>,
    deployment_api: Api<Deployment>,
    foo: ObjectKey,
    deployment: ObjectKey,
    is_embedded: bool,
    report: Report,
}

impl Play {
    pub(crate) fn new(
        cluster: &Cluster,
        factory: &SharedInformerFactory,
        namespace: &str,
        report: Report,
    ) -> Self {
        Self {
            // The informers are those of the controller: one LIST and one WATCH each.
            foos: factory.foos(),
            deployments: factory.apps().v1().deployments(),
            foo_api: Api::namespaced(cluster.client.clone(), namespace),
            deployment_api: Api::namespaced(cluster.client.clone(), namespace),
            foo: ObjectKey::namespaced(namespace, "example"),
            deployment: ObjectKey::namespaced(namespace, "web"),
            is_embedded: cluster.is_embedded(),
            report,
        }
    }

    /// Runs all steps. Returns `true` if every state was reached.
    pub(crate) async fn run(&self) -> bool {
        self.play(Duration::ZERO).await
    }

    /// Repeats all steps, slowly, until `end`.
    pub(crate) async fn repeat(&self, end: impl Future<Output = ()>) {
        let endless = async {
            loop {
                if !self.play(PAUSE).await {
                    sleep(PAUSE).await;
                }
            }
        };
        tokio::select! {
            () = end => {}
            () = endless => {}
        }
    }

    async fn play(&self, pause: Duration) -> bool {
        match self.steps(pause).await {
            Ok(good) => good,
            Err(error) => {
                self.report.outcome(false, &crate::report::chain(&error));
                false
            }
        }
    }

    async fn steps(&self, pause: Duration) -> Result<bool, kube::Error> {
        let Self {
            foo,
            deployment,
            report,
            ..
        } = self;

        report.step(&format!(
            "A user creates Foo {foo}: Deployment {}, 2 replicas",
            deployment.name()
        ));
        let spec = FooSpec {
            deployment_name: deployment.name().to_owned(),
            replicas: Some(2),
        };
        self.foo_api
            .create(&PostParams::default(), &Foo::new(foo.name(), spec))
            .await?;
        if !self
            .reached("the Deployment exists with 2 replicas", replicas_are(2))
            .await
        {
            return Ok(false);
        }

        sleep(pause).await;
        report.step("Another client scales the Deployment to 5");
        let drift = Patch::Merge(json!({ "spec": { "replicas": 5 } }));
        let api = &self.deployment_api;
        let drifted = api
            .patch(deployment.name(), &PatchParams::default(), &drift)
            .await?;
        // The cache may not have the drift yet, so only later versions count.
        let repaired = move |deployment: Option<&Deployment>| {
            deployment.is_some_and(|deployment| {
                deployment.metadata.generation > drifted.metadata.generation
            }) && replicas_are(2)(deployment)
        };
        if !self
            .reached("the Deployment is back at 2 replicas", repaired)
            .await
        {
            return Ok(false);
        }

        sleep(pause).await;
        report.step("The user scales the Foo to 3");
        let scale = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
        self.foo_api
            .patch(foo.name(), &PatchParams::default(), &scale)
            .await?;
        if !self
            .reached("the Deployment has 3 replicas", replicas_are(3))
            .await
        {
            return Ok(false);
        }

        sleep(pause).await;
        if self.is_embedded {
            report.step(
                "The Deployment's replicas become available (simulated: this server runs \
                         no pods)",
            );
            let status = Patch::Merge(json!({ "status": { "availableReplicas": 3 } }));
            let api = &self.deployment_api;
            api.patch_status(deployment.name(), &PatchParams::default(), &status)
                .await?;
            if !self.foo_says_available(3).await {
                return Ok(false);
            }
        }

        sleep(pause).await;
        report.step(&format!("The user deletes Foo {foo}"));
        self.foo_api
            .delete(foo.name(), &DeleteParams::default())
            .await?;
        Ok(self
            .reached("the Deployment is gone", |deployment| deployment.is_none())
            .await)
    }

    /// Waits until the cached Deployment has the desired state. Reacts to events, without polling.
    async fn reached(
        &self,
        what: &str,
        wanted: impl Fn(Option<&Deployment>) -> bool + Send + 'static,
    ) -> bool {
        let key = self.deployment.clone();
        let seen = self
            .deployments
            .indexer()
            .wait_until(move |snapshot| wanted(snapshot.get(&key).as_deref()));
        let good = timeout(PATIENCE, seen).await.is_ok();
        self.report.outcome(good, what);
        good
    }

    async fn foo_says_available(&self, wanted: i32) -> bool {
        let key = self.foo.clone();
        let seen = self.foos.indexer().wait_until(move |snapshot| {
            let foo = snapshot.get(&key);
            let status = foo.as_ref().and_then(|foo| foo.status.as_ref());
            status.is_some_and(|status| status.available_replicas == wanted)
        });
        let good = timeout(PATIENCE, seen).await.is_ok();
        self.report.outcome(
            good,
            &format!("the Foo's status reports {wanted} available replicas"),
        );
        good
    }
}

fn replicas_are(wanted: i32) -> impl Fn(Option<&Deployment>) -> bool + Send + 'static {
    move |deployment| deployment.and_then(|one| one.spec.replicas) == Some(wanted)
}
