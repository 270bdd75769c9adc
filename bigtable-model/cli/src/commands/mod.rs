//! What each command does.

mod destroy;
mod event_file;
mod events;
mod insert;
mod lock;
mod pack;
mod presplit;
mod print;
mod production;
mod schema;
mod serve;
mod sql;
mod tables;
mod transfer;
mod watch;

use std::io::Write as _;
use std::process::ExitCode;

use bigtable_model::dynamic::AnyModel;
use clap::{Command as Grammar, CommandFactory as _};

use crate::args::{Arguments, Command};
use crate::backend::Target;
use crate::failure::Failure;
use crate::fields;
use crate::models::{Models, Source};
use crate::signal::interrupted;
use crate::verb::Verb;

/// Runs a command to its end, or to Ctrl-C.
pub(crate) fn run(arguments: Arguments, source: Source) -> Result<ExitCode, Failure> {
    if let Command::Serve(serve) = arguments.command {
        return serve::run(&serve).map(|()| ExitCode::SUCCESS);
    }
    if let Command::Completions(options) = &arguments.command {
        // `generate` panics if it cannot write, so it writes into memory.
        let mut script = Vec::new();
        let mut grammar = Arguments::command();
        clap_complete::generate(options.shell, &mut grammar, "bigtable-model", &mut script);
        std::io::stdout().write_all(&script)?;
        return Ok(ExitCode::SUCCESS);
    }
    if matches!(arguments.command, Command::Man) {
        clap_mangen::Man::new(Arguments::command()).render(&mut std::io::stdout())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Command::Lock(options) = &arguments.command {
        return lock::run(source, &arguments.lock, options);
    }
    // A command that runs until it is stopped has succeeded when it is.
    let is_endless = matches!(arguments.command, Command::Watch(_));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        tokio::select! {
            done = dispatch(arguments, source) => done,
            () = interrupted() => match is_endless {
                true => Ok(ExitCode::SUCCESS),
                false => Err(Failure::new("stopped before it was done")),
            },
        }
    })
}

