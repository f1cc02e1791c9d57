//! Client configurations and kubeconfig files.

#[cfg(feature = "tls")]
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use crate::server::ApiServer;

// === impl ApiServer ===

impl ApiServer {
    /// Returns the administrator's kubeconfig for `kubectl --kubeconfig`, as JSON, which is also
    /// YAML.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        let access = self.shared.access.as_ref();
        self.kubeconfig_of(access.map(|access| access.admin.as_str()))
    }

    /// Returns the kubeconfig of a user of [`Builder::token`](crate::Builder::token).
    #[must_use]
    pub fn kubeconfig_as(&self, token: &str) -> String {
        self.kubeconfig_of(Some(token))
    }

    fn kubeconfig_of(&self, token: Option<&str>) -> String {
        let user = match token {
            Some(token) => json!({ "token": token }),
            None => json!({}),
        };
        #[cfg_attr(not(feature = "tls"), expect(unused_mut, reason = "TLS adds a member"))]
        let mut cluster = Map::from_iter([("server".to_owned(), Value::from(self.url()))]);
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.connections.tls {
            let data = STANDARD.encode(&tls.authority).into();
            cluster.insert("certificate-authority-data".to_owned(), data);
        }
        let name = "informer-apiserver";
        let kubeconfig = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{ "name": name, "cluster": cluster }],
            "users": [{ "name": name, "user": user }],
            "contexts": [{
                "name": name,
                "context": {
                    "cluster": name,
                    "user": name,
                    "namespace": "default",
                },
            }],
            "current-context": name,
        });
        format!("{kubeconfig:#}\n")
    }
}
