#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, deprecated)]
const _: () = {
    #[automatically_derived]
    impl ::bigtable_model::__private::Rollup for Bar {
        type Source = Trade;
        const LEVELS: &'static [::bigtable_model::__private::Level] = {
            let _ = __symbol;
            &[
                ::bigtable_model::__private::Level::every(
                    ::core::time::Duration::from_micros(60000000u64),
                ),
                ::bigtable_model::__private::Level::day()
                    .zone("America/New_York")
                    .in_table("BAR_DAY"),
            ]
        };
        #[allow(unused_variables)]
        #[inline]
        fn of(event: &Trade, start: ::bigtable_model::__private::Timestamp) -> Self {
            Self {
                symbol: ::core::clone::Clone::clone(__symbol(event)),
                start: ::bigtable_model::__private::bucket_start::<Timestamp>(start),
                trades: ::bigtable_model::__private::ColumnAggregate::of(
                    &__trades(),
                    event,
                ),
                turnover: ::bigtable_model::__private::ColumnAggregate::of(
                    &__turnover(),
                    event,
                ),
                price: ::bigtable_model::__private::ColumnAggregate::of(
                    &__price(),
                    event,
                ),
                widest: ::bigtable_model::__private::ColumnAggregate::of(
                    &__widest(),
                    event,
                ),
                note: ::core::default::Default::default(),
            }
        }
        #[allow(unused_variables)]
        #[inline]
        fn merge(
            &mut self,
            later: &Self,
        ) -> ::core::result::Result<(), ::bigtable_model::__private::RollupError> {
            ::bigtable_model::__private::ColumnAggregate::merge(
                &__trades(),
                &mut self.trades,
                &later.trades,
                "trades",
            )?;
            ::bigtable_model::__private::ColumnAggregate::merge(
                &__turnover(),
                &mut self.turnover,
                &later.turnover,
                "turnover",
            )?;
            ::bigtable_model::__private::ColumnAggregate::merge(
                &__price(),
                &mut self.price,
                &later.price,
                "price",
            )?;
            ::bigtable_model::__private::ColumnAggregate::merge(
                &__widest(),
                &mut self.widest,
                &later.widest,
                "widest",
            )?;
            ::core::result::Result::Ok(())
        }
        #[allow(unused_variables)]
        #[inline]
        fn starting(self, start: ::bigtable_model::__private::Timestamp) -> Self {
            Self {
                start: ::bigtable_model::__private::bucket_start::<Timestamp>(start),
                ..self
            }
        }
    }
    #[allow(non_upper_case_globals)]
    const __symbol: fn(&Trade) -> &String = |event| &event.symbol;
    #[allow(unused_variables)]
    #[inline]
    fn __trades() -> impl ::bigtable_model::__private::ColumnAggregate<Trade, u64> {
        ::bigtable_model::__private::values(|event: &Trade| ())
            .held::<::bigtable_model::__private::rollup::Count, u64>()
    }
    #[allow(unused_variables)]
    #[inline]
    fn __turnover() -> impl ::bigtable_model::__private::ColumnAggregate<Trade, f64> {
        ::bigtable_model::__private::values(|event: &Trade| turnover(event))
            .held::<::bigtable_model::__private::rollup::Sum, f64>()
    }
    #[allow(unused_variables)]
    #[inline]
    fn __price() -> impl ::bigtable_model::__private::ColumnAggregate<Trade, f64> {
        ::bigtable_model::__private::values(|event: &Trade| ::core::clone::Clone::clone(
                &event.price,
            ))
            .held::<::bigtable_model::__private::rollup::Max, f64>()
    }
    #[allow(unused_variables)]
    #[inline]
    fn __widest() -> impl ::bigtable_model::__private::ColumnAggregate<
        Trade,
        Option<f64>,
    > {
        ::bigtable_model::__private::values(|event: &Trade| ::core::clone::Clone::clone(
                &event.spread,
            ))
            .held::<my::Widest, Option<f64>>()
    }
    const _: () = ::bigtable_model::__private::check_names_rollup::<Trade, Bar>();
};
