//! Levels of detail: ticks of rows by class and part of the time, as bytes in tiles that a browser unpacks one by one.
//!
//! A byte is a share of the time of all threads of a row in a column: [`WHOLE`] is all of it. Shares are rounded so that
//! all up to a column have their sum, rounded: a row has its time at each level, to half a step.

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::Compression;
use rayon::prelude::*;

/// Value of a cell in which all time is of one class. Room is left above, since columns differ by a tick.
pub(super) const WHOLE: u32 = 250;
/// Rows and columns of a tile.
pub(super) const TILE_ROWS: usize = 64;
pub(super) const TILE_COLUMNS: usize = 256;
/// Columns of the coarsest level at most: it is the first picture.
const FIRST: usize = 2048;
/// Columns of a level for each of the next coarser one.
const FACTOR: usize = 4;
/// Bytes of all tiles at most: a third more in a page.
const MOST: usize = 11 << 20;

/// A row: ticks by plane and part of the time.
pub(super) struct Planes<'t> {
    /// Ticks of all threads of the row in all of the time.
    pub whole: u128,
    /// By plane, then by part of the time. Planes without time are empty.
    pub ticks: Vec<&'t [u64]>,
}

/// A level of detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Level {
    /// Its columns.
    pub columns: usize,
    /// Begin and length of each tile, in bytes; 0 and 0: it has nothing. By rows of tiles.
    pub tiles: Vec<(usize, usize)>,
}

/// All levels, the coarsest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tiles {
    /// The levels.
    pub levels: Vec<Level>,
    /// Their tiles, one behind the other.
    pub data: Vec<u8>,
}

