// Written by ci/generate-records from src/formats/otf/records.toml. Do not edit.

//! The records of OTF, version 1: their keywords and fields.

mod definitions;
mod events;
mod markers;
mod snapshots;
mod statistics;

use super::record::{RecordKind, Section};

/// The kinds of records, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Record {
    /// `CMT comment`, long `COMMENT comment`.
    DefinitionComment,
    /// `TR ticks_per_second`, long `TIMERRESOLUTION ticks_per_second`.
    DefTimerResolution,
    /// `P process NM name PT parent`, long `PROCESS process NAME name PARENT parent`.
    ///
    /// Name may be absent altogether (distinct from an empty name); parent 0 means none.
    DefProcess,
    /// `PG group M members NM name`, long `PROCESSGROUP group MEMBERS members NAME name`.
    ///
    /// An empty member list in short form makes the two keywords touch: MNM.
    DefProcessGroup,
    /// `A attr_token M attributes`, long `ATTRIBUTELIST attr_token MEMBERS attributes`.
    DefAttributeList,
    /// `PGA process_or_group V attr_token`, long `PROCESSORGROUPATTR process_or_group VALUE attr_token`.
    DefProcessOrGroupAttributes,
    /// `F function G group NM name X source`, long `FUNCTION function GROUP group NAME name SCL source`.
    DefFunction,
    /// `FG group NM name`, long `FUNCTIONGROUP group NAME name`.
    DefFunctionGroup,
    /// `CO collective NM name Y type`, long `COLLOP collective NAME name TYPE type`.
    DefCollectiveOperation,
    /// `CNT counter G group NM name P properties G group_again U unit`, long `COUNTER counter GROUP group NAME name PROPERTIES properties GROUP group_again UNIT unit`.
    DefCounter,
    /// `CG group NM name`, long `COUNTERGROUP group NAME name`.
    DefCounterGroup,
    /// `S source F file LN line`, long `SCL source FILE file LINE line`.
    DefScl,
    /// `SF file NM name`, long `SCLFILE file NAME name`.
    DefSclFile,
    /// `V version suffix`, long `VERSION version suffix`.
    ///
    /// Version is three hex numbers with dots between, each cut to 8 bits; the suffix follows at once.
    DefVersion,
    /// `UI uid`, long `UNIQUEID uid`.
    DefUniqueId,
    /// `CR creator`, long `CREATOR creator`.
    DefCreator,
    /// `FL file NM name G group`, long `FILE file NAME name GROUP group`.
    DefFile,
    /// `FLG group NM name`, long `FILEGROUP group NAME name`.
    DefFileGroup,
    /// `K key Y type NM name T description`, long `KEYVALUE key TYPE type NAME name TAG description`.
    DefKeyValue,
    /// `TRG min_time T max_time`, long `TIMERANGE min_time TIME max_time`.
    DefTimeRange,
    /// `CA counter M members`, long `COUNTERASSIGNMENTS counter MEMBERS members`.
    DefCounterAssignments,
    /// `PS representative M members`, long `PROCESSSUBSTITUTES representative MEMBERS members`.
    DefProcessSubstitutes,
    /// `AUX time Y type`, long `AUXSAMPLEPOINT time TYPE type`.
    DefAuxSamplePoint,
    /// `N`, long `NOOP`.
    ///
    /// Carries key-values only.
    NoOp,
    /// `E function X source`, long `ENTER function SCL source`.
    Enter,
    /// `L function X source`, long `LEAVE function SCL source`.
    Leave,
    /// `S receiver L length T tag C communicator X source`, long `SEND receiver LEN length TAG tag COMM communicator SCL source`.
    SendMsg,
    /// `R sender L length T tag C communicator X source`, long `RECEIVE sender LEN length TAG tag COMM communicator SCL source`.
    RecvMsg,
    /// `CNT counter V value`, long `COUNTER counter VALUE value`.
    Counter,
    /// `COP collective C communicator RT root S sent R received D duration X source`, long `COLLOP collective COMM communicator ROOT root SENT sent RECVD received DUR duration SCL source`.
    ///
    /// Sent and received are 32 bit here, unlike BeginCollectiveOperation.
    CollectiveOperation,
    /// `COPB collective H matching_id C communicator RT root S sent R received X source`, long `COLLOPBEGIN collective HANDLEID matching_id COMM communicator ROOT root SENT sent RECVD received SCL source`.
    BeginCollectiveOperation,
    /// `COPE matching_id`, long `COLLOPEND matching_id`.
    EndCollectiveOperation,
    /// `# comment`, long `#EVTCOMMENT comment`.
    EventComment,
    /// `PB`, long `PROCESSBEGIN`.
    BeginProcess,
    /// `PE`, long `PROCESSEND`.
    EndProcess,
    /// `F file H handle_id OP operation B bytes D duration X source`, long `FILEOP file HANDLEID handle_id OPERATION operation BYTES bytes DUR duration SCL source`.
    FileOperation,
    /// `FA matching_id X source`, long `FILEOPBEGINNEW matching_id SCL source`.
    BeginFileOperation,
    /// `FB matching_id X source`, long `FILEOPBEGIN matching_id SCL source`.
    ///
    /// Old spelling with the same content; read, never written.
    BeginFileOperationOld,
    /// `FF file MI matching_id H handle_id OP operation B bytes X source`, long `FILEOPENDNEW file MATCHID matching_id HANDLEID handle_id OPERATION operation BYTES bytes SCL source`.
    EndFileOperation,
    /// `FE file H matching_id OP operation B bytes X source`, long `FILEOPEND file HANDLEID matching_id OPERATION operation BYTES bytes SCL source`.
    ///
    /// Old record; its handle id is delivered as the matching id and the handle id becomes 0.
    EndFileOperationOld,
    /// `T origin P target C communicator T tag L bytes X source`, long `TRMAPUT origin PROCESS target COMM communicator TAG tag LEN bytes SCL source`.
    RMAPut,
    /// `U origin P target C communicator T tag L bytes X source`, long `URMAPUTRE origin PROCESS target COMM communicator TAG tag LEN bytes SCL source`.
    RMAPutRemoteEnd,
    /// `G origin P target C communicator T tag L bytes X source`, long `GRMAGET origin PROCESS target COMM communicator TAG tag LEN bytes SCL source`.
    RMAGet,
    /// `M remote C communicator T tag X source`, long `MRMAEND remote COMM communicator TAG tag SCL source`.
    RMAEnd,
    /// `C comment`, long `COMMENT comment`.
    SnapshotComment,
    /// `E function O original_time X source`, long `ENTER function OTIME original_time SCL source`.
    EnterSnapshot,
    /// `S receiver O original_time G communicator T tag L length X source`, long `SEND receiver OTIME original_time GROUP communicator TAG tag LEN length SCL source`.
    SendSnapshot,
    /// `OF file O original_time H handle_id X source`, long `OPENFILE file OTIME original_time HANDLEID handle_id SCL source`.
    OpenFileSnapshot,
    /// `BC original_time CL collective H matching_id G communicator RT root S sent R received X source`, long `BEGINCOLLOP original_time COLL collective HANDLEID matching_id GROUP communicator ROOT root SENT sent RECVD received SCL source`.
    BeginCollopSnapshot,
    /// `BF original_time MI matching_id X source`, long `BEGINFILEOP original_time MATCHID matching_id SCL source`.
    BeginFileOpSnapshot,
    /// `COC communicator N count`, long `COLLOPCOUNT communicator COUNT count`.
    CollopCountSnapshot,
    /// `CNT original_time CNT counter V value`, long `COUNTER original_time COUNTER counter VALUE value`.
    CounterSnapshot,
    /// `C comment`, long `COMMENT comment`.
    SummaryComment,
    /// `F function N count E exclusive_time I inclusive_time`, long `FUNCTION function COUNT count EXCL exclusive_time INCL inclusive_time`.
    FunctionSummary,
    /// `G group N count E exclusive_time I inclusive_time`, long `FUNCTIONGROUP group COUNT count EXCL exclusive_time INCL inclusive_time`.
    FunctionGroupSummary,
    /// `M peer C communicator T tag NS number_sent NR number_received S bytes_sent R bytes_received`, long `MESSAGE peer COMM communicator TAG tag NUMSENT number_sent NUMRECVD number_received SENT bytes_sent RECVD bytes_received`.
    MessageSummary,
    /// `CO communicator CL collective NS number_sent NR number_received S bytes_sent R bytes_received`, long `COLLMESSAGE communicator COLL collective NUMSENT number_sent NUMRECVD number_received SENT bytes_sent RECVD bytes_received`.
    CollopSummary,
    /// `FL file NO opens NC closes NRD reads NW writes NSK seeks BR bytes_read BW bytes_written`, long `FILEOPERATION file NUMOPEN opens NUMCLOSE closes NUMREAD reads NUMWRITTEN writes NUMSEEK seeks BYTESREAD bytes_read BYTESWRITE bytes_written`.
    FileOperationSummary,
    /// `FLG group NO opens NC closes NRD reads NW writes NSK seeks BR bytes_read BW bytes_written`, long `FILEGROUPOPERATION group NUMOPEN opens NUMCLOSE closes NUMREAD reads NUMWRITTEN writes NUMSEEK seeks BYTESREAD bytes_read BYTESWRITE bytes_written`.
    FileGroupOperationSummary,
    /// `D marker NM name Y type`, long `DEF marker NAME name TYPE type`.
    DefMarker,
    /// `S marker T time P process V text`, long `SPOT marker TIME time PROCESS process VALUE text`.
    MarkerSpot,
}

