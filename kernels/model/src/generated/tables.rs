// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Members of all records, each with the names of the fields that it stands for.

/// Calls a macro with all definitions.
macro_rules! definitions {
    ($with:ident) => { $with! { Definition:
        ClockProperties { timer_resolution: "timerResolution", global_offset: "globalOffset",
            trace_length: "traceLength", realtime_timestamp: "realtimeTimestamp" }
        ParadigmDef "Paradigm" { paradigm: _, name: _, paradigm_class: "paradigmClass" }
        ParadigmPropertyDef "ParadigmProperty" { paradigm: _, property: _, value: ["type" "type",
            "value" "value"] }
        IoParadigm(id) { identification: _, name: _, io_paradigm_class: "ioParadigmClass",
            io_paradigm_flags: "ioParadigmFlags",
            properties: ["numberOfProperties" "number_of_properties", "properties" "properties",
            "types" "types", "values" "values"] }
        StringDef "String"(id) { string: _ }
        Attribute(id) { name: _, value_type: ["type" "type"], description: _ }
        SystemTreeNode(id) { name: _, class_name: "className", parent: _ }
        LocationGroup(id) { name: _, location_group_type: "locationGroupType",
            system_tree_parent: "systemTreeParent",
            creating_location_group: "creatingLocationGroup" }
        Location(id) { name: _, location_type: "locationType", number_of_events: "numberOfEvents",
            location_group: "locationGroup" }
        Region(id) { name: _, description: _, source_file: "sourceFile",
            begin_line_number: "beginLineNumber", end_line_number: "endLineNumber",
            canonical_name: "canonicalName", region_role: "regionRole", paradigm: _,
            region_flags: "regionFlags" }
        Callsite(id) { source_file: "sourceFile", line_number: "lineNumber",
            entered_region: "enteredRegion", left_region: "leftRegion" }
        Callpath(id) { parent: _, region: _ }
        Group(id) { name: _, members: ["numberOfMembers" "number_of_members", "members" "members"],
            group_type: "groupType", paradigm: _, group_flags: "groupFlags" }
        MetricMember(id) { name: _, description: _, metric_type: "metricType",
            metric_mode: "metricMode", value_type: "valueType", base: _, exponent: _, unit: _ }
        MetricClass(id) { metric_members: ["numberOfMetrics" "number_of_metrics",
            "metricMembers" "metric_members"], metric_occurrence: "metricOccurrence",
            recorder_kind: "recorderKind" }
        MetricInstance(id) { metric_class: "metricClass", recorder: _, metric_scope: "metricScope",
            scope: _ }
        Comm(id) { name: _, group: _, parent: _, flags: _ }
        Parameter(id) { name: _, parameter_type: "parameterType" }
        RmaWin(id) { name: _, comm: _, flags: _ }
        MetricClassRecorder { metric: _, recorder: _ }
        SystemTreeNodeProperty { system_tree_node: "systemTreeNode", name: _, value: ["type" "type",
            "value" "value"] }
        SystemTreeNodeDomain { system_tree_node: "systemTreeNode",
            system_tree_domain: "systemTreeDomain" }
        LocationGroupProperty { location_group: "locationGroup", name: _, value: ["type" "type",
            "value" "value"] }
        LocationProperty { location: _, name: _, value: ["type" "type", "value" "value"] }
        CartDimension(id) { name: _, size: _, cart_periodicity: "cartPeriodicity" }
        CartTopology(id) { name: _, communicator: _,
            cart_dimensions: ["numberOfDimensions" "number_of_dimensions",
            "cartDimensions" "cart_dimensions"] }
        CartCoordinate { cart_topology: "cartTopology", rank: _,
            coordinates: ["numberOfDimensions" "number_of_dimensions",
            "coordinates" "coordinates"] }
        SourceCodeLocation(id) { file: _, line_number: "lineNumber" }
        CallingContext(id) { region: _, source_code_location: "sourceCodeLocation", parent: _ }
        CallingContextProperty { calling_context: "callingContext", name: _, value: ["type" "type",
            "value" "value"] }
        InterruptGenerator(id) { name: _, interrupt_generator_mode: "interruptGeneratorMode",
            base: _, exponent: _, period: _ }
        IoFileProperty { io_file: "ioFile", name: _, value: ["type" "type", "value" "value"] }
        IoRegularFile(id) { name: _, scope: _ }
        IoDirectory(id) { name: _, scope: _ }
        IoHandle(id) { name: _, file: _, io_paradigm: "ioParadigm",
            io_handle_flags: "ioHandleFlags", comm: _, parent: _ }
        IoPreCreatedHandleState { io_handle: "ioHandle", mode: _, status_flags: "statusFlags" }
        CallpathParameter { callpath: _, parameter: _, value: ["type" "type", "value" "value"] }
        InterComm(id) { name: _, group_a: "groupA", group_b: "groupB",
            common_communicator: "commonCommunicator", flags: _ }
        MappingTable { mapping_type: "mappingType", id_map: "idMap" }
        ClockOffset { time: _, offset: _, standard_deviation: "standardDeviation" }
    } };
}

