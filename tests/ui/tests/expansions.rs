//! Length of what the derive expands to, as rustc prints it.

use std::error::Error;
use std::process::Command;

/// Arguments of the rustc that has compiled this test.
const RUSTC: &[&str] = stub::rustc_arguments!();

/// Returns the number of lines of `expansions/kinds.rs` after its expansion.
fn lines(cfg: &str) -> Result<usize, Box<dyn Error>> {
    let (program, arguments) = RUSTC.split_first().unwrap_or((&"rustc", &[]));
    let mut rustc = Command::new(program);
    for pair in arguments.windows(2) {
        if matches!(pair, ["-L" | "--extern", _]) {
            rustc.args(pair);
        }
    }
    let folder = env!("CARGO_MANIFEST_DIR");
    rustc.current_dir(folder.strip_suffix("/tests/ui").unwrap_or(folder));
    rustc.args(["--edition=2024", "-Zunpretty=expanded", "--cfg", cfg]);
    rustc.arg(format!("{folder}/expansions/kinds.rs"));
    // Only unstable rustc prints expansions.
    let output = rustc.env("RUSTC_BOOTSTRAP", "1").output()?;
    if !output.status.success() {
        return Err(String::from_utf8(output.stderr)?.into());
    }
    Ok(String::from_utf8(output.stdout)?.lines().count())
}

/// A kind without declarations is two aliases. A declaration adds one struct, and what a reader of
/// `cargo expand` has to pass over for an index or a relation.
#[test]
fn an_expansion_is_short() -> Result<(), Box<dyn Error>> {
    let nothing = lines("nothing")?;
    for (cfg, most) in [("plain", 19), ("index", 135), ("relation", 195)] {
        let found = lines(cfg)? - nothing;
        assert!(found <= most, "{cfg}: {found} lines, but at most {most}");
    }
    Ok(())
}
