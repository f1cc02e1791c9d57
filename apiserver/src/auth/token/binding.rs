//! Objects that tokens are bound to; a token becomes invalid with its object.

use serde_json::{Map, Value, json};

use crate::api::state::State;
use crate::registry::Resource;
use crate::registry::target::Target;
use crate::status::ApiError;

/// Object that a token is bound to.
#[derive(Debug)]
pub(super) struct Binding {
    kind: Bound,
    name: String,
    uid: String,
    /// Node of a Pod, and the node's uid if the node exists.
    node: Option<(String, Option<String>)>,
}

/// Kinds that tokens can be bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Pod,
    Secret,
    Node,
}

// === impl Bound ===

impl Bound {
    fn plural(self) -> &'static str {
        match self {
            Self::Pod => "pods",
            Self::Secret => "secrets",
            Self::Node => "nodes",
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Pod => "Pod",
            Self::Secret => "Secret",
            Self::Node => "Node",
        }
    }

    fn namespace(self, namespace: &str) -> &str {
        match self {
            Self::Pod | Self::Secret => namespace,
            Self::Node => "",
        }
    }
}

// === impl Binding ===

impl Binding {
    /// Decodes the `boundObjectRef` of a request for a token of the account that `target` names.
    pub(super) fn of(state: &State, target: &Target, given: &Value) -> Result<Self, ApiError> {
        let text = |field| given.get(field).and_then(Value::as_str).unwrap_or_default();
        let api_version = text("apiVersion");
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let kind = match (group, text("kind")) {
            ("", "Pod") => Bound::Pod,
            ("", "Secret") => Bound::Secret,
            ("", "Node") => Bound::Node,
            (_, kind) => {
                return Err(ApiError::bad_request(format!(
                    "cannot bind token to object of type {group}/{version}, Kind={kind}"
                )));
            }
        };
        let name = text("name");
        let resource = state.registry.get("", kind.plural());
        let resource: &Resource = resource.ok_or_else(ApiError::no_such_resource)?;
        let object = state
            .store
            .find(resource.id, kind.namespace(&target.namespace), name)
            .ok_or_else(|| ApiError::not_found(resource, name))?;
        let mut node = None;
        if kind == Bound::Pod {
            let members = object.members();
            let spec = members.get("spec");
            let of_pod = |field| spec.and_then(|spec| spec.get(field)?.as_str());
            if of_pod("serviceAccountName").unwrap_or_default() != target.name {
                return Err(ApiError::bad_request(format!(
                    "cannot bind token for serviceaccount {:?} to pod running with different \
                     serviceaccount name.",
                    target.name
                )));
            }
            node = of_pod("nodeName").map(|name| {
                let uid = uid_of(state, "nodes", "", name).map(str::to_owned);
                (name.to_owned(), uid)
            });
        }
        let (wanted, uid) = (text("uid"), object.uid());
        if !wanted.is_empty() && wanted != uid {
            let mut named = resource.clone();
            kind.kind().clone_into(&mut named.plural);
            let reason = format!(
                "the UID in the bound object reference ({wanted}) does not match the UID in \
                 record. The object might have been deleted and then recreated"
            );
            return Err(ApiError::conflict(&named, name, &reason));
        }
        Ok(Self {
            kind,
            name: name.to_owned(),
            uid: uid.to_owned(),
            node,
        })
    }

    /// Returns the claims of a token that describe the binding.
    pub(super) fn claims(&self) -> Map<String, Value> {
        let own = json!({ "name": self.name, "uid": self.uid });
        let node = self.node.as_ref().map(|(name, uid)| match uid {
            Some(uid) => ("node".to_owned(), json!({ "name": name, "uid": uid })),
            None => ("node".to_owned(), json!({ "name": name })),
        });
        let own = (self.kind.kind().to_lowercase(), own);
        std::iter::once(own).chain(node).collect()
    }

    /// Returns the binding that the claims of a token describe.
    pub(super) fn of_claims(claims: &Value) -> Option<Self> {
        let text = |of: &Value, field| Some(of.get(field)?.as_str()?.to_owned());
        let kinds = [Bound::Pod, Bound::Secret, Bound::Node];
        kinds.into_iter().find_map(|kind| {
            let own = claims.get(kind.kind().to_lowercase())?;
            let node = claims.get("node").filter(|_| kind == Bound::Pod);
            Some(Self {
                kind,
                name: text(own, "name")?,
                uid: text(own, "uid")?,
                node: node.and_then(|node| Some((text(node, "name")?, text(node, "uid")))),
            })
        })
    }

    /// Checks that the object still exists.
    pub(super) fn check(&self, state: &State, namespace: &str) -> Result<(), String> {
        let namespace = self.kind.namespace(namespace);
        match uid_of(state, self.kind.plural(), namespace, &self.name) {
            Some(uid) if uid == self.uid => Ok(()),
            Some(uid) => Err(format!(
                "{} UID ({uid}) does not match service account {} ref claim ({})",
                self.kind.kind().to_lowercase(),
                self.kind.kind().to_lowercase(),
                self.uid
            )),
            None => Err("service account token has been invalidated".to_owned()),
        }
    }

    /// Returns the `extra` entries of the user.
    pub(super) fn extra(&self) -> Vec<(String, Vec<String>)> {
        let entry = |key: &str, value: &str| {
            let key = format!("authentication.kubernetes.io/{key}");
            (key, vec![value.to_owned()])
        };
        let mut extra = match self.kind {
            Bound::Pod => vec![entry("pod-name", &self.name), entry("pod-uid", &self.uid)],
            Bound::Node => vec![entry("node-name", &self.name), entry("node-uid", &self.uid)],
            Bound::Secret => Vec::new(),
        };
        if let Some((name, uid)) = &self.node {
            extra.push(entry("node-name", name));
            extra.extend(uid.iter().map(|uid| entry("node-uid", uid)));
        }
        extra
    }
}

/// Returns the uid of an object of the core group.
pub(super) fn uid_of<'a>(
    state: &'a State,
    plural: &str,
    namespace: &str,
    name: &str,
) -> Option<&'a str> {
    let resource = state.registry.get("", plural)?;
    state
        .store
        .find(resource.id, namespace, name)
        .map(|object| object.uid())
}
