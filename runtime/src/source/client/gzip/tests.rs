use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::tests::pack;
use super::*;

fn unpack(gunzip: &mut Gunzip, packed: &[u8]) -> io::Result<String> {
    gunzip.push(Bytes::copy_from_slice(packed));
    let mut text = Vec::new();
    while let Some(part) = gunzip.pull()? {
        text.extend_from_slice(&part);
    }
    Ok(String::from_utf8(text).unwrap())
}

#[test]
fn w18_one_member_or_one_per_event_in_any_framing() {
    let texts = ["first", "", "second, second, second", "third"];
    let one = pack(texts.concat());
    let many: Vec<u8> = texts.iter().flat_map(pack).collect();
    for packed in [one, many] {
        for size in [1, 2, 7, 19, packed.len()] {
            let mut gunzip = Gunzip::new();
            let frames = packed.chunks(size);
            let text: String = frames
                .map(|frame| unpack(&mut gunzip, frame).unwrap())
                .collect();
            assert_eq!(text, texts.concat());
        }
    }
}

#[test]
fn w18_flushed_data_is_returned_at_once() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let mut gunzip = Gunzip::new();
    for text in ["first", "second", "third"] {
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.flush().unwrap();
        let frame = std::mem::take(encoder.get_mut());
        assert_eq!(unpack(&mut gunzip, &frame).unwrap(), text);
    }
    for text in ["fourth", "fifth"] {
        let mut gunzip = Gunzip::new();
        assert_eq!(unpack(&mut gunzip, &pack(text)).unwrap(), text);
    }
}

#[test]
fn w01_a_frame_that_unpacks_to_very_much_comes_out_in_parts() {
    let size = 64 << 20;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&vec![0; size]).unwrap();
    let mut gunzip = Gunzip::new();
    gunzip.push(encoder.finish().unwrap().into());
    let mut total = 0;
    while let Some(part) = gunzip.pull().unwrap() {
        assert!(part.len() <= 5 << 20);
        total += part.len();
    }
    assert_eq!(total, size);
}

#[test]
fn data_that_is_not_gzip_is_an_error() {
    assert!(unpack(&mut Gunzip::new(), b"{\"kind\":\"PodList\"}").is_err());
    let mut packed = pack("some text");
    let at = packed.len() - 6;
    packed[at] ^= 1;
    packed.extend(pack("more"));
    assert!(unpack(&mut Gunzip::new(), &packed).is_err());
}
