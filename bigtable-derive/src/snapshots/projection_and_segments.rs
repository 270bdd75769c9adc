const _: () = {
    #[automatically_derived]
    impl ::bigtable_model::__private::Projection for Bids {
        type Model = <Quote as ::bigtable_model::__private::Model>::Itself;
        const USES: ::core::option::Option<
            &'static [::bigtable_model::__private::FieldUse],
        > = ::core::option::Option::Some(
            &[
                <Quote as ::bigtable_model::__private::Model>::FIELDS.at.field_use(),
                <Quote as ::bigtable_model::__private::Model>::FIELDS.bid.field_use(),
            ],
        );
        #[inline]
        #[allow(unused_variables)]
        fn read(
            key: &<Quote as ::bigtable_model::__private::Model>::KeyRef<'_>,
            cells: &::bigtable_model::__private::EventCells<'_>,
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::ReadError> {
            ::core::result::Result::Ok(Self {
                at: <Quote as ::bigtable_model::__private::Model>::FIELDS
                    .at
                    .read(key, cells)?,
                bid: <Quote as ::bigtable_model::__private::Model>::FIELDS
                    .bid
                    .read(key, cells)?,
            })
        }
    }
};
const _: () = {
    #[automatically_derived]
    impl ::bigtable_model::__private::KeySegment for Venue {
        type Stored<'__key> = &'__key str;
        const NAMES: ::core::option::Option<&'static [&'static str]> = ::core::option::Option::Some(
            &["Nasdaq", "NYSE-ARCA"],
        );
        #[inline]
        fn store(&self) -> Self::Stored<'_> {
            match self {
                Self::Nasdaq => "Nasdaq",
                Self::Arca => "NYSE-ARCA",
            }
        }
        #[inline]
        fn restore(
            stored: Self::Stored<'_>,
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::SegmentError> {
            match stored {
                "Nasdaq" => ::core::result::Result::Ok(Self::Nasdaq),
                "NYSE-ARCA" => ::core::result::Result::Ok(Self::Arca),
                _ => {
                    ::core::result::Result::Err(
                        ::bigtable_model::__private::unknown_variant(
                            stored,
                            "Venue",
                            &["Nasdaq", "NYSE-ARCA"],
                        ),
                    )
                }
            }
        }
    }
};
const _: () = {
    #[automatically_derived]
    impl ::bigtable_model::__private::KeySegment for Symbol {
        type Stored<'__key> = <String as ::bigtable_model::__private::KeySegment>::Stored<
            '__key,
        >;
        const KIND: ::bigtable_model::__private::SegmentKind = <String as ::bigtable_model::__private::KeySegment>::KIND;
        const NAMES: ::core::option::Option<&'static [&'static str]> = <String as ::bigtable_model::__private::KeySegment>::NAMES;
        const __IS_OWN: bool = <String as ::bigtable_model::__private::KeySegment>::__IS_OWN;
        #[inline]
        fn store(&self) -> Self::Stored<'_> {
            <String as ::bigtable_model::__private::KeySegment>::store(&self.0)
        }
        #[inline]
        fn restore(
            stored: Self::Stored<'_>,
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::SegmentError> {
            let inner = <String as ::bigtable_model::__private::KeySegment>::restore(
                stored,
            )?;
            ::core::result::Result::Ok(Self(inner))
        }
    }
};
