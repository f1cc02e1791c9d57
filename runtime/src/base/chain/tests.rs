use super::Chain;

#[derive(Debug, thiserror::Error)]
enum Sample {
    #[error("client error (Connect)")]
    Connect(#[source] std::io::Error),
    #[error("service: {0}")]
    Service(#[source] Box<Sample>),
    #[error("request failed")]
    Request(#[source] Box<Sample>),
}

/// E-14: no cause is lost, and none is named twice.
#[test]
fn e14_a_chain_has_each_cause_once() {
    let refused = std::io::Error::other("connection refused");
    let service = Sample::Service(Box::new(Sample::Connect(refused)));
    assert_eq!(
        Chain(&Sample::Request(Box::new(service))).to_string(),
        "request failed: service: client error (Connect): connection refused"
    );
}

/// E-14: `kube` formats a `Status` with its `Debug` form.
#[test]
fn e14_a_status_is_a_sentence() {
    let status = kube::core::Status::failure("pods \"a\" is forbidden", "Forbidden").with_code(403);
    let refused = kube::Error::Api(Box::new(status));
    let sentence = "pods \"a\" is forbidden (HTTP 403, Forbidden)";
    assert_eq!(Chain(&refused).to_string(), sentence);
    let status = kube::core::Status::failure("", "").with_code(502);
    assert_eq!(
        Chain(&kube::Error::Api(Box::new(status))).to_string(),
        "the API server refused the request (HTTP 502)"
    );
}

/// E-14: an error that quotes all of its causes.
#[test]
fn e14_a_cause_that_was_quoted_with_its_own_causes_is_named_once() {
    #[derive(Debug, thiserror::Error)]
    #[error("no sync: {}", Chain(.0))]
    struct Quoting(#[source] Sample);

    let refused = Sample::Connect(std::io::Error::other("connection refused"));
    let quoting = Quoting(Sample::Request(Box::new(refused)));
    assert_eq!(
        Chain(&quoting).to_string(),
        "no sync: request failed: client error (Connect): connection refused"
    );
}
