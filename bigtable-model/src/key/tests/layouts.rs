//! Whole keys: the published examples, templates, and readable forms.

use crate::key::*;

pub(super) fn segment(name: &str, kind: SegmentKind, options: SegmentOptions) -> Segment {
    Segment {
        name: name.to_owned().into(),
        role: match kind {
            SegmentKind::Time => SegmentRole::Time,
            _ => SegmentRole::Identifier,
        },
        kind,
        format: SegmentFormat::resolve(kind, options, true).unwrap(),
    }
}

pub(super) fn padded(name: &str, width: u16) -> Segment {
    segment(
        name,
        SegmentKind::String,
        SegmentOptions {
            width: Some(width),
            ..SegmentOptions::NONE
        },
    )
}

pub(super) fn millis(name: &str) -> Segment {
    segment(
        name,
        SegmentKind::Time,
        SegmentOptions {
            unit: Some(TimeUnit::Millis),
            ..SegmentOptions::NONE
        },
    )
}

pub(super) fn layout(prefix: &str, separator: &str, segments: Vec<Segment>) -> KeyLayout {
    KeyLayout {
        prefix: prefix.to_owned().into(),
        separator: separator.to_owned().into(),
        enclosed: false,
        segments: segments.into(),
    }
}

pub(super) fn text(text: &str) -> SegmentValue {
    SegmentValue::String(text.to_owned())
}

pub(super) fn time(text: &str) -> SegmentValue {
    SegmentValue::Time(text.parse().unwrap())
}

pub(super) fn quote() -> KeyLayout {
    let segments = vec![padded("exchange", 6), padded("symbol", 5), millis("at")];
    layout("", "#", segments)
}

pub(super) fn quote_values() -> Vec<SegmentValue> {
    vec![
        text("NASDAQ"),
        text("ZXZZT"),
        time("2015-03-16T19:53:32.156Z"),
    ]
}

#[test]
fn a_key_is_its_segments_joined() {
    let mut key = Vec::new();
    quote().encode(&quote_values(), &mut key).unwrap();
    assert_eq!(key, b"NASDAQ#ZXZZT#1426535612156");
    assert_eq!(quote().decode(&key), Ok(quote_values()));
    assert_eq!(
        quote().time_of(&key),
        Ok(Some("2015-03-16T19:53:32.156Z".parse().unwrap()))
    );
}

#[test]
fn a_prefix_stands_in_front() {
    let battery = layout("BATTERY", "#", vec![millis("at")]);
    let mut key = Vec::new();
    battery
        .encode(&[time("2015-03-16T19:53:32.156Z")], &mut key)
        .unwrap();
    assert_eq!(key, b"BATTERY#1426535612156");
    assert_eq!(
        battery.decode(b"BATTERIES#1426535612156"),
        Err(KeyError::Prefix {
            prefix: "BATTERY#".to_owned()
        })
    );
}

