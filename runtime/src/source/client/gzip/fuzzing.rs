//! Bodies in gzip: decompression restores the input, in every framing and in steps of bounded size.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "a violated property panics"
)]

use std::io::{self, Read as _, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::Gunzip;
use crate::fuzzing::{Speller, peak_memory};

/// Maximum size of one part of the output, in bytes.
const MAX_PART: usize = 5 << 20;
/// Maximum memory of the decoder, in bytes: a part while it grows, and tables.
const MAX_HELD: usize = 4 * MAX_PART;

/// Decompresses the input, and the compressed input.
pub fn gzip(input: &[u8]) {
    let mut speller = Speller::for_input(input);
    // The input need not be gzip.
    let whole = unpack([input]);
    for frames in [input.chunks(1).collect(), speller.frames(input)] {
        let framed = unpack(frames);
        assert_eq!(framed.is_ok(), whole.is_ok(), "{}", input.escape_ascii());
        if let (Ok(framed), Ok(whole)) = (&framed, &whole) {
            assert!(framed == whole, "{}", input.escape_ascii());
        }
    }
    let mut expected = Vec::new();
    let read = MultiGzDecoder::new(input).read_to_end(&mut expected);
    match (read, &whole) {
        (Ok(_), Ok(whole)) => assert!(*whole == expected, "{}", input.escape_ascii()),
        (Ok(_), Err(error)) => panic!("{error}: {}", input.escape_ascii()),
        // A body may end anywhere.
        (Err(_), _) => {}
    }

    let parts = speller.frames(input);
    for packed in [in_one_member(&parts), in_members(&parts)] {
        for frames in [
            vec![&packed[..]],
            packed.chunks(1).collect(),
            speller.frames(&packed),
        ] {
            let unpacked = unpack(frames).expect("the input was compressed");
            assert!(unpacked == input, "{}", input.escape_ascii());
        }
    }
}

fn unpack<'a>(frames: impl IntoIterator<Item = &'a [u8]>) -> io::Result<Vec<u8>> {
    let mut gunzip = Gunzip::new();
    let mut all = Vec::new();
    for frame in frames {
        gunzip.push(Bytes::copy_from_slice(frame));
        loop {
            let mut part = Ok(None);
            let memory = peak_memory(|| part = gunzip.pull());
            assert!(memory <= MAX_HELD, "{memory} bytes are held");
            let Some(part) = part? else { break };
            assert!(part.len() <= MAX_PART, "{} bytes at once", part.len());
            all.extend_from_slice(&part);
        }
    }
    Ok(all)
}

/// Compresses the parts into one member, with a flush after each part.
fn in_one_member(parts: &[&[u8]]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for part in parts {
        encoder.write_all(part).expect("into memory");
        encoder.flush().expect("into memory");
    }
    encoder.finish().expect("into memory")
}

/// Compresses each part into a member of its own.
fn in_members(parts: &[&[u8]]) -> Vec<u8> {
    let members = parts.iter().map(|part| in_one_member(&[part]));
    members.collect::<Vec<_>>().concat()
}
