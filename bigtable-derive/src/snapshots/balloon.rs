/**The row key of [`Balloon`]: `{location}#{at:week{n}}`.

Its order is that of the key's bytes, and inside a row that of the times.

An event is there with column `measurements:measurements_blob`, which holds it.*/
#[derive(::core::clone::Clone)]
#[allow(private_interfaces)]
struct BalloonKey {
    ///Segment `location` of the key.
    pub location: String,
    ///The event's time `at`, whose bucket stands in the key: decoded from a key alone it is the bucket's beginning.
    pub at: Timestamp,
}
///[`BalloonKey`] borrowed from the bytes of a row key; reading it allocates nothing.
#[allow(private_interfaces)]
struct BalloonKeyRef<'__key> {
    ///Segment `location` of the key.
    pub location: <String as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
    ///The event's time `at`, whose bucket stands in the key: decoded from a key alone it is the bucket's beginning.
    pub at: <Timestamp as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
    #[doc(hidden)]
    __borrowed: ::core::marker::PhantomData<&'__key [u8]>,
}
///Handles on the fields of [`Balloon`], as in `Balloon::FIELDS`.
#[allow(private_interfaces, missing_debug_implementations)]
struct BalloonFields {
    ///Field `location`.
    pub location: ::bigtable_model::__private::KeyField<Balloon, String>,
    ///Field `at`.
    pub at: ::bigtable_model::__private::KeyField<Balloon, Timestamp>,
    ///Field `pressure` of the serialised event.
    pub pressure: ::bigtable_model::__private::SerializedField<Balloon, u32>,
    ///Field `temperature` of the serialised event.
    pub temperature: ::bigtable_model::__private::SerializedField<Balloon, Option<f64>>,
}
///A query for events of [`Balloon`]. Setters take the segments in the order of the row key, `{location}#{at:week{n}}`; what else it can do is in [`Query`](struct@::bigtable_model::query::Query), to which it dereferences.
#[allow(private_interfaces, private_bounds)]
#[must_use = "a query does nothing until it is run"]
struct BalloonQuery<__State = ::bigtable_model::__private::Open<0>, __Read = Balloon>(
    ::bigtable_model::__private::Query<Balloon, __State, __Read>,
);
///An update of one [`Balloon`] has nothing to set: its fields are serialised into one column, which an insert writes as a whole.
#[allow(private_interfaces, missing_debug_implementations)]
#[must_use = "an update does nothing until it is sent"]
struct BalloonUpdate(::bigtable_model::__private::Update<Balloon>);
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated)]
const _: () = {
    use ::bigtable_model::__private as __runtime;
    #[allow(unused_imports)]
    use __runtime::{RequiredField as _, RequiredInPayload as _};
    impl BalloonKey {
        const __SEGMENTS: &'static [__runtime::Segment; 2usize] = &[
            __runtime::Segment {
                name: __runtime::borrowed("location"),
                role: __runtime::SegmentRole::Identifier,
                kind: <String as __runtime::KeySegment>::KIND,
                format: __runtime::SegmentFormat::of(
                    <String as __runtime::KeySegment>::KIND,
                    __runtime::SegmentOptions {
                        ..__runtime::SegmentOptions::NONE
                    },
                ),
            },
            __runtime::Segment {
                name: __runtime::borrowed("at"),
                role: __runtime::SegmentRole::Bucket,
                kind: __runtime::bucket_kind(<Timestamp as __runtime::KeySegment>::KIND),
                format: __runtime::SegmentFormat::Bucket(__runtime::Bucket {
                    span: __runtime::BucketSpan::Week,
                    zone: ::core::option::Option::None,
                    label: __runtime::BucketLabel::Counted {
                        origin: __runtime::Timestamp::from_micros(1614556800000000i64),
                        before: __runtime::borrowed("week"),
                        after: __runtime::borrowed(""),
                        width: 0u16,
                    },
                    grid_micros: 1000i64,
                    truncate: false,
                }),
            },
        ];
        #[inline]
        fn __encode(
            __0: &String,
            __1: &Timestamp,
            out: &mut __runtime::Vec<u8>,
        ) -> ::core::result::Result<(), __runtime::KeyError> {
            #[allow(unused_mut)]
            let mut writer = __runtime::KeyWriter::new("", "#", out);
            writer
                .segment(
                    &Self::__SEGMENTS[0usize],
                    <String as __runtime::KeySegment>::store(__0),
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
                    "location",
                    __runtime::SegmentPrimitive::into_value(
                        <String as __runtime::KeySegment>::store(&self.location),
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
    impl __runtime::ModelKey for BalloonKey {
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
            Self::__encode(&self.location, &self.at, out)
        }
        #[inline]
        fn time(&self) -> ::core::option::Option<__runtime::Timestamp> {
            ::core::option::Option::Some(
                __runtime::time_of(<Timestamp as __runtime::KeySegment>::store(&self.at)),
            )
        }
    }
    impl ::core::cmp::Ord for BalloonKey {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = __runtime::compare_encoded(
                &<BalloonKey as __runtime::ModelKey>::LAYOUT,
                &self.__values(),
                &other.__values(),
            );
            if order.is_ne() {
                return order;
            }
            ::core::cmp::Ordering::Equal
        }
    }
    impl ::core::cmp::PartialOrd for BalloonKey {
        #[inline]
        fn partial_cmp(
            &self,
            other: &Self,
        ) -> ::core::option::Option<::core::cmp::Ordering> {
            ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
        }
    }
    impl ::core::cmp::PartialEq for BalloonKey {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            ::core::cmp::Ord::cmp(self, other).is_eq()
        }
    }
    impl ::core::cmp::Eq for BalloonKey {}
    impl ::core::fmt::Display for BalloonKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __runtime::display_segments(f, &self.__values())
        }
    }
    impl ::core::fmt::Debug for BalloonKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __runtime::debug_segments(f, "BalloonKey", &self.__values())
        }
    }
    impl<'__key> BalloonKeyRef<'__key> {
        /// Takes a row key apart without copying it.
        ///
        /// # Errors
        /// When the bytes are not a key of the model.
        #[inline]
        pub fn decode(
            key: &'__key [u8],
        ) -> ::core::result::Result<Self, __runtime::KeyError> {
            #[allow(unused_mut)]
            let mut reader = __runtime::KeyReader::new("", "#", key)?;
            ::core::result::Result::Ok(Self {
                location: reader.read(&<BalloonKey>::__SEGMENTS[0usize], false)?,
                at: reader.read(&<BalloonKey>::__SEGMENTS[1usize], true)?,
                __borrowed: ::core::marker::PhantomData,
            })
        }
    }
    impl BalloonKey {
        /// Takes a row key apart.
        ///
        /// # Errors
        /// When the bytes are not a key of the model, or a segment's type refuses what it
        /// holds.
        #[inline]
        pub fn decode(key: &[u8]) -> ::core::result::Result<Self, __runtime::KeyError> {
            #[allow(unused_variables)]
            let key = <BalloonKeyRef<'_>>::decode(key)?;
            ::core::result::Result::Ok(Self {
                location: __runtime::restored(
                    "location",
                    <String as __runtime::KeySegment>::restore(key.location),
                )?,
                at: __runtime::restored(
                    "at",
                    <Timestamp as __runtime::KeySegment>::restore(key.at),
                )?,
            })
        }
    }
    impl<'__key> BalloonKeyRef<'__key> {
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 2usize] {
            [
                ("location", __runtime::SegmentPrimitive::into_value(self.location)),
                ("at", __runtime::SegmentPrimitive::into_value(self.at)),
            ]
        }
    }
    impl<'__key> ::core::clone::Clone for BalloonKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> BalloonKeyRef<'__key> {
            *self
        }
    }
    impl<'__key> ::core::marker::Copy for BalloonKeyRef<'__key> {}
    impl<'__key> ::core::cmp::Ord for BalloonKeyRef<'__key> {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = __runtime::compare_encoded(
                &<BalloonKey as __runtime::ModelKey>::LAYOUT,
                &self.__values(),
                &other.__values(),
            );
            if order.is_ne() {
                return order;
            }
            ::core::cmp::Ordering::Equal
        }
    }
    impl<'__key> ::core::cmp::PartialOrd for BalloonKeyRef<'__key> {
        #[inline]
        fn partial_cmp(
            &self,
            other: &Self,
        ) -> ::core::option::Option<::core::cmp::Ordering> {
            ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
        }
    }
    impl<'__key> ::core::cmp::PartialEq for BalloonKeyRef<'__key> {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            ::core::cmp::Ord::cmp(self, other).is_eq()
        }
    }
    impl<'__key> ::core::cmp::Eq for BalloonKeyRef<'__key> {}
    impl<'__key> ::core::fmt::Display for BalloonKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __runtime::display_segments(f, &self.__values())
        }
    }
    impl<'__key> ::core::fmt::Debug for BalloonKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            __runtime::debug_segments(f, "BalloonKeyRef", &self.__values())
        }
    }
    mod __segments {
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #[doc(hidden)]
        pub struct location;
        #[allow(non_camel_case_types, missing_debug_implementations)]
        #[doc(hidden)]
        pub struct at;
    }
    impl ::core::default::Default for BalloonQuery<__runtime::Open<0>, Balloon> {
        #[inline]
        fn default() -> Self {
            BalloonQuery(__runtime::Query::new())
        }
    }
    impl<__State, __Read> BalloonQuery<__State, __Read> {
        ///Selects by segment `location` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        #[inline]
        pub fn location<__Values, __Kind>(
            self,
            location: __Values,
        ) -> BalloonQuery<
            <__State as __runtime::Next>::After<__Kind, 0usize, 1usize>,
            __Read,
        >
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::location, 0usize>,
            __Values: __runtime::Selects<String, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            BalloonQuery(
                self.0.__set_at(0usize, __runtime::Selects::into_selection(location)),
            )
        }
        ///Selects by segment `at` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        #[inline]
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> BalloonQuery<
            <__State as __runtime::Next>::After<__runtime::One, 1usize, 2usize>,
            __Read,
        >
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::at, 1usize>,
            __Values: __runtime::Selects<Timestamp, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            BalloonQuery(self.0.__set_at(1usize, __runtime::Selects::into_selection(at)))
        }
        /// At most this many events.
        #[inline]
        pub fn limit(self, events: u64) -> Self {
            BalloonQuery(self.0.__limit(events))
        }
        /// Only events of which a condition on their columns holds; of two conditions both. It does
        /// not narrow the rows that are read.
        #[inline]
        pub fn matching(self, condition: __runtime::Condition<Balloon>) -> Self {
            BalloonQuery(self.0.__matching(condition))
        }
        /// Newest first.
        #[inline]
        pub fn newest_first(self) -> Self
        where
            __State: __runtime::QueryState<Balloon>,
            <__State as __runtime::QueryState<Balloon>>::Order: __runtime::TimeOrder,
        {
            BalloonQuery(self.0.__descending())
        }
        /// Last key first; in order of time, newest first.
        #[inline]
        pub fn reversed(self) -> Self {
            BalloonQuery(self.0.__descending())
        }
        /// The most series that may be read at once, 128 unless told otherwise.
        #[inline]
        pub fn max_scans(self, scans: usize) -> Self {
            BalloonQuery(self.0.__max_scans(scans))
        }
        /// Reads the whole table, on purpose. Any segments may be set after it: those at the front
        /// of the key narrow what is read, the others are compared with each row.
        #[inline]
        pub fn scan(self) -> BalloonQuery<__runtime::FullScan, __Read>
        where
            __State: __runtime::Unset,
        {
            BalloonQuery(self.0.__scan())
        }
        /// Reads a projection: its columns only.
        #[inline]
        pub fn select<__Other: __runtime::Projection<Model = Balloon>>(
            self,
        ) -> BalloonQuery<__State, __Other> {
            BalloonQuery(self.0.__select())
        }
    }
    impl<__State, __Read> ::core::ops::Deref for BalloonQuery<__State, __Read> {
        type Target = __runtime::Query<Balloon, __State, __Read>;
        #[inline]
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }
    impl<__State, __Read> ::core::clone::Clone for BalloonQuery<__State, __Read> {
        #[inline]
        fn clone(&self) -> Self {
            BalloonQuery(::core::clone::Clone::clone(&self.0))
        }
    }
    impl<__State, __Read> ::core::fmt::Debug for BalloonQuery<__State, __Read> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::core::fmt::Debug::fmt(&self.0, f)
        }
    }
    impl __runtime::QueryState<Balloon> for __runtime::Open<1usize> {
        type Order = __runtime::ByTime;
    }
    impl __runtime::QueryState<Balloon> for __runtime::Open<2usize> {
        type Order = __runtime::ByTime;
    }
    impl __runtime::QueryState<Balloon> for __runtime::Closed<0usize> {
        type Order = __runtime::ByKey;
    }
    impl __runtime::QueryState<Balloon> for __runtime::Closed<1usize> {
        type Order = __runtime::ByTime;
    }
    impl __runtime::QueryState<Balloon> for __runtime::FullScan {
        type Order = __runtime::ByKey;
    }
    impl ::core::convert::From<__runtime::Update<Balloon>> for BalloonUpdate {
        #[inline]
        fn from(update: __runtime::Update<Balloon>) -> Self {
            Self(update)
        }
    }
    impl BalloonUpdate {
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
            condition: __runtime::Condition<Balloon>,
        ) -> __runtime::BoxFuture<'_, ::core::result::Result<bool, __runtime::Error>> {
            __runtime::send_update_if(self.0, backend, condition)
        }
    }
    impl __runtime::Model for Balloon {
        const COLUMNS: &'static [__runtime::ColumnSchema] = &[
            __runtime::ColumnSchema {
                field: __runtime::borrowed("measurements_blob"),
                family: __runtime::borrowed("measurements"),
                qualifier: __runtime::borrowed("measurements_blob"),
                codec: __runtime::borrowed("json"),
                optional: false,
                copy_of: ::core::option::Option::None,
                kind: __runtime::ColumnKind::Plain,
                aliases: __runtime::borrowed_slice(&[]),
            },
        ];
        const SCHEMA: &'static __runtime::ModelSchema = {
            &__runtime::ModelSchema {
                model: __runtime::borrowed("Balloon"),
                table: __runtime::fixed_table("BALLOON"),
                key: <BalloonKey as __runtime::ModelKey>::LAYOUT,
                layout: __runtime::Layout::Cells,
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
        const FIELDS: Self::Fields = BalloonFields {
            location: __runtime::KeyField::new(|key| __runtime::key_read(
                __runtime::restored(
                    "location",
                    <String as __runtime::KeySegment>::restore(key.location),
                ),
            )),
            at: __runtime::KeyField::new(|key| __runtime::key_read(
                __runtime::restored(
                    "at",
                    <Timestamp as __runtime::KeySegment>::restore(key.at),
                ),
            )),
            pressure: __runtime::SerializedField::new(
                0,
                |cells| <Self::Fields>::__0(cells).map(|fields| fields.0),
            ),
            temperature: __runtime::SerializedField::new(
                0,
                |cells| <Self::Fields>::__0(cells).map(|fields| fields.1),
            ),
        };
        type Key = BalloonKey;
        type KeyRef<'__key> = BalloonKeyRef<'__key>;
        type Fields = BalloonFields;
        type Query = BalloonQuery;
        type Update = BalloonUpdate;
        #[inline]
        fn key(&self) -> BalloonKey {
            BalloonKey {
                location: ::core::clone::Clone::clone(&self.location),
                at: ::core::clone::Clone::clone(&self.at),
            }
        }
        #[inline]
        fn encode_key(
            &self,
            out: &mut __runtime::Vec<u8>,
        ) -> ::core::result::Result<(), __runtime::KeyError> {
            <BalloonKey>::__encode(&self.location, &self.at, out)
        }
        #[inline]
        fn decode_key(
            key: &[u8],
        ) -> ::core::result::Result<BalloonKeyRef<'_>, __runtime::KeyError> {
            <BalloonKeyRef<'_>>::decode(key)
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
            event
                .set_payload(
                    0,
                    |out| {
                        #[allow(unused_mut)]
                        let mut writer = <__runtime::JsonPayload as __runtime::PayloadFormat>::writer(
                            out,
                        );
                        (<BalloonFields>::__pressure()
                            .write)(&mut writer, "pressure", 1u32, &self.pressure)?;
                        (<BalloonFields>::__temperature()
                            .write)(&mut writer, "temp", 2u32, &self.temperature)?;
                        <__runtime::JsonPayload as __runtime::PayloadFormat>::finish(
                            writer,
                        )
                    },
                )?;
            ::core::result::Result::Ok(())
        }
        #[allow(unused_variables)]
        fn samples(samples: &mut __runtime::Samples) {
            samples
                .segment(
                    0usize,
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
            #[allow(unused_variables)]
            samples
                .payload::<
                    __runtime::JsonPayload,
                >(|fields, writer| {
                    fields
                        .field(
                            writer,
                            "pressure",
                            1u32,
                            &<BalloonFields>::__pressure(),
                        )?;
                    fields
                        .field(writer, "temp", 2u32, &<BalloonFields>::__temperature())?;
                    ::core::result::Result::Ok(())
                });
        }
        type Series = String;
        #[inline]
        #[allow(unused_variables)]
        fn series(
            key: &BalloonKeyRef<'_>,
        ) -> ::core::result::Result<Self::Series, __runtime::KeyError> {
            __runtime::restored(
                "location",
                <String as __runtime::KeySegment>::restore(key.location),
            )
        }
        #[inline]
        fn set_time(key: &mut BalloonKeyRef<'_>, time: __runtime::Timestamp) {
            __runtime::put_time(&mut key.at, time);
        }
    }
    impl __runtime::Editable for Balloon {}
    impl __runtime::Projection for Balloon {
        type Model = Self;
        const USES: ::core::option::Option<&'static [__runtime::FieldUse]> = ::core::option::Option::None;
        #[inline]
        #[allow(unused_variables)]
        fn read(
            key: &BalloonKeyRef<'_>,
            cells: &__runtime::EventCells<'_>,
        ) -> ::core::result::Result<Self, __runtime::ReadError> {
            let payload = <BalloonFields>::__0(cells)?;
            ::core::result::Result::Ok(Self {
                location: __runtime::key_read(
                    __runtime::restored(
                        "location",
                        <String as __runtime::KeySegment>::restore(key.location),
                    ),
                )?,
                at: __runtime::key_read(
                    __runtime::restored(
                        "at",
                        <Timestamp as __runtime::KeySegment>::restore(key.at),
                    ),
                )?,
                pressure: payload.0,
                temperature: payload.1,
            })
        }
    }
    impl __runtime::SerializedModel for Balloon {}
    const _: () = __runtime::check_segment(
        <String as __runtime::KeySegment>::KIND,
        __runtime::SegmentOptions {
            ..__runtime::SegmentOptions::NONE
        },
        false,
        (<String as __runtime::KeySegment>::NAMES, "#"),
    );
    const _: () = __runtime::check_time(
        <Timestamp as __runtime::KeySegment>::KIND,
        __runtime::SegmentOptions {
            ..__runtime::SegmentOptions::NONE
        },
        true,
    );
    const _: () = __runtime::check_first(
        <String as __runtime::KeySegment>::KIND,
        "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of(location))`, or write `allow(time_first)` on the struct",
    );
    const _: () = __runtime::check_key(<BalloonKey as __runtime::ModelKey>::LAYOUT);
    impl BalloonFields {
        #[inline]
        fn __pressure() -> __runtime::PayloadAccess<u32, __runtime::JsonPayload> {
            __runtime::InPayload::<u32, __runtime::JsonPayload>::in_payload()
        }
        #[inline]
        fn __temperature() -> __runtime::PayloadAccess<
            Option<f64>,
            __runtime::JsonPayload,
        > {
            __runtime::InPayload::<Option<f64>, __runtime::JsonPayload>::in_payload()
                .or_default()
        }
        #[allow(unused_variables)]
        fn __0(
            cells: &__runtime::EventCells<'_>,
        ) -> ::core::result::Result<(u32, Option<f64>), __runtime::ReadError> {
            __runtime::read_payload::<
                __runtime::JsonPayload,
                _,
            >(
                cells,
                0,
                |reader| {
                    ::core::result::Result::Ok((
                        Self::__pressure().field(reader, "pressure", 1u32)?,
                        Self::__temperature().field(reader, "temp", 2u32)?,
                    ))
                },
            )
        }
    }
};
