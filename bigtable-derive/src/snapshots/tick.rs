/**The row key of [`Tick`]: `{salt:02 of 64}#{at:rev 019s}#{symbol}`.

Its order is that of the key's bytes, and inside a row that of the times.

A row holds up to 36,000 events as declared: 72,001 cells, 1.5 MB.

An event is there with the first of its columns that is no `Option` and has no `default`.*/
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
    #[doc(hidden)]
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
    use ::bigtable_model::__private as __runtime;
    #[allow(unused_imports)]
    use __runtime::RequiredField as _;
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
                }),
            },
            __runtime::Segment {
                name: __runtime::borrowed("at"),
                role: __runtime::SegmentRole::Bucket,
                kind: __runtime::bucket_kind(<Timestamp as __runtime::KeySegment>::KIND),
                format: __runtime::SegmentFormat::Bucket(__runtime::Bucket {
                    span: __runtime::BucketSpan::Hour,
                    zone: ::core::option::Option::None,
                    label: __runtime::BucketLabel::Start {
                        unit: __runtime::TimeUnit::Seconds,
                        width: 19u16,
                        reverse: true,
                    },
                    grid_micros: 1000i64,
                    truncate: true,
                }),
            },
            __runtime::Segment {
                name: __runtime::borrowed("symbol"),
                role: __runtime::SegmentRole::Identifier,
                kind: <String as __runtime::KeySegment>::KIND,
                format: __runtime::SegmentFormat::of(
                    <String as __runtime::KeySegment>::KIND,
                    __runtime::SegmentOptions {
                        ..__runtime::SegmentOptions::NONE
                    },
                ),
            },
        ];
        #[inline]
        fn __encode(
            __0: &Timestamp,
            __1: &String,
            out: &mut __runtime::Vec<u8>,
        ) -> ::core::result::Result<(), __runtime::KeyError> {
            #[allow(unused_mut)]
            let mut writer = __runtime::SaltedKeyWriter::new(
                "",
                "#",
                Self::__SEGMENTS,
                out,
            )?;
            writer.segment(1usize, <Timestamp as __runtime::KeySegment>::store(__0))?;
            writer.segment(2usize, <String as __runtime::KeySegment>::store(__1))?;
            writer.finish()
        }
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 2usize] {
            [
                (
                    "at",
                    __runtime::SegmentPrimitive::into_value(
                        <Timestamp as __runtime::KeySegment>::store(&self.at),
                    ),
                ),
                (
                    "symbol",
                    __runtime::SegmentPrimitive::into_value(
                        <String as __runtime::KeySegment>::store(&self.symbol),
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
    impl __runtime::ModelKey for TickKey {
        const LAYOUT: __runtime::KeyLayout = __runtime::KeyLayout {
            prefix: __runtime::borrowed(""),
            separator: __runtime::borrowed("#"),
            enclosed: false,
            segments: __runtime::borrowed_slice(Self::__SEGMENTS),
        };
        #[inline]
        fn encode_into(
            &self,
            out: &mut __runtime::Vec<u8>,
        ) -> ::core::result::Result<(), __runtime::KeyError> {
            Self::__encode(&self.at, &self.symbol, out)
        }
        #[inline]
        fn time(&self) -> ::core::option::Option<__runtime::Timestamp> {
            ::core::option::Option::Some(
                __runtime::time_of(<Timestamp as __runtime::KeySegment>::store(&self.at)),
            )
        }
    }
    impl ::core::cmp::Ord for TickKey {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = __runtime::compare_encoded(
                &<TickKey as __runtime::ModelKey>::LAYOUT,
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
            __runtime::display_segments(f, &self.__values())
        }
    }
    impl ::core::fmt::Debug for TickKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __runtime::debug_segments(f, "TickKey", &self.__values())
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
        ) -> ::core::result::Result<Self, __runtime::KeyError> {
            #[allow(unused_mut)]
            let mut reader = __runtime::SaltedKeyReader::new(
                "",
                "#",
                <TickKey>::__SEGMENTS,
                key,
            )?;
            let decoded = Self {
                at: reader.read(1usize, false)?,
                symbol: reader.read(2usize, true)?,
                __borrowed: ::core::marker::PhantomData,
            };
            reader.finish()?;
            ::core::result::Result::Ok(decoded)
        }
    }
    impl TickKey {
        /// Takes a row key apart.
        ///
        /// # Errors
        /// When the bytes are not a key of the model, or a segment's type refuses what it
        /// holds.
        #[inline]
        pub fn decode(key: &[u8]) -> ::core::result::Result<Self, __runtime::KeyError> {
            #[allow(unused_variables)]
            let key = <TickKeyRef<'_>>::decode(key)?;
            ::core::result::Result::Ok(Self {
                at: __runtime::restored(
                    "at",
                    <Timestamp as __runtime::KeySegment>::restore(key.at),
                )?,
                symbol: __runtime::restored(
                    "symbol",
                    <String as __runtime::KeySegment>::restore(key.symbol),
                )?,
            })
        }
    }
    impl<'__key> TickKeyRef<'__key> {
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 2usize] {
            [
                ("at", __runtime::SegmentPrimitive::into_value(self.at)),
                ("symbol", __runtime::SegmentPrimitive::into_value(self.symbol)),
            ]
        }
    }
    impl<'__key> ::core::clone::Clone for TickKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> TickKeyRef<'__key> {
            *self
        }
    }
    impl<'__key> ::core::marker::Copy for TickKeyRef<'__key> {}
    impl<'__key> ::core::cmp::Ord for TickKeyRef<'__key> {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = __runtime::compare_encoded(
                &<TickKey as __runtime::ModelKey>::LAYOUT,
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
            __runtime::display_segments(f, &self.__values())
        }
    }
    impl<'__key> ::core::fmt::Debug for TickKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __runtime::debug_segments(f, "TickKeyRef", &self.__values())
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
    impl ::core::default::Default for TickQuery<__runtime::Open<0>, Tick> {
        #[inline]
        fn default() -> Self {
            TickQuery(__runtime::Query::new())
        }
    }
    impl<__State, __Read> TickQuery<__State, __Read> {
        ///Selects by segment `at` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        #[inline]
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> TickQuery<
            <__State as __runtime::Next>::After<__runtime::One, 0usize, 1usize>,
            __Read,
        >
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::at, 0usize>,
            __Values: __runtime::Selects<Timestamp, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            TickQuery(self.0.__set_at(0usize, __runtime::Selects::into_selection(at)))
        }
        ///Selects by segment `symbol` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        #[inline]
        pub fn symbol<__Values, __Kind>(
            self,
            symbol: __Values,
        ) -> TickQuery<
            <__State as __runtime::Next>::After<__Kind, 1usize, 2usize>,
            __Read,
        >
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::symbol, 1usize>,
            __Values: __runtime::Selects<String, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            TickQuery(
                self.0.__set_at(1usize, __runtime::Selects::into_selection(symbol)),
            )
        }
        /// At most this many events.
        #[inline]
        pub fn limit(self, events: u64) -> Self {
            TickQuery(self.0.__limit(events))
        }
        /// Only events of which a condition on their columns holds; of two conditions both. It does
        /// not narrow the rows that are read.
        #[inline]
        pub fn matching(self, condition: __runtime::Condition<Tick>) -> Self {
            TickQuery(self.0.__matching(condition))
        }
        /// Newest first.
        #[inline]
        pub fn newest_first(self) -> Self
        where
            __State: __runtime::QueryState<Tick>,
            <__State as __runtime::QueryState<Tick>>::Order: __runtime::TimeOrder,
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
        /// Reads the whole table, on purpose. Any segments may be set after it: those at the front
        /// of the key narrow what is read, the others are compared with each row.
        #[inline]
        pub fn scan(self) -> TickQuery<__runtime::FullScan, __Read>
        where
            __State: __runtime::Unset,
        {
            TickQuery(self.0.__scan())
        }
        /// Reads a projection: its columns only.
        #[inline]
        pub fn select<__Other: __runtime::Projection<Model = Tick>>(
            self,
        ) -> TickQuery<__State, __Other> {
            TickQuery(self.0.__select())
        }
    }
    impl<__State, __Read> ::core::ops::Deref for TickQuery<__State, __Read> {
        type Target = __runtime::Query<Tick, __State, __Read>;
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
    impl __runtime::QueryState<Tick> for __runtime::FullScan {
        type Order = __runtime::ByKey;
    }
    impl ::core::convert::From<__runtime::Update<Tick>> for TickUpdate {
        #[inline]
        fn from(update: __runtime::Update<Tick>) -> Self {
            Self(update)
        }
    }
    impl TickUpdate {
        ///Sets column `price`; an `Option` that is `None` deletes it.
        #[inline]
        pub fn price(self, price: impl __runtime::ColumnArg<Decimal>) -> Self {
            Self(self.0.set(1usize, <TickFields>::__price, price))
        }
        ///Sets column `size`; an `Option` that is `None` deletes it.
        #[inline]
        pub fn size(self, size: impl __runtime::ColumnArg<Option<u32>>) -> Self {
            Self(self.0.set(2usize, <TickFields>::__size, size))
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
            condition: __runtime::Condition<Tick>,
        ) -> __runtime::BoxFuture<'_, ::core::result::Result<bool, __runtime::Error>> {
            __runtime::send_update_if(self.0, backend, condition)
        }
    }
    impl __runtime::Model for Tick {
        const COLUMNS: &'static [__runtime::ColumnSchema] = &[
            __runtime::ColumnSchema {
                field: __runtime::borrowed("symbol"),
                family: __runtime::borrowed("MD"),
                qualifier: __runtime::borrowed("SYMBOL"),
                codec: __runtime::borrowed("text"),
                optional: __runtime::Field::<String, __runtime::Text>::OPTIONAL,
                copy_of: ::core::option::Option::Some(2usize),
                kind: __runtime::ColumnKind::Plain,
                aliases: __runtime::borrowed_slice(&[]),
            },
            __runtime::ColumnSchema {
                field: __runtime::borrowed("price"),
                family: __runtime::borrowed("MD"),
                qualifier: __runtime::borrowed("PRICE"),
                codec: __runtime::borrowed("text"),
                optional: __runtime::Field::<Decimal, __runtime::Text>::OPTIONAL,
                copy_of: ::core::option::Option::None,
                kind: __runtime::ColumnKind::Plain,
                aliases: __runtime::borrowed_slice(&[]),
            },
            __runtime::ColumnSchema {
                field: __runtime::borrowed("size"),
                family: __runtime::borrowed("MD"),
                qualifier: __runtime::borrowed("SIZE"),
                codec: __runtime::borrowed("native"),
                optional: __runtime::Field::<Option<u32>, __runtime::Native>::OPTIONAL,
                copy_of: ::core::option::Option::None,
                kind: __runtime::ColumnKind::Plain,
                aliases: __runtime::borrowed_slice(&[]),
            },
        ];
        const SCHEMA: &'static __runtime::ModelSchema = {
            &__runtime::ModelSchema {
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
                columns: __runtime::borrowed_slice(<Self as __runtime::Model>::COLUMNS),
                map_family: ::core::option::Option::None,
                presence: __runtime::Presence::Column(
                    __runtime::presence_in_bucket(
                        <Self as __runtime::Model>::COLUMNS,
                        1usize,
                    ),
                ),
                cell_time: __runtime::CellTime::Event,
                gc_rules: __runtime::borrowed_slice(&[]),
                append_only: false,
                rollups: &[],
                former: ::core::option::Option::None,
            }
        };
        const FIELDS: Self::Fields = TickFields {
            at: __runtime::KeyField::new(|key| __runtime::key_read(
                __runtime::restored(
                    "at",
                    <Timestamp as __runtime::KeySegment>::restore(key.at),
                ),
            )),
            symbol: __runtime::KeyField::new(|key| __runtime::key_read(
                __runtime::restored(
                    "symbol",
                    <String as __runtime::KeySegment>::restore(key.symbol),
                ),
            )),
            price: __runtime::Column::new(1usize, <Self::Fields>::__price),
            size: __runtime::Column::new(2usize, <Self::Fields>::__size),
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
            out: &mut __runtime::Vec<u8>,
        ) -> ::core::result::Result<(), __runtime::KeyError> {
            <TickKey>::__encode(&self.at, &self.symbol, out)
        }
        #[inline]
        fn decode_key(
            key: &[u8],
        ) -> ::core::result::Result<TickKeyRef<'_>, __runtime::KeyError> {
            <TickKeyRef<'_>>::decode(key)
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
            __runtime::write_segment_text(
                event,
                0usize,
                &<TickKey>::__SEGMENTS[2usize],
                <String as __runtime::KeySegment>::store(&self.symbol),
            )?;
            (<TickFields>::__price().write)(&self.price, 1usize, event)?;
            (<TickFields>::__size().write)(&self.size, 2usize, event)?;
            ::core::result::Result::Ok(())
        }
        #[allow(unused_variables)]
        fn samples(samples: &mut __runtime::Samples) {
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
            samples
                .segment(
                    2usize,
                    <String as __runtime::KeySegment>::NAMES,
                    |format, bytes| {
                        let value = <String as __runtime::KeySegment>::restore(
                            __runtime::stored_segment(format, bytes)?,
                        )?;
                        ::core::result::Result::Ok(
                            __runtime::segment_value(
                                <String as __runtime::KeySegment>::store(&value),
                            ),
                        )
                    },
                );
            samples.column(1usize, &<TickFields>::__price());
            samples.column(2usize, &<TickFields>::__size());
        }
        type Series = String;
        #[inline]
        #[allow(unused_variables)]
        fn series(
            key: &TickKeyRef<'_>,
        ) -> ::core::result::Result<Self::Series, __runtime::KeyError> {
            __runtime::restored(
                "symbol",
                <String as __runtime::KeySegment>::restore(key.symbol),
            )
        }
        #[inline]
        fn set_time(key: &mut TickKeyRef<'_>, time: __runtime::Timestamp) {
            __runtime::put_time(&mut key.at, time);
        }
    }
    impl __runtime::Editable for Tick {}
    impl __runtime::Projection for Tick {
        type Model = Self;
        const USES: ::core::option::Option<&'static [__runtime::FieldUse]> = ::core::option::Option::None;
        #[inline]
        #[allow(unused_variables)]
        fn read(
            key: &TickKeyRef<'_>,
            cells: &__runtime::EventCells<'_>,
        ) -> ::core::result::Result<Self, __runtime::ReadError> {
            ::core::result::Result::Ok(Self {
                at: __runtime::key_read(
                    __runtime::restored(
                        "at",
                        <Timestamp as __runtime::KeySegment>::restore(key.at),
                    ),
                )?,
                symbol: __runtime::key_read(
                    __runtime::restored(
                        "symbol",
                        <String as __runtime::KeySegment>::restore(key.symbol),
                    ),
                )?,
                price: <TickFields>::__price().read(cells, 1usize)?,
                size: <TickFields>::__size().read(cells, 2usize)?,
            })
        }
    }
    const _: () = __runtime::check_time(
        <Timestamp as __runtime::KeySegment>::KIND,
        __runtime::SegmentOptions {
            ..__runtime::SegmentOptions::NONE
        },
        false,
    );
    const _: () = __runtime::check_segment(
        <String as __runtime::KeySegment>::KIND,
        __runtime::SegmentOptions {
            ..__runtime::SegmentOptions::NONE
        },
        true,
        (<String as __runtime::KeySegment>::NAMES, "#"),
    );
    const _: () = __runtime::check_key(<TickKey as __runtime::ModelKey>::LAYOUT);
    const _: () = __runtime::check_presence(
        &[
            __runtime::Field::<Decimal, __runtime::Text>::OPTIONAL,
            __runtime::Field::<Option<u32>, __runtime::Native>::OPTIONAL,
        ],
    );
    impl TickFields {
        #[inline]
        fn __price() -> __runtime::FieldAccess<Decimal> {
            __runtime::Field::<Decimal, __runtime::Text>::access()
        }
        #[inline]
        fn __size() -> __runtime::FieldAccess<Option<u32>> {
            __runtime::Field::<Option<u32>, __runtime::Native>::access()
        }
    }
};
