//! The controller: two informers, one queue, one `reconcile`.

use std::error::Error;
use std::sync::Arc;

use informer::{ObjectKey, SharedInformerFactory, WorkQueue};
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource as _};
use serde_json::json;

use crate::api::{Foo, FooInformerFactory as _, FooLister, FooRelated, FooStatus};
use crate::report::Report;

/// Keeps one Deployment for each Foo.
#[derive(Clone)]
pub(crate) struct Controller {
    client: Client,
    foos: FooLister,
    graph: FooRelated,
    queue: WorkQueue<ObjectKey>,
    report: Report,
}

impl Controller {
    pub(crate) fn new(
        factory: &SharedInformerFactory,
        report: Report,
    ) -> Result<Self, Box<dyn Error>> {
        let foos = factory.foos();
        let graph = foos.related(factory);
        let queue = WorkQueue::rate_limited("foos");
        // A change of a Foo, or of a Deployment of a Foo, enqueues the Foo.
        graph.enqueue_into(&queue)?;
        Ok(Self {
            client: factory.client().clone(),
            foos: foos.lister(),
            graph,
            queue,
            report,
        })
    }

    /// Runs the workers until [`stop`](Self::stop) is called.
    pub(crate) async fn run(&self, workers: usize) {
        let controller = self.clone();
        let reconcile = move |key: ObjectKey| {
            let controller = controller.clone();
            async move { controller.reconcile(&key).await }
        };
        self.queue.run_workers(workers, reconcile).await;
    }

    pub(crate) fn stop(&self) {
        self.queue.shut_down();
    }

    /// Reconciles the Deployment with the Foo of this key. Reads the caches, and writes to the
    /// server. A conflicting write fails, and the key is retried.
    async fn reconcile(&self, key: &ObjectKey) -> Result<(), kube::Error> {
        let namespace = key.namespace().unwrap_or_default();
        let api: Api<Deployment> = Api::namespaced(self.client.clone(), namespace);
        let Some(foo) = self.foos.namespace(namespace).get(key.name()) else {
            return self.clean_up(&api, key).await;
        };
        let name = &foo.spec.deployment_name;
        let wanted = foo.spec.replicas.unwrap_or(1);
        let owned = self.graph.deployments_of(&foo);
        let is_wanted =
            |deployment: &&Arc<Deployment>| deployment.metadata.name.as_ref() == Some(name);
        match owned.iter().find(is_wanted) {
            None => self.create(&api, &foo, wanted).await,
            Some(deployment) if replicas(deployment) != wanted => {
                let found = replicas(deployment);
                let patch = Patch::Merge(json!({ "spec": { "replicas": wanted } }));
                let text = format!("scales Deployment {namespace}/{name} from {found} to {wanted}");
                self.report.controller(&text);
                api.patch(name, &PatchParams::default(), &patch).await?;
                Ok(())
            }
            Some(deployment) => self.update_status(&foo, deployment).await,
        }
    }

    async fn create(
        &self,
        api: &Api<Deployment>,
        foo: &Foo,
        replicas: i32,
    ) -> Result<(), kube::Error> {
        let deployment = new_deployment(foo, replicas);
        let key = ObjectKey::of(&deployment);
        self.report
            .controller(&format!("creates Deployment {key} with {replicas}"));
        match api.create(&PostParams::default(), &deployment).await {
            Ok(_) => Ok(()),
            // The Deployment was created a moment ago and is not cached yet, in which case its event
            // enqueues the key again; or it has another owner.
            Err(kube::Error::Api(status)) if status.is_already_exists() => {
                self.report.controller(&format!("Deployment {key} exists"));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    async fn update_status(&self, foo: &Foo, deployment: &Deployment) -> Result<(), kube::Error> {
        let available = deployment
            .status
            .as_ref()
            .and_then(|status| status.available_replicas)
            .unwrap_or(0);
        let status = FooStatus {
            available_replicas: available,
        };
        if foo.status.clone().unwrap_or_default() == status {
            return Ok(());
        }
        let key = ObjectKey::of(foo);
        let api: Api<Foo> =
            Api::namespaced(self.client.clone(), key.namespace().unwrap_or_default());
        let patch = Patch::Merge(json!({ "status": status }));
        self.report
            .controller(&format!("sets status of Foo {key}: {available} available"));
        api.patch_status(key.name(), &PatchParams::default(), &patch)
            .await?;
        Ok(())
    }

    /// The garbage collector of a cluster deletes the Deployment too. The embedded API server may
    /// have no garbage collector.
    async fn clean_up(&self, api: &Api<Deployment>, foo: &ObjectKey) -> Result<(), kube::Error> {
        for deployment in self.graph.deployments().of_key(foo) {
            let deployment = ObjectKey::of(&*deployment);
            self.report
                .controller(&format!("deletes Deployment {deployment}"));
            match api
                .delete(deployment.name(), &DeleteParams::default())
                .await
            {
                Ok(_) => {}
                Err(kube::Error::Api(status)) if status.is_not_found() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn replicas(deployment: &Deployment) -> i32 {
    deployment.spec.replicas.unwrap_or(1)
}

fn new_deployment(foo: &Foo, replicas: i32) -> Deployment {
    let labels = [("app", "nginx"), ("controller", &*foo.spec.deployment_name)]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
    let container = Container {
        name: "nginx".to_owned(),
        image: Some("nginx:latest".to_owned()),
        ..Container::default()
    };
    Deployment {
        metadata: ObjectMeta {
            name: Some(foo.spec.deployment_name.clone()),
            namespace: foo.metadata.namespace.clone(),
            owner_references: foo.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        spec: DeploymentSpec {
            replicas: Some(replicas),
            selector: LabelSelector {
                match_labels: Some(labels.clone().into()),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(labels.into()),
                    ..ObjectMeta::default()
                }),
                spec: Some(PodSpec {
                    containers: vec![container],
                    ..PodSpec::default()
                }),
            },
            ..DeploymentSpec::default()
        },
        ..Deployment::default()
    }
}
