/**The row key of [`Page`]: `{path}`.

Its order is that of the key's bytes.

An event is there with the first of its columns that is no `Option` and has no `default`.*/
#[derive(::core::clone::Clone)]
#[allow(private_interfaces)]
struct PageKey {
    ///Segment `path` of the key.
    pub path: String,
}
///[`PageKey`] borrowed from the bytes of a row key; reading it allocates nothing.
#[allow(private_interfaces)]
struct PageKeyRef<'__key> {
    ///Segment `path` of the key.
    pub path: <String as ::bigtable_model::__private::KeySegment>::Stored<'__key>,
    __borrowed: ::core::marker::PhantomData<&'__key [u8]>,
}
///Handles on the fields of [`Page`], as in `Page::FIELDS`.
#[allow(private_interfaces, missing_debug_implementations)]
struct PageFields {
    ///Field `path`.
    pub path: ::bigtable_model::__private::KeyField<Page, String>,
    ///Field `views`.
    pub views: ::bigtable_model::__private::Column<
        Page,
        i64,
        ::bigtable_model::__private::Counter,
    >,
    ///Field `visitors`.
    pub visitors: ::bigtable_model::__private::Column<
        Page,
        Option<String>,
        ::bigtable_model::__private::Append,
    >,
    ///Field `seconds`.
    pub seconds: ::bigtable_model::__private::Column<
        Page,
        i64,
        ::bigtable_model::__private::Aggregate,
    >,
}
///A query for events of [`Page`]. Setters take the segments in the order of the row key, `{path}`; `events` gives the [`Query`](struct@::bigtable_model::query::Query), which has the options.
#[allow(private_interfaces, private_bounds)]
#[must_use = "a query does nothing until it is run"]
struct PageQuery<__State = ::bigtable_model::__private::Open<0>, __Read = Page> {
    __events: ::bigtable_model::__private::Query<Page, __State, __Read>,
}
///An update of some columns of one [`Page`]; columns that are not set are left alone.
#[allow(private_interfaces, missing_debug_implementations)]
#[must_use = "an update does nothing until it is sent"]
struct PageUpdate(::bigtable_model::__private::Update<Page>);
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
    impl PageKey {
        const __SEGMENTS: &'static [__runtime::Segment; 1usize] = &[
            __runtime::identifier(
                "path",
                <String as __KeySegment>::KIND,
                __runtime::NO_OPTIONS,
            ),
        ];
        #[inline]
        fn __encode(__0: &String, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            let mut writer = __runtime::KeyWriter::new("", "#", out);
            if let __Err(__error) = writer
                .segment(&Self::__SEGMENTS[0usize], <String as __KeySegment>::store(__0))
            {
                return __Err(__error);
            }
            writer.finish()
        }
        #[inline]
        fn __stored(&self) -> PageKeyRef<'_> {
            PageKeyRef {
                path: <String as __KeySegment>::store(&self.path),
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
    impl __runtime::ModelKey for PageKey {
        const LAYOUT: __runtime::KeyLayout = __runtime::key_layout(
            ("", "#", false),
            Self::__SEGMENTS,
        );
        #[inline]
        fn encode_into(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            Self::__encode(&self.path, out)
        }
        #[inline]
        fn time(&self) -> __runtime::Option<__runtime::Timestamp> {
            __runtime::None
        }
        #[inline]
        fn decode_at(
            key: &[u8],
            _: __runtime::Option<__runtime::Timestamp>,
        ) -> __KeyResult<Self> {
            let key = match PageKeyRef::decode(key) {
                __Ok(__value) => __value,
                __Err(__error) => return __Err(__error),
            };
            Self::__restore(&key)
        }
    }
    impl __runtime::Ord for PageKey {
        #[inline]
        fn cmp(&self, other: &Self) -> __runtime::Ordering {
            let (one, other) = (self.__stored(), other.__stored());
            __runtime::SegmentPrimitive::compare(
                one.path,
                other.path,
                &Self::__SEGMENTS[0usize].format,
            )
        }
    }
    impl __runtime::PartialOrd for PageKey {
        #[inline]
        fn partial_cmp(&self, other: &Self) -> __runtime::Option<__runtime::Ordering> {
            __runtime::Some(__runtime::Ord::cmp(self, other))
        }
    }
    impl __runtime::PartialEq for PageKey {
        #[inline]
        fn eq(&self, other: &Self) -> bool {
            __runtime::Ord::cmp(self, other).is_eq()
        }
    }
    impl __runtime::Eq for PageKey {}
    impl __runtime::Debug for PageKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "PageKey", &self.__stored().__values())
        }
    }
    impl __runtime::Display for PageKey {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::display_segments(f, &self.__stored().__values())
        }
    }
    __runtime::key_text! {
        [] PageKey, []
    }
    impl<'__key> PageKeyRef<'__key> {
        #[inline]
        fn __values(&self) -> [(&'static str, __runtime::SegmentValue); 1usize] {
            [("path", __runtime::SegmentPrimitive::into_value(self.path))]
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
                path: match reader.read(&PageKey::__SEGMENTS[0usize], true) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                __borrowed: __runtime::PhantomData,
            })
        }
    }
    impl PageKey {
        #[inline]
        fn __restore_0(key: &PageKeyRef<'_>) -> __KeyResult<String> {
            __runtime::restored("path", <String as __KeySegment>::restore(key.path))
        }
        #[inline]
        fn __restore(key: &PageKeyRef<'_>) -> __KeyResult<Self> {
            __Ok(Self {
                path: match Self::__restore_0(key) {
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
    impl<'__key> __runtime::Clone for PageKeyRef<'__key> {
        #[inline]
        fn clone(&self) -> PageKeyRef<'__key> {
            *self
        }
    }
    impl<'__key> __runtime::Copy for PageKeyRef<'__key> {}
    impl<'__key> __runtime::Debug for PageKeyRef<'__key> {
        #[inline]
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::debug_segments(f, "PageKeyRef", &self.__values())
        }
    }
    #[allow(non_camel_case_types, missing_debug_implementations)]
    mod __segments {
        pub struct path;
    }
    impl<__State: __runtime::Start> __runtime::Default for PageQuery<__State, Page> {
        fn default() -> Self {
            PageQuery {
                __events: __runtime::Default::default(),
            }
        }
    }
    impl<__State, __Read> PageQuery<__State, __Read> {
        ///Selects by segment `path` of the key: a value, a set, a range, for strings `starts_with(...)`, or an `Option` of these.
        pub fn path<__Values, __Kind>(
            self,
            path: __Values,
        ) -> PageQuery<__runtime::After<__State, __Kind, 0usize, 1usize>, __Read>
        where
            __State: __runtime::Next + __runtime::Accepts<__segments::path, 0usize>,
            __Values: __runtime::Selects<String, __Kind>,
            __Kind: __runtime::SelectionKind,
        {
            let selection = __runtime::Selects::into_selection(path);
            PageQuery {
                __events: self.__events.__set_at(0usize, selection),
            }
        }
        /// The query as it is so far, with the options of every query: order, limit, conditions.
        pub fn events(&self) -> __runtime::Query<Page, __State, __Read> {
            __runtime::Clone::clone(&self.__events)
        }
        /// Reads a projection: its columns only.
        pub fn select<__Other: __runtime::Projection<Model = Page>>(
            self,
        ) -> PageQuery<__State, __Other> {
            PageQuery {
                __events: self.__events.select(),
            }
        }
    }
    impl<__State, __Read: __runtime::Projection<Model = Page>> __runtime::AsQuery
    for PageQuery<__State, __Read> {
        type Model = Page;
        type State = __State;
        type Read = __Read;
        #[inline]
        fn as_query(&self) -> &__runtime::Query<Page, __State, __Read> {
            &self.__events
        }
    }
    impl<__State, __Read> __runtime::Clone for PageQuery<__State, __Read> {
        fn clone(&self) -> Self {
            PageQuery {
                __events: __runtime::Clone::clone(&self.__events),
            }
        }
    }
    impl<__State, __Read> __runtime::Debug for PageQuery<__State, __Read> {
        fn fmt(&self, f: &mut __runtime::Formatter<'_>) -> __runtime::Formatted {
            __runtime::Debug::fmt(&self.__events, f)
        }
    }
    impl __runtime::QueryState<Page> for __runtime::Open<1usize> {
        type Order = __runtime::ByKey;
    }
    impl __runtime::QueryState<Page> for __runtime::Closed<0usize> {
        type Order = __runtime::ByKey;
    }
    impl PageUpdate {
        ///Sets column `views`; an `Option` that is `None` deletes it.
        /// How often it was seen.
        pub fn views(self, views: impl __ColumnArg<i64>) -> Self {
            Self(self.0.set(0usize, PageFields::__views, views))
        }
        ///Sets column `visitors`; an `Option` that is `None` deletes it.
        pub fn visitors(self, visitors: impl __ColumnArg<Option<String>>) -> Self {
            Self(self.0.set(1usize, PageFields::__visitors, visitors))
        }
        ///Adds to the sum in column `seconds`.
        /// How long.
        #[inline]
        pub fn add_seconds(self, seconds: i64) -> Self {
            Self(self.0.add(2usize, seconds))
        }
    }
    impl __runtime::IntoUpdate for PageUpdate {
        type Model = Page;
        #[inline]
        fn into_update(self) -> __runtime::Update<Page> {
            self.0
        }
        #[inline]
        fn with_setters(update: __runtime::Update<Page>) -> Self {
            Self(update)
        }
    }
    impl __runtime::Model for Page {
        const COLUMNS: &'static [__runtime::ColumnSchema] = &[
            __runtime::of_kind(
                __runtime::ColumnKind::Counter,
                __runtime::column(["views", "P", "N", "native"], true),
            ),
            __runtime::of_kind(
                __runtime::ColumnKind::Append,
                __runtime::column(
                    ["visitors", "P", "visitors", "native"],
                    __Field::<Option<String>, __runtime::Native>::OPTIONAL,
                ),
            ),
            __runtime::of_kind(
                __runtime::ColumnKind::Aggregate(__runtime::AggregateKind::Sum),
                __runtime::column(
                    ["seconds", "SUM", "seconds", "native"],
                    __Field::<i64, __runtime::Native>::OPTIONAL,
                ),
            ),
        ];
        const SCHEMA: &'static __runtime::Schema = &__runtime::Schema {
            owner: __runtime::Owner::Constant {
                schema: &__runtime::ModelSchema {
                    model: __runtime::borrowed("Page"),
                    table: __runtime::fixed_table("PAGE"),
                    key: <PageKey as __runtime::ModelKey>::LAYOUT,
                    layout: __runtime::Layout::Row,
                    columns: __runtime::borrowed_slice(
                        <Page as __runtime::Model>::COLUMNS,
                    ),
                    map_families: __runtime::empty_slice(),
                    presence: __runtime::Presence::Column(
                        __runtime::presence_column(<Page as __runtime::Model>::COLUMNS),
                    ),
                    cell_time: __runtime::CellTime::Write,
                    gc_rules: __runtime::empty_slice(),
                    append_only: false,
                    pack_after_micros: __runtime::None,
                    rollups: __runtime::empty_slice(),
                    former: __runtime::None,
                },
            },
        };
        const FIELDS: Self::Fields = PageFields {
            path: __runtime::KeyField::<Self, _>::new(PageKey::__restore_0),
            views: __runtime::Column::new(0usize, PageFields::__views),
            visitors: __runtime::Column::new(1usize, PageFields::__visitors),
            seconds: __runtime::Column::new(2usize, PageFields::__seconds),
        };
        type Itself = Self;
        type Key = PageKey;
        type KeyRef<'__key> = PageKeyRef<'__key>;
        type Fields = PageFields;
        type Query = PageQuery;
        type Scan = PageQuery<__runtime::FullScan, Page>;
        type Update = PageUpdate;
        #[inline]
        fn key(&self) -> PageKey {
            PageKey {
                path: __runtime::Clone::clone(&self.path),
            }
        }
        #[inline]
        fn encode_key(&self, out: &mut __runtime::Vec<u8>) -> __KeyResult<()> {
            PageKey::__encode(&self.path, out)
        }
        #[inline]
        fn decode_key(key: &[u8]) -> __KeyResult<PageKeyRef<'_>> {
            PageKeyRef::decode(key)
        }
        #[inline]
        fn time(&self) -> __runtime::Option<__runtime::Timestamp> {
            __runtime::None
        }
        #[inline]
        fn write_columns(
            &self,
            event: &mut __runtime::EventWriter,
        ) -> __runtime::Result<(), __runtime::ColumnError> {
            let mut fields = __runtime::FieldsWriter::of(event);
            fields.field(0usize, PageFields::__views(), &self.views);
            fields.field(1usize, PageFields::__visitors(), &self.visitors);
            fields.field(2usize, PageFields::__seconds(), &self.seconds);
            fields.finish()
        }
        #[inline]
        fn samples(samples: &mut __runtime::Samples) {
            samples.segment(0usize, <String as __KeySegment>::__FORM);
            samples.column(0usize, &PageFields::__views());
            samples.column(1usize, &PageFields::__visitors());
            samples.column(2usize, &PageFields::__seconds());
        }
        type Series = String;
        #[inline]
        fn series(key: &PageKeyRef<'_>) -> __KeyResult<Self::Series> {
            PageKey::__restore_0(key)
        }
    }
    impl __runtime::Editable for Page {}
    impl __runtime::Batched for Page {}
    impl __runtime::Projection for Page {
        type Model = Self;
        #[inline]
        fn read(
            key: &PageKeyRef<'_>,
            cells: &__runtime::EventCells<'_>,
        ) -> __runtime::Result<Self, __runtime::ReadError> {
            let key = match PageKey::__restore(key) {
                __Ok(key) => key,
                __Err(error) => return __Err(__runtime::From::from(error)),
            };
            __Ok(Self {
                path: key.path,
                views: match PageFields::__views().read(cells, 0usize) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                visitors: match PageFields::__visitors().read(cells, 1usize) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
                seconds: match PageFields::__seconds().read(cells, 2usize) {
                    __Ok(__value) => __value,
                    __Err(__error) => return __Err(__error),
                },
            })
        }
    }
    const _: () = __runtime::check_segment(
        <String as __KeySegment>::KIND,
        __runtime::NO_OPTIONS,
        true,
        (<String as __KeySegment>::NAMES, "#"),
    );
    const _: () = __runtime::check_first(
        <String as __KeySegment>::KIND,
        "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of(path))`, or write `allow(time_first)` on the struct",
    );
    const _: () = __runtime::check_presence(<Page as __runtime::Model>::COLUMNS);
    impl PageFields {
        #[inline]
        fn __views() -> __FieldAccess<i64> {
            <i64 as __runtime::NumberField>::counter().or_default()
        }
        #[inline]
        fn __visitors() -> __FieldAccess<Option<String>> {
            <Option<String> as __runtime::AppendField>::append()
        }
        #[inline]
        fn __seconds() -> __FieldAccess<i64> {
            <i64 as __runtime::NumberField>::aggregate()
        }
    }
};
