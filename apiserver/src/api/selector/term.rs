//! Single conditions of selectors.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LabelTerm {
    pub(super) key: String,
    pub(super) test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Above(i64),
    Below(i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldTerm {
    pub(super) path: Vec<String>,
    pub(super) value: String,
    pub(super) equal: bool,
}
