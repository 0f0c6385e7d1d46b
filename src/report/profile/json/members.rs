//! Objects and lists of JSON, written as they come: nothing of a profile is held as a tree of values, since there may
//! be millions of rows.

use std::io::{self, Write};

use serde::Serialize;

use crate::json;

/// The members of an object, a line for each, so that people and `diff` can read it.
pub(super) struct Members<'a> {
    out: &'a mut dyn Write,
    any: bool,
}

impl<'a> Members<'a> {
    /// None so far.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Members { out, any: false }
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        let before = if std::mem::replace(&mut self.any, true) { ",\n" } else { "{\n" };
        write!(self.out, "{before}\"{name}\": ")
    }

    /// With any value.
    pub fn value(&mut self, name: &str, value: impl Serialize) -> io::Result<()> {
        self.name(name)?;
        json::to_writer(&mut *self.out, &value)
    }

    /// With an object on the same line.
    pub fn fields(
        &mut self,
        name: &str,
        put: impl FnOnce(&mut Fields<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.name(name)?;
        let mut line = Vec::new();
        Fields::object_in(&mut line, put)?;
        self.out.write_all(&line)
    }

    /// With a list of objects, a line for each.
    pub fn list<T>(
        &mut self,
        name: &str,
        rows: impl IntoIterator<Item = T>,
        mut put: impl FnMut(&mut Fields<'_>, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.name(name)?;
        write!(self.out, "[")?;
        let mut line = Vec::new();
        for (i, row) in rows.into_iter().enumerate() {
            line.clear();
            line.extend_from_slice(if i > 0 { b",\n  " } else { b"\n  " });
            Fields::object_in(&mut line, |fields| put(fields, row))?;
            self.out.write_all(&line)?;
        }
        write!(self.out, "\n]")
    }

    /// With an object that has a line for each member.
    pub fn object(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Members<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.name(name)?;
        write(&mut Members::new(self.out))?;
        write!(self.out, "\n}}")
    }

    /// Nothing follows.
    pub fn end(self) -> io::Result<()> {
        writeln!(self.out, "\n}}")
    }
}

/// The members of an object on one line.
pub(super) struct Fields<'a> {
    line: &'a mut Vec<u8>,
    any: bool,
}

impl Fields<'_> {
    fn object_in(
        line: &mut Vec<u8>,
        put: impl FnOnce(&mut Fields<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        line.push(b'{');
        put(&mut Fields { line, any: false })?;
        line.push(b'}');
        Ok(())
    }

    fn name(&mut self, name: &str) {
        let before: &[u8] = if std::mem::replace(&mut self.any, true) { b",\"" } else { b"\"" };
        self.line.extend_from_slice(before);
        self.line.extend_from_slice(name.as_bytes());
        self.line.extend_from_slice(b"\":");
    }

    /// With any value.
    pub fn put(&mut self, name: &str, value: impl Serialize) -> io::Result<()> {
        self.name(name);
        json::to_writer(&mut *self.line, &value)
    }

    /// With an object.
    pub fn object(
        &mut self,
        name: &str,
        put: impl FnOnce(&mut Fields<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.name(name);
        Fields::object_in(self.line, put)
    }

    /// With a list of objects.
    pub fn list<T>(
        &mut self,
        name: &str,
        rows: impl IntoIterator<Item = T>,
        mut put: impl FnMut(&mut Fields<'_>, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.name(name);
        self.line.push(b'[');
        for (i, row) in rows.into_iter().enumerate() {
            self.line.extend_from_slice(if i > 0 { b"," } else { b"" });
            Fields::object_in(self.line, |fields| put(fields, row))?;
        }
        self.line.push(b']');
        Ok(())
    }
}
