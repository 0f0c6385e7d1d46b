//! Tables and batches, as all libraries with the Arrow C data interface read them.

use std::collections::HashMap;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::SchemaRef;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::convert::{memory, stream, value, Memory};

/// A table of a result.
#[pyclass(frozen, module = "streamfold._streamfold")]
#[derive(Clone)]
pub(crate) struct Table {
    name: String,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub(crate) fn new(name: &str, schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Table { name: name.to_owned(), schema, batches }
    }
}

#[pymethods]
impl Table {
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn column_names(&self) -> Vec<String> {
        names(&self.schema)
    }

    /// Metadata as in a Parquet file: schema, input, ticks_per_second, …
    #[getter]
    fn metadata(&self) -> HashMap<String, String> {
        metadata(&self.schema)
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// All values of a column.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Vec<Py<PyAny>>> {
        let of = self.schema.index_of(name).map_err(|_| PyKeyError::new_err(name.to_owned()))?;
        let mut values = Vec::with_capacity(self.__len__());
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                values.push(value(py, batch.column(of), row)?);
            }
        }
        Ok(values)
    }

    /// The memory of a column.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Memory<'py>> {
        let (at, field) = self
            .schema
            .column_with_name(name)
            .ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let parts: Vec<_> = self.batches.iter().map(|batch| batch.column(at)).collect();
        memory(py, field.data_type(), &parts)
    }

    /// The first rows.
    fn rows<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let mut rows = Vec::new();
        for batch in &self.batches {
            for row in 0..batch.num_rows().min(count - rows.len()) {
                let cells = batch.columns().iter().map(|column| value(py, column, row));
                rows.push(PyTuple::new(py, cells.collect::<PyResult<Vec<_>>>()?)?);
            }
        }
        Ok(rows)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Consumers may wish another schema; nobody has to grant it.
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        stream(py, Box::new(RecordBatchIterator::new(batches, self.schema.clone())))
    }
}

/// Some rows of a stream of events.
#[pyclass(frozen, module = "streamfold._streamfold")]
pub(crate) struct Batch(pub(crate) RecordBatch);

#[pymethods]
impl Batch {
    #[getter]
    fn column_names(&self) -> Vec<String> {
        names(self.0.schema_ref())
    }

    #[getter]
    fn metadata(&self) -> HashMap<String, String> {
        metadata(self.0.schema_ref())
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Vec<Py<PyAny>>> {
        let column =
            self.0.column_by_name(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        (0..self.0.num_rows()).map(|row| value(py, column, row)).collect()
    }

    /// The memory of a column.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Memory<'py>> {
        let column =
            self.0.column_by_name(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        memory(py, column.data_type(), &[column])
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let failed = |error: arrow_schema::ArrowError| PyValueError::new_err(error.to_string());
        let schema = FFI_ArrowSchema::try_from(self.0.schema_ref().as_ref()).map_err(failed)?;
        let array = FFI_ArrowArray::new(&StructArray::from(self.0.clone()).to_data());
        Ok((
            PyCapsule::new_with_value(py, schema, c"arrow_schema")?,
            PyCapsule::new_with_value(py, array, c"arrow_array")?,
        ))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = [Ok(self.0.clone())];
        stream(py, Box::new(RecordBatchIterator::new(batches, self.0.schema())))
    }
}

pub(crate) fn names(schema: &SchemaRef) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

pub(crate) fn metadata(schema: &SchemaRef) -> HashMap<String, String> {
    schema.metadata().iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}
