//! Games of players with both key orders: the published tables, written by one call.

use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use rust_decimal::Decimal;

use crate::support::{at, backends, rows};

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
        let Game {
            game,
            player,
            date,
            win,
            kda,
        } = one.clone();
        Self {
            game,
            date,
            player,
            win,
            kda,
        }
    }
}

fn day(date: &str) -> Timestamp {
    at(&format!("{date}T00:00:00Z"))
}

fn games() -> Vec<Game> {
    let games = [
        ("LoL", "Corrie", "2015-03-01", false, "4.25"),
        ("LoL", "Corrie", "2015-03-03", true, "9.50"),
        ("LoL", "Jo", "2015-03-02", true, "7.00"),
        ("LoL", "Sam", "2015-03-02", true, "7.00"),
        ("Starcraft", "Eriko", "2015-03-03", true, "6.00"),
        // Just outside the month, for the same player.
        ("LoL", "Corrie", "2015-02-28", true, "5.00"),
        ("LoL", "Jo", "2015-04-01", true, "5.00"),
    ];
    let game = |(game, player, date, win, kda): (&str, &str, &str, bool, &str)| Game {
        game: game.into(),
        player: player.into(),
        date: day(date),
        win,
        kda: kda.parse().unwrap(),
    };
    games.map(game).to_vec()
}

async fn keys(db: &dyn Backend, table: &str) -> Vec<String> {
    let rows = rows(db, table).await.into_iter();
    rows.map(|row| row.key.escape_ascii().to_string()).collect()
}

#[tokio::test]
async fn one_call_fills_both_tables_and_each_answers_its_question_with_one_range() {
    for db in backends("mirrors", "games") {
        db.ensure_tables::<Game>().await.unwrap();
        db.insert_many(&games()).await.into_result().unwrap();
        assert_eq!(
            keys(&*db, "GAME_BY_DATE").await,
            [
                "LoL#20150228#Corrie",
                "LoL#20150301#Corrie",
                "LoL#20150302#Jo",
                "LoL#20150302#Sam",
                "LoL#20150303#Corrie",
                "LoL#20150401#Jo",
                "Starcraft#20150303#Eriko",
            ]
        );
        let march = day("2015-03-01")..day("2015-04-01");

        let all = GameByDate::query().game("LoL").date(march.clone());
        let plan = all.events().plan().unwrap();
        assert_eq!(plan.scans.len(), 1);
        let rows = &plan.scans[0].parts[..];
        assert_eq!(
            (rows.len(), rows[0].ranges.len(), rows[0].keys.len()),
            (1, 1, 0)
        );
        let players: Vec<_> = db.fetch(&all).await.unwrap();
        let players: Vec<_> = players.iter().map(|game| game.player.as_str()).collect();
        assert_eq!(players, ["Corrie", "Jo", "Sam", "Corrie"]);

        let corrie = Game::query().game("LoL").player("Corrie").date(march);
        let plan = corrie.events().plan().unwrap();
        assert_eq!(plan.scans.len(), 1);
        let rows = &plan.scans[0].parts[..];
        assert_eq!(
            (rows.len(), rows[0].ranges.len(), rows[0].keys.len()),
            (1, 1, 0)
        );
        let played = db.fetch(&corrie).await.unwrap();
        assert_eq!(played.len(), 2);
        assert_eq!(played.iter().filter(|game| game.win).count(), 1);
    }
}
