use super::{BUILT_IN, Line, Path, built_in};

/// `read` skips what it cannot read, such as a column with an unknown function.
#[test]
fn every_line_is_a_resource_or_a_column_whose_paths_can_be_followed() {
    let mut columns = 0;
    for line in include_str!("../columns.jsonl").lines() {
        match serde_json::from_str::<Line>(line).unwrap_or_else(|error| panic!("{error}: {line}")) {
            Line::Resource { .. } => continue,
            Line::Common(name) => {
                let mut common = built_in(".").iter();
                assert!(
                    common.any(|column| column.definition.name == name),
                    "{name}"
                );
            }
            Line::Column(column) => {
                assert!(column.cell.paths.iter().all(Path::is_valid), "{line}");
            }
        }
        columns += 1;
    }
    assert_eq!(BUILT_IN.values().map(Vec::len).sum::<usize>(), columns);
}
