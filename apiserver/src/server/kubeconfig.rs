//! Client configurations and kubeconfig files.

use serde_json::{Map, Value, json};

#[cfg(feature = "tls")]
use crate::http::tls::ClientCertificate;
use crate::server::ApiServer;

// === impl ApiServer ===

impl ApiServer {
    /// Returns the administrator's kubeconfig for `kubectl --kubeconfig`, as JSON, which is also
    /// YAML.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        let token = self.shared.access.as_ref();
        let mut user = Map::new();
        if let Some(access) = token {
            user.insert("token".to_owned(), access.admin.clone().into());
        }
        self.kubeconfig_with(&Value::Object(user))
    }

    fn kubeconfig_with(&self, user: &Value) -> String {
        #[cfg_attr(not(feature = "tls"), expect(unused_mut, reason = "TLS adds a member"))]
        let mut cluster = Map::from_iter([("server".to_owned(), Value::from(self.url()))]);
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            let data = tls.authority_data().into();
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
                "context": { "cluster": name, "user": name, "namespace": "default" },
            }],
            "current-context": name,
        });
        format!("{kubeconfig:#}\n")
    }

    /// Returns the PEM certificate of the authority that signed the server's certificate (feature
    /// `tls`); `None` without [`Builder::tls`](crate::Builder::tls).
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn certificate_authority(&self) -> Option<&str> {
        let tls = self.tls.as_ref()?;
        Some(&tls.authority)
    }

    /// Returns the certificate of a user of
    /// [`Builder::client_certificate`](crate::Builder::client_certificate) (feature `tls`).
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn client_certificate(&self, user: &str) -> Option<&ClientCertificate> {
        self.tls.as_ref()?.certificate(user)
    }

    /// Returns the kubeconfig of a user with a client certificate (feature `tls`);
    /// [`kubeconfig`](Self::kubeconfig) returns the administrator's.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn kubeconfig_with_certificate(&self, user: &str) -> Option<String> {
        let certificate = self.client_certificate(user)?;
        Some(self.kubeconfig_with(&json!({
            "client-certificate-data": certificate.certificate_data(),
            "client-key-data": certificate.key_data(),
        })))
    }

    /// Returns the client configuration of a user with a client certificate (features `client` and
    /// `tls`).
    #[cfg(all(feature = "client", feature = "tls"))]
    #[must_use]
    pub fn kube_config_with_certificate(&self, user: &str) -> Option<kube::Config> {
        let certificate = self.client_certificate(user)?;
        let mut config = self.kube_config();
        config.auth_info.token = None;
        config.auth_info.client_certificate_data = Some(certificate.certificate_data());
        config.auth_info.client_key_data = Some(certificate.key_data().into());
        Some(config)
    }
}
