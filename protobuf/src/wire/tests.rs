use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Generates records, some of which are damaged.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let record = (
        1..40_u32,
        any::<u64>(),
        0..64_u32,
        vec(any::<u8>(), 0..9),
        0..4_u8,
    );
    let record = record.prop_map(|(number, value, shift, bytes, form)| {
        let mut written = Vec::new();
        match form {
            0 => put_bytes(&mut written, number, &bytes),
            1 => write(&mut written, number, Payload::Fixed64(value)),
            2 => write(&mut written, number, Payload::Varint(value >> shift)),
            _ => written = bytes,
        }
        written
    });
    vec(record, 0..6).prop_map(|records| records.concat())
}

proptest! {
    #[test]
    fn records_are_those_of_a_naive_reader_and_are_written_as_they_were_read(bytes in bytes()) {
        records(&bytes);
    }
}

fn records(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    let mut written = Vec::new();
    loop {
        let rest = reader.rest();
        let expected = naive_record(rest);
        match reader.record() {
            Ok(None) => return assert!(rest.is_empty()),
            Err(_) => return assert_eq!(expected, None, "{}", rest.escape_ascii()),
            Ok(Some((number, payload))) => {
                assert_eq!(expected, Some((number, payload, reader.rest())));
                written.clear();
                write(&mut written, number, payload);
                if payload != Payload::Fixed32 {
                    assert_eq!(Reader::new(&written).record(), Ok(Some((number, payload))));
                }
            }
        }
    }
}

fn write(out: &mut Vec<u8>, number: u32, payload: Payload<'_>) {
    match payload {
        Payload::Bytes(bytes) => put_bytes(out, number, bytes),
        Payload::Fixed32 => {}
        Payload::Fixed64(value) => {
            put_tag(out, number, WireType::Fixed64);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Payload::Varint(value) => {
            put_tag(out, number, WireType::Varint);
            let before = out.len();
            put_varint(out, value);
            assert_eq!(out.len() - before, varint_width(value));
        }
    }
}

fn naive_record(bytes: &[u8]) -> Option<(u32, Payload<'_>, &[u8])> {
    let (tag, rest) = naive_varint(bytes)?;
    let number = u32::try_from(tag).ok()? >> 3;
    if number == 0 {
        return None;
    }
    let (payload, rest) = match tag & 7 {
        0 => {
            let (value, rest) = naive_varint(rest)?;
            (Payload::Varint(value), rest)
        }
        1 => {
            let (value, rest) = rest.split_first_chunk()?;
            (Payload::Fixed64(u64::from_le_bytes(*value)), rest)
        }
        2 => {
            let (length, rest) = naive_varint(rest)?;
            let (bytes, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            (Payload::Bytes(bytes), rest)
        }
        5 => (Payload::Fixed32, rest.get(4..)?),
        _ => return None,
    };
    Some((number, payload, rest))
}

fn naive_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let length = 1 + bytes.iter().position(|byte| *byte < 0x80)?;
    let (digits, rest) = bytes.split_at_checked(length).filter(|_| length <= 10)?;
    let digits = digits.iter().rev();
    let value = digits.fold(0_u128, |value, byte| (value << 7) | u128::from(byte & 0x7f));
    let value = u64::try_from(value).ok()?;
    let mut varint = Varint::default();
    let pushed = bytes.iter().find_map(|byte| varint.push(*byte).transpose());
    assert_eq!(pushed, Some(Ok(value)));
    Some((value, rest))
}
