//! Keys with a salt, which depends on segments that may come after it.

use std::cmp::Ordering;
use std::ops::Range;

use super::writer::in_segment;
use crate::key::salt::{SaltHasher, Spread};
use crate::key::{
    Escaped, HotSeries, KeyError, KeyLayout, KeyReader, KeyWriter, Salt, SaltHash, Segment,
    SegmentFormat, SegmentPrimitive,
};

/// Writes one key with a salt: like [`KeyWriter`], with segments by their index in the layout. The
/// salt is written automatically.
#[derive(Debug)]
pub struct SaltedKeyWriter<'v> {
    writer: KeyWriter<'v>,
    separator: &'v str,
    segments: &'v [Segment],
    salted: Salted<'v>,
    /// Where the salt's digits are.
    digits: Option<usize>,
}

/// The salt of a layout, and the parts of a key that are hashed for it.
#[derive(Debug)]
struct Salted<'v> {
    place: usize,
    salt: &'v Salt,
    hashed: Hashed,
    /// The segments of the series, if the salt has hot values.
    series: Hashed,
    /// The number of the series' shards.
    count: u16,
}

/// Some parts of a key that are hashed.
#[derive(Debug, Default)]
struct Hashed {
    /// The hashed bytes in the key, with their separators, while they are contiguous.
    run: Option<Range<usize>>,
    /// The hash for a key in which they are not contiguous.
    hasher: Option<Box<SaltHasher>>,
}

impl Hashed {
    #[inline(always)]
    fn add(&mut self, hash: SaltHash, key: &[u8], at: Range<usize>, separator: &str) {
        match &mut self.run {
            _ if self.hasher.is_some() => self.gather(hash, key, at, separator),
            None => self.run = Some(at),
            Some(run) if run.end + separator.len() == at.start => run.end = at.end,
            Some(run) => {
                let run = run.clone();
                self.gather(hash, key, run, separator);
                self.gather(hash, key, at, separator);
            }
        }
    }

    #[cold]
    fn gather(&mut self, hash: SaltHash, key: &[u8], at: Range<usize>, separator: &str) {
        let new = || Box::new(SaltHasher::new(hash));
        let hasher = self.hasher.get_or_insert_with(new);
        hasher.add(key.get(at).unwrap_or_default(), separator);
    }

    #[inline(always)]
    fn digest(&self, hash: SaltHash, key: &[u8]) -> u64 {
        match &self.hasher {
            Some(hasher) => hasher.digest(),
            None => {
                let run = self.run.clone().and_then(|run| key.get(run));
                hash.of(run.unwrap_or_default())
            }
        }
    }
}

impl<'v> Salted<'v> {
    #[inline(always)]
    fn new(segments: &'v [Segment]) -> Result<Self, KeyError> {
        let mut salts = segments.iter().enumerate();
        salts
            .find_map(|(place, segment)| match &segment.format {
                SegmentFormat::Salt(salt) => Some(Self {
                    place,
                    salt,
                    hashed: Hashed::default(),
                    series: Hashed::default(),
                    count: 1,
                }),
                _ => None,
            })
            .ok_or(KeyError::Layout {
                reason: "the layout has no salt",
            })
    }

    /// Adds a segment whose position in the key is known.
    #[inline(always)]
    fn add(&mut self, place: usize, key: &[u8], at: Range<usize>, separator: &str) {
        let salt = self.salt;
        if !salt.of.contains(&place) {
            return;
        }
        if let Some(hot) = &salt.hot {
            self.add_to_series(hot, place, key, at.clone(), separator);
        }
        self.hashed.add(salt.hash, key, at, separator);
    }

    fn add_to_series(
        &mut self,
        hot: &HotSeries,
        place: usize,
        key: &[u8],
        at: Range<usize>,
        separator: &str,
    ) {
        if place == hot.segment {
            self.count = hot.shards_of(key.get(at.clone()).unwrap_or_default());
        }
        if hot.series.contains(&place) {
            self.series.add(self.salt.hash, key, at, separator);
        }
    }

    #[inline(always)]
    fn shard(&self, key: &[u8]) -> u16 {
        let salt = self.salt;
        let hash = self.hashed.digest(salt.hash, key);
        salt.number(match &salt.hot {
            None => salt.index(hash),
            Some(_) => self.spread(key).of(hash),
        })
    }

    fn spread(&self, key: &[u8]) -> Spread {
        let series = self.series.digest(self.salt.hash, key);
        Spread::new(series, self.count, self.salt.shards)
    }
}

impl<'v> SaltedKeyWriter<'v> {
    /// Begins a key of a layout with a salt.
    ///
    /// # Errors
    /// [`KeyError::Layout`] if it has none.
    #[inline]
    pub fn new(
        prefix: &str,
        separator: &'v str,
        segments: &'v [Segment],
        out: &'v mut Vec<u8>,
    ) -> Result<Self, KeyError> {
        let writer = KeyWriter::new(prefix, separator, out);
        Self::begin(writer, separator, segments)
    }

