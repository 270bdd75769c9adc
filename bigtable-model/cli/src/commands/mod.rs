//! What each command does.

mod destroy;
mod events;
mod insert;
mod presplit;
mod print;
mod production;
mod rows;
mod schema;
mod serve;
mod sql;
mod tables;
mod transfer;
mod watch;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{ArgMatches, Command as Grammar, CommandFactory as _};

use crate::args::{Arguments, Command, OfModel};
use crate::failure::Failure;
use crate::fields;
use crate::models::{Models, Source};
use crate::signal::interrupted;

/// Runs a command to its end, or to Ctrl-C.
pub(crate) fn run(arguments: Arguments, models: Source<'_>) -> Result<ExitCode, Failure> {
    if let Command::Serve(serve) = arguments.command {
        return serve::run(&serve).map(|()| ExitCode::SUCCESS);
    }
    if let Command::Completions(options) = &arguments.command {
        // It panics where it cannot write.
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
    // A command that goes on until it is stopped has then done what it was asked for.
    let is_endless = matches!(arguments.command, Command::Watch(_));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        tokio::select! {
            done = dispatch(arguments, models) => done,
            () = interrupted() => match is_endless {
                true => Ok(ExitCode::SUCCESS),
                false => Err(Failure::new("stopped before it was done")),
            },
        }
    })
}

async fn dispatch(arguments: Arguments, models: Source<'_>) -> Result<ExitCode, Failure> {
    let Arguments {
        target,
        lock,
        command,
    } = arguments;
    let models = || models(&lock);
    match command {
        Command::Tables(options) => tables::list(&*target.open().await?, &options).await?,
        Command::Describe(options) => {
            // Keys are shown as fields where a model is known.
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
        // They were done without a runtime.
        Command::Serve(_) | Command::Completions(_) | Command::Man => {}
        Command::Models(options) => events::models(&models()?, &options)?,
        Command::Query(of) => {
            let (model, options) = of_model(&models()?, of, "query")?;
            events::query(&target.open().await?, &model, &options).await?;
        }
        Command::Count(of) => {
            let (model, options) = of_model(&models()?, of, "count")?;
            events::count(&*target.open().await?, &model, &options).await?;
        }
        Command::Latest(of) => {
            let (model, options) = of_model(&models()?, of, "latest")?;
            watch::latest(&target.open().await?, &model, &options).await?;
        }
        Command::Watch(of) => {
            let (model, options) = of_model(&models()?, of, "watch")?;
            watch::watch(&target.open().await?, &model, &options).await?;
        }
        Command::Price(of) => {
            let (model, options) = of_model(&models()?, of, "price")?;
            production::price(&*target.open().await?, &model, &options).await?;
        }
        Command::Heat(of) => {
            let (model, options) = of_model(&models()?, of, "heat")?;
            production::heat(&target.open().await?, &model, &options).await?;
        }
        Command::Audit(of) => {
            let (model, options) = of_model(&models()?, of, "audit")?;
            if !production::audit(&*target.open().await?, &model, &options).await? {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::Delete(of) => {
            let (model, options) = of_model(&models()?, of, "delete")?;
            destroy::delete(&target.open().await?, &model, &options).await?;
        }
        Command::Print(options) => print::run(&models()?, &options)?,
        Command::Explain(of) => {
            let (model, options) = of_model(&models()?, of, "explain")?;
            events::explain(&model, &options)?;
        }
        Command::Insert(of) => {
            let (model, options) = of_model(&models()?, of, "insert")?;
            insert::run(&target.open().await?, &model, &options).await?;
        }
        Command::Diff(options) => {
            return schema::diff(&*target.open().await?, &models()?, &options).await;
        }
        Command::Apply(options) => {
            schema::apply(&*target.open().await?, &models()?, &options).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The model that the first word names, and the options of a command about it.
fn of_model(
    models: &Models,
    OfModel { rest }: OfModel,
    command: &'static str,
) -> Result<(bigtable_model::dynamic::AnyModel, ArgMatches), Failure> {
    let mut rest = rest.into_iter();
    let name = rest.next().unwrap_or_default();
    if matches!(name.as_str(), "-h" | "--help") {
        return Err(Failure::Usage(without_model(command, models)));
    }
    if name.starts_with('-') {
        return Err(Failure::new(format_args!(
            "`{name}` stands before the model: write `{command} MODEL {name} ...`"
        )));
    }
    let model = models.get(&name)?.clone();
    let grammar = match command {
        "insert" => insert::command(&model),
        "audit" => production::audit_command(&model),
        // A whole table is not deleted by an option that one forgets.
        "delete" => destroy::with_confirmation(fields::query_command(command, &model)),
        command => {
            let grammar = fields::with_scan(fields::query_command(command, &model));
            let grammar = fields::with_output(grammar);
            match command {
                "query" | "latest" => events::with_format(grammar),
                "watch" => watch::with_interval(grammar),
                "price" => production::with_rate(grammar),
                "heat" => production::with_picture(grammar),
                _ => grammar,
            }
        }
    };
    let matches = grammar.try_get_matches_from(rest);
    Ok((model, matches.map_err(Failure::Usage)?))
}

/// The help of a command before its model is known.
fn without_model(command: &'static str, models: &Models) -> clap::Error {
    let names = models.all().iter().map(|one| &*one.schema().model);
    let names: Vec<_> = names.collect();
    let mut grammar = Grammar::new(format!("bigtable-model {command} MODEL"))
        .about("A command whose options are the fields of a model")
        .after_help(format!(
            "The models are {}: `bigtable-model {command} {} --help` has the options of one.",
            names.join(", "),
            names.first().unwrap_or(&"MODEL")
        ));
    let help = grammar.render_help();
    clap::Error::raw(clap::error::ErrorKind::DisplayHelp, help)
}
