//! streamfold

pub mod collective;
