#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests"
)]

use std::pin::pin;

use futures::FutureExt;
use http_body::Body;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::Timestamp;
use crate::data::Idempotency;
use crate::grpc::protocol::names::Target;
use crate::grpc::protocol::wire::{MutateRowsEntry, MutateRowsRequest};

fn mutation() -> impl Strategy<Value = Mutation> {
    let short = || vec(any::<u8>(), 0..4).prop_map(Bytes::from);
    let value = prop_oneof![
        9 => vec(any::<u8>(), 0..200).prop_map(Bytes::from),
        1 => (WORTH_A_FRAME - 3..WORTH_A_FRAME + 3).prop_map(|len| vec![7; len].into()),
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

fn rows() -> impl Strategy<Value = Vec<RowOnce>> {
    let token = (vec(any::<u8>(), 0..20), option::of(0..i64::MAX));
    let token = token.prop_map(|(token, start)| Idempotency {
        token: token.into(),
        start_time: start.map(Timestamp::from_micros),
    });
    let row = (
        vec(any::<u8>(), 0..5),
        vec(mutation(), 0..5),
        option::of(token),
    );
    let row = row.prop_map(|(key, mutations, idempotency)| RowOnce {
        row: RowMutations {
            key: key.into(),
            mutations,
        },
        idempotency,
    });
    vec(row, 0..5)
}

fn next_frame(body: &mut EntriesBody) -> Option<Bytes> {
    let frame = std::future::poll_fn(|context| pin!(&mut *body).poll_frame(context));
    let frame = frame.now_or_never().unwrap()?;
    frame.unwrap().into_data().ok()
}

proptest! {
    /// What goes out is the published message, and of the size that was told before.
    #[test]
    fn the_bytes_are_those_of_the_message(
        rows in rows(),
        wanted in vec(any::<bool>(), 5),
        table in "[a-z]{0,3}",
        profile in "[a-z]{0,3}",
        view in "[a-z]{0,3}",
    ) {
        let chosen: Vec<usize> = (0..rows.len()).filter(|index| wanted[*index]).collect();
        let message = MutateRowsRequest {
            table_name: table.clone(),
            app_profile_id: profile.clone(),
            entries: chosen.iter().map(|index| rows[*index].clone().into()).collect(),
            authorized_view_name: view.clone(),
        };
        for row in &rows {
            let row = &row.row;
            let held: usize = row.mutations.iter().map(size_of_val).sum();
            prop_assert!(row.held_bytes() >= held + row.key.len());
            let entry = MutateRowsEntry::from(row.clone());
            prop_assert_eq!(row.wire_bytes(), entry.encoded_len());
        }
        let all: Vec<Entry> = rows.into_iter().map(|row| {
            let len = row.row.wire_bytes();
            Entry::new(row, len)
        }).collect();
        let entries = Entries { all: Arc::new(all), chosen: Arc::new(chosen) };
        let target = Target { table, view, app_profile: profile };
        let mut body = EntriesBody::new(entries, &target).unwrap();
        let mut sent = Vec::new();
        while let Some(frame) = next_frame(&mut body) {
            prop_assert!(!frame.is_empty());
            sent.extend_from_slice(&frame);
        }
        prop_assert!(body.is_end_stream());
        let message = message.encode_to_vec();
        prop_assert_eq!(&sent[..5], &[&[0][..], &(message.len() as u32).to_be_bytes()].concat());
        prop_assert_eq!(&sent[5..], message);
    }
}
