//! Macros for models: the struct, and code that uses its setters and handles.

/// Sets one segment, then the next ones. After a range of a bucket the key can be narrowed further,
/// after any other range it cannot.
macro_rules! ask {
    ($run:ident, $query:expr, $asks:expr;) => {{
        let _ = $asks;
        $run!($query)
    }};
    ($run:ident, $query:expr, $asks:expr; $tag:ident $field:ident: $type:ty, $($rest:tt)*) => {
        match $asks.split_first() {
            None => $run!($query),
            Some((ask, _rest)) => {
                ask!(@set ask, $run, $query, _rest; $tag $field: $type, $($rest)*)
            }
        }
    };
    // A query without any segment does not compile.
    (@first $run:ident, $query:expr, $asks:expr; $tag:ident $field:ident: $type:ty, $($rest:tt)*) => {
        match $asks.split_first() {
            None => panic!("nothing is asked"),
            Some((ask, _rest)) => {
                ask!(@set ask, $run, $query, _rest; $tag $field: $type, $($rest)*)
            }
        }
    };
    (@set $ask:ident, $run:ident, $query:expr, $asks:expr; $tag:ident $field:ident: $type:ty, $($rest:tt)*) => {
        match $ask {
            Ask::OneOf(values) => match values.as_slice() {
                [value] => {
                    let query = $query.$field(<$type as Natural>::of(value));
                    ask!($run, query, $asks; $($rest)*)
                }
                values => {
                    let query = $query.$field(typed::values::<$type>(values));
                    ask!($run, query, $asks; $($rest)*)
                }
            },
            Ask::Between(start, end) => {
                let ends = (typed::bound::<$type>(start), typed::bound::<$type>(end));
                let query = $query.$field(ends);
                ask!(@ranged $tag $run, query, $asks; $($rest)*)
            }
            Ask::Begins(_text) => ask!(@begins $tag $run, $query, _text; $field),
        }
    };
    (@ranged bucket $run:ident, $query:expr, $asks:expr; $($rest:tt)*) => {
        ask!($run, $query, $asks; $($rest)*)
    };
    (@ranged $tag:ident $run:ident, $query:expr, $asks:expr; $($rest:tt)*) => { $run!($query) };
    (@begins text $run:ident, $query:expr, $text:expr; $field:ident) => {{
        let query = $query.$field(starts_with($text.clone()));
        $run!(query)
    }};
    (@begins $tag:ident $run:ident, $query:expr, $text:expr; $field:ident) => {
        panic!("{} is no text", $text)
    };
}

/// Sets the segments of a full scan, except open ones.
macro_rules! ask_scan {
    ($query:ident, $asks:ident; $($tag:ident $field:ident: $type:ty,)*) => {
        let mut asks = $asks.iter();
        $(
            let $query = match asks.next() {
                None => $query,
                Some(ask) if *ask == Ask::OPEN => $query,
                Some(Ask::OneOf(values)) => $query.$field(typed::values::<$type>(values)),
                Some(Ask::Between(start, end)) => {
                    $query.$field((typed::bound::<$type>(start), typed::bound::<$type>(end)))
                }
                Some(Ask::Begins(_text)) => ask_scan!(@begins $tag $query, _text; $field),
            };
        )*
    };
    (@begins text $query:ident, $text:expr; $field:ident) => {
        $query.$field(starts_with($text.clone()))
    };
    (@begins $tag:ident $query:ident, $text:expr; $field:ident) => {
        panic!("{} is no text", $text)
    };
}

/// A value of the key, or the time.
macro_rules! take {
    (time $type:ty, $names:ident, $time:expr) => {
        Timestamp::from_micros($time)
    };
    (bucket $type:ty, $names:ident, $time:expr) => {
        Timestamp::from_micros($time)
    };
    ($tag:ident $type:ty, $names:ident, $time:expr) => {
        <$type as Natural>::of($names.next().expect("a name"))
    };
}

/// A value of the key as plain value; `None` for the time.
macro_rules! name {
    (time $value:expr) => {
        None
    };
    (bucket $value:expr) => {
        None
    };
    ($tag:ident $value:expr) => {
        Some(Natural::value(&$value))
    };
}

/// A segment of the key as plain description.
macro_rules! part {
    (time $field:ident $described:expr) => {
        Part::Time($described)
    };
    (bucket $field:ident $described:expr) => {
        Part::Time($described)
    };
    ($tag:ident $field:ident $described:expr) => {
        Part::Name(named(stringify!($field), $described))
    };
}

