//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::backend::Target;
use crate::failure::Failure;
use crate::output::Format;
use crate::verb::Verb;

/// Looks after Bigtable tables
#[derive(Debug, Parser)]
#[command(
    name = "bigtable-model",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    help_template = "{about}\n\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}\n\nCommands:\n{subcommands}\n\n{after-help}",
    before_help = "\
Any table    tables describe generate presplit export import copy truncate drop sql
A model      models query count latest watch explain price heat audit insert delete
             pack unpack
Its tables   diff apply print lock
This machine serve completions man

Examples:
  bigtable-model serve --data ./data
  bigtable-model export QUOTE --prefix NASDAQ# -o nasdaq.jsonl
  bigtable-model query Quote --symbol ZXZZT --at 2015-03-16..2015-03-17 --format csv
  bigtable-model COMMAND --help",
    after_help = "Exit codes: 0 done, 1 failed, 2 wrong use, 3 differences (`diff --exit-code`)."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) target: Target,
    /// The lock file with the models
    #[arg(
        long,
        global = true,
        env = "BIGTABLE_LOCK",
        value_name = "FILE",
        default_value = "layouts.lock",
        hide_default_value = true,
        hide_env = true
    )]
    pub(crate) lock: PathBuf,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Tables, their families and sizes
    Tables(Listing),
    /// What a table holds: families, rules, shapes of keys, columns
    Describe(Describe),
    /// Proposes structs in Rust for a table, from some of its rows
    Generate(Generate),
    /// Creates a table that is split at keys, so that its first writes are spread
    Presplit(Presplit),
    /// Rows into a file: JSON lines or CSV
    Export(Export),
    /// Rows of a file that `export` wrote
    Import(Import),
    /// Rows of a table into another, also of another instance
    Copy(Copy),
    /// Deletes all rows of a table
    Truncate(Destroy),
    /// Deletes a table
    Drop(Destroy),
    /// A query in SQL
    Sql(Sql),
    /// A Bigtable on this machine, for clients in any language
    Serve(Serve),
    /// The models of the lock file, their keys and fields
    Models(Listing),
    /// Events of a model by its fields: `query MODEL --help`
    Query(OfModel),
    /// How many events that are
    Count(OfModel),
    /// The newest events
    Latest(OfModel),
    /// The newest events, again and again
    Watch(OfModel),
    /// What a query would read
    Explain(OfModel),
    /// What a query reads, and how much of that is wanted
    Price(OfModel),
    /// Where and when the events of a query were written
    Heat(OfModel),
    /// What is wrong in a model's tables
    Audit(OfModel),
    /// Puts the events of settled rows into blocks of compressed columns
    Pack(OfModel),
    /// Gives packed events cells of their own again
    Unpack(OfModel),
    /// Events of a file into a model's table: `insert MODEL --help`
    Insert(OfModel),
    /// Deletes events of a model
    Delete(OfModel),
    /// What the tables lack that the models want
    Diff(Diff),
    /// Creates and changes tables as the models want them
    Apply(Apply),
    /// The models' tables for Terraform, gcloud or cbt
    Print(Print),
    /// Compares a program's own types with the lock file, or writes it
    Lock(LockFile),
    /// Completions for a shell
    Completions(Completions),
    /// The manual as a man page
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct Listing {
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Describe {
    /// Its ID
    pub(crate) table: String,
    /// How many rows are read
    #[arg(long, default_value_t = 200)]
    pub(crate) rows: usize,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  bigtable-model generate QUOTE > src/quote.rs

The structs are tried on the rows that were read. Each field says how sure its type is.")]
pub(crate) struct Generate {
    /// The table's ID
    pub(crate) table: String,
    /// About how many rows are read
    #[arg(long, default_value_t = 1_000)]
    pub(crate) rows: usize,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bigtable-model presplit QUOTE2 --like QUOTE --parts 8
  bigtable-model presplit EVENTS --family E --at g --at n --at t
  bigtable-model presplit USERS --family U --keys sample.txt --parts 16")]
pub(crate) struct Presplit {
    /// The ID of the table to create
    pub(crate) table: String,
    /// A family
    #[arg(long)]
    pub(crate) family: Vec<String>,
    /// A key to split at
    #[arg(long, value_name = "KEY")]
    pub(crate) at: Vec<String>,
    /// A file with a key in each line: all of them, or a sample for `--parts`
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,
    /// A table whose families and keys the new one has
    #[arg(long, value_name = "TABLE", conflicts_with = "keys")]
    pub(crate) like: Option<String>,
    /// How many parts with equally many of the keys there are
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=1_000))]
    pub(crate) parts: Option<u32>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bigtable-model print terraform > bigtable.tf
  bigtable-model print cbt-format Quote > quote.yml && cbt read QUOTE format-file=quote.yml
  bigtable-model print bundle > quote.pb && gcloud bigtable schema-bundles create quote \\
    --instance INSTANCE --table QUOTE --proto-descriptors-file quote.pb")]
pub(crate) struct Print {
    /// The form
    #[arg(value_enum)]
    pub(crate) form: Form,
    /// The models; all of them without a name
    pub(crate) models: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
It is for programs with types of their own, which call `bigtable_model_cli::run::<(Quote, Trade)>()`.
It fails if stored rows would not be read any more.")]
pub(crate) struct LockFile {
    /// Also fails for what the file does not say, though stored rows are read
    #[arg(long)]
    pub(crate) strict: bool,
    /// Writes the file
    #[arg(long, conflicts_with = "strict")]
    pub(crate) write: bool,
}

/// The form of another tool.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Form {
    /// Resources of the provider google
    Terraform,
    /// Commands of gcloud
    Gcloud,
    /// Commands of cbt
    Cbt,
    /// A file with which cbt shows numbers as numbers
    CbtFormat,
    /// The `.proto` of a model whose events are messages
    Proto,
    /// The messages as descriptors, for a schema bundle of Bigtable
    Bundle,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// A form of rows in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// A row in each line, as an object in JSON
    Jsonl,
    /// A cell in each line
    Csv,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bigtable-model export QUOTE --prefix NASDAQ# -o nasdaq.jsonl
  bigtable-model export QUOTE --format csv --limit 10

Bytes that are no text are written as \\x and two digits, a backslash twice.")]
pub(crate) struct Export {
    /// The table's ID
    pub(crate) table: String,
    /// The form of the file
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(crate) format: FileFormat,
    /// The file; standard output without it
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only rows whose keys begin with this
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) prefix: String,
    /// At most this many rows
    #[arg(long, value_name = "ROWS")]
    pub(crate) limit: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bigtable-model import QUOTE nasdaq.jsonl
  bigtable-model import QUOTE nasdaq.csv --rejected bad.csv --checkpoint nasdaq.done

The table must have the families. A cell with the same key, column and timestamp is replaced, so an
import may be repeated.")]
pub(crate) struct Import {
    /// The table's ID
    pub(crate) table: String,
    /// The file; `-` reads standard input
    pub(crate) file: PathBuf,
    /// The form of the file; by default as its name ends
    #[arg(long, value_enum)]
    pub(crate) format: Option<FileFormat>,
    /// Lines that are no rows, or that Bigtable refuses, go to this file; without it the first one
    /// ends the import
    #[arg(long, value_name = "FILE")]
    pub(crate) rejected: Option<PathBuf>,
    /// Keeps how far the import came, and goes on there after it was stopped
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Copy {
    /// The table to read
    pub(crate) from: String,
    /// The table to write, which must have the families
    pub(crate) to: String,
    /// The backend of the table to write, if it is another one
    #[arg(long, value_name = "TARGET")]
    pub(crate) to_backend: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Destroy {
    /// The table's ID
    pub(crate) table: String,
    /// The table's ID again, in place of the question
    #[arg(long, value_name = "TABLE")]
    pub(crate) confirm: Option<String>,
    /// Writes all rows to this file before
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bigtable-model sql \"SELECT _key, MD['BID'] FROM QUOTE LIMIT 5\"
  bigtable-model sql 'SELECT _key FROM QUOTE WHERE _key = @key' --set key='NASDAQ#ZXZZT'

A parameter is a text; `--set n:int64=5` names another type: bytes, int64, float64, bool, timestamp.")]
pub(crate) struct Sql {
    /// The statement
    pub(crate) statement: String,
    /// A parameter
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  bigtable-model serve --port 8086 --data ./data
  BIGTABLE_EMULATOR_HOST=127.0.0.1:8086 cbt -project any -instance any ls

The first line that it prints is the variable's setting. It ends with Ctrl-C or SIGTERM. If it is
killed, it loses what was written since the last save began.")]
pub(crate) struct Serve {
    /// The address to listen on. If other machines can reach it, they can read and write everything
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: String,
    /// The port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 8086)]
    pub(crate) port: u16,
    /// Which server it imitates: Bigtable, or Google's emulator with its faults
    #[arg(long, value_enum, default_value = "service")]
    pub(crate) profile: Behaviour,
    /// The seed for where responses of reads are cut; the same seed cuts them the same way
    #[arg(long, default_value_t = 0, conflicts_with = "uncut")]
    pub(crate) seed: u64,
    /// Cuts only responses that are too large for one message
    #[arg(long)]
    pub(crate) uncut: bool,
    /// Lets messages end inside rows, which Google's clients for Go and Python do not accept
    #[arg(long, conflicts_with = "uncut")]
    pub(crate) split_rows: bool,
    /// The folder that keeps the data across restarts, a file for each instance; without it the
    /// data is lost when the server ends
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// The interval between saves while the server runs; it also saves at the end
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "data")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) save_every: u64,
    /// The interval between collections of garbage: cells that the families' rules delete are read
    /// until then; 0 never collects
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) gc_every: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Behaviour {
    Service,
    Emulator,
}

/// A command whose options are the fields of a model.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct OfModel {
    /// The model's name, and then its fields
    #[arg(
        value_name = "MODEL [--FIELD VALUE]...",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) rest: Vec<String>,
}

impl Command {
    /// The command on a model, and the arguments after the model's name.
    pub(crate) fn of_model(&mut self) -> Option<(Verb, &mut Vec<String>)> {
        let (verb, of) = match self {
            Self::Query(of) => (Verb::Query, of),
            Self::Count(of) => (Verb::Count, of),
            Self::Latest(of) => (Verb::Latest, of),
            Self::Watch(of) => (Verb::Watch, of),
            Self::Explain(of) => (Verb::Explain, of),
            Self::Price(of) => (Verb::Price, of),
            Self::Heat(of) => (Verb::Heat, of),
            Self::Audit(of) => (Verb::Audit, of),
            Self::Pack(of) => (Verb::Pack, of),
            Self::Unpack(of) => (Verb::Unpack, of),
            Self::Insert(of) => (Verb::Insert, of),
            Self::Delete(of) => (Verb::Delete, of),
            _ => return None,
        };
        Some((verb, &mut of.rest))
    }
}

impl Arguments {
    /// The same, with the options of all commands taken from the arguments after a model's name:
    /// they may be anywhere.
    pub(crate) fn with_globals(mut self) -> Result<Self, Failure> {
        let Some((_, rest)) = self.command.of_model() else {
            return Ok(self);
        };
        let mut words = std::mem::take(rest).into_iter();
        let mut kept = Vec::new();
        let mut found = Vec::new();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let Some(global) = GLOBALS
                .iter()
                .find(|global| name.strip_prefix("--") == Some(**global))
            else {
                kept.push(word);
                continue;
            };
            match value.or_else(|| words.next()) {
                Some(value) => found.push((*global, value)),
                None => return Err(Failure::new(format_args!("`--{global}` has no value"))),
            }
        }
        *rest = kept;
        for (global, value) in found {
            match global {
                "lock" => self.lock = value.into(),
                "config" => self.target.config = Some(value.into()),
                _ => self.target.backend = Some(value),
            }
        }
        Ok(self)
    }
}

/// The options of all commands.
pub(crate) const GLOBALS: [&str; 3] = ["backend", "config", "lock"];

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The models; all of them without a name
    pub(crate) models: Vec<String>,
    /// Ends with code 3 if something is to be changed
    #[arg(long)]
    pub(crate) exit_code: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Apply {
    /// The models; all of them without a name
    pub(crate) models: Vec<String>,
    /// Shows what would be changed, and changes nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also replaces rules by those that may delete cells which are kept today
    #[arg(long)]
    pub(crate) allow_unsafe: bool,
    /// Drops a family that the models do not have, with its cells
    #[arg(long, value_name = "FAMILY")]
    pub(crate) drop_family: Vec<String>,
    /// Also creates or replaces the schema bundles by which SQL reads messages, of tables by period
    /// for today's; only Bigtable has them
    #[arg(long)]
    pub(crate) schema_bundles: bool,
}