impl Tiles {
    /// Given rows with so many parts of the time. The finest level is left out if all would be too large.
    ///
    /// # Errors
    ///
    /// When bytes cannot be packed.
    pub(super) fn new(rows: &[Planes<'_>], columns: usize, planes: usize) -> io::Result<Self> {
        let mut widths = vec![columns];
        while let Some(finer) = widths.last().copied().filter(|of| *of > FIRST && of % FACTOR == 0)
        {
            widths.push(finer / FACTOR);
        }
        widths.reverse();
        let mut tiles = Tiles::default();
        for width in widths {
            let begin = tiles.data.len();
            let level = tiles.level(rows, (columns / width, width), planes)?;
            if tiles.data.len() > MOST && !tiles.levels.is_empty() {
                tiles.data.truncate(begin);
                break;
            }
            tiles.levels.push(level);
        }
        Ok(tiles)
    }

    /// Adds a level, of which a column has so many parts of the time.
    fn level(
        &mut self,
        rows: &[Planes<'_>],
        (parts, columns): (usize, usize),
        planes: usize,
    ) -> io::Result<Level> {
        let across = columns.div_ceil(TILE_COLUMNS);
        let packed: Vec<Vec<Vec<u8>>> = rows
            .par_chunks(TILE_ROWS)
            .map(|rows| {
                let bytes: Vec<Vec<Vec<u8>>> =
                    rows.iter().map(|row| row.bytes(parts, columns, planes)).collect();
                let tile = |at: usize| packed(&bytes, at * TILE_COLUMNS, columns, planes);
                (0..across).map(tile).collect::<io::Result<_>>()
            })
            .collect::<io::Result<_>>()?;
        let mut level = Level { columns, tiles: Vec::new() };
        for tile in packed.into_iter().flatten() {
            let begin = if tile.is_empty() { 0 } else { self.data.len() };
            level.tiles.push((begin, tile.len()));
            self.data.extend(tile);
        }
        Ok(level)
    }
}

impl Planes<'_> {
    /// Bytes by plane and column; a plane without time has none.
    fn bytes(&self, parts: usize, columns: usize, planes: usize) -> Vec<Vec<u8>> {
        let all = u128::from(WHOLE) * columns as u128;
        let up_to = |ticks: u128| (2 * ticks * all + self.whole) / (2 * self.whole.max(1));
        let plane = |plane: usize| {
            let ticks = self.ticks.get(plane).copied().filter(|ticks| !ticks.is_empty());
            let Some(ticks) = ticks.filter(|_| self.whole > 0) else { return Vec::new() };
            let mut sum = 0;
            let mut before = 0;
            let column = |ticks: &[u64]| {
                sum += ticks.iter().map(|of| u128::from(*of)).sum::<u128>();
                let after = up_to(sum);
                // More than a column has room for goes to the next one.
                let value = (after - before).min(u8::MAX.into());
                before += value;
                value as u8
            };
            ticks.chunks(parts).map(column).collect()
        };
        (0..planes).map(plane).collect()
    }
}

/// A tile of rows from a column on, packed; empty if nothing is in it.
fn packed(
    rows: &[Vec<Vec<u8>>],
    from: usize,
    columns: usize,
    planes: usize,
) -> io::Result<Vec<u8>> {
    let to = (from + TILE_COLUMNS).min(columns);
    let mut bytes = Vec::with_capacity(planes * rows.len() * (to - from));
    for plane in 0..planes {
        for row in rows {
            match row[plane].get(from..to) {
                Some(values) => bytes.extend_from_slice(values),
                None => bytes.resize(bytes.len() + to - from, 0),
            }
        }
    }
    if bytes.iter().all(|value| *value == 0) {
        return Ok(Vec::new());
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::DeflateDecoder;

    use super::*;

    /// Values by row, plane and column of a level.
    fn values(tiles: &Tiles, level: &Level, rows: usize, planes: usize) -> Vec<Vec<Vec<u8>>> {
        let mut all = vec![vec![vec![0; level.columns]; planes]; rows];
        let across = level.columns.div_ceil(TILE_COLUMNS);
        for (number, (begin, length)) in level.tiles.iter().enumerate() {
            let (top, left) = (number / across * TILE_ROWS, number % across * TILE_COLUMNS);
            let (high, wide) = (TILE_ROWS.min(rows - top), TILE_COLUMNS.min(level.columns - left));
            let mut bytes = Vec::new();
            let packed = &tiles.data[*begin..begin + length];
            if *length > 0 {
                DeflateDecoder::new(packed).read_to_end(&mut bytes).unwrap();
            } else {
                bytes.resize(planes * high * wide, 0);
            }
            for (at, values) in bytes.chunks(wide).enumerate() {
                let (plane, row) = (at / high, top + at % high);
                all[row][plane][left..left + wide].copy_from_slice(values);
            }
        }
        all
    }

    #[test]
    fn rows_have_their_time_at_each_level() {
        let (rows, columns, planes) = (70, 16384, 3);
        let length = columns as u64 * 1000;
        let mut random = 12345u64;
        let mut next = |most: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % most
        };
        let made: Vec<Vec<Vec<u64>>> = (0..rows)
            .map(|row| {
                let often = (0..columns).map(|_| next(600 + row)).collect();
                let seldom = (0..columns).map(|_| if next(10) == 0 { next(300) } else { 0 });
                let seldom = seldom.collect();
                vec![often, seldom, Vec::new()]
            })
            .collect();
        let made: Vec<Planes<'_>> = made
            .iter()
            .map(|ticks| Planes {
                whole: length.into(),
                ticks: ticks.iter().map(Vec::as_slice).collect(),
            })
            .collect();
        let tiles = Tiles::new(&made, columns, planes).unwrap();
        assert_eq!(
            tiles.levels.iter().map(|of| of.columns).collect::<Vec<_>>(),
            [1024, 4096, 16384]
        );
        for level in &tiles.levels {
            let step = length as f64 / (f64::from(WHOLE) * level.columns as f64);
            for (row, of) in made.iter().zip(values(&tiles, level, rows as usize, planes)) {
                for (plane, values) in of.iter().enumerate() {
                    let sum: u64 = values.iter().map(|value| u64::from(*value)).sum();
                    let ticks: u64 = row.ticks[plane].iter().sum();
                    assert!((sum as f64 * step - ticks as f64).abs() <= step, "{plane}");
                }
            }
        }
    }

    #[test]
    fn a_class_fills_its_cells() {
        let ticks = vec![2; 300];
        let row = Planes { whole: 2 * 300, ticks: vec![&ticks] };
        let tiles = Tiles::new(&[row], 300, 1).unwrap();
        assert_eq!(values(&tiles, &tiles.levels[0], 1, 1)[0][0], vec![WHOLE as u8; 300]);
        assert!(tiles.data.len() < 64);
        let none = Planes { whole: 0, ticks: vec![&[]] };
        assert_eq!(Tiles::new(&[none], 300, 1).unwrap().levels[0].tiles, [(0, 0), (0, 0)]);
    }
}
