//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod games_by_player {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{part_2}#{at:%Y%m%d}` in table GAMES_BY_PLAYER.
///
/// It reads 5 of 5 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GAMES_BY_PLAYER", family = "GAME", cell_time = "write")]
pub struct GamesByPlayer {
    /// 2 values.
    #[bigtable(key)]
    pub part_1: String,
    /// 4 values.
    #[bigtable(key)]
    pub part_2: String,
    /// Likely: 3 values, all dates from 1990 to 2050.
    #[bigtable(time, format = "%Y%m%d")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "KDA", text)]
    pub kda: f64,
    /// Sure: `true` and `false`.
    #[bigtable(column = "WIN", text)]
    pub win: bool,
}
}

pub(crate) mod games_by_date {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{at:%Y%m%d}#{part_3}` in table GAMES_BY_DATE.
///
/// It reads 5 of 5 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GAMES_BY_DATE", family = "GAME", cell_time = "write")]
pub struct GamesByDate {
    /// 2 values.
    #[bigtable(key)]
    pub part_1: String,
    /// Likely: 3 values, all dates from 1990 to 2050.
    #[bigtable(time, format = "%Y%m%d")]
    pub at: Timestamp,
    /// 4 values.
    #[bigtable(key)]
    pub part_3: String,
    /// Sure: numbers as text.
    #[bigtable(column = "KDA", text)]
    pub kda: f64,
    /// Sure: `true` and `false`.
    #[bigtable(column = "WIN", text)]
    pub win: bool,
}
}
