const _: () = {
    #[automatically_derived]
    impl ::bigtable_model::__private::CellValue for Side {
        const NAME: &'static str = "utf8";
        #[inline]
        fn encode_value(
            &self,
            out: &mut ::bigtable_model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::ValueError> {
            let name: &'static str = match self {
                Self::Bid => "Bid",
                Self::Ask => "Offer",
            };
            out.extend_from_slice(name.as_bytes());
            ::core::result::Result::Ok(())
        }
        #[inline]
        fn decode_value(
            bytes: &[u8],
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::ValueError> {
            match ::bigtable_model::__private::name_in_cell(bytes) {
                ::core::option::Option::Some("Bid") => {
                    ::core::result::Result::Ok(Self::Bid)
                }
                ::core::option::Option::Some("Offer") => {
                    ::core::result::Result::Ok(Self::Ask)
                }
                _ => {
                    ::core::result::Result::Err(
                        ::bigtable_model::__private::unknown_name(
                            bytes,
                            "Side",
                            &["Bid", "Offer"],
                        ),
                    )
                }
            }
        }
        #[inline]
        fn samples() -> ::bigtable_model::__private::Vec<Self> {
            ::bigtable_model::__private::Vec::from([Self::Bid, Self::Ask])
        }
        #[inline]
        fn takes() -> ::bigtable_model::__private::Takes {
            ::bigtable_model::__private::Takes::names(&["Bid", "Offer"])
        }
    }
};
const _: () = {
    #[automatically_derived]
    impl ::bigtable_model::__private::CellValue for Cents {
        const NAME: &'static str = <i64 as ::bigtable_model::__private::CellValue>::NAME;
        #[inline]
        fn encode_value(
            &self,
            out: &mut ::bigtable_model::__private::Vec<u8>,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::ValueError> {
            <i64 as ::bigtable_model::__private::CellValue>::encode_value(
                &self.inner,
                out,
            )
        }
        #[inline]
        fn shared_value(
            &self,
        ) -> ::core::option::Option<&::bigtable_model::__private::CellBytes> {
            <i64 as ::bigtable_model::__private::CellValue>::shared_value(&self.inner)
        }
        #[inline]
        fn decode_value(
            bytes: &[u8],
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::ValueError> {
            let inner = <i64 as ::bigtable_model::__private::CellValue>::decode_value(
                bytes,
            )?;
            ::core::result::Result::Ok(Self { inner: inner })
        }
        #[inline]
        fn decode_shared_value(
            bytes: &::bigtable_model::__private::CellBytes,
        ) -> ::core::result::Result<Self, ::bigtable_model::__private::ValueError> {
            let inner = <i64 as ::bigtable_model::__private::CellValue>::decode_shared_value(
                bytes,
            )?;
            ::core::result::Result::Ok(Self { inner: inner })
        }
        #[inline]
        fn samples() -> ::bigtable_model::__private::Vec<Self> {
            let values = ::core::iter::IntoIterator::into_iter(
                <i64 as ::bigtable_model::__private::CellValue>::samples(),
            );
            ::core::iter::Iterator::collect(
                ::core::iter::Iterator::map(values, |inner| Self { inner: inner }),
            )
        }
        #[inline]
        fn takes() -> ::bigtable_model::__private::Takes {
            <i64 as ::bigtable_model::__private::CellValue>::takes()
        }
    }
};
