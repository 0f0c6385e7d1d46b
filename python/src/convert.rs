//! Values of Arrow as objects of Python, and streams of batches as capsules of the Arrow C data interface.

use std::ffi::CStr;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatchReader};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

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

/// A stream of batches, whichever library reads it.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    const NAME: &CStr = c"arrow_array_stream";
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), NAME)
}
