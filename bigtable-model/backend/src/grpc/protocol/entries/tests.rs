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
use crate::data::{EncodedEntry, Idempotency, RowMutations, RowOnce, mutation};
use crate::grpc::protocol::names::Target;
use crate::grpc::protocol::wire::{MutateRowsEntry, MutateRowsRequest};

fn rows() -> impl Strategy<Value = Vec<RowOnce>> {
    let token = (vec(any::<u8>(), 0..20), option::of(0..i64::MAX));
    let token = token.prop_map(|(token, start)| Idempotency {
        token: token.into(),
        start_time: start.map(Timestamp::from_micros),
    });
    let row = (
        vec(any::<u8>(), 0..5),
        vec(mutation(EncodedEntry::WORTH_SHARING), 0..5),
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
    /// The bytes sent are the published message, and have the size that was announced.
    #[test]
    fn the_bytes_are_those_of_the_message(
        rows in rows(),
        wanted in vec(any::<bool>(), 5),
        halves in vec(0..5_usize, 5),
        table in "[a-z]{0,3}",
        profile in "[a-z]{0,3}",
        view in "[a-z]{0,3}",
    ) {
        let mut added = Vec::new();
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
        let mut batch = EntryBatch::default();
        for row in &rows {
            // In two steps, as when a later event of the same row is added.
            let RowMutations { key, mutations } = row.row.clone();
            let (first, later) = mutations.split_at(halves[batch.len()].min(mutations.len()));
            let mutations = first.to_vec();
            batch.push_once(&RowOnce {
                row: RowMutations { key: key.clone(), mutations },
                idempotency: row.idempotency.clone(),
            });
            if !later.is_empty() {
                added.push((batch.len() - 1, RowMutations { key, mutations: later.to_vec() }));
            }
        }
        for (index, row) in added {
            batch.extend_entry(index, &EncodedEntry::from(&row));
        }
        let entries = Entries::new(Arc::new(batch));
        for (index, row) in rows.iter().enumerate() {
            prop_assert_eq!(entries.key(index), &row.row.key);
            let repeats = row.idempotency.is_some() || row.row.is_idempotent();
            prop_assert_eq!(entries.is_repeatable(index), repeats);
        }
        let target = Target { table, view, app_profile: profile };
        let mut body = EntriesBody::new(entries, Arc::new(chosen), &target).unwrap();
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
