use clap::Parser;

use super::*;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    comparison: Comparison,
}

/// Returns the worlds as text, or the error.
fn plans(arguments: &str) -> String {
    let arguments = ["benches"].into_iter().chain(arguments.split_whitespace());
    let comparison = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments.comparison,
        Err(error) => return error.kind().to_string(),
    };
    let text = |plan: &Plan| {
        let World {
            kind,
            objects,
            events,
        } = plan.world;
        format!("{} of {kind} {objects}/{events}", plan.runs)
    };
    match comparison.plans() {
        Ok(plans) => plans.iter().map(text).collect::<Vec<_>>().join(", "),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_size_has_its_number_of_runs_or_all_have_the_same() {
    let uniform = |arguments: &str| plans(&format!("--events 7 --worlds uniform {arguments}"));
    let expected = "3 of uniform 1000/7, 3 of uniform 20000/7, 1 of uniform 100000/7";
    assert_eq!(uniform(""), expected);
    let expected = "2 of uniform 5/7, 2 of uniform 6/7";
    assert_eq!(uniform("--objects 5,6 --runs 2"), expected);
}

#[test]
fn worlds_without_a_size_have_the_first_number_of_runs() {
    let other = |worlds: &str| plans(&format!("--runs 4,3,1 --events 10 --worlds {worlds}"));
    let expected = "4 of sustained 5000/200, 4 of routes 10/10";
    assert_eq!(other("sustained,routes"), expected);
    let expected = "4 of types 1/0, 4 of types 20/0, 4 of types 200/0";
    assert_eq!(other("types"), expected);
}

#[test]
fn runs_that_fit_no_world_are_refused() {
    let expected =
        "--runs has 2 numbers for 3 numbers of --objects: pass one number for all, or one for each";
    assert_eq!(plans("--runs 3,3"), expected);
    assert_eq!(plans("--runs 1,0,1"), "--runs must be at least 1");
    assert_eq!(plans("--runs x"), "invalid value for one of the arguments");
    let expected = "one of the values isn't valid for an argument";
    assert_eq!(plans("--worlds x"), expected);
    let error = plans("--objects-from no-such-file");
    assert!(error.starts_with("cannot read no-such-file: "), "{error}");
}
