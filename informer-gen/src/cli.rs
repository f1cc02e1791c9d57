//! Arguments, and what each subcommand does.
//!
//! Output goes to stdout, everything else to stderr. The exit code is 0, 1 if `check` finds a
//! difference, or 2 for an error.

mod check;
mod cluster;
mod color;
mod generate;
mod init;
mod list;
mod progress;

use std::error::Error;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use informer_gen::Config;

use self::cluster::{Cluster, Discover};
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
    Generate(Box<Target>),
    /// Compare with what is there: print a diff and exit with 1 if it is out of date
    Check(Box<Target>),
    /// List all known kinds: which are generated, and why the others are not
    List {
        #[command(flatten)]
        inputs: Box<Inputs>,
        /// How to print the list
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        /// Tell all about one kind, such as `v1/ComponentStatus`: where it comes from, what
        /// becomes of it and why
        #[arg(long, value_name = "KIND", conflicts_with = "format")]
        explain: Option<String>,
    },
    /// Save what a cluster serves, for --discovery and --discovery-kinds
    Discover(Discover),
    /// Write a configuration file that explains every option; one that is there is left alone
    Init {
        /// The file; `-` for stdout
        #[arg(default_value = "informers.toml")]
        file: PathBuf,
    },
    /// Print a script that lets a shell complete flags
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// What every subcommand is told of what to generate.
#[derive(Debug, clap::Args)]
struct Inputs {
    #[command(flatten)]
    config: Config,
    #[command(flatten)]
    cluster: Cluster,
    /// A file with the same options, as `init` writes it; flags add to it
    #[arg(short = 'c', long = "config", value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct Target {
    #[command(flatten)]
    inputs: Inputs,
    /// The (main) file to write; `-` for stdout
    #[arg(short, long, value_name = "FILE", required_unless_present = "file")]
    output: Option<PathBuf>,
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

  Of the kinds that manifests define, with their Rust types:
    informer-gen generate --types --crd 'crds/*.yaml' -o src/informers.rs

  The same, the types being in the module crate::api:
    informer-gen generate --crd 'crds/*.yaml=crate::api' -o src/informers.rs

  With an index, which becomes informers.lister().by_node_name(..):
    informer-gen generate --built-in v1/Pod --index v1/Pod=spec.nodeName -o src/informers.rs

  Of the kinds that a cluster serves in one group, without Rust types of their own:
    informer-gen generate --kinds-from-cluster=dynamic --discovery-group example.com -o src/informers.rs

  With the options in a file:
    informer-gen init
    informer-gen generate --config informers.toml

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
        Command::List {
            inputs,
            format,
            explain,
        } => inputs
            .config()
            .and_then(|config| list::run(config, format, explain.as_deref())),
        Command::Discover(discover) => discover.run(),
        Command::Init { file } => init::run(&file),
        Command::Completions { shell } => {
            let name = "informer-gen";
            clap_complete::generate(shell, &mut Cli::command(), name, &mut io::stdout());
            Ok(ExitCode::SUCCESS)
        }
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
        self.output.as_deref() == Some(Path::new("-"))
    }

    /// The configuration with the place to write to.
    fn config(&self) -> Result<Config, Box<dyn Error>> {
        let config = self.inputs.config()?;
        match (&self.output, config.output()) {
            (Some(_), _) if self.is_stdout() => Ok(config),
            (Some(output), _) => Ok(config.write_to(output)),
            (None, Some(_)) => Ok(config),
            (None, None) => Err("no place to write to: give -o, or `output` in the file".into()),
        }
    }
}

// === impl Inputs ===

impl Inputs {
    /// Flags, what a file says, and what a cluster says.
    fn config(&self) -> Result<Config, Box<dyn Error>> {
        let flags = self.config.clone();
        let config = match &self.file {
            Some(file) => flags.over(Config::from_file(file)?),
            None => flags,
        };
        self.cluster.over(config)
    }
}
