//! Random mutations for property tests.

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;

use super::Mutation;

/// A mutation of any kind; some have a value of about `long` bytes.
pub(crate) fn mutation(long: usize) -> impl Strategy<Value = Mutation> {
    let short = || vec(any::<u8>(), 0..4).prop_map(Bytes::from);
    let value = prop_oneof![
        9 => vec(any::<u8>(), 0..200).prop_map(Bytes::from),
        1 => (long - 3..long + 3).prop_map(|len| vec![7; len].into()),
    ];
    let micros = || prop_oneof![Just(0), Just(-1), any::<i64>()];
    prop_oneof![
        4 => ("[a-z]{0,2}", short(), micros(), value).prop_map(|(family, qualifier, timestamp_micros, value)| {
            Mutation::SetCell { family: family.into(), qualifier, timestamp_micros, value }
        }),
        1 => ("[a-z]{0,2}", short(), micros(), any::<i64>()).prop_map(|(family, qualifier, timestamp_micros, input)| {
            Mutation::AddToCell { family: family.into(), qualifier, timestamp_micros, input }
        }),
        1 => ("[a-z]{0,2}", short(), micros(), micros()).prop_map(|(family, qualifier, start_micros, end_micros)| {
            Mutation::DeleteFromColumn { family: family.into(), qualifier, start_micros, end_micros }
        }),
        1 => ("[a-z]{0,2}", short(), micros(), short()).prop_map(|(family, qualifier, timestamp_micros, input)| {
            Mutation::MergeToCell { family: family.into(), qualifier, timestamp_micros, input }
        }),
        1 => "[a-z]{0,2}".prop_map(|family| Mutation::DeleteFromFamily { family: family.into() }),
        1 => Just(Mutation::DeleteFromRow),
    ]
}
