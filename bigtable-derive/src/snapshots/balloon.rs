/**The row key of [`Balloon`]: `{location}#{at:week{n}}`.

Its order is that of the key's bytes, and inside a row that of the times.*/
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
    #[allow(unused_imports)]
    use ::bigtable_model::__private::{RequiredField as _, RequiredInPayload as _};
    impl BalloonKey {
        const __SEGMENTS: &'static [::bigtable_model::__private::Segment; 2usize] = &[
            ::bigtable_model::__private::Segment {
                name: ::bigtable_model::__private::borrowed("location"),
                role: ::bigtable_model::__private::SegmentRole::Identifier,
                kind: <String as ::bigtable_model::__private::KeySegment>::KIND,
                format: ::bigtable_model::__private::SegmentFormat::of(
                    <String as ::bigtable_model::__private::KeySegment>::KIND,
                    ::bigtable_model::__private::SegmentOptions {
                        ..::bigtable_model::__private::SegmentOptions::NONE
                    },
                ),
            },
            ::bigtable_model::__private::Segment {
                name: ::bigtable_model::__private::borrowed("at"),
                role: ::bigtable_model::__private::SegmentRole::Bucket,
                kind: ::bigtable_model::__private::SegmentKind::Time,
                format: ::bigtable_model::__private::SegmentFormat::Bucket(::bigtable_model::__private::Bucket {
                    span: ::bigtable_model::__private::BucketSpan::Week,
                    zone: ::core::option::Option::None,
                    label: ::bigtable_model::__private::BucketLabel::Counted {
                        origin: ::bigtable_model::__private::Timestamp::from_micros(
                            1614556800000000i64,
                        ),
                        before: ::bigtable_model::__private::borrowed("week"),
                        after: ::bigtable_model::__private::borrowed(""),
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
                    <Timestamp as ::bigtable_model::__private::KeySegment>::store(__1),
                )?;
            writer.finish()
        }
        #[inline]
        fn __values(
            &self,
        ) -> [(&'static str, ::bigtable_model::__private::SegmentValue); 2usize] {
            [
                (
                    "location",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(
                        <String as ::bigtable_model::__private::KeySegment>::store(
                            &self.location,
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
    impl ::bigtable_model::__private::ModelKey for BalloonKey {
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
            Self::__encode(&self.location, &self.at, out)
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
    impl ::core::cmp::Ord for BalloonKey {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = ::bigtable_model::__private::compare_encoded(
                &<BalloonKey as ::bigtable_model::__private::ModelKey>::LAYOUT,
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
            ::bigtable_model::__private::display_segments(f, &self.__values())
        }
    }
    impl ::core::fmt::Debug for BalloonKey {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::debug_segments(
                f,
                "BalloonKey",
                &self.__values(),
            )
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
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::KeyError> {
            #[allow(unused_mut)]
            let mut reader = ::bigtable_model::__private::KeyReader::new("", "#", key)?;
            ::core::result::Result::Ok(Self {
                location: reader.read(&<BalloonKey>::__SEGMENTS[0usize], false)?,
                at: reader.read(&<BalloonKey>::__SEGMENTS[1usize], true)?,
            })
        }
    }
    impl BalloonKey {
        /// Takes a row key apart.
        ///
        /// # Errors
        /// When the bytes are not a key of the model, or a segment's type refuses what it holds.
        #[inline]
        pub fn decode(
            key: &[u8],
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::KeyError> {
            #[allow(unused_variables)]
            let key = <BalloonKeyRef<'_>>::decode(key)?;
            ::core::result::Result::Ok(Self {
                location: ::bigtable_model::__private::restore_segment::<
                    String,
                >("location", key.location)?,
                at: ::bigtable_model::__private::restore_segment::<
                    Timestamp,
                >("at", key.at)?,
            })
        }
    }
    impl<'__key> BalloonKeyRef<'__key> {
        #[inline]
        fn __values(
            &self,
        ) -> [(&'static str, ::bigtable_model::__private::SegmentValue); 2usize] {
            [
                (
                    "location",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(
                        self.location,
                    ),
                ),
                (
                    "at",
                    ::bigtable_model::__private::SegmentPrimitive::into_value(self.at),
                ),
            ]
        }
    }
    impl<'__key> ::core::clone::Clone for BalloonKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<'__key> ::core::marker::Copy for BalloonKeyRef<'__key> {}
    impl<'__key> ::core::cmp::Ord for BalloonKeyRef<'__key> {
        #[inline]
        #[allow(unused_variables)]
        fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
            let order = ::bigtable_model::__private::compare_encoded(
                &<BalloonKey as ::bigtable_model::__private::ModelKey>::LAYOUT,
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
            ::bigtable_model::__private::display_segments(f, &self.__values())
        }
    }
    impl<'__key> ::core::fmt::Debug for BalloonKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::bigtable_model::__private::debug_segments(
                f,
                "BalloonKeyRef",
                &self.__values(),
            )
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
    impl ::core::default::Default
    for BalloonQuery<::bigtable_model::__private::Open<0>, Balloon> {
        #[inline]
        fn default() -> Self {
            BalloonQuery(::bigtable_model::__private::Query::new())
        }
    }
    impl<__State, __Read> BalloonQuery<__State, __Read> {
        ///Selects by segment `location` of the key: a value, a set, a range, or for strings `starts_with(...)`.
        #[inline]
        pub fn location<__Values, __Kind>(
            self,
            location: __Values,
        ) -> BalloonQuery<
            <__State as ::bigtable_model::__private::Next>::After<
                __Kind,
                0usize,
                1usize,
            >,
            __Read,
        >
        where
            __State: ::bigtable_model::__private::Next
                + ::bigtable_model::__private::Accepts<__segments::location, 0usize>,
            __Values: ::bigtable_model::__private::Selects<String, __Kind>,
            __Kind: ::bigtable_model::__private::SelectionKind,
        {
            BalloonQuery(
                self
                    .0
                    .__set_at(
                        0usize,
                        ::bigtable_model::__private::Selects::into_selection(location),
                    ),
            )
        }
        ///Selects by segment `at` of the key: a value, a set, a range, or for strings `starts_with(...)`.
        #[inline]
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> BalloonQuery<
            <__State as ::bigtable_model::__private::Next>::After<
                ::bigtable_model::__private::One,
                1usize,
                2usize,
            >,
            __Read,
        >
        where
            __State: ::bigtable_model::__private::Next
                + ::bigtable_model::__private::Accepts<__segments::at, 1usize>,
            __Values: ::bigtable_model::__private::Selects<Timestamp, __Kind>,
            __Kind: ::bigtable_model::__private::SelectionKind,
        {
            BalloonQuery(
                self
                    .0
                    .__set_at(
                        1usize,
                        ::bigtable_model::__private::Selects::into_selection(at),
                    ),
            )
        }
        /// At most this many events.
        #[inline]
        pub fn limit(self, events: u64) -> Self {
            BalloonQuery(self.0.__limit(events))
        }
        /// Only events of which a condition on their columns holds; of two conditions both. It does not narrow the rows that are read.
        #[inline]
        pub fn matching(
            self,
            condition: ::bigtable_model::__private::Condition<Balloon>,
        ) -> Self {
            BalloonQuery(self.0.__matching(condition))
        }
        /// Newest first.
        #[inline]
        pub fn newest_first(self) -> Self
        where
            __State: ::bigtable_model::__private::QueryState<Balloon>,
            <__State as ::bigtable_model::__private::QueryState<
                Balloon,
            >>::Order: ::bigtable_model::__private::TimeOrder,
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
        /// Reads the whole table, on purpose.
        #[inline]
        pub fn scan(self) -> BalloonQuery<::bigtable_model::__private::FullScan, __Read>
        where
            __State: ::bigtable_model::__private::Unset,
        {
            BalloonQuery(self.0.__scan())
        }
        /// Reads a projection: its columns only.
        #[inline]
        pub fn select<__Other: ::bigtable_model::__private::Projection<Model = Balloon>>(
            self,
        ) -> BalloonQuery<__State, __Other> {
            BalloonQuery(self.0.__select())
        }
    }
    impl<__State, __Read> ::core::ops::Deref for BalloonQuery<__State, __Read> {
        type Target = ::bigtable_model::__private::Query<Balloon, __State, __Read>;
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
    impl ::bigtable_model::__private::QueryState<Balloon>
    for ::bigtable_model::__private::Open<1usize> {
        type Order = ::bigtable_model::__private::ByTime;
    }
    impl ::bigtable_model::__private::QueryState<Balloon>
    for ::bigtable_model::__private::Open<2usize> {
        type Order = ::bigtable_model::__private::ByTime;
    }
    impl ::bigtable_model::__private::QueryState<Balloon>
    for ::bigtable_model::__private::Closed<0usize> {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::bigtable_model::__private::QueryState<Balloon>
    for ::bigtable_model::__private::Closed<1usize> {
        type Order = ::bigtable_model::__private::ByTime;
    }
    impl ::bigtable_model::__private::QueryState<Balloon>
    for ::bigtable_model::__private::FullScan {
        type Order = ::bigtable_model::__private::ByKey;
    }
    impl ::core::convert::From<::bigtable_model::__private::Update<Balloon>>
    for BalloonUpdate {
        #[inline]
        fn from(update: ::bigtable_model::__private::Update<Balloon>) -> Self {
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
            condition: ::bigtable_model::__private::Condition<Balloon>,
        ) -> ::bigtable_model::__private::BoxFuture<
            '_,
            ::core::result::Result<bool, ::bigtable_model::__private::Error>,
        > {
            ::bigtable_model::__private::send_update_if(self.0, backend, condition)
        }
    }
    impl ::bigtable_model::__private::Model for Balloon {
        const COLUMNS: &'static [::bigtable_model::__private::ColumnSchema] = &[
            ::bigtable_model::__private::ColumnSchema {
                field: ::bigtable_model::__private::borrowed("measurements_blob"),
                family: ::bigtable_model::__private::borrowed("measurements"),
                qualifier: ::bigtable_model::__private::borrowed("measurements_blob"),
                codec: ::bigtable_model::__private::borrowed("json"),
                optional: false,
                copy_of: ::core::option::Option::None,
                kind: ::bigtable_model::__private::ColumnKind::Plain,
            },
        ];
        const SCHEMA: &'static ::bigtable_model::__private::ModelSchema = {
            &::bigtable_model::__private::ModelSchema {
                model: ::bigtable_model::__private::borrowed("Balloon"),
                table: ::bigtable_model::__private::fixed_table("BALLOON"),
                key: <BalloonKey as ::bigtable_model::__private::ModelKey>::LAYOUT,
                layout: ::bigtable_model::__private::Layout::Cells,
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
        const FIELDS: Self::Fields = BalloonFields {
            location: ::bigtable_model::__private::KeyField::new(|key| ::bigtable_model::__private::key_read(
                ::bigtable_model::__private::restore_segment::<
                    String,
                >("location", key.location),
            )),
            at: ::bigtable_model::__private::KeyField::new(|key| ::bigtable_model::__private::key_read(
                ::bigtable_model::__private::restore_segment::<Timestamp>("at", key.at),
            )),
            pressure: ::bigtable_model::__private::SerializedField::new(
                0,
                |cells| <Self::Fields>::__0(cells).map(|fields| fields.0),
            ),
            temperature: ::bigtable_model::__private::SerializedField::new(
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
            out: &mut ::bigtable_model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::KeyError> {
            <BalloonKey>::__encode(&self.location, &self.at, out)
        }
        #[inline]
        fn decode_key(
            key: &[u8],
        ) -> ::core::result::Result<
            BalloonKeyRef<'_>,
            ::bigtable_model::__private::KeyError,
        > {
            <BalloonKeyRef<'_>>::decode(key)
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
            event
                .set_payload(
                    0,
                    |out| {
                        #[allow(unused_mut)]
                        let mut writer = <::bigtable_model::__private::JsonPayload as ::bigtable_model::__private::PayloadFormat>::writer(
                            out,
                        );
                        (<BalloonFields>::__pressure()
                            .write)(&mut writer, "pressure", 1u32, &self.pressure)?;
                        (<BalloonFields>::__temperature()
                            .write)(&mut writer, "temp", 2u32, &self.temperature)?;
                        <::bigtable_model::__private::JsonPayload as ::bigtable_model::__private::PayloadFormat>::finish(
                            writer,
                        )
                    },
                )?;
            ::core::result::Result::Ok(())
        }
        type Series = String;
        #[inline]
        #[allow(unused_variables)]
        fn series(
            key: &BalloonKeyRef<'_>,
        ) -> ::core::result::Result<
            Self::Series,
            ::bigtable_model::__private::KeyError,
        > {
            ::bigtable_model::__private::restore_segment::<
                String,
            >("location", key.location)
        }
        #[inline]
        fn set_time(
            key: &mut BalloonKeyRef<'_>,
            time: ::bigtable_model::__private::Timestamp,
        ) {
            if let ::core::option::Option::Some(time) = ::bigtable_model::__private::SegmentPrimitive::from_time(
                time,
            ) {
                key.at = time;
            }
        }
    }
    impl ::bigtable_model::__private::Projection for Balloon {
        type Model = Self;
        const USES: ::core::option::Option<
            &'static [::bigtable_model::__private::FieldUse],
        > = ::core::option::Option::None;
        #[inline]
        #[allow(unused_variables)]
        fn read(
            key: &BalloonKeyRef<'_>,
            cells: &::bigtable_model::__private::EventCells<'_>,
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::ReadError> {
            let payload = <BalloonFields>::__0(cells)?;
            ::core::result::Result::Ok(Self {
                location: ::bigtable_model::__private::key_read(
                    ::bigtable_model::__private::restore_segment::<
                        String,
                    >("location", key.location),
                )?,
                at: ::bigtable_model::__private::key_read(
                    ::bigtable_model::__private::restore_segment::<
                        Timestamp,
                    >("at", key.at),
                )?,
                pressure: payload.0,
                temperature: payload.1,
            })
        }
    }
    impl ::bigtable_model::__private::SerializedModel for Balloon {}
    const _: () = ::bigtable_model::__private::check_segment(
        <String as ::bigtable_model::__private::KeySegment>::KIND,
        ::bigtable_model::__private::SegmentOptions {
            ..::bigtable_model::__private::SegmentOptions::NONE
        },
        false,
        (<String as ::bigtable_model::__private::KeySegment>::NAMES, "#"),
    );
    const _: () = ::bigtable_model::__private::check_time(
        <Timestamp as ::bigtable_model::__private::KeySegment>::KIND,
        ::bigtable_model::__private::SegmentOptions {
            ..::bigtable_model::__private::SegmentOptions::NONE
        },
        true,
    );
    const _: () = ::bigtable_model::__private::check_first(
        <String as ::bigtable_model::__private::KeySegment>::KIND,
        "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of(location))`, or write `allow(time_first)` on the struct",
    );
    const _: () = ::bigtable_model::__private::check_key(
        <BalloonKey as ::bigtable_model::__private::ModelKey>::LAYOUT,
    );
    impl BalloonFields {
        #[inline]
        fn __pressure() -> ::bigtable_model::__private::PayloadAccess<
            u32,
            ::bigtable_model::__private::JsonPayload,
        > {
            ::bigtable_model::__private::InPayload::<
                u32,
                ::bigtable_model::__private::JsonPayload,
            >::in_payload()
        }
        #[inline]
        fn __temperature() -> ::bigtable_model::__private::PayloadAccess<
            Option<f64>,
            ::bigtable_model::__private::JsonPayload,
        > {
            ::bigtable_model::__private::InPayload::<
                Option<f64>,
                ::bigtable_model::__private::JsonPayload,
            >::in_payload()
                .or_default()
        }
        #[allow(unused_variables)]
        fn __0(
            cells: &::bigtable_model::__private::EventCells<'_>,
        ) -> ::core::result::Result<
            (u32, Option<f64>),
            ::bigtable_model::__private::ReadError,
        > {
            ::bigtable_model::__private::read_payload::<
                ::bigtable_model::__private::JsonPayload,
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
