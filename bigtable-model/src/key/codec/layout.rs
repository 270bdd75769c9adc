//! Whole keys from values and back, by a layout.

use super::writer::in_segment;
use crate::Timestamp;
use crate::key::refuse;
use crate::key::{
    DescribedKey, KeyError, KeyLayout, KeyReader, KeyWriter, MAX_KEY_BYTES, Salt, SaltedKeyReader,
    Segment, SegmentFormat, SegmentPrimitive, SegmentValue,
};

impl KeyLayout {
    /// Appends the key of `values`, one for each segment.
    ///
    /// # Errors
    /// If a segment cannot hold its value, if values and segments differ in number, or if the key
    /// is empty or too long. `out` is then unchanged.
    pub fn encode(&self, values: &[SegmentValue], out: &mut Vec<u8>) -> Result<(), KeyError> {
        if values.len() != self.valued().count() {
            return Err(self.wrong_count(values.len()));
        }
        self.write(values, out)?.finish()
    }

    /// Appends the common prefix of all keys with these values of the first segments: prefix and
    /// segments, and the separator if more segments follow. Values for all segments give the whole
    /// key.
    ///
    /// # Errors
    /// Those of [`encode`](KeyLayout::encode), except that fewer values are allowed, and so is an
    /// empty result.
    pub fn encode_prefix(
        &self,
        values: &[SegmentValue],
        out: &mut Vec<u8>,
    ) -> Result<(), KeyError> {
        let valued = self.valued().count();
        if values.len() > valued {
            return Err(self.wrong_count(values.len()));
        }
        let key = self.write(values, out)?;
        if values.len() == valued {
            return key.finish();
        }
        key.finish_prefix();
        Ok(())
    }

    /// Appends the common prefix of all keys whose first segments have these encoded bytes: prefix
    /// and segments, including the salt, and the separator if more follow.
    ///
    /// # Errors
    /// [`KeyError::Empty`] or [`KeyError::TooLong`] for the bytes of all segments,
    /// [`KeyError::Count`] for more than there are.
    pub fn join(&self, parts: &[&[u8]], out: &mut Vec<u8>) -> Result<(), KeyError> {
        if parts.len() > self.segments.len() {
            return Err(self.wrong_count(parts.len()));
        }
        let key = self.write_parts(parts.iter().copied(), out);
        if parts.len() == self.segments.len() {
            return key.finish();
        }
        key.finish_prefix();
        Ok(())
    }

