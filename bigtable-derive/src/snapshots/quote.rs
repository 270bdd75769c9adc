/**The row key of [`Quote`]: `{exchange:<6}#{symbol:escape}#{at:013ms}`.

Its order is that of the key's bytes.*/
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
///A query for events of [`Quote`]. Setters take the segments in the order of the row key, `{exchange:<6}#{symbol:escape}#{at:013ms}`; what else it can do is in [`Query`](struct@::bigtable_model::query::Query), to which it dereferences.
#[allow(private_interfaces, private_bounds)]
#[must_use = "a query does nothing until it is run"]
pub struct QuoteQuery<__State = ::bigtable_model::__private::Open<0>, __Read = Quote>(
    ::bigtable_model::__private::Query<Quote, __State, __Read>,
);
///An update of some columns of one [`Quote`]; columns that are not set are left alone.
#[allow(private_interfaces, missing_debug_implementations)]
#[must_use = "an update does nothing until it is sent"]
pub struct QuoteUpdate(::bigtable_model::__private::Update<Quote>);
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use ::bigtable_model::__private::RequiredField as _;
    impl QuoteKey {
        const __SEGMENTS: &'static [::bigtable_model::__private::Segment; 3usize] = &[
            ::bigtable_model::__private::Segment {
                name: ::bigtable_model::__private::borrowed("exchange"),
                role: ::bigtable_model::__private::SegmentRole::Identifier,
                kind: <String as ::bigtable_model::__private::KeySegment>::KIND,
                format: ::bigtable_model::__private::SegmentFormat::of(
                    <String as ::bigtable_model::__private::KeySegment>::KIND,
                    ::bigtable_model::__private::SegmentOptions {
                        width: ::core::option::Option::Some(6u16),
                        ..::bigtable_model::__private::SegmentOptions::NONE
                    },
                ),
            },
            ::bigtable_model::__private::Segment {
                name: ::bigtable_model::__private::borrowed("symbol"),
                role: ::bigtable_model::__private::SegmentRole::Identifier,
                kind: <String as ::bigtable_model::__private::KeySegment>::KIND,
                format: ::bigtable_model::__private::SegmentFormat::of(
                    <String as ::bigtable_model::__private::KeySegment>::KIND,
                    ::bigtable_model::__private::SegmentOptions {
                        escape: true,
                        ..::bigtable_model::__private::SegmentOptions::NONE
                    },
                ),
            },
            ::bigtable_model::__private::Segment {
                name: ::bigtable_model::__private::borrowed("at"),
                role: ::bigtable_model::__private::SegmentRole::Time,
                kind: <Timestamp as ::bigtable_model::__private::KeySegment>::KIND,
                format: ::bigtable_model::__private::SegmentFormat::of(
                    <Timestamp as ::bigtable_model::__private::KeySegment>::KIND,
                    ::bigtable_model::__private::SegmentOptions {
                        unit: ::core::option::Option::Some(
                            ::bigtable_model::__private::TimeUnit::Millis,
                        ),
                        ..::bigtable_model::__private::SegmentOptions::NONE
                    },
                ),
            },
        ];
        #[inline]
        fn __encode(
            __0: &String,
            __1: &String,
            __2: &Timestamp,
            out: &mut ::bigtable_model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::KeyError> {
            #[allow(unused_mut)]
            let mut writer = ::bigtable_model::__private::KeyWriter::new("", "#", out);
            writer
                .segment(
                    &Self::__SEGMENTS[0usize],
                    <String as ::bigtable_model::__private::KeySegment>::store(__0),
                )?;
            writer
                .segment(
                    &Self::__SEGMENTS[1usize],
                    <String as ::bigtable_model::__private::KeySegment>::store(__1),
                )?;
            writer
                .segment(
                    &Self::__SEGMENTS[2usize],
                    <Timestamp as ::bigtable_model::__private::KeySegment>::store(__2),
                )?;
            writer.finish()
        }
        #[inline]
        fn __values(
            &self,
        ) -> [(&'static str, ::bigtable_model::__private::SegmentValue); 3usize] {
            [
                (
                    "exchange",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(
                        <String as ::bigtable_model::__private::KeySegment>::store(
                            &self.exchange,
                        ),
                    ),
                ),
                (
                    "symbol",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(
                        <String as ::bigtable_model::__private::KeySegment>::store(
                            &self.symbol,
                        ),
                    ),
                ),
                (
                    "at",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(
                        <Timestamp as ::bigtable_model::__private::KeySegment>::store(
                            &self.at,
                        ),
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
            ::bigtable_model::__private::Vec<u8>,
            ::bigtable_model::__private::KeyError,
        > {
            ::bigtable_model::__private::ModelKey::encode(self)
        }
        /// Appends the key's bytes to a buffer, which is left as it was on an error. It allocates only when
        /// the buffer must grow.
        ///
        /// # Errors
        /// When a segment can't hold its value, or the key is empty or over 4 KiB.
        #[inline]
        pub fn encode_into(
            &self,
            out: &mut ::bigtable_model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::KeyError> {
            ::bigtable_model::__private::ModelKey::encode_into(self, out)
        }
    }
    impl ::bigtable_model::__private::ModelKey for QuoteKey {
        const LAYOUT: ::bigtable_model::__private::KeyLayout = ::bigtable_model::__private::KeyLayout {
            prefix: ::bigtable_model::__private::borrowed(""),
            separator: ::bigtable_model::__private::borrowed("#"),
            segments: ::bigtable_model::__private::borrowed_slice(Self::__SEGMENTS),
        };
        #[inline]
        fn encode_into(
            &self,
            out: &mut ::bigtable_model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::KeyError> {
            Self::__encode(&self.exchange, &self.symbol, &self.at, out)
        }
        #[inline]
        fn time(
            &self,
        ) -> ::core::option::Option<::bigtable_model::__private::Timestamp> {
            ::core::option::Option::Some(
                ::bigtable_model::__private::time_of::<Timestamp>(&self.at),
            )
        }
    }
    impl ::core::cmp::Ord for QuoteKey {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = ::bigtable_model::__private::compare_segments::<
                String,
            >(&Self::__SEGMENTS[0usize], &self.exchange, &other.exchange);
            if order.is_ne() {
                return order;
            }
            let order = ::bigtable_model::__private::compare_segments::<
                String,
            >(&Self::__SEGMENTS[1usize], &self.symbol, &other.symbol);
            if order.is_ne() {
                return order;
            }
            let order = ::bigtable_model::__private::compare_segments::<
                Timestamp,
            >(&Self::__SEGMENTS[2usize], &self.at, &other.at);
            if order.is_ne() {
                return order;
            }
            ::core::cmp::Ordering::Equal
        }
    }
    impl ::core::cmp::PartialOrd for QuoteKey {
        #[inline]
        fn partial_cmp(
            &self,
            other: &Self,
        ) -> ::core::option::Option<::core::cmp::Ordering> {
            ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
        }
    }
    impl ::core::cmp::PartialEq for QuoteKey {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            ::core::cmp::Ord::cmp(self, other).is_eq()
        }
    }
    impl ::core::cmp::Eq for QuoteKey {}
    impl ::core::fmt::Display for QuoteKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::display_segments(f, &self.__values())
        }
    }
    impl ::core::fmt::Debug for QuoteKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::debug_segments(f, "QuoteKey", &self.__values())
        }
    }
    impl<'__key> QuoteKeyRef<'__key> {
        /// Takes a row key apart without copying it.
        ///
        /// # Errors
        /// When the bytes are not a key of the model.
        #[inline]
        pub fn decode(
            key: &'__key [u8],
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::KeyError> {
            #[allow(unused_mut)]
            let mut reader = ::bigtable_model::__private::KeyReader::new("", "#", key)?;
            ::core::result::Result::Ok(Self {
                exchange: reader.read(&<QuoteKey>::__SEGMENTS[0usize], false)?,
                symbol: reader.read_escaped(&<QuoteKey>::__SEGMENTS[1usize], false)?,
                at: reader.read(&<QuoteKey>::__SEGMENTS[2usize], true)?,
            })
        }
    }
    impl QuoteKey {
        /// Takes a row key apart.
        ///
        /// # Errors
        /// When the bytes are not a key of the model, or a segment's type refuses what it holds.
        #[inline]
        pub fn decode(
            key: &[u8],
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::KeyError> {
            #[allow(unused_variables)]
            let key = <QuoteKeyRef<'_>>::decode(key)?;
            ::core::result::Result::Ok(Self {
                exchange: ::bigtable_model::__private::restore_segment::<
                    String,
                >("exchange", key.exchange)?,
                symbol: ::bigtable_model::__private::restore_escaped::<
                    String,
                >("symbol", key.symbol)?,
                at: ::bigtable_model::__private::restore_segment::<
                    Timestamp,
                >("at", key.at)?,
            })
        }
    }
    impl<'__key> QuoteKeyRef<'__key> {
        #[inline]
        fn __values(
            &self,
        ) -> [(&'static str, ::bigtable_model::__private::SegmentValue); 3usize] {
            [
                (
                    "exchange",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(
                        self.exchange,
                    ),
                ),
                ("symbol", ::bigtable_model::__private::escaped_value(self.symbol)),
                (
                    "at",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(self.at),
                ),
            ]
        }
    }
    impl<'__key> ::core::clone::Clone for QuoteKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<'__key> ::core::marker::Copy for QuoteKeyRef<'__key> {}
    impl<'__key> ::core::cmp::Ord for QuoteKeyRef<'__key> {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = ::bigtable_model::__private::SegmentPrimitive::compare(
                self.exchange,
                other.exchange,
                &(&<QuoteKey>::__SEGMENTS[0usize]).format,
            );
            if order.is_ne() {
                return order;
            }
            let order = ::core::cmp::Ord::cmp(&self.symbol, &other.symbol);
            if order.is_ne() {
                return order;
            }
            let order = ::bigtable_model::__private::SegmentPrimitive::compare(
                self.at,
                other.at,
                &(&<QuoteKey>::__SEGMENTS[2usize]).format,
            );
            if order.is_ne() {
                return order;
            }
            ::core::cmp::Ordering::Equal
        }
    }
    impl<'__key> ::core::cmp::PartialOrd for QuoteKeyRef<'__key> {
        #[inline]
        fn partial_cmp(
            &self,
            other: &Self,
        ) -> ::core::option::Option<::core::cmp::Ordering> {
            ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
        }
    }
    impl<'__key> ::core::cmp::PartialEq for QuoteKeyRef<'__key> {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            ::core::cmp::Ord::cmp(self, other).is_eq()
        }
    }
    impl<'__key> ::core::cmp::Eq for QuoteKeyRef<'__key> {}
    impl<'__key> ::core::fmt::Display for QuoteKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::display_segments(f, &self.__values())
        }
    }
    impl<'__key> ::core::fmt::Debug for QuoteKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::debug_segments(
                f,
                "QuoteKeyRef",
                &self.__values(),
            )
        }
    }
    mod __segments {
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #[doc(hidden)]
        pub struct exchange;
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #[doc(hidden)]
        pub struct symbol;
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #[doc(hidden)]
        pub struct at;
    }
    impl ::core::default::Default
    for QuoteQuery<::bigtable_model::__private::Open<0>, Quote> {
        #[inline]
        fn default() -> Self {
            QuoteQuery(::bigtable_model::__private::Query::new())
        }
    }
    impl<__State, __Read> QuoteQuery<__State, __Read> {
        ///Selects by segment `exchange` of the key: a value, a set, a range, or for strings `starts_with(...)`.
        #[inline]
        pub fn exchange<__Values, __Kind>(
            self,
            exchange: __Values,
        ) -> QuoteQuery<
            <__State as ::bigtable_model::__private::Next>::After<
                __Kind,
                0usize,
                1usize,
            >,
            __Read,
        >
        where
            __State: ::bigtable_model::__private::Next
                + ::bigtable_model::__private::Accepts<__segments::exchange, 0usize>,
            __Values: ::bigtable_model::__private::Selects<String, __Kind>,
            __Kind: ::bigtable_model::__private::SelectionKind,
        {
            QuoteQuery(
                self
                    .0
                    .__set_at(
                        0usize,
                        ::bigtable_model::__private::Selects::into_selection(exchange),
                    ),
            )
        }
        ///Selects by segment `symbol` of the key: a value, a set, a range, or for strings `starts_with(...)`.
        /// The ticker symbol.
        #[inline]
        pub fn symbol<__Values, __Kind>(
            self,
            symbol: __Values,
        ) -> QuoteQuery<
            <__State as ::bigtable_model::__private::Next>::After<
                __Kind,
                1usize,
                2usize,
            >,
            __Read,
        >
        where
            __State: ::bigtable_model::__private::Next
                + ::bigtable_model::__private::Accepts<__segments::symbol, 1usize>,
            __Values: ::bigtable_model::__private::Selects<String, __Kind>,
            __Kind: ::bigtable_model::__private::SelectionKind,
        {
            QuoteQuery(
                self
                    .0
                    .__set_at(
                        1usize,
                        ::bigtable_model::__private::Selects::into_selection(symbol),
                    ),
            )
        }
        ///Selects by segment `at` of the key: a value, a set, a range, or for strings `starts_with(...)`.
        #[inline]
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> QuoteQuery<
            <__State as ::bigtable_model::__private::Next>::After<
                __Kind,
                2usize,
                3usize,
            >,
            __Read,
        >
        where
            __State: ::bigtable_model::__private::Next
                + ::bigtable_model::__private::Accepts<__segments::at, 2usize>,
            __Values: ::bigtable_model::__private::Selects<Timestamp, __Kind>,
            __Kind: ::bigtable_model::__private::SelectionKind,
        {
            QuoteQuery(
                self
                    .0
                    .__set_at(
                        2usize,
                        ::bigtable_model::__private::Selects::into_selection(at),
                    ),
            )
        }
        /// At most this many events.
        #[inline]
        pub fn limit(self, events: u64) -> Self {
            QuoteQuery(self.0.__limit(events))
        }
        /// Only events of which a condition on their columns holds; of two conditions both. It does not narrow the rows that are read.
        #[inline]
        pub fn matching(
            self,
            condition: ::bigtable_model::__private::Condition<Quote>,
        ) -> Self {
            QuoteQuery(self.0.__matching(condition))
        }
        /// Newest first.
        #[inline]
        pub fn newest_first(self) -> Self
        where
            __State: ::bigtable_model::__private::QueryState<Quote>,
            <__State as ::bigtable_model::__private::QueryState<
                Quote,
            >>::Order: ::bigtable_model::__private::TimeOrder,
        {
            QuoteQuery(self.0.__descending())
        }
        /// Last key first; in order of time, newest first.
        #[inline]
        pub fn reversed(self) -> Self {
            QuoteQuery(self.0.__descending())
        }
        /// The most series that may be read at once, 128 unless told otherwise.
        #[inline]
        pub fn max_scans(self, scans: usize) -> Self {
            QuoteQuery(self.0.__max_scans(scans))
        }
        /// Reads the whole table, on purpose.
        #[inline]
        pub fn scan(self) -> QuoteQuery<::bigtable_model::__private::FullScan, __Read>
        where
            __State: ::bigtable_model::__private::Unset,
        {
            QuoteQuery(self.0.__scan())
        }
        /// Reads a projection: its columns only.
        #[inline]
        pub fn select<__Other: ::bigtable_model::__private::Projection<Model = Quote>>(
            self,
        ) -> QuoteQuery<__State, __Other> {
            QuoteQuery(self.0.__select())
        }
    }
    impl<__State, __Read> ::core::ops::Deref for QuoteQuery<__State, __Read> {
        type Target = ::bigtable_model::__private::Query<Quote, __State, __Read>;
        #[inline]
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }
    impl<__State, __Read> ::core::clone::Clone for QuoteQuery<__State, __Read> {
        #[inline]
        fn clone(&self) -> Self {
            QuoteQuery(::core::clone::Clone::clone(&self.0))
        }
    }
    impl<__State, __Read> ::core::fmt::Debug for QuoteQuery<__State, __Read> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::core::fmt::Debug::fmt(&self.0, f)
        }
    }
    impl ::bigtable_model::__private::QueryState<Quote>
    for ::bigtable_model::__private::Open<1usize> {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::bigtable_model::__private::QueryState<Quote>
    for ::bigtable_model::__private::Open<2usize> {
        type Order = ::bigtable_model::__private::ByTime;
    }
    impl ::bigtable_model::__private::QueryState<Quote>
    for ::bigtable_model::__private::Open<3usize> {
        type Order = ::bigtable_model::__private::ByTime;
    }
    impl ::bigtable_model::__private::QueryState<Quote>
    for ::bigtable_model::__private::Closed<0usize> {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::bigtable_model::__private::QueryState<Quote>
    for ::bigtable_model::__private::Closed<1usize> {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::bigtable_model::__private::QueryState<Quote>
    for ::bigtable_model::__private::Closed<2usize> {
        type Order = ::bigtable_model::__private::ByTime;
    }
    impl ::bigtable_model::__private::QueryState<Quote>
    for ::bigtable_model::__private::FullScan {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::core::convert::From<::bigtable_model::__private::Update<Quote>>
    for QuoteUpdate {
        #[inline]
        fn from(update: ::bigtable_model::__private::Update<Quote>) -> Self {
            Self(update)
        }
    }
    impl QuoteUpdate {
        ///Sets column `bid`; an `Option` that is `None` deletes it.
        #[inline]
        pub fn bid(self, bid: impl ::core::convert::Into<Decimal>) -> Self {
            Self(self.0.set(1usize, <QuoteFields>::__bid, bid))
        }
        ///Sets column `bid_size`; an `Option` that is `None` deletes it.
        #[inline]
        pub fn bid_size(
            self,
            bid_size: impl ::core::convert::Into<Option<u32>>,
        ) -> Self {
            Self(self.0.set(2usize, <QuoteFields>::__bid_size, bid_size))
        }
        /// What the update writes, as data.
        ///
        /// # Errors
        /// When the key or a column can't hold what was set, or nothing was set.
        #[inline]
        pub fn to_mutations(
            self,
        ) -> ::core::result::Result<
            ::bigtable_model::__private::RowMutations,
            ::bigtable_model::__private::Error,
        > {
            self.0.to_mutations(::bigtable_model::__private::Timestamp::now())
        }
        /// Writes what was set.
        ///
        /// # Errors
        /// Those of `to_mutations`, and then nothing is sent; or the backend's answer.
        #[inline]
        pub fn send(
            self,
            backend: &dyn ::bigtable_model::__private::Backend,
        ) -> ::bigtable_model::__private::BoxFuture<
            '_,
            ::core::result::Result<(), ::bigtable_model::__private::Error>,
        > {
            ::bigtable_model::__private::send_update(self.0, backend)
        }
        /// Writes what was set while a condition holds of the event, and tells whether it did: one step of the server, sent once and
        /// never again. `BackendExt::insert_if` tells what that takes, and what an error leaves open.
        ///
        /// # Errors
        /// Those of `send`, and of a condition that can't be sent; in layout `qualifiers` always, since the old value has to be read first.
        #[inline]
        pub fn send_if(
            self,
            backend: &dyn ::bigtable_model::__private::Backend,
            condition: ::bigtable_model::__private::Condition<Quote>,
        ) -> ::bigtable_model::__private::BoxFuture<
            '_,
            ::core::result::Result<bool, ::bigtable_model::__private::Error>,
        > {
            ::bigtable_model::__private::send_update_if(self.0, backend, condition)
        }
    }
    impl ::bigtable_model::__private::Model for Quote {
        const COLUMNS: &'static [::bigtable_model::__private::ColumnSchema] = &[
            ::bigtable_model::__private::ColumnSchema {
                field: ::bigtable_model::__private::borrowed("symbol"),
                family: ::bigtable_model::__private::borrowed("MD"),
                qualifier: ::bigtable_model::__private::borrowed("SYMBOL"),
                codec: ::bigtable_model::__private::borrowed("text"),
                optional: ::bigtable_model::__private::Field::<
                    String,
                    ::bigtable_model::__private::Text,
                >::OPTIONAL,
                copy_of: ::core::option::Option::Some(1usize),
                kind: ::bigtable_model::__private::ColumnKind::Plain,
            },
            ::bigtable_model::__private::ColumnSchema {
                field: ::bigtable_model::__private::borrowed("bid"),
                family: ::bigtable_model::__private::borrowed("MD"),
                qualifier: ::bigtable_model::__private::borrowed("BID"),
                codec: ::bigtable_model::__private::borrowed("text"),
                optional: ::bigtable_model::__private::Field::<
                    Decimal,
                    ::bigtable_model::__private::Text,
                >::OPTIONAL,
                copy_of: ::core::option::Option::None,
                kind: ::bigtable_model::__private::ColumnKind::Plain,
            },
            ::bigtable_model::__private::ColumnSchema {
                field: ::bigtable_model::__private::borrowed("bid_size"),
                family: ::bigtable_model::__private::borrowed("MD"),
                qualifier: ::bigtable_model::__private::borrowed("BIDSIZE"),
                codec: ::bigtable_model::__private::borrowed("native"),
                optional: ::bigtable_model::__private::Field::<
                    Option<u32>,
                    ::bigtable_model::__private::Native,
                >::OPTIONAL,
                copy_of: ::core::option::Option::None,
                kind: ::bigtable_model::__private::ColumnKind::Plain,
            },
        ];
        const SCHEMA: &'static ::bigtable_model::__private::ModelSchema = {
            &::bigtable_model::__private::ModelSchema {
                model: ::bigtable_model::__private::borrowed("Quote"),
                table: ::bigtable_model::__private::fixed_table("QUOTE"),
                key: <QuoteKey as ::bigtable_model::__private::ModelKey>::LAYOUT,
                layout: ::bigtable_model::__private::Layout::Row,
                columns: ::bigtable_model::__private::borrowed_slice(
                    <Self as ::bigtable_model::__private::Model>::COLUMNS,
                ),
                map_family: ::core::option::Option::None,
                presence: ::bigtable_model::__private::Presence::Column(
                    ::bigtable_model::__private::presence_column(
                        <Self as ::bigtable_model::__private::Model>::COLUMNS,
                    ),
                ),
                cell_time: ::bigtable_model::__private::CellTime::Event,
                gc_rules: ::bigtable_model::__private::borrowed_slice(&[]),
            }
        };
        const FIELDS: Self::Fields = QuoteFields {
            exchange: ::bigtable_model::__private::KeyField::new(|key| ::bigtable_model::__private::key_read(
                ::bigtable_model::__private::restore_segment::<
                    String,
                >("exchange", key.exchange),
            )),
            symbol: ::bigtable_model::__private::KeyField::new(|key| ::bigtable_model::__private::key_read(
                ::bigtable_model::__private::restore_escaped::<
                    String,
                >("symbol", key.symbol),
            )),
            at: ::bigtable_model::__private::KeyField::new(|key| ::bigtable_model::__private::key_read(
                ::bigtable_model::__private::restore_segment::<Timestamp>("at", key.at),
            )),
            bid: ::bigtable_model::__private::Column::new(1usize, <Self::Fields>::__bid),
            bid_size: ::bigtable_model::__private::Column::new(
                2usize,
                <Self::Fields>::__bid_size,
            ),
        };
        type Key = QuoteKey;
        type KeyRef<'__key> = QuoteKeyRef<'__key>;
        type Fields = QuoteFields;
        type Query = QuoteQuery;
        type Update = QuoteUpdate;
        #[inline]
        fn key(&self) -> QuoteKey {
            QuoteKey {
                exchange: ::core::clone::Clone::clone(&self.exchange),
                symbol: ::core::clone::Clone::clone(&self.symbol),
                at: ::core::clone::Clone::clone(&self.at),
            }
        }
        #[inline]
        fn encode_key(
            &self,
            out: &mut ::bigtable_model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::KeyError> {
            <QuoteKey>::__encode(&self.exchange, &self.symbol, &self.at, out)
        }
        #[inline]
        fn decode_key(
            key: &[u8],
        ) -> ::core::result::Result<
            QuoteKeyRef<'_>,
            ::bigtable_model::__private::KeyError,
        > {
            <QuoteKeyRef<'_>>::decode(key)
        }
        #[inline]
        fn time(
            &self,
        ) -> ::core::option::Option<::bigtable_model::__private::Timestamp> {
            ::core::option::Option::Some(
                ::bigtable_model::__private::time_of::<Timestamp>(&self.at),
            )
        }
        #[inline]
        #[allow(unused_variables)]
        fn write_columns(
            &self,
            event: &mut ::bigtable_model::__private::EventWriter,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::ColumnError> {
            ::bigtable_model::__private::write_segment_text::<
                String,
            >(event, 0usize, &<QuoteKey>::__SEGMENTS[1usize], &self.symbol)?;
            (<QuoteFields>::__bid().write)(&self.bid, 1usize, event)?;
            (<QuoteFields>::__bid_size().write)(&self.bid_size, 2usize, event)?;
            ::core::result::Result::Ok(())
        }
        type Series = (String, String);
        #[inline]
        #[allow(unused_variables)]
        fn series(
            key: &QuoteKeyRef<'_>,
        ) -> ::core::result::Result<
            Self::Series,
            ::bigtable_model::__private::KeyError,
        > {
            ::core::result::Result::Ok((
                ::bigtable_model::__private::restore_segment::<
                    String,
                >("exchange", key.exchange)?,
                ::bigtable_model::__private::restore_escaped::<
                    String,
                >("symbol", key.symbol)?,
            ))
        }
    }
    impl ::bigtable_model::__private::Projection for Quote {
        type Model = Self;
        const USES: ::core::option::Option<
            &'static [::bigtable_model::__private::FieldUse],
        > = ::core::option::Option::None;
        #[inline]
        #[allow(unused_variables)]
        fn read(
            key: &QuoteKeyRef<'_>,
            cells: &::bigtable_model::__private::EventCells<'_>,
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::ReadError> {
            ::core::result::Result::Ok(Self {
                exchange: ::bigtable_model::__private::key_read(
                    ::bigtable_model::__private::restore_segment::<
                        String,
                    >("exchange", key.exchange),
                )?,
                symbol: ::bigtable_model::__private::key_read(
                    ::bigtable_model::__private::restore_escaped::<
                        String,
                    >("symbol", key.symbol),
                )?,
                at: ::bigtable_model::__private::key_read(
                    ::bigtable_model::__private::restore_segment::<
                        Timestamp,
                    >("at", key.at),
                )?,
                bid: <QuoteFields>::__bid().read(cells, 1usize)?,
                bid_size: <QuoteFields>::__bid_size().read(cells, 2usize)?,
            })
        }
    }
    const _: () = ::bigtable_model::__private::check_segment(
        <String as ::bigtable_model::__private::KeySegment>::KIND,
        ::bigtable_model::__private::SegmentOptions {
            width: ::core::option::Option::Some(6u16),
            ..::bigtable_model::__private::SegmentOptions::NONE
        },
        false,
        (<String as ::bigtable_model::__private::KeySegment>::NAMES, "#"),
    );
    const _: () = ::bigtable_model::__private::check_segment(
        <String as ::bigtable_model::__private::KeySegment>::KIND,
        ::bigtable_model::__private::SegmentOptions {
            escape: true,
            ..::bigtable_model::__private::SegmentOptions::NONE
        },
        false,
        (<String as ::bigtable_model::__private::KeySegment>::NAMES, "#"),
    );
    const _: () = ::bigtable_model::__private::check_time(
        <Timestamp as ::bigtable_model::__private::KeySegment>::KIND,
        ::bigtable_model::__private::SegmentOptions {
            unit: ::core::option::Option::Some(
                ::bigtable_model::__private::TimeUnit::Millis,
            ),
            ..::bigtable_model::__private::SegmentOptions::NONE
        },
        true,
    );
    const _: () = ::bigtable_model::__private::check_first(
        <String as ::bigtable_model::__private::KeySegment>::KIND,
        "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of(exchange))`, or write `allow(time_first)` on the struct",
    );
    const _: () = ::bigtable_model::__private::check_presence(
        &[
            ::bigtable_model::__private::Field::<
                String,
                ::bigtable_model::__private::Text,
            >::OPTIONAL,
            ::bigtable_model::__private::Field::<
                Decimal,
                ::bigtable_model::__private::Text,
            >::OPTIONAL,
            ::bigtable_model::__private::Field::<
                Option<u32>,
                ::bigtable_model::__private::Native,
            >::OPTIONAL,
        ],
    );
    impl QuoteFields {
        #[inline]
        fn __bid() -> ::bigtable_model::__private::FieldAccess<Decimal> {
            ::bigtable_model::__private::Field::<
                Decimal,
                ::bigtable_model::__private::Text,
            >::access()
        }
        #[inline]
        fn __bid_size() -> ::bigtable_model::__private::FieldAccess<Option<u32>> {
            ::bigtable_model::__private::Field::<
                Option<u32>,
                ::bigtable_model::__private::Native,
            >::access()
        }
    }
};
