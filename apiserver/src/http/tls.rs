//! TLS (feature `tls`): an authority for this one server, its certificate, and those of users.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, ServerConnection};

use crate::auth::User;

/// A certificate of a user, and its key, both PEM.
#[derive(Clone)]
pub struct ClientCertificate {
    /// The certificate: the user is its common name.
    pub certificate: String,
    /// The private key.
    pub key: String,
}

/// What a server with TLS has.
pub(crate) struct Tls {
    acceptor: TlsAcceptor,
    /// The authority's certificate, PEM.
    pub(crate) authority: String,
    #[cfg_attr(not(feature = "client"), expect(dead_code, reason = "clients use it"))]
    pub(crate) authority_der: Vec<u8>,
    certificates: HashMap<String, ClientCertificate>,
    /// Whose certificate that is. The authority lives in this process only, so these are all.
    users: HashMap<Vec<u8>, User>,
}

type Error = Box<dyn std::error::Error + Send + Sync>;

// === impl ClientCertificate ===

impl ClientCertificate {
    /// The certificate as a kubeconfig has it.
    #[must_use]
    pub fn certificate_data(&self) -> String {
        STANDARD.encode(&self.certificate)
    }

    /// The key as a kubeconfig has it.
    #[must_use]
    pub fn key_data(&self) -> String {
        STANDARD.encode(&self.key)
    }
}

/// Without the key.
impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCertificate")
            .field("certificate", &self.certificate)
            .finish_non_exhaustive()
    }
}

// === impl Tls ===

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    /// Makes an authority, a certificate for a server at `address` that answers to `hosts` as well,
    /// and one for each user.
    pub(crate) fn new(
        address: IpAddr,
        hosts: &[String],
        users: &[(String, Vec<String>)],
    ) -> Result<Self, Error> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "informer-apiserver-ca");
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;

        let mut certificates = HashMap::new();
        let mut known = HashMap::new();
        for (name, groups) in users {
            let mut params = CertificateParams::default();
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
            params.distinguished_name.push(DnType::CommonName, name);
            // A name has room for one here; the others are known all the same.
            if let Some(group) = groups.first() {
                let subject = &mut params.distinguished_name;
                subject.push(DnType::OrganizationName, group);
            }
            let key = KeyPair::generate()?;
            let certificate = params.signed_by(&key, &authority)?;
            known.insert(certificate.der().to_vec(), User::new(name, groups));
            let pair = ClientCertificate {
                certificate: certificate.pem(),
                key: key.serialize_pem(),
            };
            certificates.insert(name.clone(), pair);
        }

        let mut names = vec![
            "localhost".to_owned(),
            "127.0.0.1".to_owned(),
            "::1".to_owned(),
        ];
        names.push(address.to_string());
        names.dedup();
        names.extend_from_slice(hosts);
        let mut params = CertificateParams::new(names)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let subject = &mut params.distinguished_name;
        subject.push(DnType::CommonName, "informer-apiserver");
        let key = KeyPair::generate()?;
        let own = params.signed_by(&key, &authority)?;

        let provider = Arc::new(ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone())?;
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .allow_unauthenticated()
                .build()?;
        let key = PrivateKeyDer::try_from(key.serialize_der())?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![own.der().clone()], key)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            authority: authority.pem(),
            authority_der: authority.der().to_vec(),
            certificates,
            users: known,
        })
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }

    /// Whose certificate the client has shown, if it has shown one.
    pub(crate) fn user(&self, connection: &ServerConnection) -> Option<User> {
        let shown: &CertificateDer<'_> = connection.peer_certificates()?.first()?;
        self.users.get(&shown[..]).cloned()
    }

    pub(crate) fn certificate(&self, user: &str) -> Option<&ClientCertificate> {
        self.certificates.get(user)
    }

    pub(crate) fn authority_data(&self) -> String {
        STANDARD.encode(&self.authority)
    }
}
