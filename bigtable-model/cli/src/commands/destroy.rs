//! What destroys: it shows what there is, and wants to be told twice.

use std::io::{IsTerminal as _, Write as _};

use bigtable_model::Backend;
use bigtable_model::data::{ReadRows, RowDeletion, RowFilter};
use futures::TryStreamExt as _;

use super::tables::sampled_bytes;
use super::transfer::write_rows;
use crate::args::{Destroy, FileFormat};
use crate::failure::Failure;
use crate::output::writer;
use crate::text;

/// How many keys are shown.
const SHOWN: i64 = 5;

pub(super) async fn truncate(db: &dyn Backend, options: &Destroy) -> Result<(), Failure> {
    prepare(db, options, "All rows of the table are deleted").await?;
    db.tables()
        .drop_rows(&options.table, RowDeletion::All)
        .await?;
    println!("all rows of {} are deleted", options.table);
    Ok(())
}

pub(super) async fn drop_table(db: &dyn Backend, options: &Destroy) -> Result<(), Failure> {
    prepare(db, options, "The table is deleted").await?;
    db.tables().delete(&options.table).await?;
    println!("{} is deleted", options.table);
    Ok(())
}

/// Shows the table, asks, and saves its rows.
async fn prepare(db: &dyn Backend, options: &Destroy, what: &str) -> Result<(), Failure> {
    let Destroy {
        table,
        confirm,
        save,
    } = options;
    db.tables().get(table).await?;
    let mut rows = db
        .read_rows(ReadRows {
            table: table.clone(),
            filter: Some(RowFilter::Chain(vec![
                RowFilter::CellsPerRowLimit(1),
                RowFilter::StripValue,
            ])),
            rows_limit: SHOWN,
            ..ReadRows::default()
        })
        .rows();
    eprintln!(
        "{table}: about {}",
        text::size(sampled_bytes(db, table).await?)
    );
    while let Some(row) = rows.try_next().await? {
        eprintln!("  {}", text::of_bytes(&row.key));
    }
    match confirm {
        Some(named) if named == table => {}
        Some(named) => {
            return Err(Failure::new(format_args!(
                "`--confirm {named}` is not {table}: nothing is deleted"
            )));
        }
        None => ask(table, what)?,
    }
    if let Some(path) = save {
        let read = ReadRows {
            table: table.clone(),
            ..ReadRows::default()
        };
        let saved = write_rows(db, read, FileFormat::Jsonl, writer(Some(path))?).await?;
        eprintln!(
            "{} saved in {}",
            text::counted(saved, "row"),
            path.display()
        );
    }
    Ok(())
}

fn ask(table: &str, what: &str) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new(format_args!(
            "nothing is deleted: say it again with `--confirm {table}`"
        )));
    }
    eprint!("{what}. Type its name to go on: ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    match answer.trim() == table {
        true => Ok(()),
        false => Err(Failure::new("that is not its name: nothing is deleted")),
    }
}
