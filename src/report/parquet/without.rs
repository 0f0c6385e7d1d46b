//! A build without the feature `parquet`: no file is written.

use std::io::{self, Write};
use std::sync::Arc;

use super::{Column, Value};

/// A text of a cell. Copies share it.
pub type Text = Arc<str>;

/// The bytes of a text.
pub(super) fn bytes_of(text: &Text) -> &[u8] {
    text.as_bytes()
}

/// A file whose rows come one after another: there is none.
pub struct Rows<W: Write + Send>(std::convert::Infallible, std::marker::PhantomData<W>);

impl<W: Write + Send> Rows<W> {
    /// A file with these columns.
    ///
    /// # Errors
    ///
    /// Always: the program was built without Parquet.
    pub fn new(_: W, _: Vec<Column>, _: &[(&str, String)]) -> io::Result<Self> {
        Err(io::Error::other("this program was built without Parquet (feature `parquet`)"))
    }

    /// Takes in a row: a value of each column.
    ///
    /// # Errors
    ///
    /// None: there is no file.
    pub fn push(&mut self, _: impl IntoIterator<Item = Value>) -> io::Result<()> {
        match self.0 {}
    }

    /// Nothing follows. Returns the output.
    ///
    /// # Errors
    ///
    /// None: there is no file.
    pub fn end(self) -> io::Result<W> {
        match self.0 {}
    }
}
