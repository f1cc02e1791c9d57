//! TLS (feature `tls`): a certificate authority for this server, and the server's certificate.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// Name of HTTP/2 in the negotiation of protocols.
pub(crate) const HTTP2: &[u8] = b"h2";

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
}

type Error = Box<dyn std::error::Error + Send + Sync>;

// === impl Tls ===

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    /// Creates an authority, and a certificate for a server at `address` with the additional names
    /// `hosts`.
    pub(crate) fn new(address: IpAddr, hosts: &[String]) -> Result<Self, Error> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "informer-apiserver-ca");
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;

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

        let private = PrivateKeyDer::try_from(key.serialize_der())?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)?;
        config.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            authority: authority.pem(),
            authority_der: authority.der().to_vec(),
        })
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }
}
