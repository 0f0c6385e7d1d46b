//! streamfold
