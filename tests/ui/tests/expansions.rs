//! Length of what the derive expands to, as rustc prints it.

use std::process::Command;

/// Arguments of the rustc that has compiled this test.
const RUSTC: &[&str] = stub::rustc_arguments!();

/// Returns the number of lines of `expansions/kinds.rs` after its expansion.
fn lines(cfg: &str) -> usize {
    let (program, arguments) = RUSTC.split_first().unwrap();
    let mut rustc = Command::new(program);
    for pair in arguments.windows(2) {
        if matches!(pair[0], "-L" | "--extern") {
            rustc.args(pair);
        }
    }
    let folder = env!("CARGO_MANIFEST_DIR");
    rustc.current_dir(folder.strip_suffix("/tests/ui").unwrap());
    rustc.args(["--edition=2024", "-Zunpretty=expanded", "--cfg", cfg]);
    rustc.arg(format!("{folder}/expansions/kinds.rs"));
    // Only unstable rustc prints expansions.
    let output = rustc.env("RUSTC_BOOTSTRAP", "1").output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().count()
}

/// A reader of `cargo expand` reads what a kind declares, not what all kinds have in common.
#[test]
fn an_expansion_is_short() {
    let nothing = lines("nothing");
    let of = |cfg| lines(cfg) - nothing;
    let found = [of("plain"), of("index"), of("relation")];
    let most = [26, 84, 114];
    let is_short = found.iter().zip(most).all(|(found, most)| *found <= most);
    assert!(is_short, "{found:?} lines, but at most {most:?}");
}
