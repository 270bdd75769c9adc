//! The outer form: a header and blocks with checksums.

use std::io::{self, Read, Write};

use super::error::Damage;

const MAGIC: [u8; 8] = *b"BTMODEL\n";
/// The version of what the blocks hold.
const VERSION: u32 = 1;
/// The maximum size of a block: the most that a reader holds before it has checked it.
const BLOCK: usize = 64 << 10;

/// Cuts written bytes into blocks.
#[derive(Debug)]
pub(super) struct BlockWriter<W> {
    out: W,
    checksum: u32,
    block: Vec<u8>,
}

impl<W: Write> BlockWriter<W> {
    /// Writes the header.
    pub(super) fn new(mut out: W) -> io::Result<Self> {
        let version = VERSION.to_le_bytes();
        out.write_all(&MAGIC)?;
        out.write_all(&version)?;
        let checksum = crc32c::crc32c_append(crc32c::crc32c(&MAGIC), &version);
        Ok(Self {
            out,
            checksum,
            block: Vec::with_capacity(BLOCK),
        })
    }

    pub(super) fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = BLOCK - self.block.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == BLOCK {
                self.end_block()?;
            }
            bytes = later;
        }
        Ok(())
    }

    /// Writes the rest and the end.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        self.end_block()?;
        self.out.flush()
    }

    fn end_block(&mut self) -> io::Result<()> {
        let length = u32::try_from(self.block.len()).map_err(io::Error::other)?;
        let length = length.to_le_bytes();
        self.checksum = crc32c::crc32c_append(self.checksum, &length);
        self.checksum = crc32c::crc32c_append(self.checksum, &self.block);
        self.out.write_all(&length)?;
        self.out.write_all(&self.checksum.to_le_bytes())?;
        self.out.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }
}

/// Reads the bytes of blocks with valid checksums.
#[derive(Debug)]
pub(super) struct BlockReader<R> {
    input: R,
    checksum: u32,
    block: Vec<u8>,
    /// How many bytes of the block have been read.
    given: usize,
    /// Where in the file the block's bytes begin.
    begin: u64,
}

impl<R: Read> BlockReader<R> {
    /// Reads and checks the header.
    pub(super) fn new(mut input: R) -> Result<Self, Damage> {
        let mut magic = [0; 8];
        match input.read_exact(&mut magic) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(Damage::NotASnapshot);
            }
            read => read.map_err(Damage::Io)?,
        }
        if magic != MAGIC {
            return Err(Damage::NotASnapshot);
        }
        let mut reader = Self {
            input,
            checksum: crc32c::crc32c(&magic),
            block: Vec::new(),
            given: 0,
            begin: 8,
        };
        let version = reader.word("the version")?;
        let found = u32::from_le_bytes(version);
        if found != VERSION {
            let known = VERSION;
            return Err(Damage::UnknownVersion { found, known });
        }
        reader.checksum = crc32c::crc32c_append(reader.checksum, &version);
        Ok(reader)
    }

    /// The position of the next byte in the file.
    pub(super) fn offset(&self) -> u64 {
        self.begin + self.given as u64
    }

    /// Damage at the reader's position.
    pub(super) fn damage(&self, what: impl Into<String>) -> Damage {
        Damage::At {
            offset: self.offset(),
            what: what.into(),
        }
    }

    /// The next bytes of the block: at least one, at most `most`.
    pub(super) fn some(&mut self, most: usize) -> Result<&[u8], Damage> {
        if self.given == self.block.len() && !self.next_block()? {
            return Err(self.damage("the data ends in the middle of a table"));
        }
        let from = self.given;
        let to = self.block.len().min(from.saturating_add(most));
        self.given = to;
        Ok(self.block.get(from..to).unwrap_or_default())
    }

    /// Checks that everything was read and that the file ends here.
    pub(super) fn finish(mut self) -> Result<(), Damage> {
        if self.given < self.block.len() || self.next_block()? {
            return Err(self.damage("there is more data than its tables take"));
        }
        match self.input.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.damage("the file continues after its end")),
            Err(error) => Err(Damage::Io(error)),
        }
    }

    /// Reads a block and checks it; false at the end.
    fn next_block(&mut self) -> Result<bool, Damage> {
        self.begin = self.offset();
        self.given = 0;
        self.block.clear();
        let begin = self.begin;
        let damage = |what: &str| Damage::At {
            offset: begin,
            what: what.to_owned(),
        };
        let length_bytes = self.word("the length of a block")?;
        let stored = u32::from_le_bytes(self.word("the checksum of a block")?);
        let length = u64::from(u32::from_le_bytes(length_bytes));
        if length > BLOCK as u64 {
            return Err(damage("the length of a block is too large"));
        }
        let mut limited = self.input.by_ref().take(length);
        let read = limited.read_to_end(&mut self.block).map_err(Damage::Io)?;
        if (read as u64) < length {
            return Err(damage("the file ends within a block"));
        }
        self.checksum = crc32c::crc32c_append(self.checksum, &length_bytes);
        self.checksum = crc32c::crc32c_append(self.checksum, &self.block);
        if self.checksum != stored {
            return Err(damage("the checksum of a block is wrong"));
        }
        Ok(length > 0)
    }

    /// Four bytes outside of blocks.
    fn word(&mut self, what: &str) -> Result<[u8; 4], Damage> {
        let mut word = [0; 4];
        match self.input.read_exact(&mut word) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.damage(format!("the file ends where {what} should be")))
            }
            read => {
                read.map_err(Damage::Io)?;
                self.begin += 4;
                Ok(word)
            }
        }
    }
}
