use super::*;

/// The readable text that `tables/` generates has the same content as the tables.
#[test]
fn the_tables_match_the_text() {
    let text = include_str!("../../tables/tables.txt");
    let kinds = text.lines().filter(|line| line.starts_with("kind "));
    let messages = text.lines().filter(|line| line.starts_with("message "));
    let names: Vec<&str> = messages
        .map(|line| line.trim_start_matches("message "))
        .collect();
    assert_eq!(names.len() + 1, STARTS.len());
    let message = |name: &str| {
        let at = names.binary_search(&name).expect("a message of that name");
        Message(u16::try_from(at).expect("16 bits"))
    };
    let mut count = 0;
    for line in kinds {
        let [_, version, kind, name] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        assert_eq!(Message::of(version, kind), Some(message(name)), "{line}");
        count += 1;
    }
    assert_eq!(count, Message::kinds().count());

    let mut current = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("message ") {
            let none_left = current
                .take()
                .is_none_or(|(_, mut left): (_, std::vec::IntoIter<Field>)| left.next().is_none());
            assert!(none_left, "before {name}");
            let fields: Vec<Field> = message(name).fields().collect();
            current = Some((name, fields.into_iter()));
        } else if let Some(expected) = line.strip_prefix("  ") {
            let (name, fields) = current.as_mut().expect("a message");
            let field = fields.next().expect("a field");
            assert_eq!(print(field, &names), expected, "{name}");
        }
    }
}

fn print(field: Field, names: &[&str]) -> String {
    let name = if field.is_inline() { "-" } else { field.name() };
    let mut out = format!("{} {name} ", field.number());
    if field.is_map() {
        out += "map of ";
    }
    if field.is_repeated() {
        out += "list of ";
    }
    if let Some(message) = field.message() {
        out += names[usize::from(message.0)];
    } else {
        let shape = format!("{:?}", field.shape());
        out += &shape[..1].to_lowercase();
        out += &shape[1..];
    }
    for (flag, word) in [
        (POINTER, " pointer"),
        (OMIT, " omitempty"),
        (INLINE, " inline"),
    ] {
        if field.has(flag) {
            out += word;
        }
    }
    out
}

/// The decoder skips `managedFields` by dropping the last field.
#[test]
fn managed_fields_are_the_last_field_of_object_meta() {
    let last = Message::OBJECT_META.fields().last().expect("a field");
    assert_eq!((last.number(), last.name()), (17, "managedFields"));
}

/// The decoder holds at most three messages of one JSON object.
#[test]
fn messages_are_inlined_two_levels_deep_at_most() {
    fn depth(message: Message) -> usize {
        let inlined = message.fields().filter(|field| field.is_inline());
        inlined
            .map(|field| 1 + depth(field.target()))
            .max()
            .unwrap_or(0)
    }
    let deepest =
        (0..STARTS.len() - 1).map(|id| depth(Message(u16::try_from(id).expect("16 bits"))));
    assert_eq!(deepest.max(), Some(2));
}

/// Every program contains this data, so its size is limited.
#[test]
fn the_tables_are_small() {
    let bytes = size_of_val(&STARTS) + size_of_val(&FIELDS) + size_of_val(KINDS) + TEXT.len();
    assert!(bytes < 66_000, "{bytes}");
}
