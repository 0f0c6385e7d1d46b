//! Families of records, by the names under which people choose them.

use streamfold_model::events::EventKind;

/// Records of events that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Family {
    /// Enters and leaves, of regions and of calling contexts.
    Calls,
    /// Samples of calling contexts.
    Samples,
    /// Values of metrics.
    Metrics,
    /// Values of parameters.
    Parameters,
    /// Messages from one to another, and their requests.
    Messages,
    /// Collective operations.
    Collectives,
    /// Communicators that are made and freed.
    Communicators,
    /// Accesses to the memory of others, and their windows.
    Rma,
    /// Operations on files.
    Io,
    /// Threads and teams of threads.
    Threads,
    /// Locks of threads.
    Locks,
    /// Tasks.
    Tasks,
    /// Begin and end of the program.
    Program,
    /// Recording that goes on or off, and memory of the tracer that is written out.
    Recording,
    /// Kinds that this version does not know.
    Unknown,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 15] = [
        Family::Calls,
        Family::Samples,
        Family::Metrics,
        Family::Parameters,
        Family::Messages,
        Family::Collectives,
        Family::Communicators,
        Family::Rma,
        Family::Io,
        Family::Threads,
        Family::Locks,
        Family::Tasks,
        Family::Program,
        Family::Recording,
        Family::Unknown,
    ];

    /// The name under which it is chosen.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Calls => "calls",
            Family::Samples => "samples",
            Family::Metrics => "metrics",
            Family::Parameters => "parameters",
            Family::Messages => "messages",
            Family::Collectives => "collectives",
            Family::Communicators => "communicators",
            Family::Rma => "rma",
            Family::Io => "io",
            Family::Threads => "threads",
            Family::Locks => "locks",
            Family::Tasks => "tasks",
            Family::Program => "program",
            Family::Recording => "recording",
            Family::Unknown => "unknown",
        }
    }

    /// Those of a name: one family, or those of MPI together.
    pub fn of_name(name: &str) -> Option<&'static [Family]> {
        const MPI: [Family; 3] = [Family::Messages, Family::Collectives, Family::Communicators];
        if name == "mpi" {
            return Some(&Family::ALL[MPI[0] as usize..=MPI[2] as usize]);
        }
        let place = Family::ALL.iter().position(|family| family.name() == name)?;
        Some(&Family::ALL[place..=place])
    }

    /// That of a kind; `None` stands for those that are not known.
    pub fn of(kind: Option<EventKind>) -> Family {
        use EventKind as K;
        let Some(kind) = kind else { return Family::Unknown };
        match kind {
            K::Enter | K::Leave | K::CallingContextEnter | K::CallingContextLeave => Family::Calls,
            K::CallingContextSample => Family::Samples,
            K::Metric => Family::Metrics,
            K::ParameterString | K::ParameterInt | K::ParameterUnsignedInt => Family::Parameters,
            K::MpiSend
            | K::MpiIsend
            | K::MpiIsendComplete
            | K::MpiIrecvRequest
            | K::MpiRecv
            | K::MpiIrecv
            | K::MpiProbe
            | K::MpiMrecv
            | K::MpiImrecvRequest
            | K::MpiImrecv
            | K::MpiRequestTest
            | K::MpiRequestCancelled => Family::Messages,
            K::MpiCollectiveBegin
            | K::MpiCollectiveEnd
            | K::NonBlockingCollectiveRequest
            | K::NonBlockingCollectiveComplete => Family::Collectives,
            K::CommCreate | K::CommDestroy => Family::Communicators,
            K::RmaWinCreate
            | K::RmaWinDestroy
            | K::RmaCollectiveBegin
            | K::RmaCollectiveEnd
            | K::RmaGroupSync
            | K::RmaRequestLock
            | K::RmaAcquireLock
            | K::RmaTryLock
            | K::RmaReleaseLock
            | K::RmaSync
            | K::RmaWaitChange
            | K::RmaPut
            | K::RmaGet
            | K::RmaAtomic
            | K::RmaOpCompleteBlocking
            | K::RmaOpCompleteNonBlocking
            | K::RmaOpTest
            | K::RmaOpCompleteRemote => Family::Rma,
            K::IoCreateHandle
            | K::IoDestroyHandle
            | K::IoDuplicateHandle
            | K::IoSeek
            | K::IoChangeStatusFlags
            | K::IoDeleteFile
            | K::IoOperationBegin
            | K::IoOperationTest
            | K::IoOperationIssued
            | K::IoOperationComplete
            | K::IoOperationCancelled
            | K::IoAcquireLock
            | K::IoReleaseLock
            | K::IoTryLock => Family::Io,
            K::OmpFork
            | K::OmpJoin
            | K::ThreadFork
            | K::ThreadJoin
            | K::ThreadTeamBegin
            | K::ThreadTeamEnd
            | K::ThreadCreate
            | K::ThreadBegin
            | K::ThreadWait
            | K::ThreadEnd => Family::Threads,
            K::OmpAcquireLock | K::OmpReleaseLock | K::ThreadAcquireLock | K::ThreadReleaseLock => {
                Family::Locks
            }
            K::OmpTaskCreate
            | K::OmpTaskSwitch
            | K::OmpTaskComplete
            | K::ThreadTaskCreate
            | K::ThreadTaskSwitch
            | K::ThreadTaskComplete => Family::Tasks,
            K::ProgramBegin | K::ProgramEnd => Family::Program,
            K::BufferFlush | K::MeasurementOnOff => Family::Recording,
        }
    }
}

/// A set of families.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Families(u16);

impl Families {
    /// All of them.
    pub const ALL: Families = Families((1 << Family::ALL.len()) - 1);
    /// None of them.
    pub const NONE: Families = Families(0);

    /// With one more.
    #[must_use]
    pub fn with(self, family: Family) -> Families {
        Families(self.0 | 1 << family as u8)
    }

    /// Without one.
    #[must_use]
    pub fn without(self, family: Family) -> Families {
        Families(self.0 & !(1 << family as u8))
    }

    /// Returns whether a family belongs to the set.
    #[inline(always)]
    pub fn has(self, family: Family) -> bool {
        self.0 >> family as u8 & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_what_it_says() {
        for family in Family::ALL {
            assert_eq!(Family::of_name(family.name()), Some(&[family][..]));
            assert!(Families::ALL.has(family) && !Families::NONE.has(family));
            assert!(!Families::ALL.without(family).has(family));
            assert_eq!(Families::ALL.without(family).with(family), Families::ALL);
        }
        let mpi = Family::of_name("mpi").unwrap();
        assert_eq!(mpi, [Family::Messages, Family::Collectives, Family::Communicators]);
        assert_eq!(Family::of_name("MPI"), None);
    }

    #[test]
    fn every_kind_has_a_family() {
        let mut found = Families::NONE.with(Family::of(None));
        for kind in EventKind::ALL {
            found = found.with(Family::of(Some(kind)));
        }
        assert_eq!(found, Families::ALL);
    }
}
