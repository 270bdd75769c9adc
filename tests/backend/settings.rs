//! Every setting of the gRPC client at its extremes: it is refused by name, or it works.

use std::time::Duration;

use bigtable_model::backend::grpc::{
    CallOptions, FlowControl, GrpcBackend, GrpcSettings, Keepalive, PoolSettings, RequestLimits,
    Resize, RetrySettings, Timeouts, wire,
};
use bigtable_model::backend::{ConnectError, InvalidSetting};
use bigtable_model::data::{
    CheckAndMutateRow, EntryBatch, ReadModifyWriteRow, ReadModifyWriteRule, RuleAction,
};
use bigtable_model::{Backend, Code, Status};
use futures::TryStreamExt as _;

use crate::fixture::{TABLE, all, row, set};
use crate::scripted::{Scripted, Step};
use crate::scripted_calls::{begin, commit, send};

const NANO: Duration = Duration::from_nanos(1);

/// Far longer than any call here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// All settings of a client.
#[derive(Debug, Clone, Copy)]
struct All {
    retry: RetrySettings,
    timeouts: Timeouts,
    limits: RequestLimits,
    pool: PoolSettings,
    resize: Resize,
    keepalive: Keepalive,
    flow: FlowControl,
}

impl Default for All {
    fn default() -> Self {
        let pool = PoolSettings::service();
        Self {
            retry: RetrySettings::default(),
            timeouts: Timeouts::default(),
            limits: RequestLimits::default(),
            pool: PoolSettings {
                channels: 2,
                ..pool
            },
            resize: Resize::default(),
            keepalive: pool.keepalive.unwrap(),
            flow: FlowControl::default(),
        }
    }
}

impl All {
    /// Operations whose attempts all fail end sooner.
    fn for_a_second(mut self) -> Self {
        let timeouts = &mut self.timeouts;
        for kind in [
            &mut timeouts.read_rows,
            &mut timeouts.read_row,
            &mut timeouts.mutate_row,
            &mut timeouts.mutate_rows,
            &mut timeouts.sample_row_keys,
            &mut timeouts.prepare_query,
            &mut timeouts.execute_query,
            &mut timeouts.admin_read,
        ] {
            kind.total = Duration::from_secs(1);
        }
        self
    }

    fn on(self, settings: GrpcSettings) -> GrpcSettings {
        let pool = PoolSettings {
            resize: Some(self.resize),
            keepalive: Some(self.keepalive),
            ..self.pool
        };
        let settings = settings.retry(self.retry).timeouts(self.timeouts);
        let settings = settings.limits(self.limits).pool(pool);
        settings.flow_control(self.flow)
    }

    /// The error for a refused field.
    fn refused(self) -> Option<InvalidSetting> {
        let settings = GrpcSettings::new("p", "i").emulator("localhost:1");
        match GrpcBackend::new(&self.on(settings)) {
            Ok(_) => None,
            Err(ConnectError::Setting(setting)) => Some(setting),
            Err(error) => panic!("{error}"),
        }
    }
}

