//! Games of players in two tables with different key order, by player and by date, written by one
//! call.
//!
//! ```sh
//! cargo run --release --example games
//! cargo run --release --example games -- --backend bigtable://my-project/my-instance --games 10000
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::Range;
use std::process::ExitCode;

use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use bigtable_model_examples::print;
use bigtable_model_examples::store::{self, Store};
use clap::Parser;
use rust_decimal::Decimal;

const GAMES: [&str; 3] = ["LoL", "Starcraft", "Go"];
const PLAYERS: [&str; 8] = [
    "Corrie", "Jo", "Sam", "Eriko", "Ada", "Grace", "Edsger", "Barbara",
];
/// 2015-01-01T00:00:00Z.
const YEAR: i64 = 1_420_070_400;
const DAY: i64 = 86_400;

/// A game: the row `LoL#Corrie#20150301`, for queries by player.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GAME_BY_PLAYER", family = "GAME", mirror(GameByDate))]
struct Game {
    #[bigtable(key)]
    game: String,
    #[bigtable(key)]
    player: String,
    #[bigtable(time, format = "%Y%m%d")]
    date: Timestamp,
    #[bigtable(column = "WIN", text)]
    win: bool,
    #[bigtable(column = "KDA", text)]
    kda: Decimal,
}

/// The same game as the row `LoL#20150301#Corrie`, for queries by month.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GAME_BY_DATE", family = "GAME")]
struct GameByDate {
    #[bigtable(key)]
    game: String,
    #[bigtable(time, format = "%Y%m%d")]
    date: Timestamp,
    #[bigtable(key)]
    player: String,
    #[bigtable(column = "WIN", text)]
    win: bool,
    #[bigtable(column = "KDA", text)]
    kda: Decimal,
}

impl From<&Game> for GameByDate {
    fn from(one: &Game) -> Self {
        Self {
            game: one.game.clone(),
            date: one.date,
            player: one.player.clone(),
            win: one.win,
            kda: one.kda,
        }
    }
}

/// Writes a year of games to both tables and queries each.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    store: Store,
    /// The number of games; of several for one player, game and day the last one is kept.
    #[arg(long, default_value_t = 5_000)]
    games: usize,
}

#[tokio::main]
async fn main() -> ExitCode {
    print::outcome(run(&Args::parse()).await)
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let db = store::open(&args.store.backend).await?;
    let db = &*db;
    store::insert(db, &games(args), "Games").await?;
    let march = day(59)..day(90);
    print_player(db, march.clone()).await?;
    print_month(db, march).await?;
    let report = db
        .repair(&Game::query().game("LoL").player("Corrie"))
        .await?;
    println!("\nAfter the writes of Corrie's games of LoL a repair finds nothing to do:\n{report}");
    Ok(())
}

/// One player's month: one range of the table by player.
async fn print_player(db: &dyn Backend, march: Range<Timestamp>) -> Result<(), Box<dyn Error>> {
    let query = Game::query().game("LoL").player("Corrie").date(march);
    let games = db.fetch(&query).await?;
    let wins = games.iter().filter(|game| game.win).count();
    println!(
        "Corrie won {wins} of {} games of LoL in March.\n{}",
        games.len(),
        query.events().explain()
    );
    Ok(())
}

/// All players' month: one range of the table by date.
async fn print_month(db: &dyn Backend, march: Range<Timestamp>) -> Result<(), Box<dyn Error>> {
    let query = GameByDate::query().game("LoL").date(march);
    let games = db.fetch(&query).await?;
    let mut players: BTreeMap<&str, (u32, u32, Decimal)> = BTreeMap::new();
    for game in &games {
        let (played, won, kda) = players.entry(&game.player).or_default();
        *played += 1;
        *won += u32::from(game.win);
        *kda = game.kda.max(*kda);
    }
    let mut table = print::table(&["player", "games", "wins", "best KDA"]);
    for (player, (played, won, kda)) in players {
        table.add_row([
            player.to_owned(),
            played.to_string(),
            won.to_string(),
            kda.to_string(),
        ]);
    }
    println!(
        "\nAll {} games of LoL in March\n{table}\n{}",
        games.len(),
        query.events().explain()
    );
    Ok(())
}

/// The given number of days after the beginning of the year.
fn day(days: i64) -> Timestamp {
    Timestamp::from_seconds(YEAR + days * DAY)
}

/// A year of games in random order.
fn games(args: &Args) -> Vec<Game> {
    let mut random = fastrand::Rng::with_seed(args.store.seed);
    let mut one = |_| Game {
        game: random.choice(GAMES).unwrap_or_default().to_owned(),
        player: random.choice(PLAYERS).unwrap_or_default().to_owned(),
        date: day(random.i64(0..365)),
        win: random.bool(),
        kda: Decimal::new(random.i64(0..1_200), 2),
    };
    (0..args.games).map(&mut one).collect()
}
