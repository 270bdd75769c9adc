/**The row key of [`Metric`]: `HOST#{host}#{at:%Y%m%d-%H%M}`.

Its order is that of the key's bytes.*/
#[derive(::core::clone::Clone)]
#[allow(private_interfaces)]
struct MetricKey {
    ///Segment `host` of the key.
    pub host: Host,
    ///Segment `at` of the key.
    pub at: Timestamp,
}
///[`MetricKey`] borrowed from the bytes of a row key; reading it allocates nothing.
#[allow(private_interfaces)]
struct MetricKeyRef<'__key> {
    ///Segment `host` of the key.
    pub host: <Host as my::model::__private::KeySegment>::Stored<'__key>,
    ///Segment `at` of the key.
    pub at: <Timestamp as my::model::__private::KeySegment>::Stored<'__key>,
}
///Handles on the fields of [`Metric`], as in `Metric::FIELDS`.
#[allow(private_interfaces, missing_debug_implementations)]
struct MetricFields<V: CellValue> {
    ///Field `host`.
    pub host: my::model::__private::KeyField<Metric<V>, Host>,
    ///Field `at`.
    pub at: my::model::__private::KeyField<Metric<V>, Timestamp>,
    ///Field `load`.
    pub load: my::model::__private::Column<Metric<V>, f64>,
    ///Field `rest`.
    pub rest: my::model::__private::MapField<Metric<V>, BTreeMap<String, V>>,
}
///A query for events of [`Metric`]. Setters take the segments in the order of the row key, `HOST#{host}#{at:%Y%m%d-%H%M}`; what else it can do is in [`Query`](struct@my::model::query::Query), to which it dereferences.
#[allow(private_interfaces, private_bounds)]
#[must_use = "a query does nothing until it is run"]
struct MetricQuery<
    V: CellValue,
    __State = my::model::__private::Open<0>,
    __Read = Metric<V>,
