use super::*;

const _: () = assert_codegen_abi(CODEGEN_ABI);

#[test]
#[should_panic(expected = "older version of `informer`")]
fn code_of_an_older_generator_is_rejected() {
    assert_codegen_abi(CODEGEN_ABI - 1);
}

#[test]
#[should_panic(expected = "newer version of `informer`")]
fn code_of_a_newer_generator_is_rejected() {
    assert_codegen_abi(CODEGEN_ABI + 1);
}
