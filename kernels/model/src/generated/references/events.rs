// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! References in the fields of events.

use crate::events::Event;
use crate::references::{ReferenceKind, References};

impl References for Event<'_> {
    #[inline]
    fn each_reference(&self, mut each: impl FnMut(&'static str, ReferenceKind, u64)) {
        match self {
            Event::Enter(r) => {
                each("region", ReferenceKind::Region, u64::from(r.region.0));
            }
            Event::Leave(r) => {
                each("region", ReferenceKind::Region, u64::from(r.region.0));
            }
            Event::MpiSend(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Event::MpiIsend(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Event::MpiRecv(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Event::MpiIrecv(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Event::MpiCollectiveEnd(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Event::Metric(r) => {
                each("metric", ReferenceKind::Metric, u64::from(r.metric.0));
            }
            Event::ParameterString(r) => {
                each("parameter", ReferenceKind::Parameter, u64::from(r.parameter.0));
                each("string", ReferenceKind::String, u64::from(r.string.0));
            }
            Event::ParameterInt(r) => {
                each("parameter", ReferenceKind::Parameter, u64::from(r.parameter.0));
            }
            Event::ParameterUnsignedInt(r) => {
                each("parameter", ReferenceKind::Parameter, u64::from(r.parameter.0));
            }
            Event::RmaWinCreate(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaWinDestroy(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaCollectiveEnd(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaGroupSync(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
                each("group", ReferenceKind::Group, u64::from(r.group.0));
            }
            Event::RmaRequestLock(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaAcquireLock(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaTryLock(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaReleaseLock(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaSync(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaWaitChange(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaPut(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaGet(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaAtomic(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaOpCompleteBlocking(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaOpCompleteNonBlocking(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaOpTest(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::RmaOpCompleteRemote(r) => {
                each("win", ReferenceKind::RmaWin, u64::from(r.win.0));
            }
            Event::ThreadTeamBegin(r) => {
                each("threadTeam", ReferenceKind::Comm, u64::from(r.thread_team.0));
            }
            Event::ThreadTeamEnd(r) => {
                each("threadTeam", ReferenceKind::Comm, u64::from(r.thread_team.0));
            }
            Event::ThreadTaskCreate(r) => {
                each("threadTeam", ReferenceKind::Comm, u64::from(r.thread_team.0));
            }
            Event::ThreadTaskSwitch(r) => {
                each("threadTeam", ReferenceKind::Comm, u64::from(r.thread_team.0));
            }
            Event::ThreadTaskComplete(r) => {
                each("threadTeam", ReferenceKind::Comm, u64::from(r.thread_team.0));
            }
            Event::ThreadCreate(r) => {
                each("threadContingent", ReferenceKind::Comm, u64::from(r.thread_contingent.0));
            }
            Event::ThreadBegin(r) => {
                each("threadContingent", ReferenceKind::Comm, u64::from(r.thread_contingent.0));
            }
            Event::ThreadWait(r) => {
                each("threadContingent", ReferenceKind::Comm, u64::from(r.thread_contingent.0));
            }
            Event::ThreadEnd(r) => {
                each("threadContingent", ReferenceKind::Comm, u64::from(r.thread_contingent.0));
            }
            Event::CallingContextEnter(r) => {
                each(
                    "callingContext",
                    ReferenceKind::CallingContext,
                    u64::from(r.calling_context.0),
                );
            }
            Event::CallingContextLeave(r) => {
                each(
                    "callingContext",
                    ReferenceKind::CallingContext,
                    u64::from(r.calling_context.0),
                );
            }
            Event::CallingContextSample(r) => {
                each(
                    "callingContext",
                    ReferenceKind::CallingContext,
                    u64::from(r.calling_context.0),
                );
                each(
                    "interruptGenerator",
                    ReferenceKind::InterruptGenerator,
                    u64::from(r.interrupt_generator.0),
                );
            }
            Event::IoCreateHandle(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoDestroyHandle(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoDuplicateHandle(r) => {
                each("oldHandle", ReferenceKind::IoHandle, u64::from(r.old_handle.0));
                each("newHandle", ReferenceKind::IoHandle, u64::from(r.new_handle.0));
            }
            Event::IoSeek(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoChangeStatusFlags(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoDeleteFile(r) => {
                each("ioParadigm", ReferenceKind::IoParadigm, u64::from(r.io_paradigm.0));
                each("file", ReferenceKind::IoFile, u64::from(r.file.0));
            }
            Event::IoOperationBegin(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoOperationTest(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoOperationIssued(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoOperationComplete(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoOperationCancelled(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoAcquireLock(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoReleaseLock(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::IoTryLock(r) => {
                each("handle", ReferenceKind::IoHandle, u64::from(r.handle.0));
            }
            Event::ProgramBegin(r) => {
                each("programName", ReferenceKind::String, u64::from(r.program_name.0));
                for x in r.program_arguments.iter() {
                    each("programArguments", ReferenceKind::String, u64::from(x.0));
                }
            }
            Event::NonBlockingCollectiveComplete(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Event::CommCreate(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Event::CommDestroy(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Event::MpiProbe(r) => {
                each("communicator", ReferenceKind::Comm, u64::from(r.communicator.0));
            }
            Event::BufferFlush(..)
            | Event::MeasurementOnOff(..)
            | Event::MpiIsendComplete(..)
            | Event::MpiIrecvRequest(..)
            | Event::MpiRequestTest(..)
            | Event::MpiRequestCancelled(..)
            | Event::MpiCollectiveBegin(_)
            | Event::OmpFork(..)
            | Event::OmpJoin(_)
            | Event::OmpAcquireLock(..)
            | Event::OmpReleaseLock(..)
            | Event::OmpTaskCreate(..)
            | Event::OmpTaskSwitch(..)
            | Event::OmpTaskComplete(..)
            | Event::RmaCollectiveBegin(_)
            | Event::ThreadFork(..)
            | Event::ThreadJoin(..)
            | Event::ThreadAcquireLock(..)
            | Event::ThreadReleaseLock(..)
            | Event::ProgramEnd(..)
            | Event::NonBlockingCollectiveRequest(..)
            | Event::MpiMrecv(..)
            | Event::MpiImrecvRequest(..)
            | Event::MpiImrecv(..) => {}
        }
    }
}