>(
    my::model::__private::Query<Metric<V>, __State, __Read>,
);
///An update of some columns of one [`Metric`]; columns that are not set are left alone.
#[allow(private_interfaces, missing_debug_implementations)]
#[must_use = "an update does nothing until it is sent"]
struct MetricUpdate<V: CellValue>(my::model::__private::Update<Metric<V>>);
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use my::model::__private::RequiredField as _;
    impl MetricKey {
        const __SEGMENTS: &'static [my::model::__private::Segment; 2usize] = &[
            my::model::__private::Segment {
                name: my::model::__private::borrowed("host"),
                role: my::model::__private::SegmentRole::Identifier,
                kind: <Host as my::model::__private::KeySegment>::KIND,
                format: my::model::__private::SegmentFormat::of(
                    <Host as my::model::__private::KeySegment>::KIND,
                    my::model::__private::SegmentOptions {
                        ..my::model::__private::SegmentOptions::NONE
                    },
                ),
            },
            my::model::__private::Segment {
                name: my::model::__private::borrowed("at"),
                role: my::model::__private::SegmentRole::Time,
                kind: <Timestamp as my::model::__private::KeySegment>::KIND,
                format: my::model::__private::SegmentFormat::of(
                    <Timestamp as my::model::__private::KeySegment>::KIND,
                    my::model::__private::SegmentOptions {
                        format: ::core::option::Option::Some(const {
                            &[
                                my::model::__private::CalendarItem::Field(
                                    my::model::__private::CalendarField::Year,
                                ),
                                my::model::__private::CalendarItem::Field(
                                    my::model::__private::CalendarField::Month,
                                ),
                                my::model::__private::CalendarItem::Field(
                                    my::model::__private::CalendarField::Day,
                                ),
                                my::model::__private::CalendarItem::Literal(
                                    my::model::__private::borrowed("-"),
                                ),
                                my::model::__private::CalendarItem::Field(
                                    my::model::__private::CalendarField::Hour,
                                ),
                                my::model::__private::CalendarItem::Field(
                                    my::model::__private::CalendarField::Minute,
                                ),
                            ]
                        }),
                        truncate: true,
                        ..my::model::__private::SegmentOptions::NONE
                    },
                ),
            },
        ];
        #[inline]
        fn __encode(
            __0: &Host,
            __1: &Timestamp,
            out: &mut my::model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), my::model::__private::KeyError> {
            #[allow(unused_mut)]
            let mut writer = my::model::__private::KeyWriter::new("HOST", "#", out);
            writer
                .segment(
                    &Self::__SEGMENTS[0usize],
                    <Host as my::model::__private::KeySegment>::store(__0),
                )?;
            writer
                .segment(
                    &Self::__SEGMENTS[1usize],
                    <Timestamp as my::model::__private::KeySegment>::store(__1),
                )?;
            writer.finish()
        }
        #[inline]
        fn __values(
            &self,
        ) -> [(&'static str, my::model::__private::SegmentValue); 2usize] {
            [
                (
                    "host",
                    my::model::__private::SegmentPrimitive::into_value(
                        <Host as my::model::__private::KeySegment>::store(&self.host),
                    ),
                ),
                (
                    "at",
                    my::model::__private::SegmentPrimitive::into_value(
                        <Timestamp as my::model::__private::KeySegment>::store(&self.at),
                    ),
                ),
            ]
        }
        /// The key's bytes.
        ///
        /// # Errors
        /// When a segment can't hold its value, or the key is empty or over 4 KiB.
        #[inline]
        pub fn encode(
            &self,
        ) -> ::core::result::Result<
            my::model::__private::Vec<u8>,
            my::model::__private::KeyError,
        > {
            my::model::__private::ModelKey::encode(self)
        }
        /// Appends the key's bytes to a buffer, which is left as it was on an error. It allocates only when
        /// the buffer must grow.
        ///
        /// # Errors
        /// When a segment can't hold its value, or the key is empty or over 4 KiB.
        #[inline]
        pub fn encode_into(
            &self,
            out: &mut my::model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), my::model::__private::KeyError> {
            my::model::__private::ModelKey::encode_into(self, out)
        }
    }
    impl my::model::__private::ModelKey for MetricKey {
        const LAYOUT: my::model::__private::KeyLayout = my::model::__private::KeyLayout {
            prefix: my::model::__private::borrowed("HOST"),
            separator: my::model::__private::borrowed("#"),
            segments: my::model::__private::borrowed_slice(Self::__SEGMENTS),
        };
        #[inline]
        fn encode_into(
            &self,
            out: &mut my::model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), my::model::__private::KeyError> {
            Self::__encode(&self.host, &self.at, out)
        }
        #[inline]
        fn time(&self) -> ::core::option::Option<my::model::__private::Timestamp> {
            ::core::option::Option::Some(
                my::model::__private::time_of::<Timestamp>(&self.at),
            )
        }
    }
    impl ::core::cmp::Ord for MetricKey {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = my::model::__private::compare_segments::<
                Host,
            >(&Self::__SEGMENTS[0usize], &self.host, &other.host);
            if order.is_ne() {
                return order;
            }
            let order = my::model::__private::compare_segments::<
                Timestamp,
            >(&Self::__SEGMENTS[1usize], &self.at, &other.at);
            if order.is_ne() {
                return order;
            }
            ::core::cmp::Ordering::Equal
        }
    }
    impl ::core::cmp::PartialOrd for MetricKey {
        #[inline]
        fn partial_cmp(
            &self,
            other: &Self,
        ) -> ::core::option::Option<::core::cmp::Ordering> {
            ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
        }
    }
    impl ::core::cmp::PartialEq for MetricKey {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            ::core::cmp::Ord::cmp(self, other).is_eq()
        }
    }
    impl ::core::cmp::Eq for MetricKey {}
    impl ::core::fmt::Display for MetricKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            my::model::__private::display_segments(f, &self.__values())
        }
    }
    impl ::core::fmt::Debug for MetricKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            my::model::__private::debug_segments(f, "MetricKey", &self.__values())
        }
    }
    impl<'__key> MetricKeyRef<'__key> {
        /// Takes a row key apart without copying it.
        ///
        /// # Errors
        /// When the bytes are not a key of the model.
        #[inline]
        pub fn decode(
            key: &'__key [u8],
        ) -> ::core::result::Result<Self, my::model::__private::KeyError> {
            #[allow(unused_mut)]
            let mut reader = my::model::__private::KeyReader::new("HOST", "#", key)?;
            ::core::result::Result::Ok(Self {
                host: reader.read(&<MetricKey>::__SEGMENTS[0usize], false)?,
                at: reader.read(&<MetricKey>::__SEGMENTS[1usize], true)?,
            })
        }
    }
    impl MetricKey {
        /// Takes a row key apart.
        ///
        /// # Errors
        /// When the bytes are not a key of the model, or a segment's type refuses what it holds.
        #[inline]
        pub fn decode(
            key: &[u8],
        ) -> ::core::result::Result<Self, my::model::__private::KeyError> {
            #[allow(unused_variables)]
            let key = <MetricKeyRef<'_>>::decode(key)?;
            ::core::result::Result::Ok(Self {
                host: my::model::__private::restore_segment::<Host>("host", key.host)?,
                at: my::model::__private::restore_segment::<Timestamp>("at", key.at)?,
            })
        }
    }
    impl<'__key> MetricKeyRef<'__key> {
        #[inline]
        fn __values(
            &self,
        ) -> [(&'static str, my::model::__private::SegmentValue); 2usize] {
            [
                ("host", my::model::__private::SegmentPrimitive::into_value(self.host)),
                ("at", my::model::__private::SegmentPrimitive::into_value(self.at)),
            ]
        }
    }
    impl<'__key> ::core::clone::Clone for MetricKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<'__key> ::core::marker::Copy for MetricKeyRef<'__key> {}
    impl<'__key> ::core::cmp::Ord for MetricKeyRef<'__key> {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = my::model::__private::SegmentPrimitive::compare(
                self.host,
                other.host,
                &(&<MetricKey>::__SEGMENTS[0usize]).format,
            );
            if order.is_ne() {
                return order;
            }
            let order = my::model::__private::SegmentPrimitive::compare(
                self.at,
                other.at,
                &(&<MetricKey>::__SEGMENTS[1usize]).format,
            );
            if order.is_ne() {
                return order;
            }
            ::core::cmp::Ordering::Equal
        }
    }
    impl<'__key> ::core::cmp::PartialOrd for MetricKeyRef<'__key> {
        #[inline]
        fn partial_cmp(
            &self,
            other: &Self,
        ) -> ::core::option::Option<::core::cmp::Ordering> {
            ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
        }
    }
    impl<'__key> ::core::cmp::PartialEq for MetricKeyRef<'__key> {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            ::core::cmp::Ord::cmp(self, other).is_eq()
        }
    }
    impl<'__key> ::core::cmp::Eq for MetricKeyRef<'__key> {}
    impl<'__key> ::core::fmt::Display for MetricKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            my::model::__private::display_segments(f, &self.__values())
        }
    }
    impl<'__key> ::core::fmt::Debug for MetricKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            my::model::__private::debug_segments(f, "MetricKeyRef", &self.__values())
        }
    }
    mod __segments {
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #[doc(hidden)]
        pub struct host;
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #[doc(hidden)]
        pub struct at;
    }
    impl<V: CellValue> ::core::default::Default
    for MetricQuery<V, my::model::__private::Open<0>, Metric<V>> {
        #[inline]
        fn default() -> Self {
            MetricQuery(my::model::__private::Query::new())
        }
    }
    impl<V: CellValue, __State, __Read> MetricQuery<V, __State, __Read> {
        ///Selects by segment `host` of the key: a value, a set, a range, or for strings `starts_with(...)`.
        #[inline]
        pub fn host<__Values, __Kind>(
            self,
            host: __Values,
        ) -> MetricQuery<
            V,
            <__State as my::model::__private::Next>::After<__Kind, 0usize, 1usize>,
            __Read,
        >
        where
            __State: my::model::__private::Next
                + my::model::__private::Accepts<__segments::host, 0usize>,
            __Values: my::model::__private::Selects<Host, __Kind>,
            __Kind: my::model::__private::SelectionKind,
        {
            MetricQuery(
                self
                    .0
                    .__set_at(
                        0usize,
                        my::model::__private::Selects::into_selection(host),
                    ),
            )
        }
        ///Selects by segment `at` of the key: a value, a set, a range, or for strings `starts_with(...)`.
        #[inline]
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> MetricQuery<
            V,
            <__State as my::model::__private::Next>::After<__Kind, 1usize, 2usize>,
            __Read,
        >
        where
            __State: my::model::__private::Next
                + my::model::__private::Accepts<__segments::at, 1usize>,
            __Values: my::model::__private::Selects<Timestamp, __Kind>,
            __Kind: my::model::__private::SelectionKind,
        {
            MetricQuery(
                self
                    .0
                    .__set_at(1usize, my::model::__private::Selects::into_selection(at)),
            )
        }
        /// At most this many events.
        #[inline]
        pub fn limit(self, events: u64) -> Self {
            MetricQuery(self.0.__limit(events))
        }
        /// Only events of which a condition on their columns holds; of two conditions both. It does not narrow the rows that are read.
        #[inline]
        pub fn matching(
            self,
            condition: my::model::__private::Condition<Metric<V>>,
        ) -> Self {
            MetricQuery(self.0.__matching(condition))
        }
        /// Newest first.
        #[inline]
        pub fn newest_first(self) -> Self
        where
            __State: my::model::__private::QueryState<Metric<V>>,
            <__State as my::model::__private::QueryState<
                Metric<V>,
            >>::Order: my::model::__private::TimeOrder,
        {
            MetricQuery(self.0.__descending())
        }
        /// Last key first; in order of time, newest first.
        #[inline]
        pub fn reversed(self) -> Self {
            MetricQuery(self.0.__descending())
        }
        /// The most series that may be read at once, 128 unless told otherwise.
        #[inline]
        pub fn max_scans(self, scans: usize) -> Self {
            MetricQuery(self.0.__max_scans(scans))
        }
        /// Reads the whole table, on purpose.
        #[inline]
        pub fn scan(self) -> MetricQuery<V, my::model::__private::FullScan, __Read>
        where
            __State: my::model::__private::Unset,
        {
            MetricQuery(self.0.__scan())
        }
        /// Reads a projection: its columns only.
        #[inline]
        pub fn select<__Other: my::model::__private::Projection<Model = Metric<V>>>(
            self,
        ) -> MetricQuery<V, __State, __Other> {
            MetricQuery(self.0.__select())
        }
    }
    impl<V: CellValue, __State, __Read> ::core::ops::Deref
    for MetricQuery<V, __State, __Read> {
        type Target = my::model::__private::Query<Metric<V>, __State, __Read>;
        #[inline]
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }
    impl<V: CellValue, __State, __Read> ::core::clone::Clone
    for MetricQuery<V, __State, __Read> {
        #[inline]
        fn clone(&self) -> Self {
            MetricQuery(::core::clone::Clone::clone(&self.0))
        }
    }
    impl<V: CellValue, __State, __Read> ::core::fmt::Debug
    for MetricQuery<V, __State, __Read> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::core::fmt::Debug::fmt(&self.0, f)
        }
    }
    impl<V: CellValue> my::model::__private::QueryState<Metric<V>>
    for my::model::__private::Open<1usize> {
        type Order = my::model::__private::ByTime;
    }
    impl<V: CellValue> my::model::__private::QueryState<Metric<V>>
    for my::model::__private::Open<2usize> {
        type Order = my::model::__private::ByTime;
    }
    impl<V: CellValue> my::model::__private::QueryState<Metric<V>>
    for my::model::__private::Closed<0usize> {
        type Order = my::model::__private::ByKey;
    }
    impl<V: CellValue> my::model::__private::QueryState<Metric<V>>
    for my::model::__private::Closed<1usize> {
        type Order = my::model::__private::ByTime;
    }
    impl<V: CellValue> my::model::__private::QueryState<Metric<V>>
    for my::model::__private::FullScan {
        type Order = my::model::__private::ByKey;
    }
    impl<V: CellValue> ::core::convert::From<my::model::__private::Update<Metric<V>>>
    for MetricUpdate<V> {
        #[inline]
        fn from(update: my::model::__private::Update<Metric<V>>) -> Self {
            Self(update)
        }
    }
    impl<V: CellValue> MetricUpdate<V> {
        ///Sets column `load`; an `Option` that is `None` deletes it.
        #[inline]
        pub fn load(self, load: impl ::core::convert::Into<f64>) -> Self {
            Self(self.0.set(0usize, <MetricFields<V>>::__load, load))
        }
        /// Sets the run-time columns that the map has; others are left alone.
        #[inline]
        pub fn rest(self, rest: BTreeMap<String, V>) -> Self {
            Self(self.0.set_map(<MetricFields<V>>::__rest, &rest))
        }
        /// What the update writes, as data.
        ///
        /// # Errors
        /// When the key or a column can't hold what was set, or nothing was set.
        #[inline]
        pub fn to_mutations(
            self,
        ) -> ::core::result::Result<
            my::model::__private::RowMutations,
            my::model::__private::Error,
        > {
            self.0.to_mutations(my::model::__private::Timestamp::now())
        }
        /// Writes what was set.
        ///
        /// # Errors
        /// Those of `to_mutations`, and then nothing is sent; or the backend's answer.
        #[inline]
        pub fn send(
            self,
            backend: &dyn my::model::__private::Backend,
        ) -> my::model::__private::BoxFuture<
            '_,
            ::core::result::Result<(), my::model::__private::Error>,
        > {
            my::model::__private::send_update(self.0, backend)
        }
        /// Writes what was set while a condition holds of the event, and tells whether it did: one step of the server, sent once and
        /// never again. `BackendExt::insert_if` tells what that takes, and what an error leaves open.
        ///
        /// # Errors
        /// Those of `send`, and of a condition that can't be sent; in layout `qualifiers` always, since the old value has to be read first.
        #[inline]
        pub fn send_if(
            self,
            backend: &dyn my::model::__private::Backend,
            condition: my::model::__private::Condition<Metric<V>>,
        ) -> my::model::__private::BoxFuture<
            '_,
            ::core::result::Result<bool, my::model::__private::Error>,
        > {
            my::model::__private::send_update_if(self.0, backend, condition)
        }
    }
    impl<V: CellValue> my::model::__private::Model for Metric<V> {
        const COLUMNS: &'static [my::model::__private::ColumnSchema] = &[
            my::model::__private::ColumnSchema {
                field: my::model::__private::borrowed("load"),
                family: my::model::__private::borrowed("OTHER"),
                qualifier: my::model::__private::borrowed("load"),
                codec: my::model::__private::borrowed("native"),
                optional: true,
                copy_of: ::core::option::Option::None,
                kind: my::model::__private::ColumnKind::Plain,
            },
        ];
        const SCHEMA: &'static my::model::__private::ModelSchema = {
            my::model::__private::check_segment(
                <Host as my::model::__private::KeySegment>::KIND,
                my::model::__private::SegmentOptions {
                    ..my::model::__private::SegmentOptions::NONE
                },
                false,
                (<Host as my::model::__private::KeySegment>::NAMES, "#"),
            );
            my::model::__private::check_time(
                <Timestamp as my::model::__private::KeySegment>::KIND,
                my::model::__private::SegmentOptions {
                    format: ::core::option::Option::Some(const {
                        &[
                            my::model::__private::CalendarItem::Field(
                                my::model::__private::CalendarField::Year,
                            ),
                            my::model::__private::CalendarItem::Field(
                                my::model::__private::CalendarField::Month,
                            ),
                            my::model::__private::CalendarItem::Field(
                                my::model::__private::CalendarField::Day,
                            ),
                            my::model::__private::CalendarItem::Literal(
                                my::model::__private::borrowed("-"),
                            ),
                            my::model::__private::CalendarItem::Field(
                                my::model::__private::CalendarField::Hour,
                            ),
                            my::model::__private::CalendarItem::Field(
                                my::model::__private::CalendarField::Minute,
                            ),
                        ]
                    }),
                    truncate: true,
                    ..my::model::__private::SegmentOptions::NONE
                },
                true,
            );
            my::model::__private::check_first(
                <Host as my::model::__private::KeySegment>::KIND,
                "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of(host))`, or write `allow(time_first)` on the struct",
            );
            &my::model::__private::ModelSchema {
                model: my::model::__private::borrowed("Metric"),
                table: my::model::__private::fixed_table("METRIC"),
                key: <MetricKey as my::model::__private::ModelKey>::LAYOUT,
                layout: my::model::__private::Layout::Row,
                columns: my::model::__private::borrowed_slice(
                    <Self as my::model::__private::Model>::COLUMNS,
                ),
                map_family: ::core::option::Option::Some(
                    my::model::__private::borrowed("METRIC"),
                ),
                presence: my::model::__private::Presence::Marker {
                    family: my::model::__private::borrowed("METRIC"),
                    qualifier: my::model::__private::borrowed("SAMPLE"),
                },
                cell_time: my::model::__private::CellTime::Write,
                gc_rules: my::model::__private::borrowed_slice(&[]),
            }
        };
        const FIELDS: Self::Fields = MetricFields {
            host: my::model::__private::KeyField::new(|key| my::model::__private::key_read(
                my::model::__private::restore_segment::<Host>("host", key.host),
            )),
            at: my::model::__private::KeyField::new(|key| my::model::__private::key_read(
                my::model::__private::restore_segment::<Timestamp>("at", key.at),
            )),
            load: my::model::__private::Column::new(0usize, <Self::Fields>::__load),
            rest: my::model::__private::MapField::new(<Self::Fields>::__rest),
        };
        type Key = MetricKey;
        type KeyRef<'__key> = MetricKeyRef<'__key>;
        type Fields = MetricFields<V>;
        type Query = MetricQuery<V>;
        type Update = MetricUpdate<V>;
        #[inline]
        fn key(&self) -> MetricKey {
            MetricKey {
                host: ::core::clone::Clone::clone(&self.host),
                at: ::core::clone::Clone::clone(&self.at),
            }
        }
        #[inline]
        fn encode_key(
            &self,
            out: &mut my::model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), my::model::__private::KeyError> {
            <MetricKey>::__encode(&self.host, &self.at, out)
        }
        #[inline]
        fn decode_key(
            key: &[u8],
        ) -> ::core::result::Result<MetricKeyRef<'_>, my::model::__private::KeyError> {
            <MetricKeyRef<'_>>::decode(key)
        }
        #[inline]
        fn time(&self) -> ::core::option::Option<my::model::__private::Timestamp> {
            ::core::option::Option::Some(
                my::model::__private::time_of::<Timestamp>(&self.at),
            )
        }
        #[inline]
        #[allow(unused_variables)]
        fn write_columns(
            &self,
            event: &mut my::model::__private::EventWriter,
        ) -> ::core::result::Result<(), my::model::__private::ColumnError> {
            (<MetricFields<V>>::__load().write)(&self.load, 0usize, event)?;
            (<MetricFields<V>>::__rest().write)(&self.rest, event)?;
            ::core::result::Result::Ok(())
        }
        type Series = Host;
        #[inline]
        #[allow(unused_variables)]
        fn series(
            key: &MetricKeyRef<'_>,
        ) -> ::core::result::Result<Self::Series, my::model::__private::KeyError> {
            my::model::__private::restore_segment::<Host>("host", key.host)
        }
    }
    impl<V: CellValue> my::model::__private::Projection for Metric<V> {
        type Model = Self;
        const USES: ::core::option::Option<&'static [my::model::__private::FieldUse]> = ::core::option::Option::None;
        #[inline]
        #[allow(unused_variables)]
        fn read(
            key: &MetricKeyRef<'_>,
            cells: &my::model::__private::EventCells<'_>,
        ) -> ::core::result::Result<Self, my::model::__private::ReadError> {
            ::core::result::Result::Ok(Self {
                host: my::model::__private::key_read(
                    my::model::__private::restore_segment::<Host>("host", key.host),
                )?,
                at: my::model::__private::key_read(
                    my::model::__private::restore_segment::<Timestamp>("at", key.at),
                )?,
                load: <MetricFields<V>>::__load().read(cells, 0usize)?,
                rest: (<MetricFields<V>>::__rest().read)(cells)?,
                note: ::core::default::Default::default(),
            })
        }
    }
    impl<V: CellValue> MetricFields<V> {
        #[inline]
        fn __load() -> my::model::__private::FieldAccess<f64> {
            my::model::__private::Field::<f64, my::model::__private::Native>::access()
                .or(|_| ::core::result::Result::Ok(zero()))
        }
        #[inline]
        fn __rest() -> my::model::__private::MapAccess<BTreeMap<String, V>> {
            my::model::__private::map_access::<
                BTreeMap<String, V>,
                my::model::__private::Native,
            >()
        }
    }
};
