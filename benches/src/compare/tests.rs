use clap::Parser;

use super::*;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    comparison: Comparison,
}

/// Returns the worlds as text, or the error.
fn worlds(arguments: &str) -> String {
    let arguments = ["benches"].into_iter().chain(arguments.split_whitespace());
    let comparison = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments.comparison,
        Err(error) => return error.kind().to_string(),
    };
    let text = |world: &World| format!("{} {}/{}", world.kind, world.objects, world.events);
    match comparison.worlds() {
        Ok(worlds) => worlds.iter().map(text).collect::<Vec<_>>().join(", "),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_mixed_world_has_each_size_and_the_others_their_own() {
    let of = |kinds: &str| worlds(&format!("--objects 5,6 --events 10 --worlds {kinds}"));
    assert_eq!(of("uniform,mixed"), "uniform 5/10, mixed 5/10, mixed 6/10");
    assert_eq!(of("sustained,routes"), "sustained 5000/200, routes 10/10");
    assert_eq!(of("types"), "types 1/0, types 20/0, types 200/0");
}

#[test]
fn arguments_that_fit_no_world_are_refused() {
    assert_eq!(worlds("--runs 0"), "invalid value for one of the arguments");
    assert_eq!(worlds("--runs x"), "invalid value for one of the arguments");
    let expected = "one of the values isn't valid for an argument";
    assert_eq!(worlds("--worlds x"), expected);
    let error = worlds("--objects-from no-such-file");
    assert!(error.starts_with("cannot read no-such-file: "), "{error}");
}
