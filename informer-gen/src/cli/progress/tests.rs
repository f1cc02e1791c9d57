use super::*;

#[test]
fn a_step_replaces_the_previous_step_and_fits_the_line() {
    let display = Display { enabled: true };
    assert_eq!(display.text("reading a.yaml"), "\r\x1b[2Kreading a.yaml");
    let long = display.text(&format!("reading {}/crds/foos.yaml", "deep/".repeat(30)));
    let line = long.strip_prefix(CLEAR).unwrap();
    assert_eq!(line.chars().count(), WIDTH);
    assert!(line.starts_with("reading .."), "{line}");
    assert!(line.ends_with("/crds/foos.yaml"), "{line}");
}

#[test]
fn nothing_is_shown_without_a_terminal() {
    let display = Display { enabled: false };
    assert_eq!(display.text("reading a.yaml"), "");
}
