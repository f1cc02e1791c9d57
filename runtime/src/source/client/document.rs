//! Reads small documents as a whole.

use bytes::BytesMut;
use http::{Request, header};
use kube::Client;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::config::Timeouts;
use super::lister_watcher::send;
use crate::status::{SourceError, TimeoutPhase};
use crate::wire::Encoding;

/// Maximum size of a document, in bytes.
const MAX_DOCUMENT: usize = 4 << 20;

/// Reads the JSON document at `path`, under the default [`Timeouts`].
///
/// # Errors
///
/// Fails if the server rejects the request or is silent, or if the document is larger than 4 MiB or
/// is not a `T`. The error quotes nothing of the document.
pub(crate) async fn document<T: DeserializeOwned>(
    client: &Client,
    path: &str,
) -> Result<T, SourceError> {
    let timeouts = Timeouts::default();
    let request = Request::get(path).header(header::ACCEPT, Encoding::Json.media_type());
    let (_, mut frames) = send(client, request, timeouts.headers).await?;
    let limit = timeouts.list_progress;
    let reading = async {
        let mut document = BytesMut::new();
        while let Some(frame) = frames.next(limit).await? {
            if document.len() + frame.len() > MAX_DOCUMENT {
                let reason = format!("the document is larger than {MAX_DOCUMENT} bytes");
                return Err(SourceError::Malformed(reason));
            }
            document.extend_from_slice(&frame);
        }
        Ok(document)
    };
    let document = timeout(limit, reading)
        .await
        .map_err(|_| SourceError::Timeout {
            phase: TimeoutPhase::Progress,
            after: limit,
        })??;
    // The message of the error itself may quote the document.
    serde_json::from_slice(&document).map_err(|error| {
        let line = error.line();
        let column = error.column();
        SourceError::Malformed(format!(
            "the document is of another form, from line {line} column {column} on"
        ))
    })
}