    /// The same for a layout that is [enclosed](KeyLayout::enclosed).
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    #[inline]
    pub fn enclosed(
        prefix: &str,
        separator: &'v str,
        segments: &'v [Segment],
        out: &'v mut Vec<u8>,
    ) -> Result<Self, KeyError> {
        let writer = KeyWriter::enclosed(prefix, separator, out);
        Self::begin(writer, separator, segments)
    }

    #[inline]
    fn begin(
        writer: KeyWriter<'v>,
        separator: &'v str,
        segments: &'v [Segment],
    ) -> Result<Self, KeyError> {
        Ok(Self {
            salted: Salted::new(segments)?,
            writer,
            separator,
            segments,
            digits: None,
        })
    }

    /// Writes the segment at an index. Apart from the salt, segments must be written in order.
    ///
    /// # Errors
    /// [`KeyError::Segment`] if the segment's format cannot hold the value.
    #[inline]
    pub fn segment<'a, P: SegmentPrimitive<'a>>(
        &mut self,
        place: usize,
        value: P,
    ) -> Result<(), KeyError> {
        let Some(segment) = self.segments.get(place) else {
            return Err(self.no_segment(place));
        };
        if segment.is_absent() {
            return Ok(());
        }
        if self.salted.place < place {
            self.reserve();
        }
        let start = self.writer.len_with_separator();
        self.writer.segment(segment, value)?;
        let written = self.writer.written();
        self.salted
            .add(place, written, start..written.len(), self.separator);
        Ok(())
    }

    fn reserve(&mut self) {
        if self.digits.is_none() {
            self.digits = Some(self.writer.reserve(self.salted.salt.width().into()));
        }
    }

    #[cold]
    fn no_segment(&self, place: usize) -> KeyError {
        KeyError::Count {
            values: place + 1,
            segments: self.segments.len(),
        }
    }

    /// Ends the key.
    ///
    /// # Errors
    /// [`KeyError::Empty`], or [`KeyError::TooLong`].
    #[inline]
    pub fn finish(mut self) -> Result<(), KeyError> {
        self.reserve();
        let shard = self.salted.shard(self.writer.written());
        if let Some(at) = self.digits {
            let width = self.salted.salt.width().into();
            self.writer.fill(at, width, shard.into());
        }
        self.writer.finish()
    }
}

impl KeyLayout {
    /// The order of two keys, ignoring the shard.
    fn compare_unsalted(&self, a: &[u8], b: &[u8]) -> Ordering {
        match (self.around_salt(a), self.around_salt(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a.cmp(b),
        }
    }

    /// The order of two events at the same time, by their keys, in results in order of time: by
    /// identifiers, then by tie-breakers like the rows of a series, in reverse if the time is
    /// reversed.
    pub(crate) fn compare_ties(&self, a: &[u8], b: &[u8]) -> Ordering {
        let time = self.time_segment();
        let is_reversed = time.is_some_and(|(_, time)| time.format.is_reversed());
        let ties = self.first_tie_breaker().filter(|_| is_reversed);
        let split = |key| self.split_at(ties?, key);
        match (split(a), split(b)) {
            (Some((a, a_ties)), Some((b, b_ties))) => {
                let names = self.compare_unsalted(a, b);
                names.then_with(|| b_ties.cmp(a_ties))
            }
            _ => self.compare_unsalted(a, b),
        }
    }

    /// The key with each shard's number instead of its own; the key itself if there is no salt.
    pub(crate) fn in_each_shard(&self, key: &[u8]) -> Vec<Vec<u8>> {
        let (Some((_, salt)), Some((before, after))) = (self.salt(), self.around_salt(key)) else {
            return vec![key.to_vec()];
        };
        let width = usize::from(salt.width());
        let end = before.len() + width..key.len() - after.len();
        let between = key.get(end).unwrap_or_default();
        let shards = (0..salt.shards).map(|shard| {
            let number = format!("{:0width$}", salt.number(shard));
            [before, number.as_bytes(), between, after].concat()
        });
        shards.collect()
    }

    /// The bytes before and after the salt; `None` without a salt, and for bytes that are not a key
    /// of the layout.
    fn around_salt<'a>(&'a self, key: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let (place, _) = self.salt()?;
        let (before, _) = self.split_at(place, key)?;
        let (_, after) = self.split_at(place + 1, key)?;
        Some((before, after))
    }

    /// A key's bytes before a segment, and those from it on; `None` for bytes that are not a key of
    /// the layout.
    pub(crate) fn split_at<'k>(&self, place: usize, key: &'k [u8]) -> Option<(&'k [u8], &'k [u8])> {
        let mut reader = self.reader(key).ok()?;
        for (at, segment) in self.segments.iter().enumerate().take(place) {
            reader.segment(segment, self.is_last(at)).ok()?;
        }
        key.split_at_checked(key.len() - reader.rest().len())
    }
}