impl Record {
    /// All of them.
    pub const ALL: [Record; 61] = [
        Record::DefinitionComment,
        Record::DefTimerResolution,
        Record::DefProcess,
        Record::DefProcessGroup,
        Record::DefAttributeList,
        Record::DefProcessOrGroupAttributes,
        Record::DefFunction,
        Record::DefFunctionGroup,
        Record::DefCollectiveOperation,
        Record::DefCounter,
        Record::DefCounterGroup,
        Record::DefScl,
        Record::DefSclFile,
        Record::DefVersion,
        Record::DefUniqueId,
        Record::DefCreator,
        Record::DefFile,
        Record::DefFileGroup,
        Record::DefKeyValue,
        Record::DefTimeRange,
        Record::DefCounterAssignments,
        Record::DefProcessSubstitutes,
        Record::DefAuxSamplePoint,
        Record::NoOp,
        Record::Enter,
        Record::Leave,
        Record::SendMsg,
        Record::RecvMsg,
        Record::Counter,
        Record::CollectiveOperation,
        Record::BeginCollectiveOperation,
        Record::EndCollectiveOperation,
        Record::EventComment,
        Record::BeginProcess,
        Record::EndProcess,
        Record::FileOperation,
        Record::BeginFileOperation,
        Record::BeginFileOperationOld,
        Record::EndFileOperation,
        Record::EndFileOperationOld,
        Record::RMAPut,
        Record::RMAPutRemoteEnd,
        Record::RMAGet,
        Record::RMAEnd,
        Record::SnapshotComment,
        Record::EnterSnapshot,
        Record::SendSnapshot,
        Record::OpenFileSnapshot,
        Record::BeginCollopSnapshot,
        Record::BeginFileOpSnapshot,
        Record::CollopCountSnapshot,
        Record::CounterSnapshot,
        Record::SummaryComment,
        Record::FunctionSummary,
        Record::FunctionGroupSummary,
        Record::MessageSummary,
        Record::CollopSummary,
        Record::FileOperationSummary,
        Record::FileGroupOperationSummary,
        Record::DefMarker,
        Record::MarkerSpot,
    ];

