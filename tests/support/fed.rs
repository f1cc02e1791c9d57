//! Informers that never start: tests fill them without a server.

use std::error::Error;
use std::sync::Arc;

use informer::storage::Entry;
use informer::{Object, SharedInformer, SharedInformerFactory};
use serde_json::Value;

/// Result of a test or of its helpers.
pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Returns a factory whose informers never start.
pub(crate) fn factory() -> Result<SharedInformerFactory> {
    let config = kube::Config::new("http://127.0.0.1:1".parse()?);
    Ok(SharedInformerFactory::builder(informer::connect(config)?).build()?)
}

/// Puts a document into an informer's store.
pub(crate) fn feed<K: Object>(informer: &SharedInformer<K>, document: Value) -> Result {
    let object: K = serde_json::from_value(document)?;
    informer.indexer().add(Entry::from(Arc::new(object)));
    Ok(())
}
