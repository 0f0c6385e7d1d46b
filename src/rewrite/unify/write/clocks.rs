//! The clock offsets of locations whose events are copied.

use streamfold_model::definitions::ClockOffset;
use streamfold_model::ids::LocationRef;

use crate::times::Breaks;
use crate::unify::read::inputs::Input;
use crate::Outcome;
use streamfold_otf2::FileKind;

/// Texts about events whose times clock offsets cannot represent.
const EARLY: &str =
    "events before the begin of the trace, whose times would be less than 0: they are 0 now";
const LATE: &str =
    "events whose times do not fit into 64 bits, or are more than 2^63 ticks later now: the \
                    nearest that can be said stand for them";
const COARSE: &str = "clock offsets cannot say its times to two ticks, as ticks become too many: \
                      --rewrite-events writes exact ones";

/// The clock offsets by which readers find what becomes of the times of a location's events. `old`: those that
/// it has, whose times ascend. `outcome` learns what they cannot say.
///
/// If times change, the begin and the end of the file of events are read.
pub(crate) fn offsets(
    from: &Input,
    location: LocationRef,
    old: &[ClockOffset],
    outcome: &mut Outcome,
) -> Vec<ClockOffset> {
    let (archive, times) = (&from.archive, &from.placed.times);
    let span = (!times.is_identity()).then(|| archive.recorded_span(location)).flatten();
    let span = span.map(|span| span.start().0..=span.end().0);
    let Breaks { offsets, early, late, coarse } = times.breaks(old, span);
    for (is_so, text) in [(early, EARLY), (late, LATE), (coarse, COARSE)] {
        if is_so {
            outcome.lose(archive, FileKind::Events(location), text);
        }
    }
    offsets
}