/// The identifiers of a series, in a pattern.
macro_rules! series {
    (@[$($names:ident)*] $series:ident;) => {
        #[allow(unused_parens, reason = "one identifier is no tuple")]
        let ($($names),*) = $series;
        return vec![$(Natural::value($names)),*];
    };
    (@[$($names:ident)*] $series:ident; time $field:ident, $($rest:tt)*) => {
        series!(@[$($names)*] $series; $($rest)*)
    };
    (@[$($names:ident)*] $series:ident; bucket $field:ident, $($rest:tt)*) => {
        series!(@[$($names)*] $series; $($rest)*)
    };
    (@[$($names:ident)*] $series:ident; $tag:ident $field:ident, $($rest:tt)*) => {
        series!(@[$($names)* $field] $series; $($rest)*)
    };
}

/// The struct of a model with its columns, and the operations on them.
macro_rules! columns {
    (struct full [$($on_struct:tt)*] { $($key:tt)* }) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(family = "MD", $($on_struct)*)]
        pub(in super::super) struct Sample {
            $($key)*
            level: i64,
            gain: Option<f64>,
            note: Option<String>,
            size: Option<u64>,
        }
    };
    (struct serialized [$($on_struct:tt)*] { $($key:tt)* }) => {
        columns!(struct full [$($on_struct)*] { $($key)* });
    };
    (struct marked [$($on_struct:tt)*] { $($key:tt)* }) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(family = "MD", marker = "EVENT", $($on_struct)*)]
        pub(in super::super) struct Sample {
            $($key)*
            level: Option<i64>,
            gain: Option<f64>,
            #[bigtable(column = "a.b", family = "X-1")]
            note: Option<String>,
            #[bigtable(aggregate = "sum", family = "sum")]
            total: Option<i64>,
        }
    };
    (struct mapped [$($on_struct:tt)*] { $($key:tt)* }) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(family = "MD", $($on_struct)*)]
        pub(in super::super) struct Sample {
            $($key)*
            level: i64,
            #[bigtable(text)]
            gain: Option<f64>,
            #[bigtable(columns, family = "REST")]
            rest: BTreeMap<String, i64>,
        }
    };
    (struct one [$($on_struct:tt)*] { $($key:tt)* }) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(family = "MD", $($on_struct)*)]
        pub(in super::super) struct Sample {
            $($key)*
            size: u64,
        }
    };

    (described full) => { (vec![column("level", Codec::Signed), column("gain", Codec::Float), column("note", Codec::Text), column("size", Codec::Unsigned)], false, false) };
    (described serialized) => { (vec![column("level", Codec::Signed), column("gain", Codec::Finite), column("note", Codec::Text), column("size", Codec::Unsigned)], false, true) };
    (described marked) => { (vec![column("level", Codec::Signed), column("gain", Codec::Float), Column { family: "X-1", ..column("note", Codec::Text) }, total()], true, false) };
    (described mapped) => { (vec![column("level", Codec::Signed), column("gain", Codec::FloatText), Column { family: "REST", ..column("rest", Codec::Entries) }], false, false) };
    (described one) => { (vec![column("size", Codec::Unsigned)], false, false) };

    (of full $cells:ident { $($key:tt)* }) => {
        Self { $($key)* level: signed(&$cells[0]).unwrap(), gain: float(&$cells[1]), note: text(&$cells[2]), size: unsigned(&$cells[3]) }
    };
    (of serialized $cells:ident { $($key:tt)* }) => { columns!(of full $cells { $($key)* }) };
    (of marked $cells:ident { $($key:tt)* }) => {
        Self { $($key)* level: signed(&$cells[0]), gain: float(&$cells[1]), note: text(&$cells[2]), total: signed(&$cells[3]) }
    };
    (of mapped $cells:ident { $($key:tt)* }) => {
        Self { $($key)* level: signed(&$cells[0]).unwrap(), gain: float(&$cells[1]), rest: entries(&$cells[2]).unwrap_or_default() }
    };
    (of one $cells:ident { $($key:tt)* }) => {
        Self { $($key)* size: unsigned(&$cells[0]).unwrap() }
    };

    (cells full $event:ident) => { vec![Some(Cell::Signed($event.level)), $event.gain.map(Cell::Float), $event.note.clone().map(Cell::Text), $event.size.map(Cell::Unsigned)] };
    (cells serialized $event:ident) => { columns!(cells full $event) };
    (cells marked $event:ident) => { vec![$event.level.map(Cell::Signed), $event.gain.map(Cell::Float), $event.note.clone().map(Cell::Text), $event.total.map(Cell::Signed)] };
    (cells mapped $event:ident) => { vec![Some(Cell::Signed($event.level)), $event.gain.map(Cell::Float), Some(Cell::Entries($event.rest.clone())).filter(|_| !$event.rest.is_empty())] };
    (cells one $event:ident) => { vec![Some(Cell::Unsigned($event.size))] };

    (condition full) => { conditions! { 0 level signed, 1 gain float, 2 note text ranged, 3 size unsigned ranged } };
    (condition serialized) => { conditions! {} };
    (condition marked) => { conditions! { 0 level signed, 1 gain float, 2 note text ranged, 3 total signed } };
    (condition mapped) => { conditions! { 0 level signed, 1 gain float } };
    (condition one) => { conditions! { 0 size unsigned ranged } };

    (change full) => { changes! { 0 level signed required, 1 gain float optional, 2 note text optional, 3 size unsigned optional } };
    (change serialized) => { changes! {} };
    (change marked) => { changes! { 0 level signed optional, 1 gain float optional, 2 note text optional, 3 total signed added } };
    (change mapped) => { changes! { 0 level signed required, 1 gain float optional, 2 rest entries merged } };
    (change one) => { changes! { 0 size unsigned required } };
}

