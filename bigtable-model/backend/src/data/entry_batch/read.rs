//! Entries as mutations again.

use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;

use super::{EntryAt, EntryBatch, MUTATIONS, Part};
use crate::Status;
use crate::data::mutation::fields;
use crate::data::{Mutation, MutationRef, RowMutations, RowOnce};
use crate::fields::read::{Value, bytes, field, malformed, number};

/// The bytes of a few entries are copied together, since that takes less time than to copy each.
/// They are few, since they live as long as any of the rows, which a backend may keep.
const COPIED_BYTES: usize = 16 << 10;

/// The entries of a batch, with the mutations of all of them in one list: a list for each would
/// take longer to make than a short entry.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    /// The key of each, and how many of the mutations are its own.
    pub(crate) entries: Vec<(Bytes, usize)>,
    pub(crate) mutations: Vec<Mutation>,
    families: Vec<ByteString>,
}

impl EntryBatch {
    /// The entries as rows, in the same order. Their bytes are copies.
    ///
    /// # Errors
    /// None for entries that were added here.
    pub fn to_rows(&self) -> Result<Vec<RowMutations>, Status> {
        let Decoded {
            entries, mutations, ..
        } = self.decode()?;
        let mut mutations = mutations.into_iter();
        let rows = entries.into_iter().map(|(key, count)| RowMutations {
            key,
            mutations: mutations.by_ref().take(count).collect(),
        });
        Ok(rows.collect())
    }

    /// The same with all mutations in one list.
    pub(crate) fn decode(&self) -> Result<Decoded, Status> {
        let mut out = Decoded {
            entries: Vec::with_capacity(self.len()),
            mutations: Vec::with_capacity(self.size.mutations),
            families: Vec::new(),
        };
        let mut rest = self.entries.as_slice();
        while let Some(first) = rest.first() {
            let in_copy = |entry: &&EntryAt| {
                entry.more.is_empty() && entry.first.end - first.start <= COPIED_BYTES
            };
            match rest.iter().take_while(in_copy).count() {
                0 => {
                    self.decode_entry(first, None, &mut out)?;
                    rest = rest.get(1..).unwrap_or_default();
                }
                count => {
                    let (some, later) = rest.split_at_checked(count).unwrap_or((rest, &[]));
                    let end = some.last().map_or(first.start, |last| last.first.end);
                    let copied = Bytes::copy_from_slice(self.own(&(first.start..end)));
                    for entry in some {
                        self.decode_entry(entry, Some((&copied, first.start)), &mut out)?;
                    }
                    rest = later;
                }
            }
        }
        Ok(out)
    }

    /// The same with their tokens.
    ///
    /// # Errors
    /// None for entries that were added here.
    pub fn to_rows_once(&self) -> Result<Vec<RowOnce>, Status> {
        let rows = self.to_rows()?.into_iter().enumerate();
        let once = rows.map(|(index, row)| RowOnce {
            row,
            idempotency: self.token(index).cloned(),
        });
        Ok(once.collect())
    }

    /// Whether it is safe to send the entry at an index twice, with all that was added to it.
    pub(super) fn repeats_as_a_whole(&self, index: usize) -> bool {
        let mut out = Decoded::default();
        let entry = self.entries.get(index);
        let decoded = entry.map(|entry| self.decode_entry(entry, None, &mut out));
        let mutations = out.mutations.iter().map(MutationRef::from);
        matches!(decoded, Some(Ok(()))) && MutationRef::repeat(mutations)
    }

    /// Decodes an entry. Its bytes are parts of a copy that begins at a place in the batch, or each
    /// is a copy of its own: then the rest of a row keeps no long value that is replaced.
    fn decode_entry(
        &self,
        entry: &EntryAt,
        copied: Option<(&Bytes, usize)>,
        out: &mut Decoded,
    ) -> Result<(), Status> {
        let part = |range: &Range<usize>| match copied {
            Some((copied, start)) => {
                let place = |at: usize| at.saturating_sub(start).min(copied.len());
                let bytes = copied.get(place(range.start)..place(range.end));
                PartOf {
                    bytes: bytes.unwrap_or_default(),
                    copied: Some(copied),
                }
            }
            None => PartOf {
                bytes: self.own(range),
                copied: None,
            },
        };
        let key = part(&entry.key);
        let key = key.share(key.bytes);
        let mut part_of = part(&entry.first);
        let mut later = entry.more.iter();
        let before = out.mutations.len();
        loop {
            let mut rest = part_of.bytes;
            while !rest.is_empty() {
                let decoded = mutation(part_of, &mut rest, &mut later, &mut out.families)?;
                out.mutations.push(decoded);
            }
            part_of = match later.next() {
                Some(Part::Own(range)) => part(range),
                Some(Part::Value(_)) => return Err(malformed("a value without a cell")),
                None => break,
            };
        }
        out.entries.push((key, out.mutations.len() - before));
        Ok(())
    }

    fn own(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}

/// Bytes of an entry.
#[derive(Clone, Copy)]
struct PartOf<'a> {
    bytes: &'a [u8],
    /// The copy in which they lie, if there is one.
    copied: Option<&'a Bytes>,
}

