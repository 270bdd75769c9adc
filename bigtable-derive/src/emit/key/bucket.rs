//! Buckets, offsets, salts and layouts as constants.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned as _;

use crate::model::{
    Bucket, HotSeries, Label, Layout, Model, Offset, PeriodTables, Salt, Span, Unit,
};

use super::format::format_items;

/// `SegmentFormat::Bucket(...)`.
pub(in crate::emit) fn format(bucket: &Bucket, runtime: &TokenStream) -> TokenStream {
    let bucket = value(bucket, runtime);
    quote!(#runtime::SegmentFormat::Bucket(#bucket))
}

/// The periods of tables, which are buckets too: of times as they are stored, whatever their grid.
pub(in crate::emit) fn periods(tables: &PeriodTables, runtime: &TokenStream) -> TokenStream {
    let periods = Bucket {
        span: tables.span,
        zone: tables.zone.clone(),
        label: Label::Calendar(tables.items.clone()),
        grid_micros: 1,
        truncate: false,
    };
    value(&periods, runtime)
}

pub(super) fn value(bucket: &Bucket, runtime: &TokenStream) -> TokenStream {
    let Bucket {
        grid_micros,
        truncate,
        ..
    } = bucket;
    let span = span(bucket.span);
    let zone = match &bucket.zone {
        Some(zone) => quote!(#runtime::Some(#runtime::borrowed(#zone))),
        None => quote!(#runtime::None),
    };
    let label = label(&bucket.label, runtime);
    quote! {
        #runtime::Bucket {
            span: #runtime::BucketSpan::#span,
            zone: #zone,
            label: #runtime::BucketLabel::#label,
            grid_micros: #grid_micros,
            truncate: #truncate,
        }
    }
}

fn span(span: Span) -> TokenStream {
    match span {
        Span::Every(micros) => quote!(Every { micros: #micros }),
        Span::Minute => quote!(Minute),
        Span::Hour => quote!(Hour),
        Span::Day => quote!(Day),
        Span::Week => quote!(Week),
        Span::Month => quote!(Month),
        Span::Year => quote!(Year),
        Span::Endless => quote!(Endless),
    }
}

fn label(label: &Label, runtime: &TokenStream) -> TokenStream {
    match label {
        Label::Calendar(items) => {
            let format = format_items(items, runtime);
            quote!(Calendar(#format))
        }
        Label::Start {
            unit,
            width,
            reverse,
        } => {
            let unit = self::unit(*unit, runtime);
            quote!(Start { unit: #unit, width: #width, reverse: #reverse })
        }
        Label::BinaryStart { unit, reverse } => {
            let unit = self::unit(*unit, runtime);
            quote!(BinaryStart { unit: #unit, reverse: #reverse })
        }
        Label::Units {
            micros,
            origin_micros,
            width,
            reverse,
        } => quote! {
            Units {
                micros: #micros,
                origin: #runtime::Timestamp::from_micros(#origin_micros),
                width: #width,
                reverse: #reverse,
            }
        },
        Label::Counted {
            origin_micros,
            before,
            after,
            width,
        } => quote! {
            Counted {
                origin: #runtime::Timestamp::from_micros(#origin_micros),
                before: #runtime::borrowed(#before),
                after: #runtime::borrowed(#after),
                width: #width,
            }
        },
        Label::Absent => quote!(Absent),
    }
}

pub(in crate::emit) fn unit(unit: Unit, runtime: &TokenStream) -> TokenStream {
    let unit = quote::format_ident!("{unit:?}");
    quote!(#runtime::TimeUnit::#unit)
}

/// The salt as a segment of the key.
pub(in crate::emit) fn salt(model: &Model, salt: &Salt, runtime: &TokenStream) -> TokenStream {
    let (shards, first) = (salt.shards, salt.first);
    let of = salt.of.iter().map(|segment| model.physical(*segment));
    let hot = match &salt.hot {
        None => quote!(#runtime::None),
        Some(hot) => {
            let hot = hot_series(model, hot, runtime);
            quote!(#runtime::Some(#hot))
        }
    };
    let hash = match &salt.hash {
        None => quote!(#runtime::SaltHash::Xxh64),
        Some(own) => {
            let own = crate::emit::at(own.span(), quote!(#runtime::OwnHash::of::<#own>()));
            quote!(#runtime::SaltHash::Own(#own))
        }
    };
    quote! {
        #runtime::Segment {
            name: #runtime::borrowed("salt"),
            role: #runtime::SegmentRole::Salt,
            kind: #runtime::SegmentKind::Unsigned { bits: 16 },
            format: #runtime::SegmentFormat::Salt(#runtime::Salt {
                shards: #shards,
                first: #first,
                of: #runtime::borrowed_slice(&[#(#of),*]),
                hash: #hash,
                hot: #hot,
            }),
        }
    }
}

/// The series whose rows the salt spreads.
fn hot_series(model: &Model, hot: &HotSeries, runtime: &TokenStream) -> TokenStream {
    let segment = model.physical(hot.segment);
    let series = hot.series.iter().map(|one| model.physical(*one));
    let values = hot.values.iter();
    let values = values.map(|(value, shards)| quote!((#runtime::borrowed(#value), #shards)));
    quote! {
        #runtime::HotSeries {
            segment: #segment,
            series: #runtime::borrowed_slice(&[#(#series),*]),
            values: #runtime::borrowed_slice(const { &[#(#values),*] }),
        }
    }
}

/// The schema's layout.
pub(in crate::emit) fn layout(layout: &Layout, runtime: &TokenStream) -> TokenStream {
    let variant = format_ident!("{}", layout.kind.variant());
    let held = layout.offset.as_ref().map(|offset| {
        let offset = self::offset(offset, runtime);
        let named = layout.named;
        quote!({ offset: #runtime::Offset::#offset, named: #named })
    });
    quote!(#runtime::Layout::#variant #held)
}

fn offset(offset: &Offset, runtime: &TokenStream) -> TokenStream {
    match offset {
        Offset::Ticks {
            unit,
            width,
            reverse,
        } => {
            let unit = self::unit(*unit, runtime);
            quote!(Ticks { unit: #unit, width: #width, reverse: #reverse })
        }
        Offset::Calendar(items) => {
            let format = format_items(items, runtime);
            quote!(Calendar(#format))
        }
    }
}
