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
///A query for events of [`Metric`]. Setters take the segments in the order of the row key, `HOST#{host}#{at:%Y%m%d-%H%M}`; `events` gives the [`Query`](struct@my::model::query::Query), which has the options.
#[allow(private_interfaces, private_bounds)]
#[must_use = "a query does nothing until it is run"]
struct MetricQuery<
    V: CellValue,
    __State = my::model::__private::Open<0>,
    __Read = Metric<V>,
> {
    __events: my::model::__private::Query<Metric<V>, __State, __Read>,
}
///An update of some columns of one [`Metric`]; columns that are not set are left alone.
#[allow(private_interfaces, missing_debug_implementations)]
#[must_use = "an update does nothing until it is sent"]
struct MetricUpdate<V: CellValue>(my::model::__private::Update<Metric<V>>);
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction,
    deprecated,
    unused_imports,
    unused_mut,
    unused_variables
)]
const _: () = {
    use my::model::__private as __runtime;
    use __runtime::{
        ColumnArg as __ColumnArg, Err as __Err, Field as __Field,
        FieldAccess as __FieldAccess, KeyResult as __KeyResult,
        KeySegment as __KeySegment, Ok as __Ok, RequiredField as _,
    };
    impl MetricKey {
        const __SEGMENTS: &'static [__runtime::Segment; 2usize] = &[
            __runtime::identifier(
                "host",
                <Host as __KeySegment>::KIND,
                __runtime::NO_OPTIONS,
            ),
            __runtime::time_segment(
                "at",
                <Timestamp as __KeySegment>::KIND,
                __runtime::NO_OPTIONS
                    .format(const {
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
                    })
                    .truncate(),
            ),
        ];
        #[inline]
        fn __encode(
            __0: &Host,
            __1: &Timestamp,
            out: &mut __runtime::Vec<u8>,
        ) -> __KeyResult<()> {
            let mut writer = __runtime::KeyWriter::new("HOST", "#", out);
            if let __Err(__error) = writer
                .segment(&Self::__SEGMENTS[0usize], <Host as __KeySegment>::store(__0))
            {
                return __Err(__error);
            }
            if let __Err(__error) = writer
                .segment(
                    &Self::__SEGMENTS[1usize],
                    <Timestamp as __KeySegment>::store(__1),
                )
            {
                return __Err(__error);
            }
            writer.finish()
        }
        #[inline]
        fn __stored(&self) -> MetricKeyRef<'_> {
            MetricKeyRef {
                host: <Host as __KeySegment>::store(&self.host),
                at: <Timestamp as __KeySegment>::store(&self.at),
                __borrowed: __runtime::PhantomData,
            }
        }
        /**The key's bytes.

# Errors
When a segment cannot hold its value, or the key is empty or over 4 KiB.*/
        #[inline]
        pub fn encode(
            &self,
        ) -> __runtime::Result<__runtime::Vec<u8>, __runtime::KeyError> {
            __runtime::ModelKey::encode(self)
        }
        /**The key as a text for URLs, which `parse` reads; see `ModelKey::to_text`.

# Errors
Those of `encode`.*/
        #[inline]
        pub fn to_text(
            &self,
        ) -> __runtime::Result<__runtime::String, __runtime::KeyError> {
            __runtime::ModelKey::to_text(self)
        }
        /**Appends the key's bytes to a buffer, which is left as it was on an error. It allocates only when the buffer must grow.

# Errors
When a segment cannot hold its value, or the key is empty or over 4 KiB.*/
        #[inline]
        pub fn encode_into(
            &self,
            out: &mut __runtime::Vec<u8>,
        ) -> __runtime::Result<(), __runtime::KeyError> {
            __runtime::ModelKey::encode_into(self, out)
        }
    }
    impl __runtime::ModelKey for MetricKey {
        const LAYOUT: __runtime::KeyLayout = __runtime::key_layout(
            ("HOST", "#", false),
            Self::__SEGMENTS,
        );
        #[inline]
        fn encode_into(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            Self::__encode(&self.host, &self.at, out)
        }
        #[inline]
        fn time(&self) -> __runtime::Option<__runtime::Timestamp> {
            __runtime::time_of(<Timestamp as __KeySegment>::store(&self.at))
        }
        #[inline]
        fn decode_at(
            key: &[u8],
            _: __runtime::Option<__runtime::Timestamp>,
        ) -> __KeyResult<Self> {
            let key = match MetricKeyRef::decode(key) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            Self::__restore(&key)
        }
    }
    impl __runtime::Ord for MetricKey {
        #[inline]
        fn cmp(&self, other: &Self) -> __runtime::Ordering {
            let (one, other) = (self.__stored(), other.__stored());
            let order = __runtime::SegmentPrimitive::compare(
                one.host,
                other.host,
                &Self::__SEGMENTS[0usize].format,
            );
            if order.is_ne() {
                return order;
            }
            __runtime::SegmentPrimitive::compare(
                one.at,
                other.at,
                &Self::__SEGMENTS[1usize].format,
            )
        }
    }
    impl __runtime::PartialOrd for MetricKey {
        #[inline]
        fn partial_cmp(&self, other: &Self) -> __runtime::Option<__runtime::Ordering> {
            __runtime::Some(__runtime::Ord::cmp(self, other))
        }
    }
    impl __runtime::PartialEq for MetricKey {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            __runtime::Ord::cmp(self, other).is_eq()
        }
    }
    impl __runtime::Eq for MetricKey {}
    impl __runtime::Debug for MetricKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "MetricKey", &self.__stored().__values())
        }
    }
    impl __runtime::Display for MetricKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::display_segments(f, &self.__stored().__values())
        }
    }
    __runtime::key_text! {
        [] MetricKey, []
    }
    impl<'__key> MetricKeyRef<'__key> {
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 2usize] {
            [
                ("host", __runtime::SegmentPrimitive::into_value(self.host)),
                ("at", __runtime::SegmentPrimitive::into_value(self.at)),
            ]
        }
        /**Takes a row key apart without copying it.

# Errors
When the bytes are not a key of the model.*/
        #[inline]
        pub fn decode(
            key: &'__key [u8],
        ) -> __runtime::Result<Self, __runtime::KeyError> {
            let mut reader = match __runtime::KeyReader::new("HOST", "#", key) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            __Ok(Self {
                host: match reader.read(&MetricKey::__SEGMENTS[0usize], false) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                at: match reader.read(&MetricKey::__SEGMENTS[1usize], true) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                __borrowed: __runtime::PhantomData,
            })
        }
    }
    impl MetricKey {
        #[inline]
        fn __restore_0(key: &MetricKeyRef<'_>) -> __KeyResult<Host> {
            __runtime::restored("host", <Host as __KeySegment>::restore(key.host))
        }
        #[inline]
        fn __restore_1(key: &MetricKeyRef<'_>) -> __KeyResult<Timestamp> {
            __runtime::restored("at", <Timestamp as __KeySegment>::restore(key.at))
        }
        #[inline]
        fn __restore(key: &MetricKeyRef<'_>) -> __KeyResult<Self> {
            __Ok(Self {
                host: match Self::__restore_0(key) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                at: match Self::__restore_1(key) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
            })
        }
        /**Takes a row key apart.

# Errors
When the bytes are not a key of the model, or a segment's type refuses what it holds.*/
        #[inline]
        pub fn decode(key: &[u8]) -> __runtime::Result<Self, __runtime::KeyError> {
            __runtime::ModelKey::decode_at(key, __runtime::None)
        }
    }
    impl<'__key> __runtime::Clone for MetricKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> MetricKeyRef<'__key> {
            *self
        }
    }
    impl<'__key> __runtime::Copy for MetricKeyRef<'__key> {}
    impl<'__key> __runtime::Debug for MetricKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "MetricKeyRef", &self.__values())
        }
    }
    #[allow(non_camel_case_types, missing_debug_implementations)]
    mod __segments {
        pub struct host;
        pub struct at;
    }
    impl<V: CellValue, __State: __runtime::Start> __runtime::Default
    for MetricQuery<V, __State, Metric<V>> {
        fn default() -> Self {
            MetricQuery {
                __events: __runtime::Default::default(),
            }
        }
    }
    impl<V: CellValue, __State, __Read> MetricQuery<V, __State, __Read> {
        ///Selects by segment `host` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        pub fn host<__Values, __Kind>(
            self,
            host: __Values,
        ) -> MetricQuery<V, __runtime::After<__State, __Kind, 0usize, 1usize>, __Read>
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::host, 0usize>,
            __Values: __runtime::Selects<Host, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(host);
            MetricQuery {
                __events: self.__events.__set_at(0usize, selection),
            }
        }
        ///Selects by segment `at` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> MetricQuery<V, __runtime::After<__State, __Kind, 1usize, 2usize>, __Read>
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::at, 1usize>,
            __Values: __runtime::Selects<Timestamp, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(at);
            MetricQuery {
                __events: self.__events.__set_at(1usize, selection),
            }
        }
        /// The query as it is so far, with the options of every query: order, limit, conditions.
        pub fn events(&self) -> __runtime::Query<Metric<V>, __State, __Read> {
            __runtime::Clone::clone(&self.__events)
        }
        /// Reads a projection: its columns only.
        pub fn select<__Other: __runtime::Projection<Model = Metric<V>>>(
            self,
        ) -> MetricQuery<V, __State, __Other> {
            MetricQuery {
                __events: self.__events.select(),
            }
        }
    }
    impl<
        V: CellValue,
        __State,
        __Read: __runtime::Projection<Model = Metric<V>>,
    > __runtime::AsQuery for MetricQuery<V, __State, __Read> {
        type Model = Metric<V>;
        type State = __State;
        type Read = __Read;
        #[inline]
        fn as_query(&self) -> &__runtime::Query<Metric<V>, __State, __Read> {
            &self.__events
        }
    }
    impl<V: CellValue, __State, __Read> __runtime::Clone
    for MetricQuery<V, __State, __Read> {
        fn clone(&self) -> Self {
            MetricQuery {
                __events: __runtime::Clone::clone(&self.__events),
            }
        }
    }
    impl<V: CellValue, __State, __Read> __runtime::Debug
    for MetricQuery<V, __State, __Read> {
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::Debug::fmt(&self.__events, f)
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
    impl<V: CellValue> MetricUpdate<V> {
        ///Sets column `load`; an `Option` that is `None` deletes it.
        pub fn load(self, load: impl __ColumnArg<f64>) -> Self {
            Self(self.0.set(0usize, MetricFields::<V>::__load, load))
        }
        /// Sets the run-time columns that the map has; others are left alone.
        #[inline]
        pub fn rest(self, rest: BTreeMap<String, V>) -> Self {
            Self(self.0.set_map(0usize, MetricFields::<V>::__rest, &rest))
        }
    }
    impl<V: CellValue> __runtime::IntoUpdate for MetricUpdate<V> {
        type Model = Metric<V>;
        #[inline]
        fn into_update(self) -> __runtime::Update<Metric<V>> {
            self.0
        }
        #[inline]
        fn with_setters(update: __runtime::Update<Metric<V>>) -> Self {
            Self(update)
        }
    }
    impl<V: CellValue> __runtime::Model for Metric<V> {
        const COLUMNS: &'static [__runtime::ColumnSchema] = &[
            __runtime::column(["load", "OTHER", "load", "native"], true),
        ];
        const SCHEMA: &'static __runtime::Schema = {
            __runtime::check_segment(
                <Host as __KeySegment>::KIND,
                __runtime::NO_OPTIONS,
                false,
                (<Host as __KeySegment>::NAMES, "#"),
            );
            __runtime::check_time(
                <Timestamp as __KeySegment>::KIND,
                __runtime::NO_OPTIONS
                    .format(const {
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
                    })
                    .truncate(),
                true,
            );
            __runtime::check_first(
                <Host as __KeySegment>::KIND,
                "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of(host))`, or write `allow(time_first)` on the struct",
            );
            __runtime::check_few(
                <Host as __KeySegment>::KIND,
                <Host as __KeySegment>::NAMES,
                "a key that begins with one of few values and then the time sends all new events to as few nodes: put another identifier before `at`, spread it with `salt(shards = 64, of(host, at))`, or write `allow(time_first)` on the struct",
            );
            &__runtime::Schema {
                owner: __runtime::Owner::Constant {
                    schema: &__runtime::ModelSchema {
                        model: __runtime::borrowed("Metric"),
                        table: __runtime::fixed_table("METRIC"),
                        key: <MetricKey as __runtime::ModelKey>::LAYOUT,
                        layout: __runtime::Layout::Row,
                        columns: __runtime::borrowed_slice(
                            <Metric<V> as __runtime::Model>::COLUMNS,
                        ),
                        map_families: __runtime::borrowed_slice(const {
                            &[__runtime::borrowed("METRIC")]
                        }),
                        presence: __runtime::Presence::Marker {
                            family: __runtime::borrowed("METRIC"),
                            qualifier: __runtime::borrowed("SAMPLE"),
                        },
                        cell_time: __runtime::CellTime::Write,
                        gc_rules: __runtime::empty_slice(),
                        append_only: false,
                        pack_after_micros: __runtime::None,
                        rollups: __runtime::empty_slice(),
                        former: __runtime::None,
                    },
                },
            }
        };
        const FIELDS: Self::Fields = MetricFields {
            host: __runtime::KeyField::<Self, _>::new(MetricKey::__restore_0),
            at: __runtime::KeyField::<Self, _>::new(MetricKey::__restore_1),
            load: __runtime::Column::new(0usize, MetricFields::<V>::__load),
            rest: __runtime::MapField::new(0usize, MetricFields::<V>::__rest),
        };
        type Itself = Self;
        type Key = MetricKey;
        type KeyRef<'__key> = MetricKeyRef<'__key>;
        type Fields = MetricFields<V>;
        type Query = MetricQuery<V>;
        type Scan = MetricQuery<V, __runtime::FullScan, Metric<V>>;
        type Update = MetricUpdate<V>;
        #[inline]
        fn key(&self) -> MetricKey {
            MetricKey {
                host: __runtime::Clone::clone(&self.host),
                at: __runtime::Clone::clone(&self.at),
            }
        }
        #[inline]
        fn encode_key(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            MetricKey::__encode(&self.host, &self.at, out)
        }
        #[inline]
        fn decode_key(key: &[u8]) -> __KeyResult<MetricKeyRef<'_>> {
            MetricKeyRef::decode(key)
        }
        #[inline]
        fn time(&self) -> __runtime::Option<__runtime::Timestamp> {
            __runtime::time_of(<Timestamp as __KeySegment>::store(&self.at))
        }
        #[inline]
        fn write_columns(
            &self,
            event: &mut __runtime::EventWriter,
        ) -> __runtime::Result<(), __runtime::ColumnError> {
            let mut fields = __runtime::FieldsWriter::of(event);
            fields.field(0usize, MetricFields::<V>::__load(), &self.load);
            fields
                .with(|event| (MetricFields::<V>::__rest()
                    .write)(&self.rest, 0usize, event));
            fields.finish()
        }
        #[inline]
        fn samples(samples: &mut __runtime::Samples) {
            samples.segment(0usize, <Host as __KeySegment>::__FORM);
            samples.segment(1usize, <Timestamp as __KeySegment>::__FORM);
            samples.column(0usize, &MetricFields::<V>::__load());
            samples.map(0usize, &MetricFields::<V>::__rest());
        }
        type Series = Host;
        #[inline]
        fn series(key: &MetricKeyRef<'_>) -> __KeyResult<Self::Series> {
            MetricKey::__restore_0(key)
        }
    }
    impl<V: CellValue> __runtime::Editable for Metric<V> {}
    impl<V: CellValue> __runtime::Batched for Metric<V> {}
    impl<V: CellValue> __runtime::Projection for Metric<V> {
        type Model = Self;
        #[inline]
        fn read(
            key: &MetricKeyRef<'_>,
            cells: &__runtime::EventCells<'_>,
        ) -> __runtime::Result<Self, __runtime::ReadError> {
            let key = match MetricKey::__restore(key) {
                __Ok(key) => key,
                __Err(error) => return __Err(__runtime::From::from(error)),
            };
            __Ok(Self {
                host: key.host,
                at: key.at,
                load: match MetricFields::<V>::__load().read(cells, 0usize) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                rest: match (MetricFields::<V>::__rest()
                    .read)(cells, 0usize, __runtime::None)
                {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                note: __runtime::Default::default(),
            })
        }
    }
    impl<V: CellValue> MetricFields<V> {
        #[inline]
        fn __load() -> __FieldAccess<f64> {
            __Field::<f64, __runtime::Native>::access().or(|_| __Ok(zero()))
        }
        #[inline]
        fn __rest() -> __runtime::MapAccess<BTreeMap<String, V>> {
            __runtime::map_access::<BTreeMap<String, V>, __runtime::Native>()
        }
    }
};
