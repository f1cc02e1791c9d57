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