impl PartOf<'_> {
    /// Some of its bytes, to keep.
    fn share(&self, bytes: &[u8]) -> Bytes {
        match self.copied {
            Some(copied) => copied.slice_ref(bytes),
            None => Bytes::copy_from_slice(bytes),
        }
    }
}

/// Takes a mutation from the rest of a part, and its value from what follows the part if it is
/// there.
fn mutation(
    part: PartOf<'_>,
    rest: &mut &[u8],
    later: &mut std::slice::Iter<'_, Part>,
    families: &mut Vec<ByteString>,
) -> Result<Mutation, Status> {
    let (MUTATIONS, _) = begun(rest)? else {
        return Err(malformed("an entry with another field"));
    };
    let (kind, len) = begun(rest)?;
    let (body, after) = rest.split_at_checked(len).unwrap_or((rest, &[]));
    *rest = after;
    let found = Found::of(part, body, later)?;
    let family = family(found.family, families)?;
    let share = |bytes: &[u8]| part.share(bytes);
    Ok(match kind {
        fields::SET_CELL => Mutation::SetCell {
            family,
            qualifier: share(found.qualifier),
            timestamp_micros: found.number,
            value: found.value,
        },
        fields::DELETE_FROM_COLUMN => Mutation::DeleteFromColumn {
            family,
            qualifier: share(found.qualifier),
            start_micros: number_in(found.time, 1)?,
            end_micros: number_in(found.time, 2)?,
        },
        fields::DELETE_FROM_FAMILY => Mutation::DeleteFromFamily { family },
        fields::DELETE_FROM_ROW => Mutation::DeleteFromRow,
        fields::ADD_TO_CELL => Mutation::AddToCell {
            family,
            qualifier: share(raw_in(found.qualifier)?),
            timestamp_micros: number_in(found.time, fields::RAW_TIMESTAMP)?,
            input: number_in(&found.value, fields::INT_VALUE)?,
        },
        fields::MERGE_TO_CELL => Mutation::MergeToCell {
            family,
            qualifier: share(raw_in(found.qualifier)?),
            timestamp_micros: number_in(found.time, fields::RAW_TIMESTAMP)?,
            input: found.value.slice_ref(raw_in(&found.value)?),
        },
        _ => return Err(malformed("a mutation of another kind")),
    })
}

/// A family's name, which its mutations share.
fn family(name: &[u8], families: &mut Vec<ByteString>) -> Result<ByteString, Status> {
    if let Some(known) = families.iter().find(|known| known.as_bytes() == name) {
        return Ok(known.clone());
    }
    let name = std::str::from_utf8(name).map_err(malformed)?;
    let name = ByteString::from(name);
    families.push(name.clone());
    Ok(name)
}

/// The fields of a kind of mutation; absent ones are empty.
struct Found<'a> {
    family: &'a [u8],
    qualifier: &'a [u8],
    number: i64,
    time: &'a [u8],
    value: Bytes,
}

impl<'a> Found<'a> {
    fn of(
        part: PartOf<'_>,
        mut body: &'a [u8],
        later: &mut std::slice::Iter<'_, Part>,
    ) -> Result<Self, Status> {
        let mut found = Self {
            family: &[],
            qualifier: &[],
            number: 0,
            time: &[],
            value: Bytes::new(),
        };
        while let [tag, after @ ..] = body {
            body = after;
            match (tag >> 3, tag & 7) {
                (fields::TIME, 0) => found.number = number(&mut body)?.cast_signed(),
                (fields::FAMILY, 2) => found.family = bytes(&mut body)?,
                (fields::QUALIFIER, 2) => found.qualifier = bytes(&mut body)?,
                (fields::TIME, 2) => found.time = bytes(&mut body)?,
                (fields::VALUE, 2) => {
                    let mut same = body;
                    found.value = match (bytes(&mut same), later.as_slice()) {
                        (Ok(value), _) => part.share(value),
                        (Err(_), [Part::Value(value), ..]) => {
                            later.next();
                            same = &[];
                            value.clone()
                        }
                        (Err(short), _) => return Err(short.into()),
                    };
                    body = same;
                }
                _ => return Err(malformed("a mutation with another field")),
            }
        }
        Ok(found)
    }
}

/// Takes a tag and a length.
fn begun(rest: &mut &[u8]) -> Result<(u8, usize), Status> {
    let [tag, after @ ..] = *rest else {
        return Err(malformed("a field without an end"));
    };
    *rest = after;
    let len = usize::try_from(number(rest)?);
    Ok((tag >> 3, len.unwrap_or(usize::MAX)))
}

/// The number in a field of a message; 0 if it is absent.
fn number_in(mut message: &[u8], wanted: u8) -> Result<i64, Status> {
    while !message.is_empty() {
        if let (number, Value::Number(value)) = field(&mut message)?
            && number == u32::from(wanted)
        {
            return Ok(value.cast_signed());
        }
    }
    Ok(0)
}

/// The bytes in a raw value.
fn raw_in(mut message: &[u8]) -> Result<&[u8], Status> {
    match field(&mut message)? {
        (number, Value::Bytes(bytes)) if number == u32::from(fields::RAW_VALUE) => Ok(bytes),
        _ => Err(malformed("another kind of value")),
    }
}
