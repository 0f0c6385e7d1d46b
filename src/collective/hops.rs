//! All-to-all of little in few rounds: what is short travels over others.

use serde::{Deserialize, Serialize};

use super::codec::{decode, encode};
use super::communicator::check_rank;
use super::Error;

/// Up to so many bytes for each rank on average, fewer rounds are worth it that most bytes travel several times. The
/// exact limit was not measured.
#[cfg(any(feature = "mpi", feature = "mpi-load"))]
pub(crate) const LITTLE: u64 = 4096;

/// Bytes on their way.
#[derive(Serialize, Deserialize)]
struct Parcel {
    from: usize,
    /// How many ranks further it has to go.
    left: usize,
    bytes: Vec<u8>,
}

/// Takes one buffer for each rank, returns the one that each rank had for this one, in as many rounds
/// as the number of ranks has binary digits (Bruck's algorithm): in round k all goes 2^k ranks further
/// that has to go a distance with that digit. `swap`: sends to one rank what it is given, and returns what
/// another one has sent to this one.
///
/// # Errors
///
/// Those of `swap`.
pub(crate) fn exchange(
    rank: usize,
    outgoing: Vec<Vec<u8>>,
    mut swap: impl FnMut(usize, usize, Vec<u8>) -> Result<Vec<u8>, Error>,
) -> Result<Vec<Vec<u8>>, Error> {
    let size = outgoing.len();
    let mut received = vec![Vec::new(); size];
    let mut waiting = Vec::new();
    for (to, bytes) in outgoing.into_iter().enumerate() {
        match (to + size - rank) % size {
            0 => received[rank] = bytes,
            left if !bytes.is_empty() => waiting.push(Parcel { from: rank, left, bytes }),
            _ => {}
        }
    }
    let mut step = 1;
    while step < size {
        let (going, staying): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|parcel| parcel.left & step != 0);
        waiting = staying;
        let (to, from) = ((rank + step) % size, (rank + size - step) % size);
        let come: Vec<Parcel> = decode(&swap(to, from, encode(&going)?)?)?;
        for Parcel { from, left, bytes } in come {
            check_rank(from, size)?;
            match left - step {
                0 => received[from] = bytes,
                left => waiting.push(Parcel { from, left, bytes }),
            }
        }
        step *= 2;
    }
    Ok(received)
}

#[cfg(test)]
mod tests {
    use super::super::{team, PieceLimit};

    /// From one rank to another; nothing for some.
    fn letter(from: usize, to: usize) -> Vec<u8> {
        let length = if (from + 2 * to).is_multiple_of(5) { 0 } else { 1 + 3 * from + to };
        vec![(from * 37 + to) as u8; length]
    }

    #[test]
    fn all_arrives_over_any_number_of_ranks() {
        for size in 1..20 {
            let limit = PieceLimit::new(7).unwrap();
            let received = team::run(size, limit, |ranks| {
                let outgoing = (0..size).map(|to| letter(ranks.rank(), to)).collect();
                ranks.exchange_bytes(outgoing).unwrap()
            });
            for (to, received) in received.into_iter().enumerate() {
                let expected: Vec<_> = (0..size).map(|from| letter(from, to)).collect();
                assert_eq!(received, expected, "rank {to} of {size}");
            }
        }
    }
}
