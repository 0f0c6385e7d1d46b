//! Reading tables with the HDF5 library.

use std::ffi::c_void;
use std::fs;
use std::path::Path;

use hdf5_metno::dataset::Layout;
use hdf5_metno::sync::sync;
use hdf5_metno::types::{CompoundField, CompoundType, FloatSize, IntSize, TypeDescriptor};
use hdf5_metno::{h5check, Dataset, Datatype, File as Hdf5File, Group};
use hdf5_metno_sys::h5d::H5Dread;
use hdf5_metno_sys::h5p::H5P_DEFAULT;
use hdf5_metno_sys::h5s::{H5Sclose, H5Screate_simple, H5Sselect_hyperslab, H5S_SELECT_SET};
use streamfold_model::system_calls;

use super::super::call::{transfer, Call, Target};
use super::super::clock::TimeForm;
use super::super::names::CaseName;
use super::super::report::{FileReport, Lines};
use super::Stored;
use crate::input;
use crate::Loss;

/// Rows are read so many at a time.
const ROWS: usize = 1 << 14;

/// Rows wider than that are refused, in bytes.
const WIDEST: usize = 1 << 16;

/// Bytes that a byte of a compressed chunk stands for, at most: deflate makes 1032 of one.
const UNPACKED: u64 = 1100;

/// Opens an event log. Its size, in bytes, comes back, too.
fn open(path: &Path) -> Result<(Hdf5File, u64), Loss> {
    let of_system = |error: std::io::Error| Loss::of_system(path, &error);
    input::open(path).map_err(of_system)?;
    let bytes = fs::metadata(path).map_err(of_system)?.len();
    Ok((Hdf5File::open(path).map_err(|error| refused(path, &error))?, bytes))
}

/// The rows of a table, for all of which there is data in a file of so many bytes. The library trusts any number.
fn rows(table: &Dataset, file: u64) -> Result<u64, String> {
    let failed = |error: hdf5_metno::Error| error.to_string();
    let dimensions = table.ndim();
    if dimensions != 1 {
        return Err(format!("expected a table of one dimension, found {dimensions}"));
    }
    let rows = table.size() as u64;
    if rows == 0 {
        return Ok(0);
    }
    let width = table.dtype().map_err(failed)?.size();
    if width == 0 || width > WIDEST {
        return Err(format!("rows of {width} bytes are too wide"));
    }
    let width = width as u64;
    let is_elsewhere =
        table.layout() == Layout::Virtual || !table.dcpl().map_err(failed)?.external().is_empty();
    if is_elsewhere {
        return Err("its data is in other files".to_owned());
    }
    let stored = table.storage_size().min(file);
    let room = match table.chunk().and_then(|chunk| chunk.first().copied()) {
        None => stored / width,
        Some(chunk) => {
            let chunk = chunk as u64;
            let packed = if table.filters().is_empty() { 1 } else { UNPACKED };
            let most = stored.saturating_mul(packed) / width;
            if chunk > most {
                return Err(format!(
                    "chunks of {chunk} rows are declared, and its data has room for {most}"
                ));
            }
            // The last chunk is longer than what is left for it.
            let chunks = table.num_chunks().unwrap_or(0) as u64;
            chunks.saturating_mul(chunk).min(most.saturating_add(chunk))
        }
    };
    match rows <= room {
        true => Ok(rows),
        false => Err(format!("{rows} rows are declared, and its data has room for {room}")),
    }
}

/// The rows of the table of a case, see [`rows`].
fn rows_of(path: &Path, case: &str, table: &Dataset, file: u64) -> Result<u64, Loss> {
    rows(table, file).map_err(|what| Loss::of_file(path, format!("{case}/table: {what}")))
}

pub(super) fn cases(path: &Path) -> Result<Vec<(CaseName, u64)>, Loss> {
    let failed = |error: hdf5_metno::Error| refused(path, &error);
    let (file, bytes) = open(path)?;
    let mut cases = Vec::new();
    // One is open at a time: thousands of open groups are slow.
    for name in file.member_names().map_err(failed)? {
        let Ok(group) = file.group(&name) else { continue };
        // A case is named as its file, without the suffix.
        let Some(case) = CaseName::of(Path::new(&format!("{name}.st")), None) else { continue };
        let Ok(table) = group.dataset("table") else { continue };
        cases.push((case, rows_of(path, &name, &table, bytes)?));
    }
    match cases.is_empty() {
        true => Err(refused(path, &"expected a group CID_HOST_RID with a table for each case")),
        false => Ok(cases),
    }
}

fn refused(path: &Path, what: &dyn std::fmt::Display) -> Loss {
    Loss::of_file(path, format!("this is no event log: {what}"))
}

