/**The row key of [`Balloon`]: `{location}#{at:week{n}}`.

Its order is that of the key's bytes, and inside a row that of the times.

An event is there with column `measurements:measurements_blob`, which holds it.*/
#[derive(::core::clone::Clone)]
#[allow(private_interfaces)]
struct BalloonKey {
    ///Segment `location` of the key.
    pub location: String,
    ///The event's time `at`, whose bucket is in the key: decoded from a key alone it is the bucket's beginning.
    pub at: Timestamp,
}
///[`BalloonKey`] borrowed from the bytes of a row key; reading it allocates nothing.
#[allow(private_interfaces)]
struct BalloonKeyRef<'__key> {
    ///Segment `location` of the key.
    pub location: <String as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
    ///The event's time `at`, whose bucket is in the key: decoded from a key alone it is the bucket's beginning.
    pub at: <Timestamp as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
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
///A query for events of [`Balloon`]. Setters take the segments in the order of the row key, `{location}#{at:week{n}}`; `events` gives the [`Query`](struct@::bigtable_model::query::Query), which has the options.
#[allow(private_interfaces, private_bounds)]
#[must_use = "a query does nothing until it is run"]
struct BalloonQuery<__State = ::bigtable_model::__private::Open<0>, __Read = Balloon> {
    __events: ::bigtable_model::__private::Query<Balloon, __State, __Read>,
}
///An update of one [`Balloon`] has nothing to set: its fields are serialised into one column, which an insert writes as a whole.
#[allow(private_interfaces, missing_debug_implementations)]
#[must_use = "an update does nothing until it is sent"]
struct BalloonUpdate(::bigtable_model::__private::Update<Balloon>);
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
        RequiredInPayload as _,
    };
    impl BalloonKey {
        const __SEGMENTS: &'static [__runtime::Segment; 2usize] = &[
            __runtime::identifier(
                "location",
                <String as __KeySegment>::KIND,
                __runtime::NO_OPTIONS,
            ),
            __runtime::bucket_segment(
                "at",
                <Timestamp as __KeySegment>::KIND,
                __runtime::Bucket {
                    span: __runtime::BucketSpan::Week,
                    zone: __runtime::None,
                    label: __runtime::BucketLabel::Counted {
                        origin: __runtime::Timestamp::from_micros(1614556800000000i64),
                        before: __runtime::borrowed("week"),
                        after: __runtime::borrowed(""),
                        width: 0u16,
                    },
                    grid_micros: 1000i64,
                    truncate: false,
                },
            ),
        ];
        #[inline]
        fn __encode(
            __0: &String,
            __1: &Timestamp,
            out: &mut __runtime::Vec<u8>,
        ) -> __KeyResult<()> {
            let mut writer = __runtime::KeyWriter::new("", "#", out);
            if let __Err(__error) = writer
                .segment(&Self::__SEGMENTS[0usize], <String as __KeySegment>::store(__0))
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
        fn __stored(&self) -> BalloonKeyRef<'_> {
            BalloonKeyRef {
                location: <String as __KeySegment>::store(&self.location),
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
    impl __runtime::ModelKey for BalloonKey {
        const LAYOUT: __runtime::KeyLayout = __runtime::key_layout(
            ("", "#", false),
            Self::__SEGMENTS,
        );
        #[inline]
        fn encode_into(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            Self::__encode(&self.location, &self.at, out)
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
            let mut key = match BalloonKeyRef::decode(key) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            if let __runtime::Some(time) = time {
                __runtime::put_time(&mut key.at, time);
            }
            Self::__restore(&key)
        }
    }
    impl __runtime::Ord for BalloonKey {
        #[inline]
        fn cmp(&self, other: &Self) -> __runtime::Ordering {
            let (one, other) = (self.__stored(), other.__stored());
            __runtime::compare_encoded(
                &<BalloonKey as __runtime::ModelKey>::LAYOUT,
                &one.__values(),
                &other.__values(),
            )
        }
    }
    impl __runtime::PartialOrd for BalloonKey {
        #[inline]
        fn partial_cmp(&self, other: &Self) -> __runtime::Option<__runtime::Ordering> {
            __runtime::Some(__runtime::Ord::cmp(self, other))
        }
    }
    impl __runtime::PartialEq for BalloonKey {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            __runtime::Ord::cmp(self, other).is_eq()
        }
    }
    impl __runtime::Eq for BalloonKey {}
    impl __runtime::Debug for BalloonKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "BalloonKey", &self.__stored().__values())
        }
    }
    impl __runtime::Display for BalloonKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::display_segments(f, &self.__stored().__values())
        }
    }
    __runtime::key_text! {
        [] BalloonKey, []
    }
    impl<'__key> BalloonKeyRef<'__key> {
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 2usize] {
            [
                ("location", __runtime::SegmentPrimitive::into_value(self.location)),
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
                location: match reader.read(&BalloonKey::__SEGMENTS[0usize], false) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                at: match reader.read(&BalloonKey::__SEGMENTS[1usize], true) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                __borrowed: __runtime::PhantomData,
            })
        }
    }
    impl BalloonKey {
        #[inline]
        fn __restore_0(key: &BalloonKeyRef<'_>) -> __KeyResult<String> {
            __runtime::restored(
                "location",
                <String as __KeySegment>::restore(key.location),
            )
        }
        #[inline]
        fn __restore_1(key: &BalloonKeyRef<'_>) -> __KeyResult<Timestamp> {
            __runtime::restored("at", <Timestamp as __KeySegment>::restore(key.at))
        }
        #[inline]
        fn __restore(key: &BalloonKeyRef<'_>) -> __KeyResult<Self> {
            __Ok(Self {
                location: match Self::__restore_0(key) {
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
    impl<'__key> __runtime::Clone for BalloonKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> BalloonKeyRef<'__key> {
            *self
        }
    }
    impl<'__key> __runtime::Copy for BalloonKeyRef<'__key> {}
    impl<'__key> __runtime::Debug for BalloonKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "BalloonKeyRef", &self.__values())
        }
    }
    #[allow(non_camel_case_types, missing_debug_implementations)]
    mod __segments {
        pub struct location;
        pub struct at;
    }
    impl<__State: __runtime::Start> __runtime::Default
    for BalloonQuery<__State, Balloon> {
        fn default() -> Self {
            BalloonQuery {
                __events: __runtime::Default::default(),
            }
        }
    }
    impl<__State, __Read> BalloonQuery<__State, __Read> {
        ///Selects by segment `location` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        pub fn location<__Values, __Kind>(
            self,
            location: __Values,
        ) -> BalloonQuery<__runtime::After<__State, __Kind, 0usize, 1usize>, __Read>
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::location, 0usize>,
            __Values: __runtime::Selects<String, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(location);
            BalloonQuery {
                __events: self.__events.__set_at(0usize, selection),
            }
        }
        ///Selects by segment `at` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        pub fn at<__Values, __Kind>(
            self,
            at: __Values,
        ) -> BalloonQuery<
            __runtime::After<__State, __runtime::One, 1usize, 2usize>,
            __Read,
        >
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::at, 1usize>,
            __Values: __runtime::Selects<Timestamp, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(at);
            BalloonQuery {
                __events: self.__events.__set_at(1usize, selection),
            }
        }
        /// The query as it is so far, with the options of every query: order, limit, conditions.
        pub fn events(&self) -> __runtime::Query<Balloon, __State, __Read> {
            __runtime::Clone::clone(&self.__events)
        }
        /// Reads a projection: its columns only.
        pub fn select<__Other: __runtime::Projection<Model = Balloon>>(
            self,
        ) -> BalloonQuery<__State, __Other> {
            BalloonQuery {
                __events: self.__events.select(),
            }
        }
    }
    impl<__State, __Read: __runtime::Projection<Model = Balloon>> __runtime::AsQuery
    for BalloonQuery<__State, __Read> {
        type Model = Balloon;
        type State = __State;
        type Read = __Read;
        #[inline]
        fn as_query(&self) -> &__runtime::Query<Balloon, __State, __Read> {
            &self.__events
        }
    }
    impl<__State, __Read> __runtime::Clone for BalloonQuery<__State, __Read> {
        fn clone(&self) -> Self {
            BalloonQuery {
                __events: __runtime::Clone::clone(&self.__events),
            }
        }
    }
    impl<__State, __Read> __runtime::Debug for BalloonQuery<__State, __Read> {
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::Debug::fmt(&self.__events, f)
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
    impl BalloonUpdate {}
    impl __runtime::IntoUpdate for BalloonUpdate {
        type Model = Balloon;
        #[inline]
        fn into_update(self) -> __runtime::Update<Balloon> {
            self.0
        }
        #[inline]
        fn with_setters(update: __runtime::Update<Balloon>) -> Self {
            Self(update)
        }
    }
    impl __runtime::Model for Balloon {
        const COLUMNS: &'static [__runtime::ColumnSchema] = &[
            __runtime::column(
                ["measurements_blob", "measurements", "measurements_blob", "json"],
                false,
            ),
        ];
        const SCHEMA: &'static __runtime::Schema = &__runtime::Schema {
            owner: __runtime::Owner::Constant {
                schema: &__runtime::ModelSchema {
                    model: __runtime::borrowed("Balloon"),
                    table: __runtime::fixed_table("BALLOON"),
                    key: <BalloonKey as __runtime::ModelKey>::LAYOUT,
                    layout: __runtime::Layout::Cells,
                    columns: __runtime::borrowed_slice(
                        <Balloon as __runtime::Model>::COLUMNS,
                    ),
                    map_families: __runtime::empty_slice(),
                    presence: __runtime::Presence::Column(
                        __runtime::presence_column_in_bucket(
                            <Balloon as __runtime::Model>::COLUMNS,
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
        const FIELDS: Self::Fields = BalloonFields {
            location: __runtime::KeyField::<Self, _>::new(BalloonKey::__restore_0),
            at: __runtime::KeyField::<Self, _>::new(BalloonKey::__restore_1),
            pressure: __runtime::SerializedField::new(
                    0,
                    |cells| <Self::Fields>::__0(cells).map(|fields| fields.0),
                )
                .in_json(["pressure", "pressure"]),
            temperature: __runtime::SerializedField::new(
                    0,
                    |cells| <Self::Fields>::__0(cells).map(|fields| fields.1),
                )
                .in_json(["temperature", "temp"]),
        };
        type Itself = Self;
        type Key = BalloonKey;
        type KeyRef<'__key> = BalloonKeyRef<'__key>;
        type Fields = BalloonFields;
        type Query = BalloonQuery;
        type Scan = BalloonQuery<__runtime::FullScan, Balloon>;
        type Update = BalloonUpdate;
        #[inline]
        fn key(&self) -> BalloonKey {
            BalloonKey {
                location: __runtime::Clone::clone(&self.location),
                at: __runtime::Clone::clone(&self.at),
            }
        }
        #[inline]
        fn encode_key(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            BalloonKey::__encode(&self.location, &self.at, out)
        }
        #[inline]
        fn decode_key(key: &[u8]) -> __KeyResult<BalloonKeyRef<'_>> {
            BalloonKeyRef::decode(key)
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
                .with(|event| {
                    event
                        .set_payload(
                            0,
                            |out| {
                                let mut writer = <__runtime::Json as __runtime::PayloadFormat>::writer(
                                    out,
                                );
                                if let __Err(__error) = (BalloonFields::__pressure()
                                    .write)(&mut writer, "pressure", 1u32, &self.pressure)
                                {
                                    return __Err(__error);
                                }
                                if let __Err(__error) = (BalloonFields::__temperature()
                                    .write)(&mut writer, "temp", 2u32, &self.temperature)
                                {
                                    return __Err(__error);
                                }
                                <__runtime::Json as __runtime::PayloadFormat>::finish(
                                    writer,
                                )
                            },
                        )
                });
            fields.finish()
        }
        #[inline]
        fn samples(samples: &mut __runtime::Samples) {
            samples.segment(0usize, <String as __KeySegment>::__FORM);
            samples.segment(1usize, <Timestamp as __KeySegment>::__FORM);
            samples
                .payload::<
                    __runtime::Json,
                >(|fields, writer| {
                    fields
                        .field(
                            writer,
                            "pressure",
                            1u32,
                            &BalloonFields::__pressure(),
                            __runtime::InPayload::<u32, __runtime::Json>::sample(),
                        );
                    fields
                        .field(
                            writer,
                            "temp",
                            2u32,
                            &BalloonFields::__temperature(),
                            __runtime::InPayload::<
                                Option<f64>,
                                __runtime::Json,
                            >::sample(),
                        );
                });
        }
        type Series = String;
        #[inline]
        fn series(key: &BalloonKeyRef<'_>) -> __KeyResult<Self::Series> {
            BalloonKey::__restore_0(key)
        }
        #[inline]
        fn set_time(key: &mut BalloonKeyRef<'_>, time: __runtime::Timestamp) {
            __runtime::put_time(&mut key.at, time);
        }
    }
    impl __runtime::Editable for Balloon {}
    impl __runtime::Batched for Balloon {}
    impl __runtime::Projection for Balloon {
        type Model = Self;
        #[inline]
        fn read(
            key: &BalloonKeyRef<'_>,
            cells: &__runtime::EventCells<'_>,
        ) -> __runtime::Result<Self, __runtime::ReadError> {
            let key = match BalloonKey::__restore(key) {
                __Ok(key) => key,
                __Err(error) => return __Err(__runtime::From::from(error)),
            };
            let payload = match BalloonFields::__0(cells) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            __Ok(Self {
                location: key.location,
                at: key.at,
                pressure: payload.0,
                temperature: payload.1,
            })
        }
    }
    impl __runtime::SerializedModel for Balloon {}
    const _: () = __runtime::check_segment(
        <String as __KeySegment>::KIND,
        __runtime::NO_OPTIONS,
        false,
        (<String as __KeySegment>::NAMES, "#"),
    );
    const _: () = __runtime::check_time(
        <Timestamp as __KeySegment>::KIND,
        __runtime::NO_OPTIONS,
        true,
    );
    const _: () = __runtime::check_first(
        <String as __KeySegment>::KIND,
        "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of(location))`, or write `allow(time_first)` on the struct",
    );
    const _: () = __runtime::check_few(
        <String as __KeySegment>::KIND,
        <String as __KeySegment>::NAMES,
        "a key that begins with one of few values and then the time sends all new events to as few nodes: put another identifier before `at`, spread it with `salt(shards = 64, of(location, at))`, or write `allow(time_first)` on the struct",
    );
    const _: () = __runtime::check_key(<BalloonKey as __runtime::ModelKey>::LAYOUT);
    impl BalloonFields {
        #[inline]
        fn __pressure() -> __runtime::PayloadAccess<u32, __runtime::Json> {
            __runtime::InPayload::<u32, __runtime::Json>::in_payload()
        }
        #[inline]
        fn __temperature() -> __runtime::PayloadAccess<Option<f64>, __runtime::Json> {
            __runtime::InPayload::<Option<f64>, __runtime::Json>::in_payload()
                .or_default()
        }
        #[inline]
        fn __0(
            cells: &__runtime::EventCells<'_>,
        ) -> __runtime::Result<(u32, Option<f64>), __runtime::ReadError> {
            __runtime::read_payload::<
                __runtime::Json,
                _,
            >(
                cells,
                0,
                |reader| {
                    __Ok((
                        match Self::__pressure().field(reader, "pressure", 1u32) {
                            __Ok(__value) => __value,
                            __Err(__error) => return __Err(__error),
                        },
                        match Self::__temperature().field(reader, "temp", 2u32) {
                            __Ok(__value) => __value,
                            __Err(__error) => return __Err(__error),
                        },
                    ))
                },
            )
        }
    }
};
