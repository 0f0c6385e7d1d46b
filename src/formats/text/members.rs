//! Compressed files: members of gzip, frames of Zstandard.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::Extent;

/// Bytes that are read at a time.
const WINDOW: usize = 256 << 10;

/// Opens a file; what its first bytes show says how it is compressed.
pub(super) fn open(path: &Path, extent: Extent) -> io::Result<Box<dyn Read + Send>> {
    let mut file = extent.open(path, 0)?;
    let mut head = [0; 4];
    let mut length = 0;
    while length < head.len() {
        match file.read(&mut head[length..])? {
            0 => break,
            read => length += read,
        }
    }
    let whole = io::Cursor::new(head[..length].to_vec()).chain(file);
    let compressed = |whole| BufReader::with_capacity(WINDOW, whole);
    Ok(match head {
        [0x1f, 0x8b, ..] => Box::new(Members::<GzDecoder<_>>::new(compressed(whole))),
        [0x28, 0xb5, 0x2f, 0xfd] => Box::new(Members::<Frame>::new(compressed(whole))),
        _ => Box::new(whole),
    })
}

type Compressed = BufReader<io::Chain<io::Cursor<Vec<u8>>, Take<File>>>;

/// The members, or frames, of a compressed file, one after another.
struct Members<M> {
    rest: Option<Compressed>,
    member: Option<M>,
}

impl<M> Members<M> {
    fn new(file: Compressed) -> Self {
        Members { rest: Some(file), member: None }
    }
}

/// A member of a compressed file.
trait Member: Read + Sized {
    /// Begins with the next member. `None`: what is left is no member, and filling.
    fn next(rest: Compressed) -> io::Result<Option<Self>>;

    /// The file behind it.
    fn rest(self) -> Compressed;
}

impl<M: Member> Read for Members<M> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(member) = &mut self.member {
                let read = member.read(to)?;
                if read > 0 || to.is_empty() {
                    return Ok(read);
                }
                self.rest = self.member.take().map(M::rest);
            }
            let Some(mut rest) = self.rest.take() else { return Ok(0) };
            if rest.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.member = M::next(rest)?;
        }
    }
}

/// Zeros behind the last member fill a block.
impl Member for GzDecoder<Compressed> {
    fn next(mut rest: Compressed) -> io::Result<Option<Self>> {
        loop {
            match rest.fill_buf()? {
                [] => return Ok(None),
                [0, ..] => rest.consume(1),
                [0x1f, ..] => return Ok(Some(GzDecoder::new(rest))),
                _ => {
                    let what = "what stands behind the last member is not gzip";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
            }
        }
    }

    fn rest(self) -> Compressed {
        self.into_inner()
    }
}

/// A frame, which is large, lies elsewhere.
type Frame = Box<ruzstd::decoding::StreamingDecoder<Compressed, ruzstd::decoding::FrameDecoder>>;

impl Member for Frame {
    fn next(rest: Compressed) -> io::Result<Option<Self>> {
        let frame = ruzstd::decoding::StreamingDecoder::new(rest).map_err(io::Error::other)?;
        Ok(Some(Box::new(frame)))
    }

    fn rest(self) -> Compressed {
        (*self).into_inner()
    }
}
