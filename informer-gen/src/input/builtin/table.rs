//! Form of the tables: blocks with a heading, which empty lines separate.

/// Returns the blocks of a table, each as its heading and the other lines.
pub(super) fn blocks(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table
        .trim()
        .split("\n\n")
        .filter_map(|block| block.split_once('\n'))
}