#[test]
fn prefixes_end_in_the_separator_while_segments_follow() {
    let prefix = |layout: &KeyLayout, count: usize| {
        let mut out = Vec::new();
        layout
            .encode_prefix(&quote_values()[..count], &mut out)
            .unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(prefix(&quote(), 0), "");
    assert_eq!(prefix(&quote(), 1), "NASDAQ#");
    assert_eq!(prefix(&quote(), 2), "NASDAQ#ZXZZT#");
    assert_eq!(prefix(&quote(), 3), "NASDAQ#ZXZZT#1426535612156");
    let market = layout("MD", "::", quote().segments.into_owned());
    assert_eq!(prefix(&market, 0), "MD::");
    assert_eq!(prefix(&market, 1), "MD::NASDAQ::");
}

#[test]
fn the_template_shows_each_segment() {
    let boolean = segment("live", SegmentKind::Bool, SegmentOptions::NONE);
    let binary = SegmentOptions {
        binary: true,
        ..SegmentOptions::NONE
    };
    let underscore = SegmentOptions {
        width: Some(4),
        pad: Some(b'_'),
        ..SegmentOptions::NONE
    };
    let level = segment("level", SegmentKind::Signed { bits: 64 }, binary);
    let code = segment("code", SegmentKind::String, underscore);
    let host = segment("host", SegmentKind::String, SegmentOptions::NONE);
    assert_eq!(quote().to_string(), "{exchange:<6}#{symbol:<5}#{at:013ms}");
    assert_eq!(
        layout("X", "::", vec![boolean, level, code, host]).to_string(),
        "X::{live:0/1}::{level:+be8}::{code:_<4}::{host}"
    );
}

#[test]
fn keys_are_described_by_their_values() {
    let quote = quote();
    assert_eq!(
        quote.describe(b"NASDAQ#ZXZZT#1426535612156").to_string(),
        "exchange=NASDAQ symbol=ZXZZT at=2015-03-16T19:53:32.156Z"
    );
    assert_eq!(
        quote.describe(b"A \"B  #     #0000000000000").to_string(),
        r#"exchange="A \"B" symbol="" at=1970-01-01T00:00:00Z"#
    );
    assert_eq!(
        quote.describe(b"NASDAQ#\xff").to_string(),
        r#""NASDAQ#\xff""#
    );
}

#[test]
#[cfg(feature = "json")]
fn layouts_survive_serde() {
    let text = serde_json::to_string(&quote()).unwrap();
    let back: KeyLayout = serde_json::from_str(&text).unwrap();
    assert_eq!(back, quote());
}

#[test]
fn layouts_made_at_run_time_are_checked() {
    let reason = |layout: &KeyLayout| match layout.check() {
        Err(KeyError::Layout { reason }) => reason,
        other => panic!("not refused: {other:?}"),
    };
    assert_eq!(quote().check(), Ok(()));
    assert_eq!(quote().fixed_len(), Some(26));
    assert!(reason(&layout("", "", vec![millis("at")])).contains("1 to 50"));
    assert!(reason(&layout("", "\n", vec![millis("at")])).contains("printable"));
    assert!(reason(&layout("", "#", vec![])).contains("one segment"));
    assert!(
        reason(&layout("", "#", vec![millis("a"), millis("b")])).contains("one segment at most")
    );
    assert!(reason(&layout("", "#", vec![padded("x", 4097)])).contains("4096"));
    let rest = segment("x", SegmentKind::Bytes, SegmentOptions::NONE);
    assert!(reason(&layout("", "#", vec![rest, millis("at")])).contains("only last"));
    let mut wrong = millis("at");
    wrong.format = SegmentFormat::Variable;
    assert!(reason(&layout("", "#", vec![wrong])).contains("does not go with"));
    let mut wrong = padded("x", 3);
    wrong.role = SegmentRole::Time;
    assert!(reason(&layout("", "#", vec![wrong])).contains("holds times"));
    // Clocks are less than a day ahead, and dates have none.
    for (kind, offset_seconds, refused) in [
        (SegmentKind::Time, 86_400, "does not go with its kind"),
        (SegmentKind::Time, i32::MIN, "does not go with its kind"),
        (SegmentKind::Date, 3_600, "a date is a day of UTC"),
    ] {
        let format = SegmentFormat::Calendar {
            format: CalendarFormat {
                items: vec![CalendarItem::Field(CalendarField::Year)].into(),
            },
            truncate: false,
            offset_seconds,
        };
        let mut year = segment("at", SegmentKind::Time, SegmentOptions::NONE);
        (year.kind, year.format) = (kind, format);
        assert!(reason(&layout("", "#", vec![year])).contains(refused));
    }
}

/// The Portuguese edition of *time series* prints keys enclosed by the separator.
#[test]
fn a_separator_may_stand_around_the_key() {
    let day = [
        CalendarItem::Field(CalendarField::Year),
        CalendarItem::Field(CalendarField::Month),
        CalendarItem::Field(CalendarField::Day),
    ];
    let day = SegmentOptions {
        format: Some(day.to_vec().leak()),
        ..SegmentOptions::NONE
    };
    let meter = SegmentOptions {
        width: Some(10),
        ..SegmentOptions::NONE
    };
    let enclosed = |prefix: &'static str| KeyLayout {
        prefix: prefix.into(),
        separator: "|".into(),
        enclosed: true,
        segments: vec![
            segment("at", SegmentKind::Time, day),
            segment("meter", SegmentKind::Unsigned { bits: 32 }, meter),
        ]
        .into(),
    };
    let layout = enclosed("");
    layout.check().unwrap();
    assert_eq!(layout.to_string(), "|{at:%Y%m%d}|{meter:010}|");
    let at = SegmentValue::Time("2017-07-26T00:00:00Z".parse().unwrap());
    let values = [at, SegmentValue::Unsigned(987_654)];
    let encoded = |layout: &KeyLayout| {
        let mut key = Vec::new();
        layout.encode(&values, &mut key).unwrap();
        assert_eq!(layout.decode(&key).unwrap(), values);
        assert_eq!(layout.fixed_len(), Some(key.len()));
        String::from_utf8(key).unwrap()
    };
    assert_eq!(encoded(&layout), "|20170726|0000987654|");
    assert_eq!(encoded(&enclosed("M")), "|M|20170726|0000987654|");
    let mut prefix = Vec::new();
    layout.encode_prefix(&values[..1], &mut prefix).unwrap();
    assert_eq!(prefix, b"|20170726|");
    for key in [
        "20170726|0000987654|",
        "|20170726|0000987654",
        "|20170726|0000987654||",
        "|20170726|0000987654|1",
        "||20170726|0000987654|",
        "|",
        "||",
    ] {
        assert!(layout.decode(key.as_bytes()).is_err(), "{key}");
    }
    let error = enclosed("M").decode(b"|20170726|0000987654|").unwrap_err();
    assert_eq!(error.to_string(), "the key does not begin with `|M|`");
    let schema = layout.row_key_schema().unwrap_err();
    assert!(schema.to_string().contains("`enclosed`"), "{schema}");
    let bytes = KeyLayout {
        segments: vec![segment("tail", SegmentKind::Bytes, SegmentOptions::NONE)].into(),
        ..layout
    };
    assert!(bytes.refusal().unwrap().contains("stands only last"));
}
