//! Errors and their messages; and how an operation continues after an error of its source stream.

use std::time::Duration;

use bigtable_model::series::{
    self, AsOf, Fill, Length, SeriesExt as _, Windows, align, count, exponential_mean, moving_mean,
    quantile,
};
use bigtable_model::{Error, Timestamp};
use futures::stream;

use crate::events::now;

type Event = (i64, char);

fn at(event: &Event) -> Timestamp {
    Timestamp::from_seconds(event.0)
}

fn words<T: std::fmt::Debug>(results: Result<Vec<T>, Error>) -> String {
    results.unwrap_err().to_string()
}

#[test]
fn events_out_of_order() {
    let late = [(60, 'a'), (120, 'b'), (90, 'a')];
    let text = "an event of 1970-01-01T00:01:30Z comes after one of 1970-01-01T00:02:00Z: order the stream by time, or, if one series follows another, name them with `by_run`";
    let minutes = || Windows::tumbling(Length::minutes(1));
    let windows = series::of(late)
        .timed(at)
        .windows(minutes())
        .aggregate(count());
    assert_eq!(words(now(windows.fetch())), text);
    let mixed = series::of(late)
        .timed(at)
        .by(|event| event.1)
        .windows(minutes());
    assert_eq!(words(now(mixed.aggregate(count()).fetch())), text);
    let moved = series::of(late)
        .timed(at)
        .moving(moving_mean(2, |event: &Event| event.0));
    assert_eq!(words(now(moved.fetch())), text);
    let points = |events: [Event; 3]| {
        series::of(events)
            .timed(at)
            .resample(Length::seconds(1), Fill::Null, |event| event.0)
    };
    assert_eq!(words(now(points(late).fetch())), text);
    assert_eq!(words(now(align([points(late)]).fetch())), text);
    let join = |one: [Event; 3], other: [Event; 3]| {
        let other = series::of(other).timed(at);
        now(series::of(one)
            .timed(at)
            .asof_join(other, AsOf::Backward, Duration::MAX)
            .fetch())
    };
    let good = [(500, 'a'), (501, 'a'), (502, 'a')];
    assert_eq!(words(join(late, good)), text);
    assert_eq!(words(join(good, late)), text);
    let zip = series::of(good)
        .timed(at)
        .zip_by_time(series::of(late).timed(at), Duration::ZERO);
    assert_eq!(words(now(zip.fetch())), text);
}

#[test]
fn series_out_of_order() {
    let runs = |events: [Event; 3]| {
        let timed = series::of(events).timed(at).by_run(|event| event.1);
        now(timed
            .windows(Windows::tumbling(Length::minutes(1)))
            .aggregate(count())
            .fetch())
    };
    assert_eq!(
        words(runs([(60, 'a'), (10, 'b'), (90, 'a')])),
        "series 'a' starts again after another one: order the stream by series, or, if it is ordered by time, name them with `by`"
    );
    assert_eq!(
        words(runs([(60, 'a'), (10, 'b'), (9, 'b')])),
        "an event of series 'b' of 1970-01-01T00:00:09Z comes after one of 1970-01-01T00:00:10Z: order the stream by time, or, if one series follows another, name them with `by_run`"
    );
    assert_eq!(runs([(60, 'b'), (10, 'a'), (90, 'a')]).unwrap().len(), 3);
}

#[test]
fn windows_that_cannot_be() {
    let of = |windows: Windows| {
        let none = series::of(Vec::<Event>::new()).timed(at);
        words(now(none.windows(windows).aggregate(count()).fetch()))
    };
    let (day, hour) = (Length::days(1), Length::hours(1));
    for (windows, reason) in [
        (
            Windows::tumbling(Duration::ZERO),
            "cannot make tumbling windows of 0 seconds: the length is 0: give at least a microsecond",
        ),
        (
            Windows::tumbling(Duration::MAX),
            "the length exceeds the range of timestamps: give a shorter duration",
        ),
        (
            Windows::tumbling(Length::days(0)),
            "cannot make tumbling windows of 0 days: the length is 0: give at least one unit",
        ),
        (
            Windows::tumbling(Length::events(0)),
            "the length is 0: give at least one event",
        ),
        (
            Windows::sliding(Length::events(0)),
            "the length is 0: give at least one event",
        ),
        (
            Windows::tumbling(hour.clone().zone("UTC")),
            "only days and longer units have a time zone: remove `zone`",
        ),
        (
            Windows::tumbling(day.clone().zone("Mars")),
            "cannot make tumbling windows of 1 day in Mars: there is no time zone `Mars`",
        ),
        (
            Windows::hopping(day.clone(), hour),
            "cannot make windows of 1 day, one every 3600 seconds: give both lengths as durations, calendar units or events",
        ),
        (
            Windows::hopping(Length::weeks(1), day.clone()),
            "give both lengths in one unit, with one time zone",
        ),
        (
            Windows::hopping(day.clone(), day.clone().zone("UTC")),
            "give both lengths in one unit, with one time zone",
        ),
        (
            Windows::sliding(Length::months(1)),
            "they have a duration, days or weeks of UTC, or a number of events",
        ),
        (
            Windows::sliding(day.zone("UTC")),
            "they have a duration, days or weeks of UTC, or a number of events",
        ),
        (
            Windows::sliding(Length::days(200_000_000)),
            "the length exceeds the range of timestamps: give a shorter duration",
        ),
        (
            Windows::sliding(Length::weeks(u32::MAX)),
            "the length exceeds the range of timestamps: give a shorter duration",
        ),
        (
            Windows::sliding(Length::hours(1)).with_empty(),
            "they are never empty: remove `with_empty`",
        ),
    ] {
        let text = of(windows.clone());
        assert!(text.ends_with(reason), "{text}");
        assert!(
            text.starts_with(&format!("cannot make {windows}: ")),
            "{text}"
        );
    }
}