/// Decodes a key with a salt: like [`KeyReader`], with segments by their index in the layout. The
/// salt is read automatically, and compared at the end with the one computed from the segments.
#[derive(Debug)]
pub struct SaltedKeyReader<'a> {
    reader: KeyReader<'a>,
    key: &'a [u8],
    separator: &'a str,
    segments: &'a [Segment],
    salted: Salted<'a>,
    found: Option<u16>,
    enclosed: bool,
}

impl<'a> SaltedKeyReader<'a> {
    /// Begins after the layout's prefix.
    ///
    /// # Errors
    /// Those of [`KeyReader::new`], and [`KeyError::Layout`] if the layout has no salt.
    #[inline(always)]
    pub fn new(
        prefix: &str,
        separator: &'a str,
        segments: &'a [Segment],
        key: &'a [u8],
    ) -> Result<Self, KeyError> {
        let reader = KeyReader::new(prefix, separator, key)?;
        Self::begin(reader, separator, segments, key, false)
    }

    /// The same for a layout that is [enclosed](KeyLayout::enclosed).
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    #[inline(always)]
    pub fn enclosed(
        prefix: &str,
        separator: &'a str,
        segments: &'a [Segment],
        key: &'a [u8],
    ) -> Result<Self, KeyError> {
        let reader = KeyReader::enclosed(prefix, separator, key)?;
        Self::begin(reader, separator, segments, key, true)
    }

    #[inline(always)]
    fn begin(
        reader: KeyReader<'a>,
        separator: &'a str,
        segments: &'a [Segment],
        key: &'a [u8],
        enclosed: bool,
    ) -> Result<Self, KeyError> {
        Ok(Self {
            reader,
            salted: Salted::new(segments)?,
            key,
            separator,
            segments,
            found: None,
            enclosed,
        })
    }

    /// The bytes of the segment at an index. Apart from the salt, segments must be read in order.
    ///
    /// # Errors
    /// Those of [`KeyReader::segment`].
    #[inline(always)]
    pub fn segment(
        &mut self,
        place: usize,
        last: bool,
    ) -> Result<(&'a Segment, &'a [u8]), KeyError> {
        let Some(segment) = self.segments.get(place) else {
            return Err(KeyError::Count {
                values: place + 1,
                segments: self.segments.len(),
            });
        };
        if segment.is_absent() {
            return Ok((segment, &[]));
        }
        if self.salted.place < place {
            self.read_salt(false)?;
        }
        let start = self.key.len() - self.reader.rest().len();
        let bytes = self.reader.segment(segment, last)?;
        let at = start..start + bytes.len();
        self.salted.add(place, self.key, at, self.separator);
        Ok((segment, bytes))
    }

    #[inline(always)]
    fn read_salt(&mut self, last: bool) -> Result<(), KeyError> {
        if let (None, Some(segment)) = (self.found, self.segments.get(self.salted.place)) {
            let bytes = self.reader.segment(segment, last)?;
            let shard = self.salted.salt.decode(bytes);
            self.found = Some(shard.map_err(|source| in_segment(segment, source))?);
        }
        Ok(())
    }

    /// Decodes the segment at an index as the primitive that it holds.
    ///
    /// # Errors
    /// Those of [`KeyReader::read`].
    #[inline(always)]
    pub fn read<P: SegmentPrimitive<'a>>(
        &mut self,
        place: usize,
        last: bool,
    ) -> Result<P, KeyError> {
        let (segment, bytes) = self.segment(place, last)?;
        P::decode(&segment.format, bytes).map_err(|source| in_segment(segment, source))
    }

    /// Decodes the segment at an index, a string declared with `escape`.
    ///
    /// # Errors
    /// Those of [`KeyReader::read`].
    #[inline(always)]
    pub fn read_escaped(&mut self, place: usize, last: bool) -> Result<Escaped<'a>, KeyError> {
        let separator = crate::key::encoding::first_byte(self.separator);
        let (segment, bytes) = self.segment(place, last)?;
        Escaped::decode(bytes, separator).map_err(|source| in_segment(segment, source))
    }

    /// Ends the key, all of whose segments were read.
    ///
    /// # Errors
    /// [`KeyError::Salt`] if the salt does not match the segments: the key was made by other rules.
    #[inline(always)]
    pub fn finish(mut self) -> Result<(), KeyError> {
        self.read_salt(!self.enclosed)?;
        let expected = self.salted.shard(self.key);
        match self.found {
            Some(found) if found != expected => Err(KeyError::Salt { found, expected }),
            _ => self.reader.finish(),
        }
    }
}
