/**The row key of [`Tick`]: `{salt:02 of 64}#{at:rev 019s}#{symbol}`.

Its order is that of the key's bytes, and inside a row that of the times.

A row holds up to 36,000 events as declared: 72,001 cells, 1.5 MB.*/
#[derive(::core::clone::Clone)]
#[allow(private_interfaces)]
pub struct TickKey {
    ///The event's time `at`, whose bucket stands in the key: decoded from a key alone it is the bucket's beginning.
    pub at: Timestamp,
    ///Segment `symbol` of the key.
    pub symbol: String,
}
///[`TickKey`] borrowed from the bytes of a row key; reading it allocates nothing.
#[allow(private_interfaces)]
pub struct TickKeyRef<'__key> {
    ///The event's time `at`, whose bucket stands in the key: decoded from a key alone it is the bucket's beginning.
    pub at: <Timestamp as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
    ///Segment `symbol` of the key.
    pub symbol: <String as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
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
///A query for events of [`Tick`]. Setters take the segments in the order of the row key, `{salt:02 of 64}#{at:rev 019s}#{symbol}`; what else it can do is in [`Query`](struct@::bigtable_model::query::Query), to which it dereferences.
#[allow(private_interfaces, private_bounds)]
#[must_use = "a query does nothing until it is run"]
pub struct TickQuery<__State = ::bigtable_model::__private::Open<0>, __Read = Tick>(
    ::bigtable_model::__private::Query<Tick, __State, __Read>,
);
///An update of some columns of one [`Tick`]; columns that are not set are left alone.
#[allow(private_interfaces, missing_debug_implementations)]
#[must_use = "an update does nothing until it is sent"]
pub struct TickUpdate(::bigtable_model::__private::Update<Tick>);
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use ::bigtable_model::__private::RequiredField as _;
    impl TickKey {
        const __SEGMENTS: &'static [::bigtable_model::__private::Segment; 3usize] = &[
            ::bigtable_model::__private::Segment {
                name: ::bigtable_model::__private::borrowed("salt"),
                role: ::bigtable_model::__private::SegmentRole::Salt,
                kind: ::bigtable_model::__private::SegmentKind::Unsigned {
                    bits: 16,
                },
                format: ::bigtable_model::__private::SegmentFormat::Salt(::bigtable_model::__private::Salt {
                    shards: 64u16,
                    of: ::bigtable_model::__private::borrowed_slice(&[1usize, 2usize]),
                    hash: ::bigtable_model::__private::SaltHash::Xxh64,
                }),
            },
            ::bigtable_model::__private::Segment {
                name: ::bigtable_model::__private::borrowed("at"),
                role: ::bigtable_model::__private::SegmentRole::Bucket,
                kind: ::bigtable_model::__private::SegmentKind::Time,
                format: ::bigtable_model::__private::SegmentFormat::Bucket(::bigtable_model::__private::Bucket {
                    span: ::bigtable_model::__private::BucketSpan::Hour,
                    zone: ::core::option::Option::None,
                    label: ::bigtable_model::__private::BucketLabel::Start {
                        unit: ::bigtable_model::__private::TimeUnit::Seconds,
                        width: 19u16,
                        reverse: true,
                    },
                    grid_micros: 1000i64,
                    truncate: true,
                }),
            },
            ::bigtable_model::__private::Segment {
                name: ::bigtable_model::__private::borrowed("symbol"),
                role: ::bigtable_model::__private::SegmentRole::Identifier,
                kind: <String as ::bigtable_model::__private::KeySegment>::KIND,
                format: ::bigtable_model::__private::SegmentFormat::of(
                    <String as ::bigtable_model::__private::KeySegment>::KIND,
                    ::bigtable_model::__private::SegmentOptions {
                        ..::bigtable_model::__private::SegmentOptions::NONE
                    },
                ),
            },
        ];
        #[inline]
        fn __encode(
            __0: &Timestamp,
            __1: &String,
            out: &mut ::bigtable_model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::KeyError> {
            #[allow(unused_mut)]
            let mut writer = ::bigtable_model::__private::SaltedKeyWriter::new(
                "",
                "#",
                Self::__SEGMENTS,
                out,
            )?;
            writer
                .segment(
                    1usize,
                    <Timestamp as ::bigtable_model::__private::KeySegment>::store(__0),
                )?;
            writer
                .segment(
                    2usize,
                    <String as ::bigtable_model::__private::KeySegment>::store(__1),
                )?;
            writer.finish()
        }
        #[inline]
        fn __values(
            &self,
        ) -> [(&'static str, ::bigtable_model::__private::SegmentValue); 2usize] {
            [
                (
                    "at",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(
                        <Timestamp as ::bigtable_model::__private::KeySegment>::store(
                            &self.at,
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
    impl ::bigtable_model::__private::ModelKey for TickKey {
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
            Self::__encode(&self.at, &self.symbol, out)
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
    impl ::core::cmp::Ord for TickKey {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = ::bigtable_model::__private::compare_encoded(
                &<TickKey as ::bigtable_model::__private::ModelKey>::LAYOUT,
                &self.__values(),
                &other.__values(),
            );
            if order.is_ne() {
                return order;
            }
            ::core::cmp::Ordering::Equal
        }
    }
    impl ::core::cmp::PartialOrd for TickKey {
        #[inline]
        fn partial_cmp(
            &self,
            other: &Self,
        ) -> ::core::option::Option<::core::cmp::Ordering> {
            ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
        }
    }
    impl ::core::cmp::PartialEq for TickKey {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            ::core::cmp::Ord::cmp(self, other).is_eq()
        }
    }
    impl ::core::cmp::Eq for TickKey {}
    impl ::core::fmt::Display for TickKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::display_segments(f, &self.__values())
        }
    }
    impl ::core::fmt::Debug for TickKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::debug_segments(f, "TickKey", &self.__values())
        }
    }
    impl<'__key> TickKeyRef<'__key> {
        /// Takes a row key apart without copying it.
        ///
        /// # Errors
        /// When the bytes are not a key of the model.
        #[inline]
        pub fn decode(
            key: &'__key [u8],
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::KeyError> {
            #[allow(unused_mut)]
            let mut reader = ::bigtable_model::__private::SaltedKeyReader::new(
                "",
                "#",
                <TickKey>::__SEGMENTS,
                key,
            )?;
            let decoded = Self {
                at: reader.read(1usize, false)?,
                symbol: reader.read(2usize, true)?,
            };
            reader.finish()?;
            ::core::result::Result::Ok(decoded)
        }
    }
    impl TickKey {
        /// Takes a row key apart.
        ///
        /// # Errors
        /// When the bytes are not a key of the model, or a segment's type refuses what it holds.
        #[inline]
        pub fn decode(
            key: &[u8],
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::KeyError> {
            #[allow(unused_variables)]
            let key = <TickKeyRef<'_>>::decode(key)?;
            ::core::result::Result::Ok(Self {
                at: ::bigtable_model::__private::restore_segment::<
                    Timestamp,
                >("at", key.at)?,
                symbol: ::bigtable_model::__private::restore_segment::<
                    String,
                >("symbol", key.symbol)?,
            })
        }
    }
    impl<'__key> TickKeyRef<'__key> {
        #[inline]
        fn __values(
            &self,
        ) -> [(&'static str, ::bigtable_model::__private::SegmentValue); 2usize] {
            [
                (
                    "at",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(self.at),
                ),
                (
                    "symbol",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(
                        self.symbol,
                    ),
                ),
            ]
        }
    }
    impl<'__key> ::core::clone::Clone for TickKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<'__key> ::core::marker::Copy for TickKeyRef<'__key> {}
    impl<'__key> ::core::cmp::Ord for TickKeyRef<'__key> {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = ::bigtable_model::__private::compare_encoded(
                &<TickKey as ::bigtable_model::__private::ModelKey>::LAYOUT,
                &self.__values(),
                &other.__values(),
            );
            if order.is_ne() {
                return order;
            }
            ::core::cmp::Ordering::Equal
        }
    }
    impl<'__key> ::core::cmp::PartialOrd for TickKeyRef<'__key> {
        #[inline]
        fn partial_cmp(
            &self,
            other: &Self,
        ) -> ::core::option::Option<::core::cmp::Ordering> {
            ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
        }
    }
    impl<'__key> ::core::cmp::PartialEq for TickKeyRef<'__key> {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            ::core::cmp::Ord::cmp(self, other).is_eq()
        }
    }
    impl<'__key> ::core::cmp::Eq for TickKeyRef<'__key> {}
    impl<'__key> ::core::fmt::Display for TickKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::display_segments(f, &self.__values())
        }
    }
    impl<'__key> ::core::fmt::Debug for TickKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::debug_segments(
                f,
                "TickKeyRef",
                &self.__values(),
            )
        }
    }
    mod __segments {
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #[doc(hidden)]
        pub struct at;
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #[doc(hidden)]
        pub struct symbol;
    }
    impl ::core::default::Default
    for TickQuery<::bigtable_model::__private::Open<0>, Tick> {
        #[inline]
        fn default() -> Self {
            TickQuery(::bigtable_model::__private::Query::new())
        }
    }
    impl<__State, __Read> TickQuery<__State, __Read> {
        ///Selects by segment `at` of the key: a value, a set, a range, or for strings `starts_with(...)`.
        #[inline]
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> TickQuery<
            <__State as ::bigtable_model::__private::Next>::After<
                ::bigtable_model::__private::One,
                0usize,
                1usize,
            >,
            __Read,
        >
        where
            __State: ::bigtable_model::__private::Next
                + ::bigtable_model::__private::Accepts<__segments::at, 0usize>,
            __Values: ::bigtable_model::__private::Selects<Timestamp, __Kind>,
            __Kind: ::bigtable_model::__private::SelectionKind,
        {
            TickQuery(
                self
                    .0
                    .__set_at(
                        0usize,
                        ::bigtable_model::__private::Selects::into_selection(at),
                    ),
            )
        }
        ///Selects by segment `symbol` of the key: a value, a set, a range, or for strings `starts_with(...)`.
        #[inline]
        pub fn symbol<__Values, __Kind>(
            self,
            symbol: __Values,
        ) -> TickQuery<
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
            TickQuery(
                self
                    .0
                    .__set_at(
                        1usize,
                        ::bigtable_model::__private::Selects::into_selection(symbol),
                    ),
            )
        }
        /// At most this many events.
        #[inline]
        pub fn limit(self, events: u64) -> Self {
            TickQuery(self.0.__limit(events))
        }
        /// Only events of which a condition on their columns holds; of two conditions both. It does not narrow the rows that are read.
        #[inline]
        pub fn matching(
            self,
            condition: ::bigtable_model::__private::Condition<Tick>,
        ) -> Self {
            TickQuery(self.0.__matching(condition))
        }
        /// Newest first.
        #[inline]
        pub fn newest_first(self) -> Self
        where
            __State: ::bigtable_model::__private::QueryState<Tick>,
            <__State as ::bigtable_model::__private::QueryState<
                Tick,
            >>::Order: ::bigtable_model::__private::TimeOrder,
        {
            TickQuery(self.0.__descending())
        }
        /// Last key first; in order of time, newest first.
        #[inline]
        pub fn reversed(self) -> Self {
            TickQuery(self.0.__descending())
        }
        /// The most series that may be read at once, 128 unless told otherwise.
        #[inline]
        pub fn max_scans(self, scans: usize) -> Self {
            TickQuery(self.0.__max_scans(scans))
        }
        /// Reads the whole table, on purpose.
        #[inline]
        pub fn scan(self) -> TickQuery<::bigtable_model::__private::FullScan, __Read>
        where
            __State: ::bigtable_model::__private::Unset,
        {
            TickQuery(self.0.__scan())
        }
        /// Reads a projection: its columns only.
        #[inline]
        pub fn select<__Other: ::bigtable_model::__private::Projection<Model = Tick>>(
            self,
        ) -> TickQuery<__State, __Other> {
            TickQuery(self.0.__select())
        }
    }
    impl<__State, __Read> ::core::ops::Deref for TickQuery<__State, __Read> {
        type Target = ::bigtable_model::__private::Query<Tick, __State, __Read>;
        #[inline]
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }
    impl<__State, __Read> ::core::clone::Clone for TickQuery<__State, __Read> {
        #[inline]
        fn clone(&self) -> Self {
            TickQuery(::core::clone::Clone::clone(&self.0))
        }
    }
    impl<__State, __Read> ::core::fmt::Debug for TickQuery<__State, __Read> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::core::fmt::Debug::fmt(&self.0, f)
        }
    }
    impl ::bigtable_model::__private::QueryState<Tick>
    for ::bigtable_model::__private::Open<1usize> {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::bigtable_model::__private::QueryState<Tick>
    for ::bigtable_model::__private::Open<2usize> {
        type Order = ::bigtable_model::__private::ByTime;
    }
    impl ::bigtable_model::__private::QueryState<Tick>
    for ::bigtable_model::__private::Closed<0usize> {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::bigtable_model::__private::QueryState<Tick>
    for ::bigtable_model::__private::Closed<1usize> {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::bigtable_model::__private::QueryState<Tick>
    for ::bigtable_model::__private::FullScan {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::core::convert::From<::bigtable_model::__private::Update<Tick>>
    for TickUpdate {
        #[inline]
        fn from(update: ::bigtable_model::__private::Update<Tick>) -> Self {
            Self(update)
        }
    }
    impl TickUpdate {
        ///Sets column `price`; an `Option` that is `None` deletes it.
        #[inline]
        pub fn price(self, price: impl ::core::convert::Into<Decimal>) -> Self {
            Self(self.0.set(1usize, <TickFields>::__price, price))
        }
        ///Sets column `size`; an `Option` that is `None` deletes it.
        #[inline]
        pub fn size(self, size: impl ::core::convert::Into<Option<u32>>) -> Self {
            Self(self.0.set(2usize, <TickFields>::__size, size))
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
            condition: ::bigtable_model::__private::Condition<Tick>,
        ) -> ::bigtable_model::__private::BoxFuture<
            '_,
            ::core::result::Result<bool, ::bigtable_model::__private::Error>,
        > {
            ::bigtable_model::__private::send_update_if(self.0, backend, condition)
        }
    }
    impl ::bigtable_model::__private::Model for Tick {
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
                copy_of: ::core::option::Option::Some(2usize),
                kind: ::bigtable_model::__private::ColumnKind::Plain,
            },
            ::bigtable_model::__private::ColumnSchema {
                field: ::bigtable_model::__private::borrowed("price"),
                family: ::bigtable_model::__private::borrowed("MD"),
                qualifier: ::bigtable_model::__private::borrowed("PRICE"),
                codec: ::bigtable_model::__private::borrowed("text"),
                optional: ::bigtable_model::__private::Field::<
                    Decimal,
                    ::bigtable_model::__private::Text,
                >::OPTIONAL,
                copy_of: ::core::option::Option::None,
                kind: ::bigtable_model::__private::ColumnKind::Plain,
            },
            ::bigtable_model::__private::ColumnSchema {
                field: ::bigtable_model::__private::borrowed("size"),
                family: ::bigtable_model::__private::borrowed("MD"),
                qualifier: ::bigtable_model::__private::borrowed("SIZE"),
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
                model: ::bigtable_model::__private::borrowed("Tick"),
                table: ::bigtable_model::__private::fixed_table("TICK"),
                key: <TickKey as ::bigtable_model::__private::ModelKey>::LAYOUT,
                layout: ::bigtable_model::__private::Layout::Columns {
                    offset: ::bigtable_model::__private::Offset::Ticks {
                        unit: ::bigtable_model::__private::TimeUnit::Millis,
                        width: 7u16,
                        reverse: true,
                    },
                    named: true,
                },
                columns: ::bigtable_model::__private::borrowed_slice(
                    <Self as ::bigtable_model::__private::Model>::COLUMNS,
                ),
                map_family: ::core::option::Option::None,
                presence: ::bigtable_model::__private::Presence::Column(
                    ::bigtable_model::__private::presence_in_bucket(
                        <Self as ::bigtable_model::__private::Model>::COLUMNS,
                        1usize,
                    ),
                ),
                cell_time: ::bigtable_model::__private::CellTime::Event,
                gc_rules: ::bigtable_model::__private::borrowed_slice(&[]),
            }
        };
        const FIELDS: Self::Fields = TickFields {
            at: ::bigtable_model::__private::KeyField::new(|key| ::bigtable_model::__private::key_read(
                ::bigtable_model::__private::restore_segment::<Timestamp>("at", key.at),
            )),
            symbol: ::bigtable_model::__private::KeyField::new(|key| ::bigtable_model::__private::key_read(
                ::bigtable_model::__private::restore_segment::<
                    String,
                >("symbol", key.symbol),
            )),
            price: ::bigtable_model::__private::Column::new(
                1usize,
                <Self::Fields>::__price,
            ),
            size: ::bigtable_model::__private::Column::new(
                2usize,
                <Self::Fields>::__size,
            ),
        };
        type Key = TickKey;
        type KeyRef<'__key> = TickKeyRef<'__key>;
        type Fields = TickFields;
        type Query = TickQuery;
        type Update = TickUpdate;
        #[inline]
        fn key(&self) -> TickKey {
            TickKey {
                at: ::core::clone::Clone::clone(&self.at),
                symbol: ::core::clone::Clone::clone(&self.symbol),
            }
        }
        #[inline]
        fn encode_key(
            &self,
            out: &mut ::bigtable_model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::KeyError> {
            <TickKey>::__encode(&self.at, &self.symbol, out)
        }
        #[inline]
        fn decode_key(
            key: &[u8],
        ) -> ::core::result::Result<
            TickKeyRef<'_>,
            ::bigtable_model::__private::KeyError,
        > {
            <TickKeyRef<'_>>::decode(key)
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
            >(event, 0usize, &<TickKey>::__SEGMENTS[2usize], &self.symbol)?;
            (<TickFields>::__price().write)(&self.price, 1usize, event)?;
            (<TickFields>::__size().write)(&self.size, 2usize, event)?;
            ::core::result::Result::Ok(())
        }
        type Series = String;
        #[inline]
        #[allow(unused_variables)]
        fn series(
            key: &TickKeyRef<'_>,
        ) -> ::core::result::Result<
            Self::Series,
            ::bigtable_model::__private::KeyError,
        > {
            ::bigtable_model::__private::restore_segment::<String>("symbol", key.symbol)
        }
        #[inline]
        fn set_time(
            key: &mut TickKeyRef<'_>,
            time: ::bigtable_model::__private::Timestamp,
        ) {
            if let ::core::option::Option::Some(time) = ::bigtable_model::__private::SegmentPrimitive::from_time(
                time,
            ) {
                key.at = time;
            }
        }
    }
    impl ::bigtable_model::__private::Projection for Tick {
        type Model = Self;
        const USES: ::core::option::Option<
            &'static [::bigtable_model::__private::FieldUse],
        > = ::core::option::Option::None;
        #[inline]
        #[allow(unused_variables)]
        fn read(
            key: &TickKeyRef<'_>,
            cells: &::bigtable_model::__private::EventCells<'_>,
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::ReadError> {
            ::core::result::Result::Ok(Self {
                at: ::bigtable_model::__private::key_read(
                    ::bigtable_model::__private::restore_segment::<
                        Timestamp,
                    >("at", key.at),
                )?,
                symbol: ::bigtable_model::__private::key_read(
                    ::bigtable_model::__private::restore_segment::<
                        String,
                    >("symbol", key.symbol),
                )?,
                price: <TickFields>::__price().read(cells, 1usize)?,
                size: <TickFields>::__size().read(cells, 2usize)?,
            })
        }
    }
    const _: () = ::bigtable_model::__private::check_time(
        <Timestamp as ::bigtable_model::__private::KeySegment>::KIND,
        ::bigtable_model::__private::SegmentOptions {
            ..::bigtable_model::__private::SegmentOptions::NONE
        },
        false,
    );
    const _: () = ::bigtable_model::__private::check_segment(
        <String as ::bigtable_model::__private::KeySegment>::KIND,
        ::bigtable_model::__private::SegmentOptions {
            ..::bigtable_model::__private::SegmentOptions::NONE
        },
        true,
        (<String as ::bigtable_model::__private::KeySegment>::NAMES, "#"),
    );
    const _: () = ::bigtable_model::__private::check_key(
        <TickKey as ::bigtable_model::__private::ModelKey>::LAYOUT,
    );
    const _: () = ::bigtable_model::__private::check_presence(
        &[
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
    impl TickFields {
        #[inline]
        fn __price() -> ::bigtable_model::__private::FieldAccess<Decimal> {
            ::bigtable_model::__private::Field::<
                Decimal,
                ::bigtable_model::__private::Text,
            >::access()
        }
        #[inline]
        fn __size() -> ::bigtable_model::__private::FieldAccess<Option<u32>> {
            ::bigtable_model::__private::Field::<
                Option<u32>,
                ::bigtable_model::__private::Native,
            >::access()
        }
    }
};
