use super::{parameters, segments};

#[test]
fn a_plus_sign_is_a_space_in_a_query_only() {
    assert_eq!(segments("/a+b//c%2Fd%20e/"), ["a+b", "c/d e"]);
    let pairs: Vec<_> = parameters("a=b+c%2Bd&&e%3D=f=g&h&=i").collect();
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(pairs, [("a", "b c+d"), ("e=", "f=g"), ("h", ""), ("", "i")]);
}
