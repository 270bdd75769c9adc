//! Some entries of a bulk write as the message of one request, without a copy of them.

use std::sync::Arc;

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType, message, skip_field, string};

use super::wire::MutateRowsEntry;

/// Entries chosen from all of a bulk write, in the order in which they go out.
#[derive(Debug, Clone)]
pub(crate) struct Entries {
    pub(crate) all: Arc<Vec<MutateRowsEntry>>,
    pub(crate) chosen: Arc<Vec<usize>>,
}

impl Entries {
    pub(crate) fn into_request(self, table_name: String, app_profile_id: String) -> EntriesRequest {
        EntriesRequest {
            table_name,
            app_profile_id,
            entries: self,
        }
    }

    fn iter(&self) -> impl Iterator<Item = &MutateRowsEntry> {
        self.chosen.iter().filter_map(|index| self.all.get(*index))
    }
}

/// `MutateRowsRequest` for sending only: on the wire the same bytes.
#[derive(Debug)]
pub(crate) struct EntriesRequest {
    table_name: String,
    app_profile_id: String,
    entries: Entries,
}

const TABLE_NAME: u32 = 1;
const ENTRIES: u32 = 2;
const APP_PROFILE_ID: u32 = 3;

impl prost::Message for EntriesRequest {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        if !self.table_name.is_empty() {
            string::encode(TABLE_NAME, &self.table_name, buffer);
        }
        for entry in self.entries.iter() {
            message::encode(ENTRIES, entry, buffer);
        }
        if !self.app_profile_id.is_empty() {
            string::encode(APP_PROFILE_ID, &self.app_profile_id, buffer);
        }
    }

    fn encoded_len(&self) -> usize {
        let text = |tag, text: &String| match text.is_empty() {
            true => 0,
            false => string::encoded_len(tag, text),
        };
        let entries = self
            .entries
            .iter()
            .map(|entry| message::encoded_len(ENTRIES, entry));
        text(TABLE_NAME, &self.table_name)
            + text(APP_PROFILE_ID, &self.app_profile_id)
            + entries.sum::<usize>()
    }

    /// Nobody decodes this message; a field of it is passed over.
    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        skip_field(wire_type, tag, buffer, context)
    }

    fn clear(&mut self) {
        self.entries.chosen = Arc::default();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests")]

    use prost::Message;

    use super::*;
    use crate::backend::grpc::wire::MutateRowsRequest;
    use crate::data::{Mutation, RowMutations};

    #[test]
    fn the_bytes_are_those_of_the_message() {
        let all: Vec<MutateRowsEntry> = ["a", "b", "c"]
            .map(|key| {
                let mutations = vec![Mutation::DeleteFromRow, Mutation::DeleteFromRow];
                RowMutations {
                    key: key.into(),
                    mutations,
                }
                .into()
            })
            .into();
        for (chosen, table, profile) in
            [(vec![0, 2], "t", "p"), (vec![1], "", ""), (vec![], "t", "")]
        {
            let message = MutateRowsRequest {
                table_name: table.to_owned(),
                app_profile_id: profile.to_owned(),
                entries: chosen
                    .iter()
                    .map(|index: &usize| all[*index].clone())
                    .collect(),
            };
            let entries = Entries {
                all: Arc::new(all.clone()),
                chosen: Arc::new(chosen),
            };
            let request = entries.into_request(table.to_owned(), profile.to_owned());
            assert_eq!(request.encode_to_vec(), message.encode_to_vec());
            assert_eq!(request.encoded_len(), message.encoded_len());
        }
    }
}
