//! Arguments, and what each subcommand does.
//!
//! Output goes to stdout, everything else to stderr. The exit code is 0, 1 if `check` finds a
//! difference, or 2 for an error.

mod check;
mod color;
mod generate;
mod list;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use informer_gen::Config;

use self::color::Style;

#[derive(Debug, Parser)]
#[command(version, about, propagate_version = true)]
#[command(after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write informers and listers; files that would not change are not touched
    #[command(after_help = EXAMPLES)]
    Generate(Target),
    /// Compare with what is there: print a diff and exit with 1 if it is out of date
    Check(Target),
    /// List all known kinds: which are generated, and why the others are not
    List {
        #[command(flatten)]
        config: Config,
        /// How to print the list
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

#[derive(Debug, clap::Args)]
struct Target {
    #[command(flatten)]
    config: Config,
    /// The (main) file to write; `-` for stdout
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Table,
    /// An array with an object for each kind
    Json,
}

const EXAMPLES: &str = "\
Examples:
  Informers of two built-in kinds, in one file:
    informer-gen generate --built-in v1/Pod --built-in apps/v1/Deployment -o src/informers.rs

  Of the kinds that manifests define, the types being in the module crate::api:
    informer-gen generate --crd 'crds/*.yaml=crate::api' -o src/informers.rs

  With an index, which becomes informers.lister().by_node_name(..):
    informer-gen generate --built-in v1/Pod --index v1/Pod=spec.nodeName -o src/informers.rs

  In CI, with the same flags:
    informer-gen check --built-in v1/Pod --built-in apps/v1/Deployment -o src/informers.rs

Exit status: 0 if all is well, 1 if `check` finds a difference, 2 on an error.";

const DIFFERS: u8 = 1;
const FAILED: u8 = 2;

/// Runs the command line of this process.
pub(crate) fn run() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Generate(target) => generate::run(&target),
        Command::Check(target) => check::run(&target),
        Command::List { config, format } => list::run(&config, format),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            let style = Style::new(io::stderr().is_terminal());
            eprintln!("{}: {error}", style.error("error"));
            ExitCode::from(FAILED)
        }
    }
}

// === impl Target ===

impl Target {
    fn is_stdout(&self) -> bool {
        self.output == Path::new("-")
    }

    /// The configuration with the place to write to.
    fn config(&self) -> Config {
        let name = self.output.file_name().unwrap_or_default();
        let directory = self.output.parent().unwrap_or(Path::new(""));
        let config = self.config.clone().out_dir(directory);
        config.file_name(&name.to_string_lossy())
    }
}
