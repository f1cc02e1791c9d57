use super::*;

#[test]
fn a_declaration_has_a_line_for_each_entry() {
    let tokens: TokenStream = r#"
            #[doc = " Shared informer."] #[doc = ""] pub(crate) FooInformer, FooLister: ::api::Foo<u8> where [for<'a> Foo: ::a::B];
            FooListerSnapshot, FooIndices {
                #[doc = " By name."]
                all by_name(&::core::primitive::str): String = json("a.b", path!(.a /b* ["x y"]*));
                first by_port(u16): u16 = with("by_port", |object| crate::ports(object));
                secrets, secrets_of, by_secret: Secret = reference!(Secret, fields [.spec], name [.token*]), reference!(Secret, fields [.spec.tls*], name [.secret_name*]);
            }
            targets { owns ::api::Bar = bars; }
        "#
        .parse()
        .unwrap();
    let expected = r#"/// Shared informer.
///
pub(crate) FooInformer, FooLister: ::api::Foo<u8> where [for<'a> Foo: ::a::B];
FooListerSnapshot, FooIndices {
    /// By name.
    all by_name(&::core::primitive::str): String = json("a.b", path!(.a/b*["x y"]*));
    first by_port(u16): u16 = with("by_port", |object| crate::ports(object));
    secrets, secrets_of, by_secret: Secret =
        reference!(Secret, fields[.spec], name[.token*]),
        reference!(Secret, fields[.spec.tls*], name[.secret_name*]);
}
targets {
    owns ::api::Bar = bars;
}"#;
    let text = declaration(tokens.clone());
    assert_eq!(text, expected);
    let again: TokenStream = text.parse().unwrap();
    assert_eq!(
        declaration(again),
        expected,
        "the text parses to the same tokens"
    );
}
