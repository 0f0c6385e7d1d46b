// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Meanings of the fields of events.

use crate::enums::{
    CollectiveOp, IoAccessMode, IoCreationFlag, IoOperationFlag, IoOperationMode, IoSeekOption,
    IoStatusFlag, LockType, MeasurementMode, Paradigm, RmaAtomicType, RmaSyncLevel, RmaSyncType,
};
use crate::events::Event;
use crate::fields::meaning::{
    bits, enumeration, flags, number, reference, time, type_of_values, value, Field, Meanings,
};
use crate::references::ReferenceKind;

impl Meanings for Event<'_> {
    fn meanings(&self) -> &'static [Field] {
        match self {
            Event::BufferFlush(_) => const { &[time("stop_time")] },
            Event::MeasurementOnOff(_) => {
                const {
                    &[enumeration("measurement_mode", |number| {
                        MeasurementMode::from(number).name()
                    })]
                }
            }
            Event::Enter(_) | Event::Leave(_) => {
                const { &[reference("region", ReferenceKind::Region)] }
            }
            Event::MpiSend(_) => {
                const {
                    &[
                        number("receiver"),
                        reference("communicator", ReferenceKind::Comm),
                        number("msg_tag"),
                        number("msg_length"),
                    ]
                }
            }
            Event::MpiIsend(_) => {
                const {
                    &[
                        number("receiver"),
                        reference("communicator", ReferenceKind::Comm),
                        number("msg_tag"),
                        number("msg_length"),
                        number("request_id"),
                    ]
                }
            }
            Event::MpiIsendComplete(_)
            | Event::MpiIrecvRequest(_)
            | Event::MpiRequestTest(_)
            | Event::MpiRequestCancelled(_)
            | Event::NonBlockingCollectiveRequest(_) => const { &[number("request_id")] },
            Event::MpiRecv(_) => {
                const {
                    &[
                        number("sender"),
                        reference("communicator", ReferenceKind::Comm),
                        number("msg_tag"),
                        number("msg_length"),
                    ]
                }
            }
            Event::MpiIrecv(_) => {
                const {
                    &[
                        number("sender"),
                        reference("communicator", ReferenceKind::Comm),
                        number("msg_tag"),
                        number("msg_length"),
                        number("request_id"),
                    ]
                }
            }
            Event::MpiCollectiveBegin(_) | Event::OmpJoin(_) | Event::RmaCollectiveBegin(_) => {
                const { &[] }
            }
            Event::MpiCollectiveEnd(_) => {
                const {
                    &[
                        enumeration("collective_op", |number| CollectiveOp::from(number).name()),
                        reference("communicator", ReferenceKind::Comm),
                        number("root"),
                        number("size_sent"),
                        number("size_received"),
                    ]
                }
            }
            Event::OmpFork(_) => const { &[number("number_of_requested_threads")] },
            Event::OmpAcquireLock(_) | Event::OmpReleaseLock(_) => {
                const { &[number("lock_id"), number("acquisition_order")] }
            }
            Event::OmpTaskCreate(_) | Event::OmpTaskSwitch(_) | Event::OmpTaskComplete(_) => {
                const { &[number("task_id")] }
            }
            Event::Metric(_) => {
                const {
                    &[
                        reference("metric", ReferenceKind::Metric),
                        number("number_of_metrics"),
                        type_of_values("type_ids"),
                        value("metric_values"),
                    ]
                }
            }
            Event::ParameterString(_) => {
                const {
                    &[
                        reference("parameter", ReferenceKind::Parameter),
                        reference("string", ReferenceKind::String),
                    ]
                }
            }
            Event::ParameterInt(_) | Event::ParameterUnsignedInt(_) => {
                const { &[reference("parameter", ReferenceKind::Parameter), number("value")] }
            }
            Event::RmaWinCreate(_) | Event::RmaWinDestroy(_) | Event::RmaWaitChange(_) => {
                const { &[reference("win", ReferenceKind::RmaWin)] }
            }
            Event::RmaCollectiveEnd(_) => {
                const {
                    &[
                        enumeration("collective_op", |number| CollectiveOp::from(number).name()),
                        flags("sync_level", |set, each| bits(RmaSyncLevel::NAMED, set, each)),
                        reference("win", ReferenceKind::RmaWin),
                        number("root"),
                        number("bytes_sent"),
                        number("bytes_received"),
                    ]
                }
            }
            Event::RmaGroupSync(_) => {
                const {
                    &[
                        flags("sync_level", |set, each| bits(RmaSyncLevel::NAMED, set, each)),
                        reference("win", ReferenceKind::RmaWin),
                        reference("group", ReferenceKind::Group),
                    ]
                }
            }
            Event::RmaRequestLock(_) | Event::RmaAcquireLock(_) | Event::RmaTryLock(_) => {
                const {
                    &[
                        reference("win", ReferenceKind::RmaWin),
                        number("remote"),
                        number("lock_id"),
                        enumeration("lock_type", |number| LockType::from(number).name()),
                    ]
                }
            }
            Event::RmaReleaseLock(_) => {
                const { &[reference("win", ReferenceKind::RmaWin), number("remote"), number("lock_id")] }
            }
            Event::RmaSync(_) => {
                const {
                    &[
                        reference("win", ReferenceKind::RmaWin),
                        number("remote"),
                        enumeration("sync_type", |number| RmaSyncType::from(number).name()),
                    ]
                }
            }
            Event::RmaPut(_) | Event::RmaGet(_) => {
                const {
                    &[
                        reference("win", ReferenceKind::RmaWin),
                        number("remote"),
                        number("bytes"),
                        number("matching_id"),
                    ]
                }
            }
            Event::RmaAtomic(_) => {
                const {
                    &[
                        reference("win", ReferenceKind::RmaWin),
                        number("remote"),
                        enumeration("type", |number| RmaAtomicType::from(number).name()),
                        number("bytes_sent"),
                        number("bytes_received"),
                        number("matching_id"),
                    ]
                }
            }
            Event::RmaOpCompleteBlocking(_)
            | Event::RmaOpCompleteNonBlocking(_)
            | Event::RmaOpTest(_)
            | Event::RmaOpCompleteRemote(_) => {
                const { &[reference("win", ReferenceKind::RmaWin), number("matching_id")] }
            }
            Event::ThreadFork(_) => {
                const {
                    &[
                        enumeration("model", |number| Paradigm::from(number).name()),
                        number("number_of_requested_threads"),
                    ]
                }
            }
            Event::ThreadJoin(_) => {
                const { &[enumeration("model", |number| Paradigm::from(number).name())] }
            }
            Event::ThreadTeamBegin(_) | Event::ThreadTeamEnd(_) => {
                const { &[reference("thread_team", ReferenceKind::Comm)] }
            }
            Event::ThreadAcquireLock(_) | Event::ThreadReleaseLock(_) => {
                const {
                    &[
                        enumeration("model", |number| Paradigm::from(number).name()),
                        number("lock_id"),
                        number("acquisition_order"),
                    ]
                }
            }
            Event::ThreadTaskCreate(_)
            | Event::ThreadTaskSwitch(_)
            | Event::ThreadTaskComplete(_) => {
                const {
                    &[
                        reference("thread_team", ReferenceKind::Comm),
                        number("creating_thread"),
                        number("generation_number"),
                    ]
                }
            }
            Event::ThreadCreate(_)
            | Event::ThreadBegin(_)
            | Event::ThreadWait(_)
            | Event::ThreadEnd(_) => {
                const { &[reference("thread_contingent", ReferenceKind::Comm), number("sequence_count")] }
            }
            Event::CallingContextEnter(_) => {
                const {
                    &[
                        reference("calling_context", ReferenceKind::CallingContext),
                        number("unwind_distance"),
                    ]
                }
            }
            Event::CallingContextLeave(_) => {
                const { &[reference("calling_context", ReferenceKind::CallingContext)] }
            }
            Event::CallingContextSample(_) => {
                const {
                    &[
                        reference("calling_context", ReferenceKind::CallingContext),
                        number("unwind_distance"),
                        reference("interrupt_generator", ReferenceKind::InterruptGenerator),
                    ]
                }
            }
            Event::IoCreateHandle(_) => {
                const {
                    &[
                        reference("handle", ReferenceKind::IoHandle),
                        enumeration("mode", |number| IoAccessMode::from(number).name()),
                        flags("creation_flags", |set, each| bits(IoCreationFlag::NAMED, set, each)),
                        flags("status_flags", |set, each| bits(IoStatusFlag::NAMED, set, each)),
                    ]
                }
            }
            Event::IoDestroyHandle(_) => const { &[reference("handle", ReferenceKind::IoHandle)] },
            Event::IoDuplicateHandle(_) => {
                const {
                    &[
                        reference("old_handle", ReferenceKind::IoHandle),
                        reference("new_handle", ReferenceKind::IoHandle),
                        flags("status_flags", |set, each| bits(IoStatusFlag::NAMED, set, each)),
                    ]
                }
            }
            Event::IoSeek(_) => {
                const {
                    &[
                        reference("handle", ReferenceKind::IoHandle),
                        number("offset_request"),
                        enumeration("whence", |number| IoSeekOption::from(number).name()),
                        number("offset_result"),
                    ]
                }
            }
            Event::IoChangeStatusFlags(_) => {
                const {
                    &[
                        reference("handle", ReferenceKind::IoHandle),
                        flags("status_flags", |set, each| bits(IoStatusFlag::NAMED, set, each)),
                    ]
                }
            }
            Event::IoDeleteFile(_) => {
                const {
                    &[
                        reference("io_paradigm", ReferenceKind::IoParadigm),
                        reference("file", ReferenceKind::IoFile),
                    ]
                }
            }
            Event::IoOperationBegin(_) => {
                const {
                    &[
                        reference("handle", ReferenceKind::IoHandle),
                        enumeration("mode", |number| IoOperationMode::from(number).name()),
                        flags("operation_flags", |set, each| {
                            bits(IoOperationFlag::NAMED, set, each)
                        }),
                        number("bytes_request"),
                        number("matching_id"),
                    ]
                }
            }
            Event::IoOperationTest(_)
            | Event::IoOperationIssued(_)
            | Event::IoOperationCancelled(_) => {
                const { &[reference("handle", ReferenceKind::IoHandle), number("matching_id")] }
            }
            Event::IoOperationComplete(_) => {
                const {
                    &[
                        reference("handle", ReferenceKind::IoHandle),
                        number("bytes_result"),
                        number("matching_id"),
                    ]
                }
            }
            Event::IoAcquireLock(_) | Event::IoReleaseLock(_) | Event::IoTryLock(_) => {
                const {
                    &[
                        reference("handle", ReferenceKind::IoHandle),
                        enumeration("lock_type", |number| LockType::from(number).name()),
                    ]
                }
            }
            Event::ProgramBegin(_) => {
                const {
                    &[
                        reference("program_name", ReferenceKind::String),
                        number("number_of_arguments"),
                        reference("program_arguments", ReferenceKind::String),
                    ]
                }
            }
            Event::ProgramEnd(_) => const { &[number("exit_status")] },
            Event::NonBlockingCollectiveComplete(_) => {
                const {
                    &[
                        enumeration("collective_op", |number| CollectiveOp::from(number).name()),
                        reference("communicator", ReferenceKind::Comm),
                        number("root"),
                        number("size_sent"),
                        number("size_received"),
                        number("request_id"),
                    ]
                }
            }
            Event::CommCreate(_) | Event::CommDestroy(_) => {
                const { &[reference("communicator", ReferenceKind::Comm)] }
            }
            Event::MpiProbe(_) => {
                const {
                    &[
                        number("sender"),
                        reference("communicator", ReferenceKind::Comm),
                        number("tag"),
                        number("message_id"),
                    ]
                }
            }
            Event::MpiMrecv(_) => const { &[number("message_id"), number("msg_length")] },
            Event::MpiImrecvRequest(_) => const { &[number("message_id"), number("request_id")] },
            Event::MpiImrecv(_) => const { &[number("request_id"), number("msg_length")] },
        }
    }
}
