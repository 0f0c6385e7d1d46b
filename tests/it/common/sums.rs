//! What profiles of parts have that adds up.

/// The names of these numbers, as in JSON and HDF5.
pub const SUMMED: [&str; 17] = [
    "visits",
    "closed",
    "inclusive",
    "exclusive",
    "sent",
    "bytes_sent",
    "received",
    "bytes_received",
    "collectives",
    "collective_bytes_sent",
    "collective_bytes_received",
    "rma",
    "bytes_put",
    "bytes_got",
    "io",
    "bytes_read",
    "bytes_written",
];

/// Those of messages and other operations.
pub fn operations() -> &'static [&'static str] {
    &SUMMED[4..]
}