type Time = (&'static str, fn(&mut All, Duration));

macro_rules! times {
    ($($name:literal: $($field:ident).+),+ $(,)?) => {
        [$(($name, |all: &mut All, time| all.$($field).+ = time)),+]
    };
}

/// Times that must not be zero.
const TIMES: [Time; 26] = times![
    "Timeouts::read_rows.attempt": timeouts.read_rows.attempt,
    "Timeouts::read_rows.total": timeouts.read_rows.total,
    "Timeouts::read_rows_idle": timeouts.read_rows_idle,
    "Timeouts::read_row.attempt": timeouts.read_row.attempt,
    "Timeouts::read_row.total": timeouts.read_row.total,
    "Timeouts::mutate_row.attempt": timeouts.mutate_row.attempt,
    "Timeouts::mutate_row.total": timeouts.mutate_row.total,
    "Timeouts::mutate_rows.attempt": timeouts.mutate_rows.attempt,
    "Timeouts::mutate_rows.total": timeouts.mutate_rows.total,
    "Timeouts::sample_row_keys.attempt": timeouts.sample_row_keys.attempt,
    "Timeouts::sample_row_keys.total": timeouts.sample_row_keys.total,
    "Timeouts::prepare_query.attempt": timeouts.prepare_query.attempt,
    "Timeouts::prepare_query.total": timeouts.prepare_query.total,
    "Timeouts::execute_query.attempt": timeouts.execute_query.attempt,
    "Timeouts::execute_query.total": timeouts.execute_query.total,
    "Timeouts::execute_query_idle": timeouts.execute_query_idle,
    "Timeouts::check_and_mutate_row": timeouts.check_and_mutate_row,
    "Timeouts::read_modify_write_row": timeouts.read_modify_write_row,
    "Timeouts::ping_and_warm": timeouts.ping_and_warm,
    "Timeouts::admin_read.attempt": timeouts.admin_read.attempt,
    "Timeouts::admin_read.total": timeouts.admin_read.total,
    "Timeouts::admin_write": timeouts.admin_write,
    "PoolSettings::max_age": pool.max_age,
    "Keepalive::interval": keepalive.interval,
    "Keepalive::timeout": keepalive.timeout,
    "Resize::every": resize.every,
];

/// Times that may be zero. A time that limits another one changes it too.
const TIMES_OR_NONE: [Time; 3] = [
    ("RetrySettings::first_delay", |all, time| {
        all.retry.first_delay = time;
        all.retry.max_delay = all.retry.max_delay.max(time);
    }),
    ("RetrySettings::max_delay", |all, time| {
        all.retry.max_delay = time;
        all.retry.first_delay = all.retry.first_delay.min(time);
    }),
    ("FlowControl::failure_period", |all, time| {
        all.flow.failure_period = time;
    }),
];

#[test]
fn no_time_at_all_is_refused_by_name() {
    for (field, set) in TIMES {
        let mut all = All::default();
        set(&mut all, Duration::ZERO);
        let refused = all.refused().unwrap();
        assert_eq!((refused.field, &*refused.value), (field, "0ns"));
        let told = refused.to_string();
        assert_eq!(told, format!("{field} is 0ns: give a time above 0"));
    }
}

/// Answers for a call of each kind, enough for several attempts.
fn script(server: &Scripted) {
    for _ in 0..50 {
        server
            .read_rows
            .script([send([commit(begin("a", "1", 0))])]);
        server
            .mutate_rows
            .script([Step::Send(wire::MutateRowsResponse {
                entries: vec![wire::MutateRowsOutcome::default()],
                rate_limit_info: None,
            })]);
        server.sample_row_keys.script([]);
        let matched = wire::CheckAndMutateRowResponse {
            predicate_matched: true,
        };
        server.check.script([Step::Send(matched)]);
        let modified = wire::ReadModifyWriteRowResponse {
            row: Some(wire::Row::default()),
        };
        server.modify.script([Step::Send(modified)]);
        let listed = wire::ListTablesResponse::default();
        server.list_tables.script([Step::Send(listed)]);
        let pinged = wire::PingAndWarmResponse {};
        server.ping.script([Step::Send(pinged)]);
    }
}

/// One call of each kind, by name.
async fn calls(backend: &GrpcBackend) -> [(&'static str, Result<(), Status>); 9] {
    let one = || row("k", vec![set("f", "q", 1000, "v")]);
    let check = CheckAndMutateRow {
        table: TABLE.to_owned(),
        key: "k".into(),
        predicate: None,
        if_true: one().mutations,
        if_false: Vec::new(),
    };
    let rule = ReadModifyWriteRule {
        family: "f".into(),
        qualifier: "q".into(),
        action: RuleAction::Increment(1),
    };
    let modify = ReadModifyWriteRow {
        table: TABLE.to_owned(),
        key: "k".into(),
        rules: vec![rule],
    };
    let bulk = backend.mutate_rows(TABLE, EntryBatch::of([one()])).await;
    [
        ("warm", backend.warm().await),
        (
            "read_rows",
            backend
                .read_rows(all())
                .rows()
                .try_collect::<Vec<_>>()
                .await
                .map(drop),
        ),
        ("mutate_row", backend.mutate_row(TABLE, one()).await),
        (
            "mutate_rows",
            bulk.and_then(|outcomes| outcomes.into_iter().collect()),
        ),
        (
            "sample_row_keys",
            backend.sample_row_keys(TABLE).await.map(drop),
        ),
        (
            "check_and_mutate_row",
            backend.check_and_mutate_row(check).await.map(drop),
        ),
        (
            "read_modify_write_row",
            backend.read_modify_write_row(modify).await.map(drop),
        ),
        ("get_table", backend.tables().get(TABLE).await.map(drop)),
        ("list_tables", backend.tables().list().await.map(drop)),
    ]
}

/// Calls every method on a server that answers at once, and again after a failure.
async fn try_out(field: &str, all: All) -> Vec<(&'static str, Result<(), Status>)> {
    let (server, backend) = Scripted::start_with(|settings| all.on(settings)).await;
    script(&server);
    let called = tokio::time::timeout(PATIENCE, calls(&backend)).await;
    let called = called.unwrap_or_else(|_| panic!("{field}: the calls do not end"));
    let unavailable = tonic::Status::unavailable("on purpose");
    server.mutate_row.script([Step::Fail(unavailable)]);
    let one = row("k", vec![set("f", "q", 1000, "v")]);
    let again = tokio::time::timeout(PATIENCE, backend.mutate_row(TABLE, one)).await;
    match again.unwrap_or_else(|_| panic!("{field}: the call does not end")) {
        Ok(()) => {}
        Err(status) => assert!(status.is_retryable(), "{field}: {status}"),
    }
    called.into()
}

/// Every call succeeds with each of these times set to `time`.
async fn works(times: impl IntoIterator<Item = Time>, time: Duration) {
    for (field, set) in times {
        let mut all = All::default();
        set(&mut all, time);
        for (call, result) in try_out(field, all).await {
            assert_eq!(result, Ok(()), "{field}: {call}");
        }
    }
}

#[tokio::test]
async fn times_without_end_work() {
    works(TIMES.into_iter().chain(TIMES_OR_NONE), Duration::MAX).await;
}

#[tokio::test]
async fn times_that_may_be_none_work_without_any() {
    works(TIMES_OR_NONE, Duration::ZERO).await;
}

/// With a time of one nanosecond, only calls that it ends fail.
#[tokio::test]
async fn the_shortest_time_is_one() {
    for (field, set) in TIMES.into_iter().chain(TIMES_OR_NONE) {
        let of_attempts = field.ends_with(".attempt") || field.ends_with("_idle");
        let mut all = match of_attempts {
            true => All::default().for_a_second(),
            false => All::default(),
        };
        set(&mut all, NANO);
        for (call, result) in try_out(field, all).await {
            let Err(status) = result else { continue };
            let late = status.code == Code::DeadlineExceeded && field.starts_with("Timeouts");
            let broken = status.code == Code::Unavailable && field.starts_with("Keepalive");
            assert!(late || broken, "{field}: {call}: {status}");
        }
    }
}

/// A channel is replaced, however long its ping may take.
#[tokio::test]
async fn channels_are_replaced_whatever_a_ping_may_take() {
    for time in [NANO, Duration::MAX] {
        let mut all = All::default();
        all.timeouts.ping_and_warm = time;
        all.pool.max_age = Duration::from_millis(100);
        let (server, backend) = Scripted::start_with(|settings| all.on(settings)).await;
        backend.tables().get(TABLE).await.unwrap();
        if time == NANO {
            // Pings end before they are sent; calls are unaffected.
            tokio::time::sleep(Duration::from_millis(300)).await;
            backend.tables().get(TABLE).await.unwrap();
            continue;
        }
        let pinged = async {
            while server.ping.seen().len() < 10 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, pinged).await.unwrap();
    }
}

#[tokio::test]
async fn times_of_calls_are_refused_or_work_too() {
    type Option = (&'static str, fn(CallOptions, Duration) -> CallOptions);
    let options: [Option; 4] = [
        ("CallOptions::deadline", CallOptions::deadline),
        (
            "CallOptions::attempt_deadline",
            CallOptions::attempt_deadline,
        ),
        ("CallOptions::read_rows_idle", CallOptions::read_rows_idle),
        (
            "CallOptions::execute_query_idle",
            CallOptions::execute_query_idle,
        ),
    ];
    for (field, set) in options {
        let (server, backend) = Scripted::start().await;
        let none = set(CallOptions::new(), Duration::ZERO);
        let refused = backend.with_options(none).unwrap_err();
        assert_eq!(refused.field, field);
        assert_eq!(Status::from(refused).code, Code::InvalidArgument);
        for time in [NANO, Duration::MAX] {
            script(&server);
            let options = match time {
                NANO => CallOptions::new().deadline(Duration::from_secs(1)),
                _ => CallOptions::new(),
            };
            let some = backend.with_options(set(options, time)).unwrap();
            for (call, result) in calls(&some).await {
                let code = result.err().map_or(Code::Ok, |status| status.code);
                let late = time == NANO && code == Code::DeadlineExceeded;
                assert!(late || code == Code::Ok, "{field}: {call}: {code}");
            }
        }
    }
    let (_server, backend) = Scripted::start().await;
    let retry = RetrySettings {
        factor: 0.5,
        ..RetrySettings::default()
    };
    let refused = backend.with_options(CallOptions::new().retry(retry));
    assert_eq!(refused.unwrap_err().field, "RetrySettings::factor");
}

#[test]
fn numbers_that_cannot_work_are_refused_by_name() {
    type Number = (&'static str, fn(&mut All) -> &mut usize);
    let counts: [Number; 15] = [
        ("EntryLimits::row_key_bytes", |all| {
            &mut all.limits.entries.row_key_bytes
        }),
        ("EntryLimits::qualifier_bytes", |all| {
            &mut all.limits.entries.qualifier_bytes
        }),
        ("EntryLimits::family_characters", |all| {
            &mut all.limits.entries.family_characters
        }),
        ("EntryLimits::value_bytes", |all| {
            &mut all.limits.entries.value_bytes
        }),
        ("EntryLimits::large_value_bytes", |all| {
            &mut all.limits.entries.large_value_bytes
        }),
        ("EntryLimits::entry_bytes", |all| {
            &mut all.limits.entries.entry_bytes
        }),
        ("EntryLimits::mutations", |all| {
            &mut all.limits.entries.mutations
        }),
        ("RequestLimits::filter_bytes", |all| {
            &mut all.limits.filter_bytes
        }),
        ("RequestLimits::filter_levels", |all| {
            &mut all.limits.filter_levels
        }),
        ("RequestLimits::row_set_bytes", |all| {
            &mut all.limits.row_set_bytes
        }),
        ("Resize::max_calls", |all| &mut all.resize.max_calls),
        ("Resize::step", |all| &mut all.resize.step),
        ("Resize::min_channels", |all| &mut all.resize.min_channels),
        ("Resize::min_calls", |all| &mut all.resize.min_calls),
        ("PoolSettings::channels", |all| &mut all.pool.channels),
    ];
    for (field, number) in counts {
        let mut all = All::default();
        *number(&mut all) = 0;
        let refused = all.refused().unwrap();
        assert_eq!((refused.field, &*refused.value), (field, "0"));
        *number(&mut all) = 1;
        assert_eq!(all.refused(), None, "{field}");
        *number(&mut all) = usize::MAX;
        let expected = match field {
            "Resize::min_channels" => Some("Resize::max_channels"),
            "Resize::min_calls" => Some("Resize::max_calls"),
            "PoolSettings::channels" => Some(field),
            _ => None,
        };
        assert_eq!(all.refused().map(|refused| refused.field), expected);
    }
    for count in [0, 65_536, usize::MAX] {
        let mut all = All::default();
        all.resize.max_channels = count;
        assert_eq!(all.refused().unwrap().field, "Resize::max_channels");
    }
}

#[test]
fn rates_and_factors_that_cannot_work_are_refused_by_name() {
    type Number = (&'static str, fn(&mut All) -> &mut f64);
    let numbers: [Number; 7] = [
        ("RetrySettings::factor", |all| &mut all.retry.factor),
        ("FlowControl::initial_rate", |all| {
            &mut all.flow.initial_rate
        }),
        ("FlowControl::min_rate", |all| &mut all.flow.min_rate),
        ("FlowControl::max_rate", |all| &mut all.flow.max_rate),
        ("FlowControl::min_factor", |all| &mut all.flow.min_factor),
        ("FlowControl::max_factor", |all| &mut all.flow.max_factor),
        ("FlowControl::failure_factor", |all| {
            &mut all.flow.failure_factor
        }),
    ];
    for (field, number) in numbers {
        for none in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut all = All::default();
            *number(&mut all) = none;
            assert_eq!(all.refused().unwrap().field, field, "{none}");
        }
    }
    type Wrong = (fn(&mut All), &'static str);
    let upside_down: [Wrong; 6] = [
        (
            |all| all.retry.factor = 0.99,
            "RetrySettings::factor is 0.99: give at least 1",
        ),
        (
            |all| all.retry.max_delay = NANO,
            "RetrySettings::max_delay is 1ns: give at least RetrySettings::first_delay, which is 10ms",
        ),
        (
            |all| all.flow.max_rate = 0.05,
            "FlowControl::max_rate is 0.05: give at least FlowControl::min_rate, which is 0.1",
        ),
        (
            |all| all.flow.initial_rate = 0.05,
            "FlowControl::initial_rate is 0.05: give 0.1 to 100000.0",
        ),
        (
            |all| all.flow.max_factor = 0.5,
            "FlowControl::max_factor is 0.5: give at least FlowControl::min_factor, which is 0.7",
        ),
        (
            |all| all.pool.channels = 70_000,
            "PoolSettings::channels is 70000: give 1 to 65535",
        ),
    ];
    for (set, words) in upside_down {
        let mut all = All::default();
        set(&mut all);
        assert_eq!(all.refused().unwrap().to_string(), words);
    }
}

#[test]
fn an_instance_has_a_name() {
    for (project, instance, field) in [("", "i", "project"), ("p", "", "instance")] {
        let settings = GrpcSettings::new(project, instance).emulator("localhost:1");
        let error = GrpcBackend::new(&settings).unwrap_err().to_string();
        assert_eq!(error, format!("GrpcSettings::{field} is \"\": give its ID"));
    }
}
