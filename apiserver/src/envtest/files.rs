//! Files that `kube-apiserver` needs, and the arguments that name them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rcgen::KeyPair;

use super::error::EnvironmentError;

/// Token of an administrator.
pub(super) const ADMIN: &str = "admin-token";
/// Token of a user without permissions.
pub(super) const NOBODY: &str = "nobody-token";

/// Files of an environment.
#[derive(Debug)]
pub(super) struct Files {
    dir: PathBuf,
}

// === impl Files ===

impl Files {
    /// Writes keys and tokens to `dir`, which only the current user can read.
    pub(super) fn write(dir: &Path) -> Result<Self, EnvironmentError> {
        let files = Self {
            dir: dir.to_owned(),
        };
        let key = KeyPair::generate().map_err(EnvironmentError::Key)?;
        let tokens = format!(
            "{ADMIN},admin,admin,\"system:masters\"\n{NOBODY},nobody,nobody,\"nobodies\"\n"
        );
        files.put("service-account.key", &key.serialize_pem())?;
        files.put("service-account.pub", &key.public_key_pem())?;
        files.put("tokens.csv", &tokens)?;
        Ok(files)
    }

    pub(super) fn etcd_arguments(&self, url: &str) -> Vec<String> {
        vec![
            format!("--data-dir={}", self.path("etcd")),
            format!("--listen-client-urls={url}"),
            format!("--advertise-client-urls={url}"),
            "--listen-peer-urls=http://127.0.0.1:0".into(),
            // The port is reserved.
            "--socket-reuse-port".into(),
            // The data of a test need not survive a power failure.
            "--unsafe-no-fsync".into(),
        ]
    }

    pub(super) fn server_arguments(&self, etcd_url: &str, port: u16) -> Vec<String> {
        vec![
            format!("--etcd-servers={etcd_url}"),
            "--bind-address=127.0.0.1".into(),
            format!("--secure-port={port}"),
            "--permit-port-sharing".into(),
            format!("--cert-dir={}", self.path("certificates")),
            format!("--token-auth-file={}", self.path("tokens.csv")),
            format!(
                "--service-account-key-file={}",
                self.path("service-account.pub")
            ),
            format!(
                "--service-account-signing-key-file={}",
                self.path("service-account.key")
            ),
            "--service-account-issuer=https://kubernetes.default.svc".into(),
            "--service-cluster-ip-range=10.0.0.0/24".into(),
            "--authorization-mode=RBAC".into(),
            // The plugin requires default service accounts, which no controller creates here.
            "--disable-admission-plugins=ServiceAccount".into(),
            "--allow-privileged=true".into(),
        ]
    }

    /// Returns a client configuration with the bearer token `token`.
    pub(super) fn kube_config(&self, port: u16, token: &str) -> kube::Config {
        let url = http::Uri::builder()
            .scheme("https")
            .authority(format!("127.0.0.1:{port}"))
            .path_and_query("/")
            .build()
            .unwrap_or_default();
        let mut config = kube::Config::new(url);
        config.default_retry = false;
        config.root_cert_file = Some(self.certificate());
        config.auth_info.token = Some(token.to_owned().into());
        config
    }

    pub(super) fn write_kubeconfig(&self, url: &str) -> Result<PathBuf, EnvironmentError> {
        // kubectl accepts JSON, because JSON is YAML.
        let kubeconfig = serde_json::json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{ "name": "envtest", "cluster": {
                "server": url, "certificate-authority": self.certificate(),
            }}],
            "users": [{ "name": "admin", "user": { "token": ADMIN } }],
            "contexts": [{ "name": "envtest", "context": { "cluster": "envtest", "user": "admin" } }],
            "current-context": "envtest",
        });
        self.put("kubeconfig", &kubeconfig.to_string())?;
        Ok(self.dir.join("kubeconfig"))
    }

    /// Returns the path of the server's certificate, which is followed by its issuer's in the same
    /// file.
    fn certificate(&self) -> PathBuf {
        self.dir.join("certificates").join("apiserver.crt")
    }

    fn path(&self, name: &str) -> String {
        self.dir.join(name).display().to_string()
    }

    fn put(&self, name: &str, contents: &str) -> Result<(), EnvironmentError> {
        let result: io::Result<()> = fs::write(self.dir.join(name), contents);
        result.map_err(EnvironmentError::Files)
    }
}