async fn dispatch(arguments: Arguments, source: Source) -> Result<ExitCode, Failure> {
    let Arguments {
        target,
        lock,
        mut command,
    } = arguments;
    let models = || source.models(&lock);
    if let Some((verb, rest)) = command.of_model() {
        return of_model(verb, std::mem::take(rest), models(), &target).await;
    }
    match command {
        Command::Tables(options) => tables::list(&*target.open().await?, &options).await?,
        Command::Describe(options) => {
            // Keys are shown as fields if a model is known.
            let models = models().ok();
            tables::describe(&*target.open().await?, &options, models.as_ref()).await?;
        }
        Command::Generate(options) => {
            tables::generate(&*target.open().await?, &options).await?;
        }
        Command::Presplit(options) => presplit::run(&*target.open().await?, &options).await?,
        Command::Export(options) => transfer::export(&*target.open().await?, &options).await?,
        Command::Import(options) => transfer::import(&target.open().await?, &options).await?,
        Command::Copy(options) => {
            let from = target.open().await?;
            let to = match &options.to_backend {
                Some(name) => target.open_named(name).await?,
                None => from.clone(),
            };
            transfer::copy(&*from, &to, &options).await?;
        }
        Command::Truncate(options) => {
            destroy::truncate(&*target.open().await?, &options).await?;
        }
        Command::Drop(options) => destroy::drop_table(&*target.open().await?, &options).await?,
        Command::Sql(options) => sql::run(&*target.open().await?, &options).await?,
        Command::Models(options) => events::models(&models()?, &options)?,
        Command::Print(options) => print::run(&models()?, &options)?,
        Command::Diff(options) => {
            return schema::diff(&*target.open().await?, &models()?, &options).await;
        }
        Command::Apply(options) => {
            schema::apply(&*target.open().await?, &models()?, &options).await?;
        }
        // Commands about a model, and commands that were done without a runtime.
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a command on the model that the first word names, with the options after it.
async fn of_model(
    verb: Verb,
    rest: Vec<String>,
    models: Result<Models, Failure>,
    target: &Target,
) -> Result<ExitCode, Failure> {
    let mut rest = rest.into_iter();
    let name = rest.next().unwrap_or_default();
    if matches!(name.as_str(), "-h" | "--help") {
        return Err(without_model(verb, models.as_ref()));
    }
    if name.starts_with('-') {
        return Err(Failure::new(format_args!(
            "`{name}` stands before the model: write `{} MODEL {name} ...`",
            verb.name()
        )));
    }
    let models = models?;
    let model = models.get(&name)?;
    let matches = grammar(verb, model).try_get_matches_from(rest);
    let options = &matches.map_err(Failure::Usage)?;
    // These may need no backend.
    match verb {
        Verb::Explain => {
            events::explain(model, options)?;
            return Ok(ExitCode::SUCCESS);
        }
        Verb::Heat => {
            production::heat(target, model, options).await?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let db = &target.open().await?;
    match verb {
        Verb::Query => events::query(db, model, options).await?,
        Verb::Count => events::count(&**db, model, options).await?,
        Verb::Latest => watch::latest(db, model, options).await?,
        Verb::Watch => watch::watch(db, model, options).await?,
        Verb::Explain | Verb::Heat => {}
        Verb::Price => production::price(&**db, model, options).await?,
        Verb::Pack | Verb::Unpack => {
            if !pack::run(&**db, verb, model, options).await? {
                return Ok(ExitCode::FAILURE);
            }
        }
        Verb::Insert => insert::run(db, model, options).await?,
        Verb::Delete => destroy::delete(db, model, options).await?,
        Verb::Audit => {
            if !production::audit(&**db, model, options).await? {
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The options of a command about a model.
fn grammar(verb: Verb, model: &AnyModel) -> Grammar {
    match verb {
        Verb::Insert => return insert::command(model),
        Verb::Audit => return production::audit_command(model),
        Verb::Pack | Verb::Unpack => return pack::command(verb, model),
        _ => {}
    }
    let grammar = fields::query_command(verb.name(), model);
    // A forgotten option must not delete a whole table: there is no `--scan`.
    if verb == Verb::Delete {
        return destroy::with_confirmation(grammar);
    }
    let grammar = fields::with_output(fields::with_scan(grammar));
    match verb {
        Verb::Query | Verb::Latest => events::with_format(grammar),
        Verb::Watch => watch::with_interval(grammar),
        Verb::Price => production::with_rate(grammar),
        Verb::Heat => production::with_picture(grammar),
        _ => grammar,
    }
}

/// The help of a command before its model is known.
fn without_model(verb: Verb, models: Result<&Models, &Failure>) -> Failure {
    let verb = verb.name();
    let known = match models {
        Ok(models) => {
            let names = models.all().iter().map(|one| &*one.schema().model);
            let names: Vec<_> = names.collect();
            let first = names.first().unwrap_or(&"MODEL");
            format!(
                "The models are {}: `bigtable-model {verb} {first} --help` has the options of one.",
                names.join(", ")
            )
        }
        Err(_) => "The models are in a lock file, named by `--lock` or BIGTABLE_LOCK; `MODEL --help` has the options of one.".to_owned(),
    };
    let grammar = Grammar::new("bigtable-model")
        .bin_name("bigtable-model")
        .no_binary_name(true)
        .max_term_width(100)
        .subcommand(
            Arguments::command()
                .find_subcommand(verb)
                .cloned()
                .unwrap_or_default()
                .disable_help_flag(false)
                .after_help(known),
        );
    match grammar.try_get_matches_from([verb, "--help"]) {
        Err(help) => Failure::Usage(help),
        Ok(_) => Failure::new(format_args!("`{verb}` has no help without a model")),
    }
}
