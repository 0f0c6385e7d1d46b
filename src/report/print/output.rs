//! The way out for text.

use std::io::{self, Write};

use super::layout::Text;

/// Collects text and writes it in large blocks, always whole lines.
///
/// The first error is kept until [`Output::finish`]; what comes after it is dropped.
#[derive(Debug)]
pub(super) struct Output<W> {
    pub text: Text,
    sink: W,
    error: Option<io::Error>,
}

/// Blocks of this size are written at once.
const BLOCK: usize = 256 * 1024;

impl<W: Write> Output<W> {
    pub(super) fn new(sink: W) -> Self {
        Output { text: Text::default(), sink, error: None }
    }

    /// To be called between records.
    #[inline]
    pub(super) fn record_done(&mut self) {
        if self.text.own_len() >= BLOCK {
            self.write_out();
        }
    }

    fn write_out(&mut self) {
        if self.error.is_none() {
            self.error = self.text.write_to(&mut self.sink).err();
        }
        self.text.clear();
    }

    pub(super) fn failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes what is there; whether that went well shows at the end, too.
    pub(super) fn flush(&mut self) -> bool {
        self.write_out();
        if self.error.is_none() {
            self.error = self.sink.flush().err();
        }
        self.error.is_none()
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        self.flush();
        self.error.map_or(Ok(self.sink), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_leaves_in_blocks_and_the_rest_at_the_end() {
        let mut output = Output::new(Vec::new());
        output.text.push("first");
        output.record_done();
        assert!(output.sink.is_empty());
        output.text.spaces(BLOCK);
        output.record_done();
        assert_eq!(output.sink.len(), BLOCK + 5);
        output.text.push("last");
        assert_eq!(output.finish().unwrap().len(), BLOCK + 9);
    }

    #[test]
    fn the_first_error_is_kept() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut output = Output::new(Full);
        output.text.spaces(BLOCK);
        output.record_done();
        assert!(output.failed());
        assert_eq!(output.finish().err().unwrap().kind(), io::ErrorKind::StorageFull);
    }
}
