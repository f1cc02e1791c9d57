//! The controller: `reconcile`, and its context.

use std::collections::BTreeMap;
use std::sync::Arc;

use informer::session::SessionApi;
use informer::{ObjectKey, Session};
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use kube::Resource as _;
use kube::api::{Patch, PatchParams};
use serde_json::json;

use crate::api::{Foo, FooRelated, FooStatus};
use crate::report::Report;

/// State that all calls of `reconcile` share.
pub(crate) struct Context {
    pub(crate) session: Session,
    pub(crate) graph: FooRelated,
    pub(crate) report: Report,
}

/// Reconciles the Deployment with the Foo. Reads the caches, which show all earlier writes, and writes
/// to the server through the session. A write that is based on an old version fails, and the Foo is
/// retried. The garbage collector deletes the Deployment of a deleted Foo.
pub(crate) async fn reconcile(foo: Arc<Foo>, context: Arc<Context>) -> Result<(), kube::Error> {
    let namespace = foo.metadata.namespace.clone().unwrap_or_default();
    let api = context.session.api::<Deployment>(&namespace);
    let name = &foo.spec.deployment_name;
    let wanted = foo.spec.replicas.unwrap_or(1);
    let owned = context.graph.deployments_of(&foo);
    let found = owned
        .iter()
        .find(|deployment| deployment.metadata.name.as_ref() == Some(name));
    let Some(deployment) = found else {
        return context.create(&api, &foo, wanted).await;
    };
    if replicas(deployment) != wanted {
        return context.scale(&api, deployment, wanted).await;
    }
    context.update_status(&foo, deployment).await
}

impl Context {
    async fn create(
        &self,
        api: &SessionApi<Deployment>,
        foo: &Foo,
        replicas: i32,
    ) -> Result<(), kube::Error> {
        // The cache may not know yet that the Foo was deleted, and its Deployment with it.
        let owner = ObjectKey::of(foo);
        let foos = self.foos(&owner);
        let current = foos.kube().get_metadata_opt(owner.name()).await?;
        let still_exists = current.is_some_and(|foo_now| foo_now.metadata.uid == foo.metadata.uid);
        if !still_exists {
            return Ok(());
        }
        let deployment = new_deployment(foo, replicas);
        let key = ObjectKey::of(&deployment);
        self.report
            .controller(&format!("creates Deployment {key} with {replicas}"));
        api.create(&deployment).await?;
        self.report.written();
        Ok(())
    }

    async fn scale(
        &self,
        api: &SessionApi<Deployment>,
        deployment: &Deployment,
        wanted: i32,
    ) -> Result<(), kube::Error> {
        let key = ObjectKey::of(deployment);
        let found = replicas(deployment);
        let patch = Patch::Merge(json!({
            "metadata": { "resourceVersion": deployment.metadata.resource_version },
            "spec": { "replicas": wanted },
        }));
        self.report
            .controller(&format!("scales Deployment {key} from {found} to {wanted}"));
        api.patch(key.name(), &PatchParams::default(), &patch)
            .await?;
        self.report.written();
        Ok(())
    }

    async fn update_status(&self, foo: &Foo, deployment: &Deployment) -> Result<(), kube::Error> {
        let available = match &deployment.status {
            Some(status) => status.available_replicas.unwrap_or(0),
            None => 0,
        };
        let status = FooStatus {
            available_replicas: available,
        };
        if foo.status.clone().unwrap_or_default() == status {
            return Ok(());
        }
        let key = ObjectKey::of(foo);
        let patch = Patch::Merge(json!({
            "metadata": { "resourceVersion": foo.metadata.resource_version },
            "status": status,
        }));
        self.report
            .controller(&format!("sets status of Foo {key}: {available} available"));
        self.foos(&key)
            .patch_status(key.name(), &PatchParams::default(), &patch)
            .await?;
        self.report.written();
        Ok(())
    }

    /// Returns the API of the Foos in the namespace of this one.
    fn foos(&self, foo: &ObjectKey) -> SessionApi<Foo> {
        self.session.api(foo.namespace().unwrap_or_default())
    }
}

fn replicas(deployment: &Deployment) -> i32 {
    deployment.spec.replicas.unwrap_or(1)
}

fn new_deployment(foo: &Foo, replicas: i32) -> Deployment {
    let labels = BTreeMap::from([
        ("app".to_owned(), "nginx".to_owned()),
        ("controller".to_owned(), foo.spec.deployment_name.clone()),
    ]);
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
                match_labels: Some(labels.clone()),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(labels),
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