/// A condition built from column handles.
macro_rules! conditions {
    ($($at:literal $field:ident $of:ident $($ranged:ident)?),*) => {
        fn condition(test: &Test) -> Condition<Self> {
            let holds = || Condition::exists().or(Condition::exists().negate());
            match test {
                Test::Exists => Condition::exists(),
                Test::All(tests) => tests.iter().map(Self::condition).fold(holds(), Condition::and),
                Test::Any(tests) => {
                    tests.iter().map(Self::condition).fold(holds().negate(), Condition::or)
                }
                Test::Not(test) => Self::condition(test).negate(),
                $(
                    Test::Present($at) => Self::FIELDS.$field.is_present(),
                    Test::OneOf($at, cells) => {
                        let cells = cells.iter().map(|cell| $of(&Some(cell.clone())).unwrap());
                        Self::FIELDS.$field.one_of(cells.collect::<Vec<_>>())
                    }
                    $(Test::Between($at, start, end) => $ranged!(Self::FIELDS.$field, $of, start, end),)?
                )*
                other => panic!("{other:?}"),
            }
        }
    };
}

macro_rules! ranged {
    ($field:expr, text, $start:ident, $end:ident) => {{
        let text = |end: &Bound<Cell>| end.as_ref().map(|cell| text(&Some(cell.clone())).unwrap());
        let (start, end) = (text($start), text($end));
        let (start, end) = (start.as_ref(), end.as_ref());
        $field.within((start.map(String::as_str), end.map(String::as_str)))
    }};
    ($field:expr, $of:ident, $start:ident, $end:ident) => {{
        let number = |end: &Bound<Cell>| end.as_ref().map(|cell| $of(&Some(cell.clone())).unwrap());
        $field.within((number($start), number($end)))
    }};
}

