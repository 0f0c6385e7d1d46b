//! Steps of call paths.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::{ParameterRef, RegionRef, StringRef};

/// One step of a call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Step {
    /// A region is entered.
    Region(RegionRef),
    /// The visit above has this parameter: all of it counts here, and not above.
    Parameter(ParameterRef, ParameterValue),
    /// Recording was off.
    MeasurementOff,
    /// The buffer of the measurement was written out.
    BufferFlush,
    /// An explicit task that begins with this region ran here, from one switch of tasks to the next. Its visits count
    /// below [`Step::Tasks`]; its own time is that in which the task had nothing open.
    Task(RegionRef),
    /// Below are the explicit tasks, each of them with its own time: nothing while it is suspended. As a row of a
    /// table of regions: all that is a [`Step::Task`].
    Tasks,
    /// Below are the visits of this call path that are deeper than call paths are kept: by region, and again below it
    /// those inside of another visit of the region. It has no visits or time of its own.
    Rest,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ParameterValue {
    /// Of a ParameterInt.
    Int(i64),
    /// Of a ParameterUnsignedInt.
    Unsigned(u64),
    /// Of a ParameterString.
    String(StringRef),
}

impl Step {
    /// The row of a table of regions in which time on this step counts, given that of the step
    /// above. `None`: it has no time of its own.
    pub(crate) fn row(self, above: Option<Step>) -> Option<Step> {
        match self {
            Step::Region(_) | Step::MeasurementOff | Step::BufferFlush => Some(self),
            Step::Parameter(..) => above,
            Step::Task(_) => Some(Step::Tasks),
            Step::Tasks | Step::Rest => None,
        }
    }

    /// The region that is entered.
    pub fn region(self) -> Option<RegionRef> {
        match self {
            Step::Region(region) => Some(region),
            _ => None,
        }
    }
}

/// Parameters that split call paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Splitting {
    /// None.
    #[default]
    Nothing,
    /// These.
    By(BTreeSet<ParameterRef>),
}

impl Splitting {
    /// Tells whether this parameter splits call paths.
    pub fn by(&self, parameter: ParameterRef) -> bool {
        match self {
            Splitting::Nothing => false,
            Splitting::By(parameters) => parameters.contains(&parameter),
        }
    }
}