pub(super) fn read_case(
    path: &Path,
    name: &CaseName,
    sockets: bool,
    receive: &mut dyn FnMut(&Call<'_>, u64),
) -> Result<Stored, Loss> {
    let failed = |error: hdf5_metno::Error| refused(path, &format!("{name}: {error}"));
    let (file, bytes_of_file) = open(path)?;
    let group = file.group(&name.to_string()).map_err(failed)?;
    let table = group.dataset("table").map_err(failed)?;
    let columns = Columns::of(&table).map_err(|what| refused(path, &format!("{name}: {what}")))?;
    let mut report = report(&group).map_err(|what| refused(path, &format!("{name}: {what}")))?;
    let count = rows_of(path, &name.to_string(), &table, bytes_of_file)? as usize;
    let mut bytes = Vec::new();
    let mut begin = 0;
    while begin < count {
        let rows = ROWS.min(count - begin);
        bytes.clear();
        bytes.resize(rows * columns.size, 0);
        columns.read(&table, begin as u64, rows as u64, &mut bytes).map_err(failed)?;
        for (row, number) in bytes.chunks_exact(columns.size).zip(begin as u64..) {
            columns.hand_out(row, number, sockets, receive);
        }
        begin += rows;
    }
    if report.lines.lines == 0 {
        (report.lines.lines, report.lines.call, report.lines.events) =
            (count as u64, count as u64, count as u64);
    }
    report.bytes = table.storage_size();
    let files = group.attr("files").map_or(1, |files| files.size() as u64);
    if files > bytes_of_file {
        let what = format!("{name}: {files} files are declared, and it has {bytes_of_file} bytes");
        return Err(refused(path, &what));
    }
    Ok(Stored { report, files })
}

/// Reads the report of the files from which the case was read. Only attributes that are numbers are read: the library
/// trusts where a damaged file says that texts are.
fn report(group: &Group) -> Result<FileReport, String> {
    /// No log has so many lines.
    const LINES: u64 = 1 << 53;
    let number = |name: &str| {
        let attribute = group.attr(name).ok()?;
        attribute.read_scalar::<u64>().ok()
    };
    let mut report = FileReport::default();
    for (name, _) in Lines::MEANINGS {
        match number(&format!("lines.{name}")) {
            Some(count) if count > LINES => return Err(format!("{count} lines are too many")),
            Some(count) => report.lines.set(name, count),
            None => {}
        }
    }
    let forms = [TimeForm::Clock, TimeForm::Epoch, TimeForm::Relative];
    report.forms = match number("clock_forms") {
        Some(bits) => forms.into_iter().filter(|form| bits & form.bit() != 0).collect(),
        None => vec![TimeForm::Epoch],
    };
    Ok(report)
}

/// Columns of a row: the offset of each, in the type of rows in memory.
struct Columns {
    memory: Datatype,
    size: usize,
    pid: usize,
    call: (usize, usize),
    path: (usize, usize),
    start: usize,
    duration: usize,
    bytes: usize,
    /// The same in nanoseconds.
    exact: Option<(usize, usize)>,
    errno: Option<usize>,
    line: Option<usize>,
    file: Option<usize>,
    again: Option<usize>,
}

impl Columns {
    fn of(table: &Dataset) -> Result<Columns, String> {
        let kind = table
            .dtype()
            .and_then(|kind| kind.to_descriptor())
            .map_err(|error| error.to_string())?;
        let TypeDescriptor::Compound(there) = kind else {
            return Err("the table has no columns".to_owned());
        };
        // The library trusts where a damaged file says that columns are.
        let is_inside = |field: &CompoundField| {
            let end = field.offset.checked_add(field.ty.size());
            end.is_some_and(|end| end <= there.size)
        };
        if !there.fields.iter().all(is_inside) {
            return Err("columns are outside of their rows".to_owned());
        }
        let mut fields = Vec::new();
        let mut size = 0;
        let mut add = |name: &str, ty: TypeDescriptor| {
            let at = size;
            size += ty.size();
            let index = fields.len();
            fields.push(CompoundField { name: name.to_owned(), ty, offset: at, index });
            at
        };
        let has = |name: &str| there.fields.iter().any(|field| field.name == name);
        let mut number = |name: &str, ty: TypeDescriptor| has(name).then(|| add(name, ty));
        let (whole, real) =
            (TypeDescriptor::Integer(IntSize::U8), TypeDescriptor::Float(FloatSize::U8));
        let needed = |name: &str| format!("the table has no column {name}");
        let pid = number("pid", whole.clone()).ok_or_else(|| needed("pid"))?;
        let start = number("start", real.clone()).ok_or_else(|| needed("start"))?;
        let duration = number("dur", real.clone()).ok_or_else(|| needed("dur"))?;
        let bytes = number("size", real).ok_or_else(|| needed("size"))?;
        let exact = match (has("start_ns"), has("dur_ns")) {
            (true, true) => number("start_ns", whole.clone()).zip(number("dur_ns", whole.clone())),
            _ => None,
        };
        let errno = number("errno", whole.clone());
        let line = number("line", whole.clone());
        let file = number("file", whole.clone());
        let again = number("again", whole);
        let mut text = |name: &str| {
            let field = there.fields.iter().find(|field| field.name == name);
            match field.map(|field| &field.ty) {
                Some(
                    ty @ (TypeDescriptor::FixedAscii(width) | TypeDescriptor::FixedUnicode(width)),
                ) => Ok((add(name, ty.clone()), *width)),
                Some(_) => Err(format!("expected texts of one width in the column {name}")),
                None => Err(needed(name)),
            }
        };
        let (call, path) = (text("call")?, text("fp")?);
        if size > WIDEST {
            return Err(format!("rows of {size} bytes are too wide"));
        }
        let rows = TypeDescriptor::Compound(CompoundType { fields, size });
        let memory = Datatype::from_descriptor(&rows).map_err(|error| error.to_string())?;
        Ok(Columns {
            memory,
            size,
            pid,
            call,
            path,
            start,
            duration,
            bytes,
            exact,
            errno,
            line,
            file,
            again,
        })
    }

    /// Reads rows into bytes that hold as many.
    fn read(
        &self,
        table: &Dataset,
        start: u64,
        count: u64,
        to: &mut [u8],
    ) -> hdf5_metno::Result<()> {
        assert_eq!(to.len(), count as usize * self.size, "there is room for the rows");
        sync(|| {
            // SAFETY: all identifiers are open, the pointers to counts point to one each, which is the number of
            // dimensions, and `to` has room for `count` rows of the type `memory`, which is one without pointers:
            // texts have a fixed width.
            unsafe {
                let space = table.space()?;
                let (stride, block) = (std::ptr::null(), std::ptr::null());
                let set = H5S_SELECT_SET;
                h5check(H5Sselect_hyperslab(space.id(), set, &start, stride, &count, block))?;
                let into = h5check(H5Screate_simple(1, &count, std::ptr::null()))?;
                let rows = to.as_mut_ptr().cast::<c_void>();
                let read =
                    H5Dread(table.id(), self.memory.id(), into, space.id(), H5P_DEFAULT, rows);
                H5Sclose(into);
                h5check(read)?;
            }
            Ok(())
        })
    }

    fn hand_out(
        &self,
        row: &[u8],
        number: u64,
        sockets: bool,
        receive: &mut dyn FnMut(&Call<'_>, u64),
    ) {
        let eight = |at: usize| row[at..at + 8].try_into().unwrap_or_default();
        let whole = |at: usize| i64::from_ne_bytes(eight(at));
        let real = |at: usize| f64::from_ne_bytes(eight(at));
        let text = |(at, width): (usize, usize)| {
            let text = &row[at..at + width];
            // Padded with zeros, or with spaces as Fortran does.
            let end = text.iter().position(|byte| *byte == 0).unwrap_or(width);
            &text[..end]
        };
        let nanoseconds = |seconds: f64| (seconds * 1e9).round() as i64;
        let (start, duration) = match self.exact {
            // The least number says that there is none.
            Some((start, duration)) => {
                (whole(start), Some(whole(duration)).filter(|dur| *dur != i64::MIN))
            }
            None => {
                let duration = Some(real(self.duration)).filter(|duration| duration.is_finite());
                (nanoseconds(real(self.start)), duration.map(nanoseconds))
            }
        };
        let name = text(self.call);
        let size = Some(real(self.bytes)).filter(|size| size.is_finite() && *size >= 0.0);
        let path = text(self.path);
        let optional = |at: Option<usize>| at.map_or(0, |at| u64::try_from(whole(at)).unwrap_or(0));
        let error: Option<&[u8]> = self.errno.is_some_and(|at| whole(at) != 0).then_some(b"error");
        let transfer = transfer(system_calls::find(name), sockets);
        let call = Call {
            line: if self.line.is_some() { optional(self.line) } else { number + 1 },
            pid: u64::try_from(whole(self.pid)).unwrap_or(FileReport::SOLE),
            generation: optional(self.again) as u32,
            start,
            duration,
            name,
            second: Target::None,
            is_unknown: false,
            target: if path.is_empty() { Target::None } else { Target::Plain(path) },
            size: size.filter(|_| transfer.is_some()).map(|size| size as u64),
            transfer,
            offset: None,
            error,
            kind: None,
        };
        receive(&call, optional(self.file));
    }
}
