//! TLS (feature `tls`): a certificate authority for this server, the server's certificate, and
//! those of users.

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

/// Certificate of a user and its key, both PEM.
#[derive(Clone)]
pub struct ClientCertificate {
    /// Certificate; its common name is the user.
    pub certificate: String,
    /// Private key.
    pub key: String,
}

/// TLS configuration of a server.
pub(crate) struct Tls {
    acceptor: TlsAcceptor,
    /// The authority's certificate, PEM.
    pub(crate) authority: String,
    #[cfg_attr(
        not(feature = "client"),
        expect(dead_code, reason = "only client configurations use it")
    )]
    pub(crate) authority_der: Vec<u8>,
    certificates: HashMap<String, ClientCertificate>,
    /// Users by the DER bytes of their certificates. The authority's key never leaves this process,
    /// so no other certificates exist.
    users: HashMap<Vec<u8>, User>,
}

type Error = Box<dyn std::error::Error + Send + Sync>;

// === impl ClientCertificate ===

impl ClientCertificate {
    /// Returns the certificate in the encoding of a kubeconfig.
    #[must_use]
    pub fn certificate_data(&self) -> String {
        STANDARD.encode(&self.certificate)
    }

    /// Returns the key in the encoding of a kubeconfig.
    #[must_use]
    pub fn key_data(&self) -> String {
        STANDARD.encode(&self.key)
    }
}

/// Omits the key.
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
    /// Creates an authority, a certificate for a server at `address` with the additional names
    /// `hosts`, and a certificate for each user.
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
        let mut users_by_certificate = HashMap::new();
        for (name, groups) in users {
            let mut params = CertificateParams::default();
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
            params.distinguished_name.push(DnType::CommonName, name);
            // The subject has room for one group; the table of users has all of them.
            if let Some(group) = groups.first() {
                let subject = &mut params.distinguished_name;
                subject.push(DnType::OrganizationName, group);
            }
            let key = KeyPair::generate()?;
            let certificate = params.signed_by(&key, &authority)?;
            users_by_certificate.insert(certificate.der().to_vec(), User::new(name, groups));
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
        let certificate = params.signed_by(&key, &authority)?;

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
            .with_single_cert(vec![certificate.der().clone()], key)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            authority: authority.pem(),
            authority_der: authority.der().to_vec(),
            certificates,
            users: users_by_certificate,
        })
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }

    /// Returns the user of the client's certificate, if the client has sent one.
    pub(crate) fn user(&self, connection: &ServerConnection) -> Option<User> {
        let certificate: &CertificateDer<'_> = connection.peer_certificates()?.first()?;
        self.users.get(&certificate[..]).cloned()
    }

    pub(crate) fn certificate(&self, user: &str) -> Option<&ClientCertificate> {
        self.certificates.get(user)
    }

    pub(crate) fn authority_data(&self) -> String {
        STANDARD.encode(&self.authority)
    }
}
