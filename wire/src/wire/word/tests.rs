use super::{WORD, below, equal, first};

#[test]
fn the_first_byte_is_found_among_all_others() {
    for at in 0..WORD {
        for byte in 0..=u8::MAX {
            let mut bytes = [b'~'; WORD];
            bytes[at] = byte;
            let word = u64::from_le_bytes(bytes);
            let found = equal(word, b'"');
            assert_eq!(
                (found != 0).then(|| first(found)),
                (byte == b'"').then_some(at)
            );
            let found = below(word, b' ');
            assert_eq!(
                (found != 0).then(|| first(found)),
                (byte < b' ').then_some(at)
            );
        }
    }
}
