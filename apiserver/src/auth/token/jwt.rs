//! JSON Web Tokens, signed with ES256 by a key of this server.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair,
    UnparsedPublicKey,
};
use serde_json::{Value, json};
use uuid::Uuid;

/// Key that signs tokens, with the lifetime of the server.
pub(crate) struct Signer {
    pair: EcdsaKeyPair,
    /// Key identifier in tokens.
    id: String,
}

/// The operating system supplied no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("cannot create a key for tokens: the operating system supplies no random numbers")]
pub(crate) struct NoRandom;

// === impl Signer ===

impl Signer {
    /// Generates a key.
    pub(crate) fn new() -> Result<Self, NoRandom> {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).map_err(|_| NoRandom)?;
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random);
        Ok(Self {
            pair: pair.map_err(|_| NoRandom)?,
            id: Uuid::new_v4().to_string(),
        })
    }

    /// Signs a token with these claims.
    pub(super) fn sign(&self, claims: &Value) -> Result<String, NoRandom> {
        let header = json!({ "alg": "ES256", "kid": self.id });
        let [header, claims] = [&header, claims].map(|part| BASE64.encode(part.to_string()));
        let signed = format!("{header}.{claims}");
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes());
        let signature = BASE64.encode(signature.map_err(|_| NoRandom)?);
        Ok(format!("{signed}.{signature}"))
    }

    /// Returns the claims of a token; `None` if this key did not sign it.
    pub(super) fn verify(&self, token: &str) -> Option<Value> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (_, claims) = signed.split_once('.')?;
        let public = self.pair.public_key().as_ref();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
        let signature = BASE64.decode(signature).ok()?;
        public.verify(signed.as_bytes(), &signature).ok()?;
        serde_json::from_slice(&BASE64.decode(claims).ok()?).ok()
    }

    /// Returns the JSON Web Key Set with which clients verify tokens.
    pub(crate) fn keys(&self) -> Value {
        // An uncompressed point: one tag byte, then both coordinates.
        let point = self.pair.public_key().as_ref().get(1..).unwrap_or_default();
        let (x, y) = point.split_at(point.len() / 2);
        json!({ "keys": [{
            "use": "sig", "kty": "EC", "kid": self.id, "crv": "P-256", "alg": "ES256",
            "x": BASE64.encode(x), "y": BASE64.encode(y),
        }] })
    }
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
