//! Defines the command-line arguments and dispatches the subcommands.
//!
//! Output goes to stdout, all messages go to stderr. The exit status is 0 on success, 1 if `check`
//! finds a difference, and 2 on an error.

mod check;
mod cluster;
mod generate;
mod list;

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use informer_gen::Config;

use self::cluster::Cluster;

#[derive(Debug, Parser)]
#[command(version, about, propagate_version = true)]
#[command(after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate informers and listers; unchanged files are not rewritten
    #[command(after_help = EXAMPLES)]
    Generate(Box<OutputArgs>),
    /// Compare existing files with the generated code: print a diff and exit with 1 if they differ
    Check(Box<OutputArgs>),
    /// List all known kinds: those generated, and why the others are not
    List {
        #[command(flatten)]
        inputs: Box<Inputs>,
        /// Output format of the list
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print a completion script for a shell
    Completions {
        /// Name of the shell
        shell: Shell,
    },
}

/// Inputs of a subcommand.
#[derive(Debug, clap::Args)]
struct Inputs {
    #[command(flatten)]
    config: Config,
    #[command(flatten)]
    cluster: Cluster,
}

#[derive(Debug, clap::Args)]
struct OutputArgs {
    #[command(flatten)]
    inputs: Inputs,
    /// File to write (the main file with --file-per-group); `-` for stdout
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Columns for reading on a terminal
    #[default]
    Table,
    /// JSON array with an object for each kind
    Json,
}

const EXAMPLES: &str = r#"Examples:
  Generate informers of two built-in kinds, in one file:
    informer-gen generate --built-in v1/Pod --built-in apps/v1/Deployment -o src/informers.rs

  Generate informers and Rust types of the kinds that CRD manifests define:
    informer-gen generate --crd 'crds/*.yaml' -o src/informers.rs

  Generate informers only, with existing Rust types in the module crate::api:
    informer-gen generate --crd 'crds/*.yaml=crate::api' -o src/informers.rs

  Add an index, which becomes informers.lister().by_node_name(..):
    informer-gen generate --built-in v1/Pod --kind 'v1/Pod: index = "spec.nodeName"' -o src/informers.rs

  Generate informers and Rust types of one kind that a cluster defines:
    informer-gen generate --from-cluster=types --only Certificate -o src/informers.rs

  Check in CI that the generated code is up to date, with the same flags:
    informer-gen check --built-in v1/Pod --built-in apps/v1/Deployment -o src/informers.rs

Exit status: 0 on success, 1 if `check` finds a difference, 2 on an error."#;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const FAINT: Style = Style::new().dimmed();

const DIFFERS: u8 = 1;
const FAILED: u8 = 2;

/// Runs the command line of this process.
pub(crate) fn run() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Generate(target) => generate::run(&target),
        Command::Check(target) => check::run(&target),
        Command::List { inputs, format } => list::run(&inputs, format),
        Command::Completions { shell } => {
            let mut grammar = Cli::command();
            clap_complete::generate(shell, &mut grammar, "informer-gen", &mut io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            anstream::eprintln!("{ERROR}error{ERROR:#}: {error}");
            ExitCode::from(FAILED)
        }
    }
}

// === impl OutputArgs ===

impl OutputArgs {
    fn is_stdout(&self) -> bool {
        self.output == Path::new("-")
    }

    /// Returns the configuration with the output path.
    fn config(&self) -> Result<Config, Box<dyn Error>> {
        let config = self.inputs.config()?;
        if self.is_stdout() {
            return Ok(config);
        }
        Ok(config.write_to(&self.output))
    }
}

// === impl Inputs ===

impl Inputs {
    /// Combines the flags and the cluster's answers.
    fn config(&self) -> Result<Config, Box<dyn Error>> {
        self.cluster.over(self.config.clone())
    }
}
