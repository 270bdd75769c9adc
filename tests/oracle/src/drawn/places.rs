//! Times and zones to draw from: where clocks change, and where calendars begin and end.

use crate::calendar::{DAY, HOUR, MINUTE, Zone};
use crate::draw::Draw;

/// A zone, and moments at which its clocks or its calendar change.
#[derive(Debug)]
pub struct Place {
    pub zone: Zone,
    pub moments: &'static [&'static str],
}

pub const PLACES: [Place; 16] = [
    Place {
        zone: None,
        moments: &[
            "2020-12-31T23:00:00Z",
            "1970-01-03T00:00:00Z",
            "2024-02-28T12:00:00Z",
            "1969-12-31T23:00:00Z",
            "2038-01-19T03:14:07Z",
        ],
    },
    Place {
        zone: Some("Europe/Berlin"),
        moments: &["2021-03-28T01:00:00Z", "2021-10-31T01:00:00Z"],
    },
    Place {
        zone: Some("America/New_York"),
        moments: &["2021-03-14T07:00:00Z", "2021-11-07T06:00:00Z"],
    },
    // Clocks are set forward at midnight to one, and back at midnight to eleven.
    Place {
        zone: Some("America/Sao_Paulo"),
        moments: &["2018-11-04T03:00:00Z", "2019-02-17T02:00:00Z"],
    },
    Place {
        zone: Some("Asia/Beirut"),
        moments: &["2021-03-27T22:00:00Z", "2021-10-30T21:00:00Z"],
    },
    Place {
        zone: Some("Africa/Cairo"),
        moments: &["2023-04-27T22:00:00Z", "2023-10-26T21:00:00Z"],
    },
    // Forward at midnight to one, and back at one to midnight, which comes twice.
    Place {
        zone: Some("America/Havana"),
        moments: &["2021-03-14T05:00:00Z", "2021-11-07T05:00:00Z"],
    },
    // By half an hour.
    Place {
        zone: Some("Australia/Lord_Howe"),
        moments: &["2021-04-03T15:00:00Z", "2021-10-02T15:30:00Z"],
    },
    Place {
        zone: Some("Asia/Kolkata"),
        moments: &["2021-01-01T18:30:00Z"],
    },
    // By a quarter of an hour, once.
    Place {
        zone: Some("Asia/Kathmandu"),
        moments: &["1985-12-31T18:30:00Z"],
    },
    // By two hours.
    Place {
        zone: Some("Antarctica/Troll"),
        moments: &["2021-03-28T01:00:00Z", "2021-10-31T01:00:00Z"],
    },
    // By three hours: days of 21 and 27.
    Place {
        zone: Some("Antarctica/Casey"),
        moments: &["2009-10-17T18:00:00Z", "2012-02-21T17:00:00Z"],
    },
    // A day is left out.
    Place {
        zone: Some("Pacific/Apia"),
        moments: &["2011-12-30T10:00:00Z", "2011-09-24T14:00:00Z"],
    },
    Place {
        zone: Some("Pacific/Kwajalein"),
        moments: &["1993-08-21T12:00:00Z"],
    },
    // From here on days lie in two pieces: at two in the morning to eleven in the evening.
    Place {
        zone: Some("Antarctica/Casey"),
        moments: &["2010-03-04T15:00:00Z"],
    },
    // Until 2011 a minute after midnight: a minute of the next day lies before the last hour of the
    // day.
    Place {
        zone: Some("America/St_Johns"),
        moments: &["2006-10-29T02:31:00Z", "2007-03-11T03:31:00Z"],
    },
];

/// The maximum distance of times from the anchor.
pub const SPREADS: [i64; 8] = [
    MINUTE,
    HOUR,
    DAY,
    5 * DAY,
    60 * DAY,
    3 * 366 * DAY,
    20 * 366 * DAY,
    40 * 366 * DAY,
];

/// Times at which something ends: the range of the bits, the years with four digits, the timestamps
/// of cells.
pub const EXTREMES: [i64; 12] = [
    0,
    -1,
    1,
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    i64::MAX - 1,
    -62_135_596_800_000_000,
    -62_135_596_800_000_001,
    253_402_300_799_999_999,
    253_402_300_800_000_000,
    4_102_444_800_000_000,
];

/// Draws times around an anchor.
#[derive(Debug, Clone)]
pub struct Times {
    pub anchor: i64,
    pub spread: i64,
    /// Most of the times are whole multiples of this.
    pub step: i64,
}

impl Times {
    /// A time, from few enough that events share them.
    pub fn draw(&self, draw: &mut Draw<'_>) -> i64 {
        match draw.below(10) {
            0..=4 => {
                let nth = draw.below(13) as i64 - 6;
                self.anchor + nth * (self.spread / 6)
            }
            5 => self.anchor + draw.between(-3, 4) * self.step,
            _ => self.anchor + draw.between(-self.spread, self.spread),
        }
    }
}