/// Calls a macro with all events.
macro_rules! events {
    ($with:ident) => { $with! { Event<'_>:
        BufferFlush { stop_time: "stopTime" }
        MeasurementOnOff { measurement_mode: "measurementMode" }
        Enter { region: _ }
        Leave { region: _ }
        MpiSend { receiver: _, communicator: _, msg_tag: "msgTag", msg_length: "msgLength" }
        MpiIsend { receiver: _, communicator: _, msg_tag: "msgTag", msg_length: "msgLength",
            request_id: "requestID" }
        MpiIsendComplete { request_id: "requestID" }
        MpiIrecvRequest { request_id: "requestID" }
        MpiRecv { sender: _, communicator: _, msg_tag: "msgTag", msg_length: "msgLength" }
        MpiIrecv { sender: _, communicator: _, msg_tag: "msgTag", msg_length: "msgLength",
            request_id: "requestID" }
        MpiRequestTest { request_id: "requestID" }
        MpiRequestCancelled { request_id: "requestID" }
        MpiCollectiveBegin {}
        MpiCollectiveEnd { collective_op: "collectiveOp", communicator: _, root: _,
            size_sent: "sizeSent", size_received: "sizeReceived" }
        OmpFork { number_of_requested_threads: "numberOfRequestedThreads" }
        OmpJoin {}
        OmpAcquireLock { lock_id: "lockID", acquisition_order: "acquisitionOrder" }
        OmpReleaseLock { lock_id: "lockID", acquisition_order: "acquisitionOrder" }
        OmpTaskCreate { task_id: "taskID" }
        OmpTaskSwitch { task_id: "taskID" }
        OmpTaskComplete { task_id: "taskID" }
        Metric { metric: _, values: ["numberOfMetrics" "number_of_metrics", "typeIDs" "type_ids",
            "metricValues" "metric_values"] }
        ParameterString { parameter: _, string: _ }
        ParameterInt { parameter: _, value: _ }
        ParameterUnsignedInt { parameter: _, value: _ }
        RmaWinCreate { win: _ }
        RmaWinDestroy { win: _ }
        RmaCollectiveBegin {}
        RmaCollectiveEnd { collective_op: "collectiveOp", sync_level: "syncLevel", win: _, root: _,
            bytes_sent: "bytesSent", bytes_received: "bytesReceived" }
        RmaGroupSync { sync_level: "syncLevel", win: _, group: _ }
        RmaRequestLock { win: _, remote: _, lock_id: "lockId", lock_type: "lockType" }
        RmaAcquireLock { win: _, remote: _, lock_id: "lockId", lock_type: "lockType" }
        RmaTryLock { win: _, remote: _, lock_id: "lockId", lock_type: "lockType" }
        RmaReleaseLock { win: _, remote: _, lock_id: "lockId" }
        RmaSync { win: _, remote: _, sync_type: "syncType" }
        RmaWaitChange { win: _ }
        RmaPut { win: _, remote: _, bytes: _, matching_id: "matchingId" }
        RmaGet { win: _, remote: _, bytes: _, matching_id: "matchingId" }
        RmaAtomic { win: _, remote: _, atomic_type: ["type" "type"], bytes_sent: "bytesSent",
            bytes_received: "bytesReceived", matching_id: "matchingId" }
        RmaOpCompleteBlocking { win: _, matching_id: "matchingId" }
        RmaOpCompleteNonBlocking { win: _, matching_id: "matchingId" }
        RmaOpTest { win: _, matching_id: "matchingId" }
        RmaOpCompleteRemote { win: _, matching_id: "matchingId" }
        ThreadFork { model: _, number_of_requested_threads: "numberOfRequestedThreads" }
        ThreadJoin { model: _ }
        ThreadTeamBegin { thread_team: "threadTeam" }
        ThreadTeamEnd { thread_team: "threadTeam" }
        ThreadAcquireLock { model: _, lock_id: "lockID", acquisition_order: "acquisitionOrder" }
        ThreadReleaseLock { model: _, lock_id: "lockID", acquisition_order: "acquisitionOrder" }
        ThreadTaskCreate { thread_team: "threadTeam", creating_thread: "creatingThread",
            generation_number: "generationNumber" }
        ThreadTaskSwitch { thread_team: "threadTeam", creating_thread: "creatingThread",
            generation_number: "generationNumber" }
        ThreadTaskComplete { thread_team: "threadTeam", creating_thread: "creatingThread",
            generation_number: "generationNumber" }
        ThreadCreate { thread_contingent: "threadContingent", sequence_count: "sequenceCount" }
        ThreadBegin { thread_contingent: "threadContingent", sequence_count: "sequenceCount" }
        ThreadWait { thread_contingent: "threadContingent", sequence_count: "sequenceCount" }
        ThreadEnd { thread_contingent: "threadContingent", sequence_count: "sequenceCount" }
        CallingContextEnter { calling_context: "callingContext", unwind_distance: "unwindDistance" }
        CallingContextLeave { calling_context: "callingContext" }
        CallingContextSample { calling_context: "callingContext", unwind_distance: "unwindDistance",
            interrupt_generator: "interruptGenerator" }
        IoCreateHandle { handle: _, mode: _, creation_flags: "creationFlags",
            status_flags: "statusFlags" }
        IoDestroyHandle { handle: _ }
        IoDuplicateHandle { old_handle: "oldHandle", new_handle: "newHandle",
            status_flags: "statusFlags" }
        IoSeek { handle: _, offset_request: "offsetRequest", whence: _,
            offset_result: "offsetResult" }
        IoChangeStatusFlags { handle: _, status_flags: "statusFlags" }
        IoDeleteFile { io_paradigm: "ioParadigm", file: _ }
        IoOperationBegin { handle: _, mode: _, operation_flags: "operationFlags",
            bytes_request: "bytesRequest", matching_id: "matchingId" }
        IoOperationTest { handle: _, matching_id: "matchingId" }
        IoOperationIssued { handle: _, matching_id: "matchingId" }
        IoOperationComplete { handle: _, bytes_result: "bytesResult", matching_id: "matchingId" }
        IoOperationCancelled { handle: _, matching_id: "matchingId" }
        IoAcquireLock { handle: _, lock_type: "lockType" }
        IoReleaseLock { handle: _, lock_type: "lockType" }
        IoTryLock { handle: _, lock_type: "lockType" }
        ProgramBegin { program_name: "programName",
            program_arguments: ["numberOfArguments" "number_of_arguments",
            "programArguments" "program_arguments"] }
        ProgramEnd { exit_status: "exitStatus" }
        NonBlockingCollectiveRequest { request_id: "requestID" }
        NonBlockingCollectiveComplete { collective_op: "collectiveOp", communicator: _, root: _,
            size_sent: "sizeSent", size_received: "sizeReceived", request_id: "requestID" }
        CommCreate { communicator: _ }
        CommDestroy { communicator: _ }
        MpiProbe { sender: _, communicator: _, tag: _, message_id: "messageId" }
        MpiMrecv { message_id: "messageId", msg_length: "msgLength" }
        MpiImrecvRequest { message_id: "messageId", request_id: "requestID" }
        MpiImrecv { request_id: "requestID", msg_length: "msgLength" }
    } };
}

