//! Values of Arrow as objects of Python, and streams of batches as capsules of the Arrow C data interface.

use std::ffi::CStr;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatchReader};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

/// The value of a cell.
pub(crate) fn value(py: Python<'_>, array: &dyn Array, row: usize) -> PyResult<Py<PyAny>> {
    if array.is_null(row) {
        return Ok(py.None());
    }
    Ok(match array.data_type() {
        DataType::Int64 => {
            array.as_primitive::<Int64Type>().value(row).into_pyobject(py)?.into_any().unbind()
        }
        DataType::UInt64 => {
            array.as_primitive::<UInt64Type>().value(row).into_pyobject(py)?.into_any().unbind()
        }
        DataType::Float64 => {
            array.as_primitive::<Float64Type>().value(row).into_pyobject(py)?.into_any().unbind()
        }
        DataType::Dictionary(..) => {
            let array = array.as_dictionary::<Int32Type>();
            let number = usize::try_from(array.keys().value(row)).unwrap_or(usize::MAX);
            let texts = array.values().as_string::<i32>();
            texts.value(number).into_pyobject(py)?.into_any().unbind()
        }
        other => return Err(PyTypeError::new_err(format!("no column has the type {other}"))),
    })
}

/// The memory of a column: its type, values, 1 or 0 for each that is there or not (`None`: all are), and texts, to which
/// the values are indices (-1: no text).
pub(crate) type Memory<'py> =
    (&'static str, Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>, Option<Vec<String>>);

/// All values of a column that is in several batches. Their dictionaries grow: the last one has all texts.
pub(crate) fn memory<'py>(
    py: Python<'py>,
    kind: &DataType,
    parts: &[&ArrayRef],
) -> PyResult<Memory<'py>> {
    let mut texts = None;
    let (name, values) = match kind {
        DataType::Int64 => ("int64", numbers::<Int64Type>(parts)),
        DataType::UInt64 => ("uint64", numbers::<UInt64Type>(parts)),
        DataType::Float64 => ("float64", numbers::<Float64Type>(parts)),
        DataType::Dictionary(..) => {
            let last = parts.last().map(|part| part.as_dictionary::<Int32Type>().values());
            let last = last.map(|of| of.as_string::<i32>().iter().flatten().map(str::to_owned));
            texts = Some(last.into_iter().flatten().collect());
            let keys =
                parts.iter().flat_map(|part| part.as_dictionary::<Int32Type>().keys().iter());
            ("int32", keys.flat_map(|key| key.unwrap_or(-1).to_ne_bytes()).collect())
        }
        other => return Err(PyTypeError::new_err(format!("no column has the type {other}"))),
    };
    let has_none = texts.is_none() && parts.iter().any(|part| part.null_count() > 0);
    let valid = has_none.then(|| {
        let valid =
            parts.iter().flat_map(|part| (0..part.len()).map(|row| u8::from(part.is_valid(row))));
        PyBytes::new(py, &valid.collect::<Vec<u8>>())
    });
    Ok((name, PyBytes::new(py, &values), valid, texts))
}

/// The bytes of numbers.
fn numbers<T: ArrowPrimitiveType>(parts: &[&ArrayRef]) -> Vec<u8> {
    parts
        .iter()
        .flat_map(|part| part.as_primitive::<T>().values().inner().iter().copied())
        .collect()
}

/// A stream of batches, whichever library reads it.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    const NAME: &CStr = c"arrow_array_stream";
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), NAME)
}
