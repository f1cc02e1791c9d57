//! Valid and invalid selectors.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS};
use crate::session::Session;

#[derive(Deserialize)]
struct Selectors {
    labels: Vec<String>,
    fields: Vec<String>,
    /// Paths, and selectable and other fields of their kinds.
    known: Vec<(String, String)>,
}

pub(super) async fn run(session: &mut Session) {
    let selectors: Selectors = serde_json::from_str(include_str!("selectors.json")).unwrap();
    let quoted = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    for path in [MAPS, WIDGETS] {
        let labels = selectors
            .labels
            .iter()
            .map(|text| format!("{path}?labelSelector={}", quoted(text)));
        session.check_all(labels.map(Call::get)).await;
    }
    let pods = "/api/v1/pods";
    for path in [MAPS, WIDGETS, GADGETS, pods] {
        let fields = selectors
            .fields
            .iter()
            .map(|text| format!("{path}?fieldSelector={}", quoted(text)));
        session.check_all(fields.map(Call::get)).await;
    }
    let known = selectors.known.iter();
    let known = known.map(|(path, field)| format!("{path}?fieldSelector={field}%3Dbogus-value"));
    session.check_all(known.map(Call::get)).await;
}
