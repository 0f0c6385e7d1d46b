//! The writers of the library: what they write is what the reference library writes, is what our
//! readers read, and keeps the rules of the format whatever is written.

mod again;
mod breaks;
mod errors;
mod random;
mod reference;
mod written;