    /// The values of a key, one for each segment.
    ///
    /// # Errors
    /// If [`encode`](KeyLayout::encode) writes these bytes for no values.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<SegmentValue>, KeyError> {
        if self.salt().is_some() {
            return self.decode_salted(key);
        }
        let mut reader = self.reader(key)?;
        let segments = self.segments.iter().enumerate();
        let values = segments.map(|(at, segment)| reader.value(segment, self.is_last(at)));
        let values = values.collect::<Result<_, _>>()?;
        reader.finish()?;
        Ok(values)
    }

    /// A reader of a key's segments.
    ///
    /// # Errors
    /// Those of [`KeyReader::new`].
    #[inline]
    pub(crate) fn reader<'a>(&'a self, key: &'a [u8]) -> Result<KeyReader<'a>, KeyError> {
        match self.enclosed {
            true => KeyReader::enclosed(&self.prefix, &self.separator, key),
            false => KeyReader::new(&self.prefix, &self.separator, key),
        }
    }

    /// The common prefix of all keys.
    pub(crate) fn beginning(&self) -> Vec<u8> {
        let mut beginning = Vec::new();
        self.write_parts([].into_iter(), &mut beginning)
            .finish_prefix();
        beginning
    }

    fn decode_salted(&self, key: &[u8]) -> Result<Vec<SegmentValue>, KeyError> {
        let begin = match self.enclosed {
            true => SaltedKeyReader::enclosed,
            false => SaltedKeyReader::new,
        };
        let mut reader = begin(&self.prefix, &self.separator, &self.segments, key)?;
        let mut values = Vec::with_capacity(self.segments.len());
        for (at, _) in self.valued() {
            let (segment, bytes) = reader.segment(at, self.is_last(at))?;
            let value = segment.decode(bytes, self.separator_byte());
            values.push(value.map_err(|source| in_segment(segment, source))?);
        }
        reader.finish()?;
        Ok(values)
    }

    /// The time in a key, or the start of the bucket; `None` if the layout has neither. Later bytes
    /// are not checked. It may be the key of a row, which has its tie-breakers in qualifiers.
    ///
    /// # Errors
    /// If the bytes up to the time do not form a key.
    pub fn time_of(&self, key: &[u8]) -> Result<Option<Timestamp>, KeyError> {
        let label = match self.label_of(key) {
            Err(error) if self.has_ties_in_cells() => {
                let time = self.of_rows().time_of(key);
                return time.map_err(|_| error);
            }
            label => label?,
        };
        Ok(label.map(|(_, time)| time))
    }

    /// The time of a key as in [`time_of`](KeyLayout::time_of), and its bytes in the key.
    ///
    /// # Errors
    /// Those of [`time_of`](KeyLayout::time_of).
    pub(crate) fn label_of<'a>(
        &'a self,
        key: &'a [u8],
    ) -> Result<Option<(&'a [u8], Timestamp)>, KeyError> {
        let mut reader = self.reader(key)?;
        for (at, segment) in self.segments.iter().enumerate() {
            let bytes = reader.segment(segment, self.is_last(at))?;
            if segment.role.is_time() {
                return match SegmentPrimitive::decode(&segment.format, bytes) {
                    Ok(time) => Ok(Some((bytes, time))),
                    Err(source) => Err(in_segment(segment, source)),
                };
            }
        }
        Ok(None)
    }

    /// Like [`time_of`](KeyLayout::time_of), but a time of fixed width at the key's end is read
    /// from there without checking earlier bytes: for rows whose whole keys are read too.
    ///
    /// # Errors
    /// Those of [`time_of`](KeyLayout::time_of), except for bytes that only end like a key.
    pub(crate) fn time_at_end_of(&self, key: &[u8]) -> Result<Option<Timestamp>, KeyError> {
        match self.time_at_end(key) {
            Some(time) => Ok(Some(time)),
            None => self.time_of(key),
        }
    }

    #[inline]
    fn time_at_end(&self, key: &[u8]) -> Option<Timestamp> {
        let (at, segment) = self.time_segment()?;
        if !self.is_last(at) || segment.is_absent() {
            return None;
        }
        let start = key.len().checked_sub(segment.format.fixed_len()?)?;
        let (before, time) = key.split_at_checked(start)?;
        let is_separated = match self.separator.as_bytes() {
            [] => !before.is_empty(),
            [byte] => before.last() == Some(byte),
            bytes => before.ends_with(bytes),
        };
        (is_separated && key.len() <= MAX_KEY_BYTES)
            .then(|| SegmentPrimitive::decode(&segment.format, time).ok())
            .flatten()
    }

    /// A key in readable form: `exchange=NASDAQ symbol=ZXZZT at=2015-03-16T19:53:32.156Z`; its
    /// bytes if it is not a key of the layout.
    #[must_use]
    pub fn describe<'a>(&'a self, key: &'a [u8]) -> DescribedKey<'a> {
        DescribedKey::new(self, key)
    }

    /// Writes the leading segments with values, up to an unknown salt, and the separator if more
    /// segments follow.
    fn write<'v>(
        &'v self,
        values: &[SegmentValue],
        out: &'v mut Vec<u8>,
    ) -> Result<KeyWriter<'v>, KeyError> {
        let mut parts: Vec<Vec<u8>> = Vec::with_capacity(self.segments.len());
        let mut places = Vec::with_capacity(values.len());
        for ((at, segment), value) in self.valued().zip(values) {
            if segment.format == SegmentFormat::Rest && !self.is_last(at) {
                return Err(not_last(segment));
            }
            let mut bytes = Vec::new();
            let encoded = segment.encode(value, self.separator_byte(), &mut bytes);
            encoded.map_err(|source| in_segment(segment, source))?;
            parts.push(bytes);
            places.push(at);
        }
        if let Some((at, salt)) = self.salt()
            && at <= parts.len()
        {
            match self.shard_of(salt, &places, &parts) {
                Some(shard) => {
                    let mut bytes = Vec::new();
                    salt.encode(shard, &mut bytes);
                    parts.insert(at, bytes);
                }
                None => parts.truncate(at),
            }
        }
        Ok(self.write_parts(parts.iter().map(Vec::as_slice), out))
    }

    /// The shard, if all of its segments are known.
    fn shard_of(&self, salt: &Salt, places: &[usize], parts: &[Vec<u8>]) -> Option<u16> {
        let hashed: Option<Vec<&[u8]>> = salt
            .of
            .iter()
            .map(|of| {
                let index = places.iter().position(|place| place == of)?;
                parts.get(index).map(Vec::as_slice)
            })
            .collect();
        Some(salt.shard(&self.separator, hashed?))
    }

    fn write_parts<'v, 'p>(
        &'v self,
        parts: impl ExactSizeIterator<Item = &'p [u8]>,
        out: &'v mut Vec<u8>,
    ) -> KeyWriter<'v> {
        let count = parts.len();
        let mut key = match self.enclosed {
            true => KeyWriter::enclosed(&self.prefix, &self.separator, out),
            false => KeyWriter::new(&self.prefix, &self.separator, out),
        };
        let mut written = !self.prefix.is_empty();
        for (segment, bytes) in self.segments.iter().zip(parts) {
            if !segment.is_absent() {
                key.bytes(bytes);
                written = true;
            }
        }
        let rest = self.segments.get(count..).unwrap_or_default();
        // After all segments, finishing the key writes the final separator.
        let more = rest.iter().any(|one| !one.is_absent()) || self.enclosed && !rest.is_empty();
        if more && written {
            key.separator();
        }
        key
    }

    #[cold]
    fn wrong_count(&self, values: usize) -> KeyError {
        KeyError::Count {
            values,
            segments: self.valued().count(),
        }
    }
}

#[cold]
fn not_last(segment: &Segment) -> KeyError {
    KeyError::Segment {
        segment: segment.name.clone(),
        source: refuse::mismatch(&segment.kind, &segment.format),
    }
}
