use super::*;

fn seconds(text: &str) -> Option<i64> {
    Timestamp::parse(text, false).map(|time| time.seconds)
}

#[test]
fn texts_are_parsed() {
    assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
    assert_eq!(seconds("2000-02-29T23:59:59Z"), Some(951_868_799));
    assert_eq!(seconds("2000-03-01T01:00:00+01:00"), Some(951_868_800));
    assert_eq!(seconds("1969-12-31T23:59:59.9Z"), Some(-1));
    assert_eq!(seconds("0001-01-01T00:00:00Z"), Some(ZERO), "the zero time");
    for bad in [
        "",
        "1970-01-01",
        "1970-13-01T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "1970-01-01T24:00:00Z",
        "1970-01-01T00:00:00",
        "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00+1:00",
        "9999-12-31T23:59:59-00:01",
        "1970-01-01T00:00:0éZ",
        "+970-01-01T00:00:00Z",
    ] {
        assert_eq!(seconds(bad), None, "{bad}");
    }
}

#[test]
fn every_day_has_one_text() {
    for days in (ZERO / DAY..=LAST / DAY).step_by(13) {
        let time = Timestamp {
            seconds: days * DAY + 45_296,
            nanos: 120_034_000,
        };
        let text = time.to_micros();
        assert!(
            text.as_str().ends_with("T12:34:56.120034Z"),
            "{}",
            text.as_str()
        );
        assert_eq!(Timestamp::parse(text.as_str(), true), Some(time));
        let whole = Timestamp { nanos: 0, ..time };
        assert_eq!(
            Timestamp::parse(time.to_seconds().as_str(), false),
            Some(whole)
        );
    }
}

#[test]
fn times_of_each_length_are_read() {
    for seconds in [
        1,
        1 << 28,
        (1 << 28) - 1,
        1_700_000_000,
        (1 << 35) - 1,
        1 << 35,
        LAST,
        ZERO + 1,
    ] {
        for nanos in [0, 1, 999_999_999] {
            let (time, mut bytes) = (Timestamp { seconds, nanos }, Vec::new());
            time.write(&mut bytes);
            assert_eq!(Timestamp::read(&bytes), Ok(Some(time)));
        }
    }
}

#[test]
fn bytes_are_read_and_written() {
    let time = Timestamp {
        seconds: -5,
        nanos: 7000,
    };
    let mut bytes = Vec::new();
    time.write(&mut bytes);
    assert_eq!(Timestamp::read(&bytes), Ok(Some(time)));
    assert_eq!(Timestamp::read(&[]), Ok(None));
    assert!(
        Timestamp::read(&[0x10, 0x80, 0x94, 0xeb, 0xdc, 0x03]).is_err(),
        "a second of nanos"
    );
}