    /// Facts about the kind of record.
    pub fn kind(self) -> &'static RecordKind {
        match self as usize {
            0..23 => definitions::KINDS[self as usize],
            23..44 => events::KINDS[self as usize - 23],
            44..52 => &snapshots::KINDS[self as usize - 44],
            52..59 => &statistics::KINDS[self as usize - 52],
            _ => &markers::KINDS[self as usize - 59],
        }
    }

    /// The record of a keyword, in either spelling, without the prefix of the section.
    pub fn of_keyword(section: Section, keyword: &[u8]) -> Option<Record> {
        Some(match (section, keyword) {
            (Section::Definitions, [b'C', b'M', b'T']) => Record::DefinitionComment,
            (Section::Definitions, [b'C', b'O', b'M', b'M', b'E', b'N', b'T']) => {
                Record::DefinitionComment
            }
            (Section::Definitions, [b'T', b'R']) => Record::DefTimerResolution,
            (
                Section::Definitions,
                [b'T', b'I', b'M', b'E', b'R', b'R', b'E', b'S', b'O', b'L', b'U', b'T', b'I', b'O', b'N'],
            ) => Record::DefTimerResolution,
            (Section::Definitions, [b'P']) => Record::DefProcess,
            (Section::Definitions, [b'P', b'R', b'O', b'C', b'E', b'S', b'S']) => {
                Record::DefProcess
            }
            (Section::Definitions, [b'P', b'G']) => Record::DefProcessGroup,
            (
                Section::Definitions,
                [b'P', b'R', b'O', b'C', b'E', b'S', b'S', b'G', b'R', b'O', b'U', b'P'],
            ) => Record::DefProcessGroup,
            (Section::Definitions, [b'A']) => Record::DefAttributeList,
            (
                Section::Definitions,
                [b'A', b'T', b'T', b'R', b'I', b'B', b'U', b'T', b'E', b'L', b'I', b'S', b'T'],
            ) => Record::DefAttributeList,
            (Section::Definitions, [b'P', b'G', b'A']) => Record::DefProcessOrGroupAttributes,
            (
                Section::Definitions,
                [b'P', b'R', b'O', b'C', b'E', b'S', b'S', b'O', b'R', b'G', b'R', b'O', b'U', b'P', b'A', b'T', b'T', b'R'],
            ) => Record::DefProcessOrGroupAttributes,
            (Section::Definitions, [b'F']) => Record::DefFunction,
            (Section::Definitions, [b'F', b'U', b'N', b'C', b'T', b'I', b'O', b'N']) => {
                Record::DefFunction
            }
            (Section::Definitions, [b'F', b'G']) => Record::DefFunctionGroup,
            (
                Section::Definitions,
                [b'F', b'U', b'N', b'C', b'T', b'I', b'O', b'N', b'G', b'R', b'O', b'U', b'P'],
            ) => Record::DefFunctionGroup,
            (Section::Definitions, [b'C', b'O']) => Record::DefCollectiveOperation,
            (Section::Definitions, [b'C', b'O', b'L', b'L', b'O', b'P']) => {
                Record::DefCollectiveOperation
            }
            (Section::Definitions, [b'C', b'N', b'T']) => Record::DefCounter,
            (Section::Definitions, [b'C', b'O', b'U', b'N', b'T', b'E', b'R']) => {
                Record::DefCounter
            }
            (Section::Definitions, [b'C', b'G']) => Record::DefCounterGroup,
            (
                Section::Definitions,
                [b'C', b'O', b'U', b'N', b'T', b'E', b'R', b'G', b'R', b'O', b'U', b'P'],
            ) => Record::DefCounterGroup,
            (Section::Definitions, [b'S']) => Record::DefScl,
            (Section::Definitions, [b'S', b'C', b'L']) => Record::DefScl,
            (Section::Definitions, [b'S', b'F']) => Record::DefSclFile,
            (Section::Definitions, [b'S', b'C', b'L', b'F', b'I', b'L', b'E']) => {
                Record::DefSclFile
            }
            (Section::Definitions, [b'V']) => Record::DefVersion,
            (Section::Definitions, [b'V', b'E', b'R', b'S', b'I', b'O', b'N']) => {
                Record::DefVersion
            }
            (Section::Definitions, [b'U', b'I']) => Record::DefUniqueId,
            (Section::Definitions, [b'U', b'N', b'I', b'Q', b'U', b'E', b'I', b'D']) => {
                Record::DefUniqueId
            }
            (Section::Definitions, [b'C', b'R']) => Record::DefCreator,
            (Section::Definitions, [b'C', b'R', b'E', b'A', b'T', b'O', b'R']) => {
                Record::DefCreator
            }
            (Section::Definitions, [b'F', b'L']) => Record::DefFile,
            (Section::Definitions, [b'F', b'I', b'L', b'E']) => Record::DefFile,
            (Section::Definitions, [b'F', b'L', b'G']) => Record::DefFileGroup,
            (Section::Definitions, [b'F', b'I', b'L', b'E', b'G', b'R', b'O', b'U', b'P']) => {
                Record::DefFileGroup
            }
            (Section::Definitions, [b'K']) => Record::DefKeyValue,
            (Section::Definitions, [b'K', b'E', b'Y', b'V', b'A', b'L', b'U', b'E']) => {
                Record::DefKeyValue
            }
            (Section::Definitions, [b'T', b'R', b'G']) => Record::DefTimeRange,
            (Section::Definitions, [b'T', b'I', b'M', b'E', b'R', b'A', b'N', b'G', b'E']) => {
                Record::DefTimeRange
            }
            (Section::Definitions, [b'C', b'A']) => Record::DefCounterAssignments,
            (
                Section::Definitions,
                [b'C', b'O', b'U', b'N', b'T', b'E', b'R', b'A', b'S', b'S', b'I', b'G', b'N', b'M', b'E', b'N', b'T', b'S'],
            ) => Record::DefCounterAssignments,
            (Section::Definitions, [b'P', b'S']) => Record::DefProcessSubstitutes,
            (
                Section::Definitions,
                [b'P', b'R', b'O', b'C', b'E', b'S', b'S', b'S', b'U', b'B', b'S', b'T', b'I', b'T', b'U', b'T', b'E', b'S'],
            ) => Record::DefProcessSubstitutes,
            (Section::Definitions, [b'A', b'U', b'X']) => Record::DefAuxSamplePoint,
            (
                Section::Definitions,
                [b'A', b'U', b'X', b'S', b'A', b'M', b'P', b'L', b'E', b'P', b'O', b'I', b'N', b'T'],
            ) => Record::DefAuxSamplePoint,
            (Section::Events, [b'N']) => Record::NoOp,
            (Section::Events, [b'N', b'O', b'O', b'P']) => Record::NoOp,
            (Section::Events, [b'E']) => Record::Enter,
            (Section::Events, [b'E', b'N', b'T', b'E', b'R']) => Record::Enter,
            (Section::Events, [b'L']) => Record::Leave,
            (Section::Events, [b'L', b'E', b'A', b'V', b'E']) => Record::Leave,
            (Section::Events, [b'S']) => Record::SendMsg,
            (Section::Events, [b'S', b'E', b'N', b'D']) => Record::SendMsg,
            (Section::Events, [b'R']) => Record::RecvMsg,
            (Section::Events, [b'R', b'E', b'C', b'E', b'I', b'V', b'E']) => Record::RecvMsg,
            (Section::Events, [b'C', b'N', b'T']) => Record::Counter,
            (Section::Events, [b'C', b'O', b'U', b'N', b'T', b'E', b'R']) => Record::Counter,
            (Section::Events, [b'C', b'O', b'P']) => Record::CollectiveOperation,
            (Section::Events, [b'C', b'O', b'L', b'L', b'O', b'P']) => Record::CollectiveOperation,
            (Section::Events, [b'C', b'O', b'P', b'B']) => Record::BeginCollectiveOperation,
            (
                Section::Events,
                [b'C', b'O', b'L', b'L', b'O', b'P', b'B', b'E', b'G', b'I', b'N'],
            ) => Record::BeginCollectiveOperation,
            (Section::Events, [b'C', b'O', b'P', b'E']) => Record::EndCollectiveOperation,
            (Section::Events, [b'C', b'O', b'L', b'L', b'O', b'P', b'E', b'N', b'D']) => {
                Record::EndCollectiveOperation
            }
            (Section::Events, [b'#']) => Record::EventComment,
            (
                Section::Events,
                [b'#', b'E', b'V', b'T', b'C', b'O', b'M', b'M', b'E', b'N', b'T'],
            ) => Record::EventComment,
            (Section::Events, [b'P', b'B']) => Record::BeginProcess,
            (
                Section::Events,
                [b'P', b'R', b'O', b'C', b'E', b'S', b'S', b'B', b'E', b'G', b'I', b'N'],
            ) => Record::BeginProcess,
            (Section::Events, [b'P', b'E']) => Record::EndProcess,
            (Section::Events, [b'P', b'R', b'O', b'C', b'E', b'S', b'S', b'E', b'N', b'D']) => {
                Record::EndProcess
            }
            (Section::Events, [b'F']) => Record::FileOperation,
            (Section::Events, [b'F', b'I', b'L', b'E', b'O', b'P']) => Record::FileOperation,
            (Section::Events, [b'F', b'A']) => Record::BeginFileOperation,
            (
                Section::Events,
                [b'F', b'I', b'L', b'E', b'O', b'P', b'B', b'E', b'G', b'I', b'N', b'N', b'E', b'W'],
            ) => Record::BeginFileOperation,
            (Section::Events, [b'F', b'B']) => Record::BeginFileOperationOld,
            (
                Section::Events,
                [b'F', b'I', b'L', b'E', b'O', b'P', b'B', b'E', b'G', b'I', b'N'],
            ) => Record::BeginFileOperationOld,
            (Section::Events, [b'F', b'F']) => Record::EndFileOperation,
            (
                Section::Events,
                [b'F', b'I', b'L', b'E', b'O', b'P', b'E', b'N', b'D', b'N', b'E', b'W'],
            ) => Record::EndFileOperation,
            (Section::Events, [b'F', b'E']) => Record::EndFileOperationOld,
            (Section::Events, [b'F', b'I', b'L', b'E', b'O', b'P', b'E', b'N', b'D']) => {
                Record::EndFileOperationOld
            }
            (Section::Events, [b'T']) => Record::RMAPut,
            (Section::Events, [b'T', b'R', b'M', b'A', b'P', b'U', b'T']) => Record::RMAPut,
            (Section::Events, [b'U']) => Record::RMAPutRemoteEnd,
            (Section::Events, [b'U', b'R', b'M', b'A', b'P', b'U', b'T', b'R', b'E']) => {
                Record::RMAPutRemoteEnd
            }
            (Section::Events, [b'G']) => Record::RMAGet,
            (Section::Events, [b'G', b'R', b'M', b'A', b'G', b'E', b'T']) => Record::RMAGet,
            (Section::Events, [b'M']) => Record::RMAEnd,
            (Section::Events, [b'M', b'R', b'M', b'A', b'E', b'N', b'D']) => Record::RMAEnd,
            (Section::Snapshots, [b'C']) => Record::SnapshotComment,
            (Section::Snapshots, [b'C', b'O', b'M', b'M', b'E', b'N', b'T']) => {
                Record::SnapshotComment
            }
            (Section::Snapshots, [b'E']) => Record::EnterSnapshot,
            (Section::Snapshots, [b'E', b'N', b'T', b'E', b'R']) => Record::EnterSnapshot,
            (Section::Snapshots, [b'S']) => Record::SendSnapshot,
            (Section::Snapshots, [b'S', b'E', b'N', b'D']) => Record::SendSnapshot,
            (Section::Snapshots, [b'O', b'F']) => Record::OpenFileSnapshot,
            (Section::Snapshots, [b'O', b'P', b'E', b'N', b'F', b'I', b'L', b'E']) => {
                Record::OpenFileSnapshot
            }
            (Section::Snapshots, [b'B', b'C']) => Record::BeginCollopSnapshot,
            (
                Section::Snapshots,
                [b'B', b'E', b'G', b'I', b'N', b'C', b'O', b'L', b'L', b'O', b'P'],
            ) => Record::BeginCollopSnapshot,
            (Section::Snapshots, [b'B', b'F']) => Record::BeginFileOpSnapshot,
            (
                Section::Snapshots,
                [b'B', b'E', b'G', b'I', b'N', b'F', b'I', b'L', b'E', b'O', b'P'],
            ) => Record::BeginFileOpSnapshot,
            (Section::Snapshots, [b'C', b'O', b'C']) => Record::CollopCountSnapshot,
            (
                Section::Snapshots,
                [b'C', b'O', b'L', b'L', b'O', b'P', b'C', b'O', b'U', b'N', b'T'],
            ) => Record::CollopCountSnapshot,
            (Section::Snapshots, [b'C', b'N', b'T']) => Record::CounterSnapshot,
            (Section::Snapshots, [b'C', b'O', b'U', b'N', b'T', b'E', b'R']) => {
                Record::CounterSnapshot
            }
            (Section::Statistics, [b'C']) => Record::SummaryComment,
            (Section::Statistics, [b'C', b'O', b'M', b'M', b'E', b'N', b'T']) => {
                Record::SummaryComment
            }
            (Section::Statistics, [b'F']) => Record::FunctionSummary,
            (Section::Statistics, [b'F', b'U', b'N', b'C', b'T', b'I', b'O', b'N']) => {
                Record::FunctionSummary
            }
            (Section::Statistics, [b'G']) => Record::FunctionGroupSummary,
            (
                Section::Statistics,
                [b'F', b'U', b'N', b'C', b'T', b'I', b'O', b'N', b'G', b'R', b'O', b'U', b'P'],
            ) => Record::FunctionGroupSummary,
            (Section::Statistics, [b'M']) => Record::MessageSummary,
            (Section::Statistics, [b'M', b'E', b'S', b'S', b'A', b'G', b'E']) => {
                Record::MessageSummary
            }
            (Section::Statistics, [b'C', b'O']) => Record::CollopSummary,
            (
                Section::Statistics,
                [b'C', b'O', b'L', b'L', b'M', b'E', b'S', b'S', b'A', b'G', b'E'],
            ) => Record::CollopSummary,
            (Section::Statistics, [b'F', b'L']) => Record::FileOperationSummary,
            (
                Section::Statistics,
                [b'F', b'I', b'L', b'E', b'O', b'P', b'E', b'R', b'A', b'T', b'I', b'O', b'N'],
            ) => Record::FileOperationSummary,
            (Section::Statistics, [b'F', b'L', b'G']) => Record::FileGroupOperationSummary,
            (
                Section::Statistics,
                [b'F', b'I', b'L', b'E', b'G', b'R', b'O', b'U', b'P', b'O', b'P', b'E', b'R', b'A', b'T', b'I', b'O', b'N'],
            ) => Record::FileGroupOperationSummary,
            (Section::Markers, [b'D']) => Record::DefMarker,
            (Section::Markers, [b'D', b'E', b'F']) => Record::DefMarker,
            (Section::Markers, [b'S']) => Record::MarkerSpot,
            (Section::Markers, [b'S', b'P', b'O', b'T']) => Record::MarkerSpot,

            _ => return None,
        })
    }
}
