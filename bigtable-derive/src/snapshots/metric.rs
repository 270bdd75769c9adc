/**The row key of [`Metric`]: `HOST#{host}#{at:%Y%m%d-%H%M}`.

Its order is that of the key's bytes.

An event is there with the cell `METRIC:SAMPLE`, its marker.*/
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
    #[doc(hidden)]
    __borrowed: ::core::marker::PhantomData<&'__key [u8]>,
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
    use my::model::__private as __runtime;
    #[allow(unused_imports)]
    use __runtime::RequiredField as _;
    impl MetricKey {
        const __SEGMENTS: &'static [__runtime::Segment; 2usize] = &[
            __runtime::Segment {
                name: __runtime::borrowed("host"),
                role: __runtime::SegmentRole::Identifier,
                kind: <Host as __runtime::KeySegment>::KIND,
                format: __runtime::SegmentFormat::of(
                    <Host as __runtime::KeySegment>::KIND,
                    __runtime::SegmentOptions {
                        ..__runtime::SegmentOptions::NONE
                    },
                ),
            },
            __runtime::Segment {
                name: __runtime::borrowed("at"),
                role: __runtime::SegmentRole::Time,
                kind: <Timestamp as __runtime::KeySegment>::KIND,
                format: __runtime::SegmentFormat::of(
                    <Timestamp as __runtime::KeySegment>::KIND,
                    __runtime::SegmentOptions {
                        format: ::core::option::Option::Some(const {
                            &[
                                __runtime::CalendarItem::Field(
                                    __runtime::CalendarField::Year,
                                ),
                                __runtime::CalendarItem::Field(
                                    __runtime::CalendarField::Month,
                                ),
                                __runtime::CalendarItem::Field(
                                    __runtime::CalendarField::Day,
                                ),
                                __runtime::CalendarItem::Literal(__runtime::borrowed("-")),
                                __runtime::CalendarItem::Field(
                                    __runtime::CalendarField::Hour,
                                ),
                                __runtime::CalendarItem::Field(
                                    __runtime::CalendarField::Minute,
                                ),
                            ]
                        }),
                        truncate: true,
                        ..__runtime::SegmentOptions::NONE
                    },
                ),
            },
        ];
        #[inline]
        fn __encode(
            __0: &Host,
            __1: &Timestamp,
            out: &mut __runtime::Vec<u8>,
        ) -> ::core::result::Result<(), __runtime::KeyError> {
            #[allow(unused_mut)]
            let mut writer = __runtime::KeyWriter::new("HOST", "#", out);
            writer
                .segment(
                    &Self::__SEGMENTS[0usize],
                    <Host as __runtime::KeySegment>::store(__0),
                )?;
            writer
                .segment(
                    &Self::__SEGMENTS[1usize],
                    <Timestamp as __runtime::KeySegment>::store(__1),
                )?;
            writer.finish()
        }
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 2usize] {
            [
                (
                    "host",
                    __runtime::SegmentPrimitive::into_value(
                        <Host as __runtime::KeySegment>::store(&self.host),
                    ),
                ),
                (
                    "at",
                    __runtime::SegmentPrimitive::into_value(
                        <Timestamp as __runtime::KeySegment>::store(&self.at),
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
        ) -> ::core::result::Result<__runtime::Vec<u8>, __runtime::KeyError> {
            __runtime::ModelKey::encode(self)
        }
        /// Appends the key's bytes to a buffer, which is left as it was on an error. It
        /// allocates only when the buffer must grow.
        ///
        /// # Errors
        /// When a segment can't hold its value, or the key is empty or over 4 KiB.
        #[inline]
        pub fn encode_into(
            &self,
            out: &mut __runtime::Vec<u8>,
        ) -> ::core::result::Result<(), __runtime::KeyError> {
            __runtime::ModelKey::encode_into(self, out)
        }
    }
    impl __runtime::ModelKey for MetricKey {
        const LAYOUT: __runtime::KeyLayout = __runtime::KeyLayout {
            prefix: __runtime::borrowed("HOST"),
            separator: __runtime::borrowed("#"),
            enclosed: false,
            segments: __runtime::borrowed_slice(Self::__SEGMENTS),
        };
        #[inline]
        fn encode_into(
            &self,
            out: &mut __runtime::Vec<u8>,
        ) -> ::core::result::Result<(), __runtime::KeyError> {
            Self::__encode(&self.host, &self.at, out)
        }
        #[inline]
        fn time(&self) -> ::core::option::Option<__runtime::Timestamp> {
            ::core::option::Option::Some(
                __runtime::time_of(<Timestamp as __runtime::KeySegment>::store(&self.at)),
            )
        }
    }
    impl ::core::cmp::Ord for MetricKey {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = __runtime::SegmentPrimitive::compare(
                <Host as __runtime::KeySegment>::store(&self.host),
                <Host as __runtime::KeySegment>::store(&other.host),
                &Self::__SEGMENTS[0usize].format,
            );
            if order.is_ne() {
                return order;
            }
            let order = __runtime::SegmentPrimitive::compare(
                <Timestamp as __runtime::KeySegment>::store(&self.at),
                <Timestamp as __runtime::KeySegment>::store(&other.at),
                &Self::__SEGMENTS[1usize].format,
            );
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
            __runtime::display_segments(f, &self.__values())
        }
    }
    impl ::core::fmt::Debug for MetricKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __runtime::debug_segments(f, "MetricKey", &self.__values())
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
        ) -> ::core::result::Result<Self, __runtime::KeyError> {
            #[allow(unused_mut)]
            let mut reader = __runtime::KeyReader::new("HOST", "#", key)?;
            ::core::result::Result::Ok(Self {
                host: reader.read(&<MetricKey>::__SEGMENTS[0usize], false)?,
                at: reader.read(&<MetricKey>::__SEGMENTS[1usize], true)?,
                __borrowed: ::core::marker::PhantomData,
            })
        }
    }
    impl MetricKey {
        /// Takes a row key apart.
        ///
        /// # Errors
        /// When the bytes are not a key of the model, or a segment's type refuses what it
        /// holds.
        #[inline]
        pub fn decode(key: &[u8]) -> ::core::result::Result<Self, __runtime::KeyError> {
            #[allow(unused_variables)]
            let key = <MetricKeyRef<'_>>::decode(key)?;
            ::core::result::Result::Ok(Self {
                host: __runtime::restored(
                    "host",
                    <Host as __runtime::KeySegment>::restore(key.host),
                )?,
                at: __runtime::restored(
                    "at",
                    <Timestamp as __runtime::KeySegment>::restore(key.at),
                )?,
            })
        }
    }
    impl<'__key> MetricKeyRef<'__key> {
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 2usize] {
            [
                ("host", __runtime::SegmentPrimitive::into_value(self.host)),
                ("at", __runtime::SegmentPrimitive::into_value(self.at)),
            ]
        }
    }
    impl<'__key> ::core::clone::Clone for MetricKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> MetricKeyRef<'__key> {
            *self
        }
    }
    impl<'__key> ::core::marker::Copy for MetricKeyRef<'__key> {}
    impl<'__key> ::core::cmp::Ord for MetricKeyRef<'__key> {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = __runtime::SegmentPrimitive::compare(
                self.host,
                other.host,
                &(&<MetricKey>::__SEGMENTS[0usize]).format,
            );
            if order.is_ne() {
                return order;
            }
            let order = __runtime::SegmentPrimitive::compare(
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
            __runtime::display_segments(f, &self.__values())
        }
    }
    impl<'__key> ::core::fmt::Debug for MetricKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __runtime::debug_segments(f, "MetricKeyRef", &self.__values())
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
    for MetricQuery<V, __runtime::Open<0>, Metric<V>> {
        #[inline]
        fn default() -> Self {
            MetricQuery(__runtime::Query::new())
        }
    }
    impl<V: CellValue, __State, __Read> MetricQuery<V, __State, __Read> {
        ///Selects by segment `host` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        #[inline]
        pub fn host<__Values, __Kind>(
            self,
            host: __Values,
        ) -> MetricQuery<
            V,
            <__State as __runtime::Next>::After<__Kind, 0usize, 1usize>,
            __Read,
        >
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::host, 0usize>,
            __Values: __runtime::Selects<Host, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            MetricQuery(
                self.0.__set_at(0usize, __runtime::Selects::into_selection(host)),
            )
        }
        ///Selects by segment `at` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        #[inline]
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> MetricQuery<
            V,
            <__State as __runtime::Next>::After<__Kind, 1usize, 2usize>,
            __Read,
        >
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::at, 1usize>,
            __Values: __runtime::Selects<Timestamp, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            MetricQuery(self.0.__set_at(1usize, __runtime::Selects::into_selection(at)))
        }
        /// At most this many events.
        #[inline]
        pub fn limit(self, events: u64) -> Self {
            MetricQuery(self.0.__limit(events))
        }
        /// Only events of which a condition on their columns holds; of two conditions both. It does
        /// not narrow the rows that are read.
        #[inline]
        pub fn matching(self, condition: __runtime::Condition<Metric<V>>) -> Self {
            MetricQuery(self.0.__matching(condition))
        }
        /// Newest first.
        #[inline]
        pub fn newest_first(self) -> Self
        where
            __State: __runtime::QueryState<Metric<V>>,
            <__State as __runtime::QueryState<Metric<V>>>::Order: __runtime::TimeOrder,
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
        /// Reads the whole table, on purpose. Any segments may be set after it: those at the front
        /// of the key narrow what is read, the others are compared with each row.
        #[inline]
        pub fn scan(self) -> MetricQuery<V, __runtime::FullScan, __Read>
        where
            __State: __runtime::Unset,
        {
            MetricQuery(self.0.__scan())
        }
        /// Reads a projection: its columns only.
        #[inline]
        pub fn select<__Other: __runtime::Projection<Model = Metric<V>>>(
            self,
        ) -> MetricQuery<V, __State, __Other> {
            MetricQuery(self.0.__select())
        }
    }
    impl<V: CellValue, __State, __Read> ::core::ops::Deref
    for MetricQuery<V, __State, __Read> {
        type Target = __runtime::Query<Metric<V>, __State, __Read>;
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
    impl<V: CellValue> __runtime::QueryState<Metric<V>> for __runtime::Open<1usize> {
        type Order = __runtime::ByTime;
    }
    impl<V: CellValue> __runtime::QueryState<Metric<V>> for __runtime::Open<2usize> {
        type Order = __runtime::ByTime;
    }
    impl<V: CellValue> __runtime::QueryState<Metric<V>> for __runtime::Closed<0usize> {
        type Order = __runtime::ByKey;
    }
    impl<V: CellValue> __runtime::QueryState<Metric<V>> for __runtime::Closed<1usize> {
        type Order = __runtime::ByTime;
    }
    impl<V: CellValue> __runtime::QueryState<Metric<V>> for __runtime::FullScan {
        type Order = __runtime::ByKey;
    }
    impl<V: CellValue> ::core::convert::From<__runtime::Update<Metric<V>>>
    for MetricUpdate<V> {
        #[inline]
        fn from(update: __runtime::Update<Metric<V>>) -> Self {
            Self(update)
        }
    }
    impl<V: CellValue> MetricUpdate<V> {
        ///Sets column `load`; an `Option` that is `None` deletes it.
        #[inline]
        pub fn load(self, load: impl __runtime::ColumnArg<f64>) -> Self {
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
        ) -> ::core::result::Result<__runtime::RowMutations, __runtime::Error> {
            self.0.to_mutations(__runtime::Timestamp::now())
        }
        /// Writes what was set.
        ///
        /// # Errors
        /// Those of `to_mutations`, and then nothing is sent; or the backend's answer.
        #[inline]
        pub fn send(
            self,
            backend: &dyn __runtime::Backend,
        ) -> __runtime::BoxFuture<'_, ::core::result::Result<(), __runtime::Error>> {
            __runtime::send_update(self.0, backend)
        }
        /// Writes what was set while a condition holds of the event, and tells whether it did:
        /// one step of the server, sent once. `BackendExt::insert_if` tells what that takes,
        /// when it goes out once more, and what an error leaves open.
        ///
        /// # Errors
        /// Those of `send`, and of a condition that can't be sent; in layout `qualifiers`
        /// always, since the old value has to be read first.
        #[inline]
        pub fn send_if(
            self,
            backend: &dyn __runtime::Backend,
            condition: __runtime::Condition<Metric<V>>,
        ) -> __runtime::BoxFuture<'_, ::core::result::Result<bool, __runtime::Error>> {
            __runtime::send_update_if(self.0, backend, condition)
        }
    }
    impl<V: CellValue> __runtime::Model for Metric<V> {
        const COLUMNS: &'static [__runtime::ColumnSchema] = &[
            __runtime::ColumnSchema {
                field: __runtime::borrowed("load"),
                family: __runtime::borrowed("OTHER"),
                qualifier: __runtime::borrowed("load"),
                codec: __runtime::borrowed("native"),
                optional: true,
                copy_of: ::core::option::Option::None,
                kind: __runtime::ColumnKind::Plain,
                aliases: __runtime::borrowed_slice(&[]),
            },
        ];
        const SCHEMA: &'static __runtime::ModelSchema = {
            __runtime::check_segment(
                <Host as __runtime::KeySegment>::KIND,
                __runtime::SegmentOptions {
                    ..__runtime::SegmentOptions::NONE
                },
                false,
                (<Host as __runtime::KeySegment>::NAMES, "#"),
            );
            __runtime::check_time(
                <Timestamp as __runtime::KeySegment>::KIND,
                __runtime::SegmentOptions {
                    format: ::core::option::Option::Some(const {
                        &[
                            __runtime::CalendarItem::Field(
                                __runtime::CalendarField::Year,
                            ),
                            __runtime::CalendarItem::Field(
                                __runtime::CalendarField::Month,
                            ),
                            __runtime::CalendarItem::Field(
                                __runtime::CalendarField::Day,
                            ),
                            __runtime::CalendarItem::Literal(__runtime::borrowed("-")),
                            __runtime::CalendarItem::Field(
                                __runtime::CalendarField::Hour,
                            ),
                            __runtime::CalendarItem::Field(
                                __runtime::CalendarField::Minute,
                            ),
                        ]
                    }),
                    truncate: true,
                    ..__runtime::SegmentOptions::NONE
                },
                true,
            );
            __runtime::check_first(
                <Host as __runtime::KeySegment>::KIND,
                "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of(host))`, or write `allow(time_first)` on the struct",
            );
            &__runtime::ModelSchema {
                model: __runtime::borrowed("Metric"),
                table: __runtime::fixed_table("METRIC"),
                key: <MetricKey as __runtime::ModelKey>::LAYOUT,
                layout: __runtime::Layout::Row,
                columns: __runtime::borrowed_slice(<Self as __runtime::Model>::COLUMNS),
                map_family: ::core::option::Option::Some(__runtime::borrowed("METRIC")),
                presence: __runtime::Presence::Marker {
                    family: __runtime::borrowed("METRIC"),
                    qualifier: __runtime::borrowed("SAMPLE"),
                },
                cell_time: __runtime::CellTime::Write,
                gc_rules: __runtime::borrowed_slice(&[]),
                append_only: false,
                rollups: &[],
                former: ::core::option::Option::None,
            }
        };
        const FIELDS: Self::Fields = MetricFields {
            host: __runtime::KeyField::new(|key| __runtime::key_read(
                __runtime::restored(
                    "host",
                    <Host as __runtime::KeySegment>::restore(key.host),
                ),
            )),
            at: __runtime::KeyField::new(|key| __runtime::key_read(
                __runtime::restored(
                    "at",
                    <Timestamp as __runtime::KeySegment>::restore(key.at),
                ),
            )),
            load: __runtime::Column::new(0usize, <Self::Fields>::__load),
            rest: __runtime::MapField::new(<Self::Fields>::__rest),
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
            out: &mut __runtime::Vec<u8>,
        ) -> ::core::result::Result<(), __runtime::KeyError> {
            <MetricKey>::__encode(&self.host, &self.at, out)
        }
        #[inline]
        fn decode_key(
            key: &[u8],
        ) -> ::core::result::Result<MetricKeyRef<'_>, __runtime::KeyError> {
            <MetricKeyRef<'_>>::decode(key)
        }
        #[inline]
        fn time(&self) -> ::core::option::Option<__runtime::Timestamp> {
            ::core::option::Option::Some(
                __runtime::time_of(<Timestamp as __runtime::KeySegment>::store(&self.at)),
            )
        }
        #[inline]
        #[allow(unused_variables)]
        fn write_columns(
            &self,
            event: &mut __runtime::EventWriter,
        ) -> ::core::result::Result<(), __runtime::ColumnError> {
            (<MetricFields<V>>::__load().write)(&self.load, 0usize, event)?;
            (<MetricFields<V>>::__rest().write)(&self.rest, event)?;
            ::core::result::Result::Ok(())
        }
        #[allow(unused_variables)]
        fn samples(samples: &mut __runtime::Samples) {
            samples
                .segment(
                    0usize,
                    <Host as __runtime::KeySegment>::NAMES,
                    |format, bytes| {
                        let value = <Host as __runtime::KeySegment>::restore(
                            __runtime::stored_segment(format, bytes)?,
                        )?;
                        ::core::result::Result::Ok(
                            __runtime::segment_value(
                                <Host as __runtime::KeySegment>::store(&value),
                            ),
                        )
                    },
                );
            samples
                .segment(
                    1usize,
                    <Timestamp as __runtime::KeySegment>::NAMES,
                    |format, bytes| {
                        let value = <Timestamp as __runtime::KeySegment>::restore(
                            __runtime::stored_segment(format, bytes)?,
                        )?;
                        ::core::result::Result::Ok(
                            __runtime::segment_value(
                                <Timestamp as __runtime::KeySegment>::store(&value),
                            ),
                        )
                    },
                );
            samples.column(0usize, &<MetricFields<V>>::__load());
            samples.map(&<MetricFields<V>>::__rest());
        }
        type Series = Host;
        #[inline]
        #[allow(unused_variables)]
        fn series(
            key: &MetricKeyRef<'_>,
        ) -> ::core::result::Result<Self::Series, __runtime::KeyError> {
            __runtime::restored(
                "host",
                <Host as __runtime::KeySegment>::restore(key.host),
            )
        }
    }
    impl<V: CellValue> __runtime::Editable for Metric<V> {}
    impl<V: CellValue> __runtime::Projection for Metric<V> {
        type Model = Self;
        const USES: ::core::option::Option<&'static [__runtime::FieldUse]> = ::core::option::Option::None;
        #[inline]
        #[allow(unused_variables)]
        fn read(
            key: &MetricKeyRef<'_>,
            cells: &__runtime::EventCells<'_>,
        ) -> ::core::result::Result<Self, __runtime::ReadError> {
            ::core::result::Result::Ok(Self {
                host: __runtime::key_read(
                    __runtime::restored(
                        "host",
                        <Host as __runtime::KeySegment>::restore(key.host),
                    ),
                )?,
                at: __runtime::key_read(
                    __runtime::restored(
                        "at",
                        <Timestamp as __runtime::KeySegment>::restore(key.at),
                    ),
                )?,
                load: <MetricFields<V>>::__load().read(cells, 0usize)?,
                rest: (<MetricFields<V>>::__rest().read)(cells)?,
                note: ::core::default::Default::default(),
            })
        }
    }
    impl<V: CellValue> MetricFields<V> {
        #[inline]
        fn __load() -> __runtime::FieldAccess<f64> {
            __runtime::Field::<f64, __runtime::Native>::access()
                .or(|_| ::core::result::Result::Ok(zero()))
        }
        #[inline]
        fn __rest() -> __runtime::MapAccess<BTreeMap<String, V>> {
            __runtime::map_access::<BTreeMap<String, V>, __runtime::Native>()
        }
    }
};
