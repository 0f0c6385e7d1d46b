//! Activity of threads by the statistics of a trace: events are not read.

use std::num::NonZeroUsize;

use streamfold_kernels::by_process::{
    CollectiveClass, MemberSums, MessageSums, ProcessSums, RegionSums,
};
use streamfold_model::ids::{LocationRef, RegionRef};

use streamfold_formats::otf::{Otf, Selection, Statistics};
use streamfold_formats::Loss;

/// Adds up what statistics say, and what was lost of them.
pub fn sums(
    otf: &Otf,
    selection: &Selection,
    max_open_files: NonZeroUsize,
) -> (ProcessSums, (u64, Vec<Loss>)) {
    let statistics = otf.statistics(selection, max_open_files);
    let Statistics { functions, messages, collectives, losses, .. } = statistics;
    let mut sums = ProcessSums::default();
    for ((process, function), [calls, exclusive, inclusive]) in functions {
        let (exclusive, inclusive) = (exclusive.into(), inclusive.into());
        let of = RegionSums { calls, exclusive, inclusive };
        sums.regions.insert((LocationRef(process.into()), RegionRef(function)), of);
    }
    for ((process, peer), [sent, received, bytes_sent, bytes_received]) in &messages {
        // Totals count if nothing is recorded of single peers.
        let has_peers = || messages.range((*process, 1)..=(*process, u32::MAX)).next().is_some();
        if *peer == 0 && has_peers() {
            continue;
        }
        let location = LocationRef((*process).into());
        let of: &mut MessageSums = sums.messages.entry(location).or_default();
        of.sent += sent;
        of.received += received;
        of.bytes_sent += u128::from(*bytes_sent);
        of.bytes_received += u128::from(*bytes_received);
        let rank = otf.rank_among_all(*peer).filter(|_| *peer != 0 && *sent > 0);
        if let Some((comm, rank)) = rank {
            let to = sums.sent.entry((location, comm, rank)).or_default();
            *to = (to.0 + sent, to.1 + u128::from(*bytes_sent));
        }
    }
    for ((process, _), (operation, [sent, received, bytes_sent, bytes_received])) in collectives {
        let Some(class) = CollectiveClass::of(operation) else { continue };
        let key = (LocationRef(process.into()), class);
        let of: &mut MemberSums = sums.collectives.entry(key).or_default();
        of.sent += sent;
        of.received += received;
        of.bytes_sent += u128::from(bytes_sent);
        of.bytes_received += u128::from(bytes_received);
    }
    (sums, losses)
}
