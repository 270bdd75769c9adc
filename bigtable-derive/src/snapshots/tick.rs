/**The row key of [`Tick`]: `{salt:02 of 64}#{at:rev 019s}#{symbol}`.

Its order is that of the key's bytes, and inside a row that of the times.

A row holds up to 36,000 events as declared: 72,001 cells, 1.5 MB.

An event is there with the first of its columns that is no `Option` and has no `default`.*/
#[derive(::core::clone::Clone)]
#[allow(private_interfaces)]
pub struct TickKey {
    ///The event's time `at`, whose bucket is in the key: decoded from a key alone it is the bucket's beginning.
    pub at: Timestamp,
    ///Segment `symbol` of the key.
    pub symbol: String,
}
///[`TickKey`] borrowed from the bytes of a row key; reading it allocates nothing.
#[allow(private_interfaces)]
pub struct TickKeyRef<'__key> {
    ///The event's time `at`, whose bucket is in the key: decoded from a key alone it is the bucket's beginning.
    pub at: <Timestamp as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
    ///Segment `symbol` of the key.
    pub symbol: <String as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
    __borrowed: ::core::marker::PhantomData<&'__key [u8]>,
}
///Handles on the fields of [`Tick`], as in `Tick::FIELDS`.
#[allow(private_interfaces, missing_debug_implementations)]
pub struct TickFields {
    ///Field `at`.
    pub at: ::bigtable_model::__private::KeyField<Tick, Timestamp>,
    ///Field `symbol`.
    pub symbol: ::bigtable_model::__private::KeyField<Tick, String>,
    ///Field `price`.
    pub price: ::bigtable_model::__private::Column<
        Tick,
        Decimal,
        ::bigtable_model::__private::Coded,
    >,
    ///Field `size`.
    pub size: ::bigtable_model::__private::Column<Tick, Option<u32>>,
}
///A query for events of [`Tick`]. Setters take the segments in the order of the row key, `{salt:02 of 64}#{at:rev 019s}#{symbol}`; `events` gives the [`Query`](struct@::bigtable_model::query::Query), which has the options.
#[allow(private_interfaces, private_bounds)]
#[must_use = "a query does nothing until it is run"]
pub struct TickQuery<__State = ::bigtable_model::__private::Open<0>, __Read = Tick> {
    __events: ::bigtable_model::__private::Query<Tick, __State, __Read>,
}
///An update of some columns of one [`Tick`]; columns that are not set are left alone.
#[allow(private_interfaces, missing_debug_implementations)]
#[must_use = "an update does nothing until it is sent"]
pub struct TickUpdate(::bigtable_model::__private::Update<Tick>);
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
    use ::bigtable_model::__private as __runtime;
    use __runtime::{
        ColumnArg as __ColumnArg, Err as __Err, Field as __Field,
        FieldAccess as __FieldAccess, KeyResult as __KeyResult,
        KeySegment as __KeySegment, Ok as __Ok, RequiredField as _,
    };
    impl TickKey {
        const __SEGMENTS: &'static [__runtime::Segment; 3usize] = &[
            __runtime::Segment {
                name: __runtime::borrowed("salt"),
                role: __runtime::SegmentRole::Salt,
                kind: __runtime::SegmentKind::Unsigned {
                    bits: 16,
                },
                format: __runtime::SegmentFormat::Salt(__runtime::Salt {
                    shards: 64u16,
                    first: 0u16,
                    of: __runtime::borrowed_slice(&[1usize, 2usize]),
                    hash: __runtime::SaltHash::Xxh64,
                    hot: __runtime::None,
                }),
            },
            __runtime::bucket_segment(
                "at",
                <Timestamp as __KeySegment>::KIND,
                __runtime::Bucket {
                    span: __runtime::BucketSpan::Hour,
                    zone: __runtime::None,
                    label: __runtime::BucketLabel::Start {
                        unit: __runtime::TimeUnit::Seconds,
                        width: 19u16,
                        reverse: true,
                    },
                    grid_micros: 1000i64,
                    truncate: true,
                },
            ),
            __runtime::identifier(
                "symbol",
                <String as __KeySegment>::KIND,
                __runtime::NO_OPTIONS,
            ),
        ];
        #[inline]
        fn __encode(
            __0: &Timestamp,
            __1: &String,
            out: &mut __runtime::Vec<u8>,
        ) -> __KeyResult<()> {
            let mut writer = match __runtime::SaltedKeyWriter::new(
                "",
                "#",
                Self::__SEGMENTS,
                out,
            ) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            if let __Err(__error) = writer
                .segment(1usize, <Timestamp as __KeySegment>::store(__0))
            {
                return __Err(__error);
            }
            if let __Err(__error) = writer
                .segment(2usize, <String as __KeySegment>::store(__1))
            {
                return __Err(__error);
            }
            writer.finish()
        }
        #[inline]
        fn __stored(&self) -> TickKeyRef<'_> {
            TickKeyRef {
                at: <Timestamp as __KeySegment>::store(&self.at),
                symbol: <String as __KeySegment>::store(&self.symbol),
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
    impl __runtime::ModelKey for TickKey {
        const LAYOUT: __runtime::KeyLayout = __runtime::key_layout(
            ("", "#", false),
            Self::__SEGMENTS,
        );
        #[inline]
        fn encode_into(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            Self::__encode(&self.at, &self.symbol, out)
        }
        #[inline]
        fn time(&self) -> __runtime::Option<__runtime::Timestamp> {
            __runtime::time_of(<Timestamp as __KeySegment>::store(&self.at))
        }
        #[inline]
        fn decode_at(
            key: &[u8],
            time: __runtime::Option<__runtime::Timestamp>,
        ) -> __KeyResult<Self> {
            let mut key = match TickKeyRef::decode(key) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            if let __runtime::Some(time) = time {
                __runtime::put_time(&mut key.at, time);
            }
            Self::__restore(&key)
        }
    }
    impl __runtime::Ord for TickKey {
        #[inline]
        fn cmp(&self, other: &Self) -> __runtime::Ordering {
            let (one, other) = (self.__stored(), other.__stored());
            __runtime::compare_encoded(
                &<TickKey as __runtime::ModelKey>::LAYOUT,
                &one.__values(),
                &other.__values(),
            )
        }
    }
    impl __runtime::PartialOrd for TickKey {
        #[inline]
        fn partial_cmp(&self, other: &Self) -> __runtime::Option<__runtime::Ordering> {
            __runtime::Some(__runtime::Ord::cmp(self, other))
        }
    }
    impl __runtime::PartialEq for TickKey {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            __runtime::Ord::cmp(self, other).is_eq()
        }
    }
    impl __runtime::Eq for TickKey {}
    impl __runtime::Debug for TickKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "TickKey", &self.__stored().__values())
        }
    }
    impl __runtime::Display for TickKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::display_segments(f, &self.__stored().__values())
        }
    }
    __runtime::key_text! {
        [] TickKey, []
    }
    impl<'__key> TickKeyRef<'__key> {
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 2usize] {
            [
                ("at", __runtime::SegmentPrimitive::into_value(self.at)),
                ("symbol", __runtime::SegmentPrimitive::into_value(self.symbol)),
            ]
        }
        /**Takes a row key apart without copying it.

# Errors
When the bytes are not a key of the model.*/
        #[inline]
        pub fn decode(
            key: &'__key [u8],
        ) -> __runtime::Result<Self, __runtime::KeyError> {
            let mut reader = match __runtime::SaltedKeyReader::new(
                "",
                "#",
                TickKey::__SEGMENTS,
                key,
            ) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            let decoded = Self {
                at: match reader.read(1usize, false) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                symbol: match reader.read(2usize, true) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                __borrowed: __runtime::PhantomData,
            };
            if let __Err(__error) = reader.finish() {
                return __Err(__error);
            }
            __Ok(decoded)
        }
    }
    impl TickKey {
        #[inline]
        fn __restore_0(key: &TickKeyRef<'_>) -> __KeyResult<Timestamp> {
            __runtime::restored("at", <Timestamp as __KeySegment>::restore(key.at))
        }
        #[inline]
        fn __restore_1(key: &TickKeyRef<'_>) -> __KeyResult<String> {
            __runtime::restored("symbol", <String as __KeySegment>::restore(key.symbol))
        }
        #[inline]
        fn __restore(key: &TickKeyRef<'_>) -> __KeyResult<Self> {
            __Ok(Self {
                at: match Self::__restore_0(key) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                symbol: match Self::__restore_1(key) {
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
    impl<'__key> __runtime::Clone for TickKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> TickKeyRef<'__key> {
            *self
        }
    }
    impl<'__key> __runtime::Copy for TickKeyRef<'__key> {}
    impl<'__key> __runtime::Debug for TickKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "TickKeyRef", &self.__values())
        }
    }
    #[allow(non_camel_case_types, missing_debug_implementations)]
    mod __segments {
        pub struct at;
        pub struct symbol;
    }
    impl<__State: __runtime::Start> __runtime::Default for TickQuery<__State, Tick> {
        fn default() -> Self {
            TickQuery {
                __events: __runtime::Default::default(),
            }
        }
    }
    impl<__State, __Read> TickQuery<__State, __Read> {
        ///Selects by segment `at` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> TickQuery<__runtime::After<__State, __runtime::One, 0usize, 1usize>, __Read>
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::at, 0usize>,
            __Values: __runtime::Selects<Timestamp, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(at);
            TickQuery {
                __events: self.__events.__set_at(0usize, selection),
            }
        }
        ///Selects by segment `symbol` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        pub fn symbol<__Values, __Kind>(
            self,
            symbol: __Values,
        ) -> TickQuery<__runtime::After<__State, __Kind, 1usize, 2usize>, __Read>
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::symbol, 1usize>,
            __Values: __runtime::Selects<String, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(symbol);
            TickQuery {
                __events: self.__events.__set_at(1usize, selection),
            }
        }
        /// The query as it is so far, with the options of every query: order, limit, conditions.
        pub fn events(&self) -> __runtime::Query<Tick, __State, __Read> {
            __runtime::Clone::clone(&self.__events)
        }
        /// Reads a projection: its columns only.
        pub fn select<__Other: __runtime::Projection<Model = Tick>>(
            self,
        ) -> TickQuery<__State, __Other> {
            TickQuery {
                __events: self.__events.select(),
            }
        }
    }
    impl<__State, __Read: __runtime::Projection<Model = Tick>> __runtime::AsQuery
    for TickQuery<__State, __Read> {
        type Model = Tick;
        type State = __State;
        type Read = __Read;
        #[inline]
        fn as_query(&self) -> &__runtime::Query<Tick, __State, __Read> {
            &self.__events
        }
    }
    impl<__State, __Read> __runtime::Clone for TickQuery<__State, __Read> {
        fn clone(&self) -> Self {
            TickQuery {
                __events: __runtime::Clone::clone(&self.__events),
            }
        }
    }
    impl<__State, __Read> __runtime::Debug for TickQuery<__State, __Read> {
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::Debug::fmt(&self.__events, f)
        }
    }
    impl __runtime::QueryState<Tick> for __runtime::Open<1usize> {
        type Order = __runtime::ByKey;
    }
    impl __runtime::QueryState<Tick> for __runtime::Open<2usize> {
        type Order = __runtime::ByTime;
    }
    impl __runtime::QueryState<Tick> for __runtime::Closed<0usize> {
        type Order = __runtime::ByKey;
    }
    impl __runtime::QueryState<Tick> for __runtime::Closed<1usize> {
        type Order = __runtime::ByKey;
    }
    impl TickUpdate {
        ///Sets column `price`; an `Option` that is `None` deletes it.
        pub fn price(self, price: impl __ColumnArg<Decimal>) -> Self {
            Self(self.0.set(1usize, TickFields::__price, price))
        }
        ///Sets column `size`; an `Option` that is `None` deletes it.
        pub fn size(self, size: impl __ColumnArg<Option<u32>>) -> Self {
            Self(self.0.set(2usize, TickFields::__size, size))
        }
    }
    impl __runtime::IntoUpdate for TickUpdate {
        type Model = Tick;
        #[inline]
        fn into_update(self) -> __runtime::Update<Tick> {
            self.0
        }
        #[inline]
        fn with_setters(update: __runtime::Update<Tick>) -> Self {
            Self(update)
        }
    }
    impl __runtime::Model for Tick {
        const COLUMNS: &'static [__runtime::ColumnSchema] = &[
            __runtime::copying(
                2usize,
                __runtime::column(
                    ["symbol", "MD", "SYMBOL", "text"],
                    __Field::<String, __runtime::Text>::OPTIONAL,
                ),
            ),
            __runtime::column(
                ["price", "MD", "PRICE", "text"],
                __Field::<Decimal, __runtime::Text>::OPTIONAL,
            ),
            __runtime::column(
                ["size", "MD", "SIZE", "native"],
                __Field::<Option<u32>, __runtime::Native>::OPTIONAL,
            ),
        ];
        const SCHEMA: &'static __runtime::Schema = &__runtime::Schema {
            owner: __runtime::Owner::Constant {
                schema: &__runtime::ModelSchema {
                    model: __runtime::borrowed("Tick"),
                    table: __runtime::fixed_table("TICK"),
                    key: <TickKey as __runtime::ModelKey>::LAYOUT,
                    layout: __runtime::Layout::Columns {
                        offset: __runtime::Offset::Ticks {
                            unit: __runtime::TimeUnit::Millis,
                            width: 7u16,
                            reverse: true,
                        },
                        named: true,
                    },
                    columns: __runtime::borrowed_slice(
                        <Tick as __runtime::Model>::COLUMNS,
                    ),
                    map_families: __runtime::empty_slice(),
                    presence: __runtime::Presence::Column(
                        __runtime::presence_column_in_bucket(
                            <Tick as __runtime::Model>::COLUMNS,
                            1usize,
                        ),
                    ),
                    cell_time: __runtime::CellTime::Event,
                    gc_rules: __runtime::empty_slice(),
                    append_only: false,
                    pack_after_micros: __runtime::None,
                    rollups: __runtime::empty_slice(),
                    former: __runtime::None,
                },
            },
        };
        const FIELDS: Self::Fields = TickFields {
            at: __runtime::KeyField::<Self, _>::new(TickKey::__restore_0),
            symbol: __runtime::KeyField::<Self, _>::new(TickKey::__restore_1),
            price: __runtime::Column::new(1usize, TickFields::__price),
            size: __runtime::Column::new(2usize, TickFields::__size),
        };
        const EXPECTED_EVERY: __runtime::Option<__runtime::Duration> = __runtime::Some(
            __runtime::Duration::from_micros(100000u64),
        );
        type Itself = Self;
        type Key = TickKey;
        type KeyRef<'__key> = TickKeyRef<'__key>;
        type Fields = TickFields;
        type Query = TickQuery;
        type Scan = TickQuery<__runtime::FullScan, Tick>;
        type Update = TickUpdate;
        #[inline]
        fn key(&self) -> TickKey {
            TickKey {
                at: __runtime::Clone::clone(&self.at),
                symbol: __runtime::Clone::clone(&self.symbol),
            }
        }
        #[inline]
        fn encode_key(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            TickKey::__encode(&self.at, &self.symbol, out)
        }
        #[inline]
        fn decode_key(key: &[u8]) -> __KeyResult<TickKeyRef<'_>> {
            TickKeyRef::decode(key)
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
            fields
                .with(|event| __runtime::write_segment_text(
                    event,
                    0usize,
                    &TickKey::__SEGMENTS[2usize],
                    <String as __KeySegment>::store(&self.symbol),
                ));
            fields.field(1usize, TickFields::__price(), &self.price);
            fields.field(2usize, TickFields::__size(), &self.size);
            fields.finish()
        }
        #[inline]
        fn samples(samples: &mut __runtime::Samples) {
            samples.segment(1usize, <Timestamp as __KeySegment>::__FORM);
            samples.segment(2usize, <String as __KeySegment>::__FORM);
            samples.column(1usize, &TickFields::__price());
            samples.column(2usize, &TickFields::__size());
        }
        type Series = String;
        #[inline]
        fn series(key: &TickKeyRef<'_>) -> __KeyResult<Self::Series> {
            TickKey::__restore_1(key)
        }
        #[inline]
        fn set_time(key: &mut TickKeyRef<'_>, time: __runtime::Timestamp) {
            __runtime::put_time(&mut key.at, time);
        }
    }
    impl __runtime::Editable for Tick {}
    impl __runtime::Batched for Tick {}
    impl __runtime::Projection for Tick {
        type Model = Self;
        #[inline]
        fn read(
            key: &TickKeyRef<'_>,
            cells: &__runtime::EventCells<'_>,
        ) -> __runtime::Result<Self, __runtime::ReadError> {
            let key = match TickKey::__restore(key) {
                __Ok(key) => key,
                __Err(error) => return __Err(__runtime::From::from(error)),
            };
            __Ok(Self {
                at: key.at,
                symbol: key.symbol,
                price: match TickFields::__price().read(cells, 1usize) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                size: match TickFields::__size().read(cells, 2usize) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
            })
        }
    }
    const _: () = __runtime::check_time(
        <Timestamp as __KeySegment>::KIND,
        __runtime::NO_OPTIONS,
        false,
    );
    const _: () = __runtime::check_segment(
        <String as __KeySegment>::KIND,
        __runtime::NO_OPTIONS,
        true,
        (<String as __KeySegment>::NAMES, "#"),
    );
    const _: () = __runtime::check_key(<TickKey as __runtime::ModelKey>::LAYOUT);
    const _: () = __runtime::check_presence_in_bucket(
        <Tick as __runtime::Model>::COLUMNS,
        1usize,
    );
    impl TickFields {
        #[inline]
        fn __price() -> __FieldAccess<Decimal> {
            __Field::<Decimal, __runtime::Text>::access()
        }
        #[inline]
        fn __size() -> __FieldAccess<Option<u32>> {
            __Field::<Option<u32>, __runtime::Native>::access()
        }
    }
};