/// Calls a macro with all snapshots.
macro_rules! snapshots {
    ($with:ident) => {
        $with! { Snapshot<'_>:
            SnapshotStart { number_of_records: "numberOfRecords" }
            SnapshotEnd { cont_read_pos: "contReadPos" }
            MeasurementOnOffSnap { orig_event_time: "origEventTime",
                measurement_mode: "measurementMode" }
            EnterSnap { orig_event_time: "origEventTime", region: _ }
            MpiSendSnap { orig_event_time: "origEventTime", receiver: _, communicator: _,
                msg_tag: "msgTag", msg_length: "msgLength" }
            MpiIsendSnap { orig_event_time: "origEventTime", receiver: _, communicator: _,
                msg_tag: "msgTag", msg_length: "msgLength", request_id: "requestID" }
            MpiIsendCompleteSnap { orig_event_time: "origEventTime", request_id: "requestID" }
            MpiRecvSnap { orig_event_time: "origEventTime", sender: _, communicator: _,
                msg_tag: "msgTag", msg_length: "msgLength" }
            MpiIrecvRequestSnap { orig_event_time: "origEventTime", request_id: "requestID" }
            MpiIrecvSnap { orig_event_time: "origEventTime", sender: _, communicator: _,
                msg_tag: "msgTag", msg_length: "msgLength", request_id: "requestID" }
            MpiCollectiveBeginSnap { orig_event_time: "origEventTime" }
            MpiCollectiveEndSnap { orig_event_time: "origEventTime", collective_op: "collectiveOp",
                communicator: _, root: _, size_sent: "sizeSent", size_received: "sizeReceived" }
            OmpForkSnap { orig_event_time: "origEventTime",
                number_of_requested_threads: "numberOfRequestedThreads" }
            OmpAcquireLockSnap { orig_event_time: "origEventTime", lock_id: "lockID",
                acquisition_order: "acquisitionOrder" }
            OmpTaskCreateSnap { orig_event_time: "origEventTime", task_id: "taskID" }
            OmpTaskSwitchSnap { orig_event_time: "origEventTime", task_id: "taskID" }
            MetricSnap { orig_event_time: "origEventTime", metric: _,
                values: ["numberOfMetrics" "number_of_metrics", "typeIDs" "type_ids",
                "metricValues" "metric_values"] }
            ParameterStringSnap { orig_event_time: "origEventTime", parameter: _, string: _ }
            ParameterIntSnap { orig_event_time: "origEventTime", parameter: _, value: _ }
            ParameterUnsignedIntSnap { orig_event_time: "origEventTime", parameter: _, value: _ }
        }
    };
}

/// Calls a macro with all markers.
macro_rules! markers {
    ($with:ident) => {
        $with! { MarkerRecord:
            DefMarker(id) { marker_group: "markerGroup", marker_category: "markerCategory",
                severity: _ }
            Marker { timestamp: _, duration: _, marker: _, marker_scope: "markerScope", scope: _,
                text: _ }
        }
    };
}

/// Calls a macro with all thumbnails.
macro_rules! thumbnails {
    ($with:ident) => {
        $with! { Thumbnail:
            ThumbnailHeader { name: _, description: _, thumbnail_type: ["type" "type"],
                number_of_samples: "numberOfSamples",
                refs_to_defs: ["numberOfMetrics" "number_of_metrics", "refsToDefs" "refs_to_defs"] }
            ThumbnailSample { baseline: _, metric_samples: ["numberOfMetrics" "number_of_metrics",
                "metricSamples" "metric_samples"] }
        }
    };
}

pub(crate) use {definitions, events, markers, snapshots, thumbnails};