#[test]
fn aggregates_and_grids_that_cannot_be() {
    let none = || series::of(Vec::<Event>::new()).timed(at);
    let value = |event: &Event| event.0;
    let windows = none().windows(Windows::tumbling(Length::days(1)));
    let quantiles = windows.aggregate((count(), quantile(1.5, value)));
    assert_eq!(
        words(now(quantiles.fetch())),
        "cannot make the quantile 1.5: give a number from 0 to 1"
    );
    let text = words(now(none()
        .moving((moving_mean(1, value), moving_mean(0, value)))
        .fetch()));
    assert_eq!(
        text,
        "cannot make the moving mean of 0 values: give at least one"
    );
    let text = words(now(none().moving(exponential_mean(0, value)).fetch()));
    assert_eq!(
        text,
        "cannot make the exponential mean of 0 values: give at least one"
    );
    let text = words(now(none()
        .gap_fill(Length::events(3), Fill::Null, value)
        .fetch()));
    assert_eq!(
        text,
        "cannot make a grid of 3 events: give a duration or a unit of the calendar"
    );
    let text = words(now(none()
        .resample(Length::months(3), Fill::Null, value)
        .fetch()));
    assert_eq!(
        text,
        "cannot make a grid of 3 months: give one unit of the calendar, or hours"
    );
}

#[test]
fn times_beyond_windows() {
    let text = |time: Timestamp, windows: Windows| {
        let windows = series::of([time])
            .timed(|at| *at)
            .windows(windows)
            .aggregate(count());
        words(now(windows.fetch()))
    };
    let hours = || Windows::tumbling(Length::hours(1));
    assert_eq!(
        text(Timestamp::MAX, hours()),
        "9223372036854775807 us since 1970 is in no window"
    );
    assert_eq!(
        text(Timestamp::MIN, hours()),
        "-9223372036854775808 us since 1970 is in no window"
    );
    let years = Windows::tumbling(Length::years(1));
    let late = "9999-07-01T00:00:00Z".parse().unwrap();
    assert_eq!(text(late, years), "9999-01-01T00:00:00Z is in no window");
}

#[test]
fn a_bad_row_is_one_error() {
    let error = || {
        Err(Error::EmptyUpdate {
            table: "T".to_owned(),
            key: "k".to_owned(),
        })
    };
    let feed = || stream::iter([Ok((10, 'a')), error(), Ok((20, 'a')), Ok((70, 'a'))]);
    let mut windows = feed()
        .timed(at)
        .windows(Windows::tumbling(Length::minutes(1)))
        .aggregate(count());
    let error = now(windows.try_next()).unwrap_err();
    assert!(matches!(error, Error::EmptyUpdate { .. }));
    let first = now(windows.try_next()).unwrap().unwrap();
    let second = now(windows.try_next()).unwrap().unwrap();
    assert_eq!((first.value, second.value), (2, 1));
    assert!(now(windows.try_next()).unwrap().is_none());
    let mut joined = feed()
        .timed(at)
        .asof_join(feed().timed(at), AsOf::Backward, Duration::ZERO);
    let results: Vec<_> = (0..5)
        .map(|_| now(joined.try_next()).map(|joined| joined.is_some()))
        .collect();
    let is_error: Vec<_> = results.iter().map(Result::is_err).collect();
    // The second event on the right is read before the first pair is known.
    assert_eq!(is_error, [true, false, true, false, false]);
}

#[test]
fn an_operation_ends_after_an_error_of_its_own() {
    let late = [(60, 'a'), (120, 'b'), (90, 'a'), (180, 'a')];
    let mut windows = series::of(late)
        .timed(at)
        .windows(Windows::tumbling(Length::minutes(1)))
        .aggregate(count());
    assert_eq!(now(windows.try_next()).unwrap().unwrap().value, 1);
    assert!(matches!(now(windows.try_next()), Err(Error::Series(_))));
    assert!(now(windows.try_next()).unwrap().is_none());
}
