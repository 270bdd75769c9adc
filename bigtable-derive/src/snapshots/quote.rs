/**The row key of [`Quote`]: `{exchange:<6}#{symbol:escape}#{at:013ms}`.

Its order is that of the key's bytes.

An event is there with the first of its columns that is no `Option` and has no `default`.*/
#[derive(::core::clone::Clone)]
#[allow(private_interfaces)]
pub struct QuoteKey {
    ///Segment `exchange` of the key.
    pub exchange: String,
    /// The ticker symbol.
    pub symbol: String,
    ///Segment `at` of the key.
    pub at: Timestamp,
}
///[`QuoteKey`] borrowed from the bytes of a row key; reading it allocates nothing.
#[allow(private_interfaces)]
pub struct QuoteKeyRef<'__key> {
    ///Segment `exchange` of the key.
    pub exchange: <String as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
    ///Segment `symbol` of the key.
    pub symbol: ::bigtable_model::__private::Escaped<'__key>,
    ///Segment `at` of the key.
    pub at: <Timestamp as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
    __borrowed: ::core::marker::PhantomData<&'__key [u8]>,
}
///Handles on the fields of [`Quote`], as in `Quote::FIELDS`.
#[allow(private_interfaces, missing_debug_implementations)]
pub struct QuoteFields {
    ///Field `exchange`.
    pub exchange: ::bigtable_model::__private::KeyField<Quote, String>,
    ///Field `symbol`.
    pub symbol: ::bigtable_model::__private::KeyField<Quote, String>,
    ///Field `at`.
    pub at: ::bigtable_model::__private::KeyField<Quote, Timestamp>,
    ///Field `bid`.
    pub bid: ::bigtable_model::__private::Column<
        Quote,
        Decimal,
        ::bigtable_model::__private::Coded,
    >,
    ///Field `bid_size`.
    pub bid_size: ::bigtable_model::__private::Column<Quote, Option<u32>>,
}
///A query for events of [`Quote`]. Setters take the segments in the order of the row key, `{exchange:<6}#{symbol:escape}#{at:013ms}`; `events` gives the [`Query`](struct@::bigtable_model::query::Query), which has the options.
#[allow(private_interfaces, private_bounds)]
#[must_use = "a query does nothing until it is run"]
pub struct QuoteQuery<__State = ::bigtable_model::__private::Open<0>, __Read = Quote> {
    __events: ::bigtable_model::__private::Query<Quote, __State, __Read>,
}
///An update of some columns of one [`Quote`]; columns that are not set are left alone.
#[allow(private_interfaces, missing_debug_implementations)]
#[must_use = "an update does nothing until it is sent"]
pub struct QuoteUpdate(::bigtable_model::__private::Update<Quote>);
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
    impl QuoteKey {
        const __SEGMENTS: &'static [__runtime::Segment; 3usize] = &[
            __runtime::identifier(
                "exchange",
                <String as __KeySegment>::KIND,
                __runtime::NO_OPTIONS.width(6u16),
            ),
            __runtime::identifier(
                "symbol",
                <String as __KeySegment>::KIND,
                __runtime::NO_OPTIONS.escape(),
            ),
            __runtime::time_segment(
                "at",
                <Timestamp as __KeySegment>::KIND,
                __runtime::NO_OPTIONS.unit(__runtime::TimeUnit::Millis),
            ),
        ];
        #[inline]
        fn __encode(
            __0: &String,
            __1: &String,
            __2: &Timestamp,
            out: &mut __runtime::Vec<u8>,
        ) -> __KeyResult<()> {
            let mut writer = __runtime::KeyWriter::new("", "#", out);
            if let __Err(__error) = writer
                .segment(&Self::__SEGMENTS[0usize], <String as __KeySegment>::store(__0))
            {
                return __Err(__error);
            }
            if let __Err(__error) = writer
                .segment(&Self::__SEGMENTS[1usize], <String as __KeySegment>::store(__1))
            {
                return __Err(__error);
            }
            if let __Err(__error) = writer
                .segment(
                    &Self::__SEGMENTS[2usize],
                    <Timestamp as __KeySegment>::store(__2),
                )
            {
                return __Err(__error);
            }
            writer.finish()
        }
        #[inline]
        fn __stored(&self) -> QuoteKeyRef<'_> {
            QuoteKeyRef {
                exchange: <String as __KeySegment>::store(&self.exchange),
                symbol: __runtime::not_escaped(
                    <String as __KeySegment>::store(&self.symbol),
                ),
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
    impl __runtime::ModelKey for QuoteKey {
        const LAYOUT: __runtime::KeyLayout = __runtime::key_layout(
            ("", "#", false),
            Self::__SEGMENTS,
        );
        #[inline]
        fn encode_into(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            Self::__encode(&self.exchange, &self.symbol, &self.at, out)
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
            let key = match QuoteKeyRef::decode(key) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            Self::__restore(&key)
        }
    }
    impl __runtime::Ord for QuoteKey {
        #[inline]
        fn cmp(&self, other: &Self) -> __runtime::Ordering {
            let (one, other) = (self.__stored(), other.__stored());
            let order = __runtime::SegmentPrimitive::compare(
                one.exchange,
                other.exchange,
                &Self::__SEGMENTS[0usize].format,
            );
            if order.is_ne() {
                return order;
            }
            let order = __runtime::Ord::cmp(&one.symbol, &other.symbol);
            if order.is_ne() {
                return order;
            }
            __runtime::SegmentPrimitive::compare(
                one.at,
                other.at,
                &Self::__SEGMENTS[2usize].format,
            )
        }
    }
    impl __runtime::PartialOrd for QuoteKey {
        #[inline]
        fn partial_cmp(&self, other: &Self) -> __runtime::Option<__runtime::Ordering> {
            __runtime::Some(__runtime::Ord::cmp(self, other))
        }
    }
    impl __runtime::PartialEq for QuoteKey {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            __runtime::Ord::cmp(self, other).is_eq()
        }
    }
    impl __runtime::Eq for QuoteKey {}
    impl __runtime::Debug for QuoteKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "QuoteKey", &self.__stored().__values())
        }
    }
    impl __runtime::Display for QuoteKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::display_segments(f, &self.__stored().__values())
        }
    }
    __runtime::key_text! {
        [] QuoteKey, []
    }
    impl<'__key> QuoteKeyRef<'__key> {
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 3usize] {
            [
                ("exchange", __runtime::SegmentPrimitive::into_value(self.exchange)),
                ("symbol", __runtime::escaped_value(self.symbol)),
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
            let mut reader = match __runtime::KeyReader::new("", "#", key) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            __Ok(Self {
                exchange: match reader.read(&QuoteKey::__SEGMENTS[0usize], false) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                symbol: match reader.read_escaped(&QuoteKey::__SEGMENTS[1usize], false) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                at: match reader.read(&QuoteKey::__SEGMENTS[2usize], true) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                __borrowed: __runtime::PhantomData,
            })
        }
    }
    impl QuoteKey {
        #[inline]
        fn __restore_0(key: &QuoteKeyRef<'_>) -> __KeyResult<String> {
            __runtime::restored(
                "exchange",
                <String as __KeySegment>::restore(key.exchange),
            )
        }
        #[inline]
        fn __restore_1(key: &QuoteKeyRef<'_>) -> __KeyResult<String> {
            __runtime::restored_text(
                "symbol",
                key.symbol,
                |text| <String as __KeySegment>::restore(
                    __runtime::SegmentPrimitive::from_text(text)?,
                ),
            )
        }
        #[inline]
        fn __restore_2(key: &QuoteKeyRef<'_>) -> __KeyResult<Timestamp> {
            __runtime::restored("at", <Timestamp as __KeySegment>::restore(key.at))
        }
        #[inline]
        fn __restore(key: &QuoteKeyRef<'_>) -> __KeyResult<Self> {
            __Ok(Self {
                exchange: match Self::__restore_0(key) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                symbol: match Self::__restore_1(key) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                at: match Self::__restore_2(key) {
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
    impl<'__key> __runtime::Clone for QuoteKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> QuoteKeyRef<'__key> {
            *self
        }
    }
    impl<'__key> __runtime::Copy for QuoteKeyRef<'__key> {}
    impl<'__key> __runtime::Debug for QuoteKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "QuoteKeyRef", &self.__values())
        }
    }
    #[allow(non_camel_case_types, missing_debug_implementations)]
    mod __segments {
        pub struct exchange;
        pub struct symbol;
        pub struct at;
    }
    impl<__State: __runtime::Start> __runtime::Default for QuoteQuery<__State, Quote> {
        fn default() -> Self {
            QuoteQuery {
                __events: __runtime::Default::default(),
            }
        }
    }
    impl<__State, __Read> QuoteQuery<__State, __Read> {
        ///Selects by segment `exchange` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        pub fn exchange<__Values, __Kind>(
            self,
            exchange: __Values,
        ) -> QuoteQuery<__runtime::After<__State, __Kind, 0usize, 1usize>, __Read>
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::exchange, 0usize>,
            __Values: __runtime::Selects<String, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(exchange);
            QuoteQuery {
                __events: self.__events.__set_at(0usize, selection),
            }
        }
        ///Selects by segment `symbol` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        /// The ticker symbol.
        pub fn symbol<__Values, __Kind>(
            self,
            symbol: __Values,
        ) -> QuoteQuery<__runtime::After<__State, __Kind, 1usize, 2usize>, __Read>
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::symbol, 1usize>,
            __Values: __runtime::Selects<String, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(symbol);
            QuoteQuery {
                __events: self.__events.__set_at(1usize, selection),
            }
        }
        ///Selects by segment `at` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> QuoteQuery<__runtime::After<__State, __Kind, 2usize, 3usize>, __Read>
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::at, 2usize>,
            __Values: __runtime::Selects<Timestamp, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(at);
            QuoteQuery {
                __events: self.__events.__set_at(2usize, selection),
            }
        }
        /// The query as it is so far, with the options of every query: order, limit, conditions.
        pub fn events(&self) -> __runtime::Query<Quote, __State, __Read> {
            __runtime::Clone::clone(&self.__events)
        }
        /// Reads a projection: its columns only.
        pub fn select<__Other: __runtime::Projection<Model = Quote>>(
            self,
        ) -> QuoteQuery<__State, __Other> {
            QuoteQuery {
                __events: self.__events.select(),
            }
        }
    }
    impl<__State, __Read: __runtime::Projection<Model = Quote>> __runtime::AsQuery
    for QuoteQuery<__State, __Read> {
        type Model = Quote;
        type State = __State;
        type Read = __Read;
        #[inline]
        fn as_query(&self) -> &__runtime::Query<Quote, __State, __Read> {
            &self.__events
        }
    }
    impl<__State, __Read> __runtime::Clone for QuoteQuery<__State, __Read> {
        fn clone(&self) -> Self {
            QuoteQuery {
                __events: __runtime::Clone::clone(&self.__events),
            }
        }
    }
    impl<__State, __Read> __runtime::Debug for QuoteQuery<__State, __Read> {
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::Debug::fmt(&self.__events, f)
        }
    }
    impl __runtime::QueryState<Quote> for __runtime::Open<1usize> {
        type Order = __runtime::ByKey;
    }
    impl __runtime::QueryState<Quote> for __runtime::Open<2usize> {
        type Order = __runtime::ByTime;
    }
    impl __runtime::QueryState<Quote> for __runtime::Open<3usize> {
        type Order = __runtime::ByTime;
    }
    impl __runtime::QueryState<Quote> for __runtime::Closed<0usize> {
        type Order = __runtime::ByKey;
    }
    impl __runtime::QueryState<Quote> for __runtime::Closed<1usize> {
        type Order = __runtime::ByKey;
    }
    impl __runtime::QueryState<Quote> for __runtime::Closed<2usize> {
        type Order = __runtime::ByTime;
    }
    impl QuoteUpdate {
        ///Sets column `bid`; an `Option` that is `None` deletes it.
        pub fn bid(self, bid: impl __ColumnArg<Decimal>) -> Self {
            Self(self.0.set(1usize, QuoteFields::__bid, bid))
        }
        ///Sets column `bid_size`; an `Option` that is `None` deletes it.
        pub fn bid_size(self, bid_size: impl __ColumnArg<Option<u32>>) -> Self {
            Self(self.0.set(2usize, QuoteFields::__bid_size, bid_size))
        }
    }
    impl __runtime::IntoUpdate for QuoteUpdate {
        type Model = Quote;
        #[inline]
        fn into_update(self) -> __runtime::Update<Quote> {
            self.0
        }
        #[inline]
        fn with_setters(update: __runtime::Update<Quote>) -> Self {
            Self(update)
        }
    }
    impl __runtime::Model for Quote {
        const COLUMNS: &'static [__runtime::ColumnSchema] = &[
            __runtime::copying(
                1usize,
                __runtime::column(
                    ["symbol", "MD", "SYMBOL", "text"],
                    __Field::<String, __runtime::Text>::OPTIONAL,
                ),
            ),
            __runtime::column(
                ["bid", "MD", "BID", "text"],
                __Field::<Decimal, __runtime::Text>::OPTIONAL,
            ),
            __runtime::column(
                ["bid_size", "MD", "BIDSIZE", "native"],
                __Field::<Option<u32>, __runtime::Native>::OPTIONAL,
            ),
        ];
        const SCHEMA: &'static __runtime::Schema = &__runtime::Schema {
            owner: __runtime::Owner::Constant {
                schema: &__runtime::ModelSchema {
                    model: __runtime::borrowed("Quote"),
                    table: __runtime::fixed_table("QUOTE"),
                    key: <QuoteKey as __runtime::ModelKey>::LAYOUT,
                    layout: __runtime::Layout::Row,
                    columns: __runtime::borrowed_slice(
                        <Quote as __runtime::Model>::COLUMNS,
                    ),
                    map_families: __runtime::empty_slice(),
                    presence: __runtime::Presence::Column(
                        __runtime::presence_column(<Quote as __runtime::Model>::COLUMNS),
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
        const FIELDS: Self::Fields = QuoteFields {
            exchange: __runtime::KeyField::<Self, _>::new(QuoteKey::__restore_0),
            symbol: __runtime::KeyField::<Self, _>::new(QuoteKey::__restore_1),
            at: __runtime::KeyField::<Self, _>::new(QuoteKey::__restore_2),
            bid: __runtime::Column::new(1usize, QuoteFields::__bid),
            bid_size: __runtime::Column::new(2usize, QuoteFields::__bid_size),
        };
        type Itself = Self;
        type Key = QuoteKey;
        type KeyRef<'__key> = QuoteKeyRef<'__key>;
        type Fields = QuoteFields;
        type Query = QuoteQuery;
        type Scan = QuoteQuery<__runtime::FullScan, Quote>;
        type Update = QuoteUpdate;
        #[inline]
        fn key(&self) -> QuoteKey {
            QuoteKey {
                exchange: __runtime::Clone::clone(&self.exchange),
                symbol: __runtime::Clone::clone(&self.symbol),
                at: __runtime::Clone::clone(&self.at),
            }
        }
        #[inline]
        fn encode_key(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            QuoteKey::__encode(&self.exchange, &self.symbol, &self.at, out)
        }
        #[inline]
        fn decode_key(key: &[u8]) -> __KeyResult<QuoteKeyRef<'_>> {
            QuoteKeyRef::decode(key)
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
                    &QuoteKey::__SEGMENTS[1usize],
                    <String as __KeySegment>::store(&self.symbol),
                ));
            fields.field(1usize, QuoteFields::__bid(), &self.bid);
            fields.field(2usize, QuoteFields::__bid_size(), &self.bid_size);
            fields.finish()
        }
        #[inline]
        fn samples(samples: &mut __runtime::Samples) {
            samples.segment(0usize, <String as __KeySegment>::__FORM);
            samples.segment(1usize, <String as __KeySegment>::__FORM);
            samples.segment(2usize, <Timestamp as __KeySegment>::__FORM);
            samples.column(1usize, &QuoteFields::__bid());
            samples.column(2usize, &QuoteFields::__bid_size());
        }
        type Series = (String, String);
        #[inline]
        fn series(key: &QuoteKeyRef<'_>) -> __KeyResult<Self::Series> {
            __Ok((
                match QuoteKey::__restore_0(key) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                match QuoteKey::__restore_1(key) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
            ))
        }
    }
    impl __runtime::Editable for Quote {}
    impl __runtime::Batched for Quote {}
    impl __runtime::Projection for Quote {
        type Model = Self;
        #[inline]
        fn read(
            key: &QuoteKeyRef<'_>,
            cells: &__runtime::EventCells<'_>,
        ) -> __runtime::Result<Self, __runtime::ReadError> {
            let key = match QuoteKey::__restore(key) {
                __Ok(key) => key,
                __Err(error) => return __Err(__runtime::From::from(error)),
            };
            __Ok(Self {
                exchange: key.exchange,
                symbol: key.symbol,
                at: key.at,
                bid: match QuoteFields::__bid().read(cells, 1usize) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                bid_size: match QuoteFields::__bid_size().read(cells, 2usize) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
            })
        }
    }
    const _: () = __runtime::check_segment(
        <String as __KeySegment>::KIND,
        __runtime::NO_OPTIONS.width(6u16),
        false,
        (<String as __KeySegment>::NAMES, "#"),
    );
    const _: () = __runtime::check_segment(
        <String as __KeySegment>::KIND,
        __runtime::NO_OPTIONS.escape(),
        false,
        (<String as __KeySegment>::NAMES, "#"),
    );
    const _: () = __runtime::check_time(
        <Timestamp as __KeySegment>::KIND,
        __runtime::NO_OPTIONS.unit(__runtime::TimeUnit::Millis),
        true,
    );
    const _: () = __runtime::check_first(
        <String as __KeySegment>::KIND,
        "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of(exchange))`, or write `allow(time_first)` on the struct",
    );
    const _: () = __runtime::check_presence(<Quote as __runtime::Model>::COLUMNS);
    impl QuoteFields {
        #[inline]
        fn __bid() -> __FieldAccess<Decimal> {
            __Field::<Decimal, __runtime::Text>::access()
        }
        #[inline]
        fn __bid_size() -> __FieldAccess<Option<u32>> {
            __Field::<Option<u32>, __runtime::Native>::access()
        }
    }
};
