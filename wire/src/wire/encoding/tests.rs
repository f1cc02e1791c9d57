use super::*;

#[test]
fn the_content_type_names_the_encoding() {
    for json in [
        "application/json",
        "Application/JSON ; charset=utf-8",
        "application/json;stream=watch",
    ] {
        assert_eq!(Encoding::from_content_type(json), Some(Encoding::Json));
    }
    for protobuf in [
        "application/vnd.kubernetes.protobuf",
        "application/vnd.kubernetes.protobuf;stream=watch",
    ] {
        let encoding = Encoding::from_content_type(protobuf);
        assert_eq!(encoding, Some(Encoding::Protobuf));
    }
    for other in ["text/html", "", "application/jsonx", "application/cbor"] {
        assert_eq!(Encoding::from_content_type(other), None);
    }
}
