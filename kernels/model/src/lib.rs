//! The trace model.
