//! Games of players, with both key orders.

use bigtable_model::{Model, Timestamp};
use rust_decimal::Decimal;

use super::{day, decimal, reproduces};

const GAMES: [(&str, &str, &str, bool, &str); 5] = [
    ("LoL", "Corrie", "2015-03-01", false, "4.25"),
    ("LoL", "Corrie", "2015-03-03", true, "9.50"),
    ("LoL", "Jo", "2015-03-02", true, "7.00"),
    ("LoL", "Sam", "2015-03-02", true, "7.00"),
    ("Starcraft", "Eriko", "2015-03-03", true, "6.00"),
];

macro_rules! game {
    ($name:ident, $table:literal, [$($first:tt)*], [$($second:tt)*]) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "GAME")]
        struct $name {
            #[bigtable(key)]
            game: String,
            $($first)*
            $($second)*
            #[bigtable(column = "WIN", text)]
            win: bool,
            #[bigtable(column = "KDA", text)]
            kda: Decimal,
        }

        impl $name {
            fn all() -> [Self; 5] {
                GAMES.map(|(game, player, date, win, kda)| Self {
                    game: game.into(),
                    player: player.into(),
                    date: day(date),
                    win,
                    kda: decimal(kda),
                })
            }
        }
    };
}

game!(ByPlayer, "GAME_BY_PLAYER", [#[bigtable(key)] player: String,], [#[bigtable(time, format = "%Y%m%d")] date: Timestamp,]);
game!(ByDate, "GAME_BY_DATE", [#[bigtable(time, format = "%Y%m%d")] date: Timestamp,], [#[bigtable(key)] player: String,]);

#[tokio::test]
async fn by_player() {
    reproduces("games-by-player", &ByPlayer::all()).await;
}

#[tokio::test]
async fn by_date() {
    reproduces("games-by-date", &ByDate::all()).await;
}