/// Changes with the setters of an update, or with deletes of cells.
macro_rules! changes {
    ($($at:literal $field:ident $of:ident $how:ident),*) => {
        fn change<'a>(
            db: &'a dyn Backend,
            key: &'a SampleKey,
            changes: &'a [(usize, Change)],
            condition: Option<Condition<Self>>,
        ) -> LocalBoxFuture<'a, Result<bool, Error>> {
            #[allow(unused_mut, reason = "what is serialized has no updates")]
            let mut update = Self::update(key);
            #[allow(unused_mut, reason = "what is serialized has no columns")]
            let mut deleted: Vec<usize> = Vec::new();
            for (at, change) in changes {
                match (at, change) {
                    $(($at, Change::Clear) => deleted.push(*at),)*
                    $(($at, change) => changes!(@$how update $field $of change),)*
                    other => panic!("{other:?}"),
                }
            }
            async move {
                for at in &deleted {
                    match at {
                        $($at => changes!(@delete $how db key $field),)*
                        other => panic!("{other}"),
                    }
                }
                if deleted.len() == changes.len() {
                    return Ok(true);
                }
                match condition {
                    None => db.send(update).await.map(|()| true),
                    Some(condition) => db.send_if(update, condition).await,
                }
            }
            .boxed_local()
        }
    };
    (@required $update:ident $field:ident $of:ident $change:ident) => {
        if let Change::Set(cell) = $change {
            $update = $update.$field($of(&Some(cell.clone())).unwrap());
        }
    };
    (@optional $update:ident $field:ident $of:ident $change:ident) => {
        if let Change::Set(cell) = $change {
            $update = $update.$field($of(&Some(cell.clone())));
        }
    };
    (@merged $update:ident $field:ident $of:ident $change:ident) => {
        if let Change::Set(cell) = $change {
            $update = $update.$field($of(&Some(cell.clone())).unwrap());
        }
    };
    (@delete merged $db:ident $key:ident $field:ident) => {
        panic!("columns named at run time are deleted one by one")
    };
    (@delete $how:ident $db:ident $key:ident $field:ident) => {
        $db.delete_cell($key, Self::FIELDS.$field).await?
    };
    (@added $update:ident $field:ident $of:ident $change:ident) => {
        if let Change::Add(input) = $change {
            $update = $update.add_total(*input);
        }
    };
}

/// A module with a model, `Sample`, and its description.
macro_rules! derived {
    ($module:ident $kind:ident $spreads:literal [$($on_struct:tt)*] $about:expr =>
        $($tag:ident $field:ident: $type:ty [$($on_field:tt)*] = $described:expr;)*
    ) => {
        pub(super) mod $module {
            use super::*;

            columns!(struct $kind [$($on_struct)*] { $(#[bigtable($($on_field)*)] $field: $type,)* });

            impl Typed for Sample {
                const SPREADS: usize = $spreads;

                fn described() -> Described {
                    let (columns, marker, serialized) = columns!(described $kind);
                    let parts = vec![$(part!($tag $field $described)),*];
                    let about: About = $about;
                    about.described(parts, columns, marker, serialized)
                }

                fn of(names: &[Value], time: i64, cells: &[Option<Cell>]) -> Self {
                    let mut names = names.iter();
                    columns!(of $kind cells { $($field: take!($tag $type, names, time),)* })
                }

                fn key_of(names: &[Value], time: i64) -> SampleKey {
                    let mut names = names.iter();
                    SampleKey { $($field: take!($tag $type, names, time),)* }
                }

                fn event(&self) -> Event {
                    let names = [$(name!($tag self.$field)),*];
                    let names = names.into_iter().flatten().collect();
                    let time = self.time().expect("a time").as_micros();
                    Event { names, time, cells: columns!(cells $kind self) }
                }

                fn names(series: &Self::Series) -> Vec<Value> {
                    series!(@[] series; $($tag $field,)*);
                }

                fn run<'a>(
                    db: &'a dyn Backend,
                    question: &'a Question,
                    doing: Doing,
                ) -> LocalBoxFuture<'a, Answers<Self>> {
                    macro_rules! run {
                        ($query:expr) => {{
                            let mut query = $query.events().max_scans(question.max_scans);
                            if let Some(limit) = question.limit {
                                query = query.limit(limit as u64);
                            }
                            if question.descending {
                                query = query.reversed();
                            }
                            if let Some(test) = &question.test {
                                query = query.matching(Self::condition(test));
                            }
                            let is_by_key = query.selection().order == query::Order::Key;
                            match question.order {
                                Order::Any => {
                                    typed::answers(query.unordered(), db, doing).boxed_local()
                                }
                                Order::Key if !is_by_key => {
                                    let query = query.in_key_order();
                                    typed::answers_and_pages(query, db, doing).boxed_local()
                                }
                                _ => {
                                    let latest = (&Timed(&query)).latest(db);
                                    async move {
                                        Answers {
                                            latest: latest.await,
                                            ..typed::answers_and_pages(query, db, doing).await
                                        }
                                    }
                                    .boxed_local()
                                }
                            }
                        }};
                    }
                    let asks = question.asks.as_slice();
                    if question.full_scan {
                        let query = Self::scan();
                        ask_scan!(query, asks; $($tag $field: $type,)*);
                        return run!(query);
                    }
                    ask!(@first run, Self::query(), asks; $($tag $field: $type,)*)
                }

                columns!(condition $kind);
                columns!(change $kind);
            }
        }
    };
}
