//! The calls of whole cases, for event logs.

use std::sync::atomic::Ordering;

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::IndexSet;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cases::{bytes_of, CaseFiles, Cases, LogFile};
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_drive::Progress;
use streamfold_formats::strace::{errno, read, CaseName, FileReport, Lines, Reading, TimeForm};
use streamfold_formats::Loss;
use streamfold_system::exit::{Failure, Stop};

/// A call, whose texts are numbers in its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCall {
    /// When it began, in nanoseconds.
    pub start: i64,
    /// The number of its file in its case, and its line there.
    pub at: (u32, u64),
    /// The process; -1: it is not known.
    pub pid: i64,
    /// How often the number of the process was used again before.
    pub again: u32,
    /// How long it took, in nanoseconds.
    pub duration: Option<i64>,
    /// The name of the call, by its number.
    pub name: u32,
    /// The file, if there is one.
    pub path: Option<u32>,
    /// Bytes that were transferred.
    pub size: Option<u64>,
    /// The number of the error; 0: none, -1: one that is not known.
    pub errno: i64,
}

/// All calls of a case, in the order of their begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseCalls {
    /// The case.
    pub case: CaseName,
    /// Its files.
    pub files: Vec<String>,
    /// Bytes of their text.
    pub bytes: u64,
    /// The forms of times, see [`TimeForm::name`].
    pub times: Vec<TimeForm>,
    /// Lines by kind.
    pub lines: Lines,
    /// The calls.
    pub calls: Vec<StoredCall>,
    /// Names and paths, by their numbers.
    pub texts: Vec<String>,
    /// Losses: files that could not be read, or not to their end.
    pub losses: Vec<Loss>,
    /// The first lines that could not be read.
    pub unparsed: Vec<Loss>,
    /// Tells of files that have grown since reading began.
    pub growth: Vec<Loss>,
}

/// Bytes of the files that each thread reads at a time, where each file has less.
const ROUND: u64 = 1 << 18;

/// Cases that are read at a time: one for each worker, and more while they are small.
fn rounds(cases: &[CaseFiles], workers: usize) -> impl Iterator<Item = &[CaseFiles]> {
    let (mut count, mut bytes) = (0, 0);
    cases.chunk_by(move |one, _| {
        (count, bytes) = (count + 1, bytes + bytes_of(one));
        let is_full = count >= workers && bytes >= ROUND * workers as u64;
        (count, bytes) = if is_full { (0, 0) } else { (count, bytes) };
        !is_full
    })
}

/// Reads all cases, and hands them to rank 0 in the order of their names. Each rank reads as many cases at a time as
/// it has threads, or more small ones; so many are in memory.
///
/// # Errors
///
/// When ranks cannot communicate, or when rank 0 cannot take a case.
pub fn each_case(
    ranks: &dyn Communicator,
    cases: &Cases,
    progress: &Progress,
    receive: &mut dyn FnMut(&CaseCalls) -> Result<(), Failure>,
) -> Result<(), Stop> {
    fail_point("scan", ranks.rank())?;
    let threads = rayon::current_num_threads().max(1);
    let (rank, size) = (ranks.rank(), ranks.size());
    for round in rounds(cases.all(), threads * size) {
        let own: Vec<&CaseFiles> = round.iter().skip(rank).step_by(size).collect();
        let own: Vec<CaseCalls> = match own.as_slice() {
            [case] => vec![calls_of(case, true)],
            own => own.par_iter().map(|case| calls_of(case, false)).collect(),
        };
        for case in &own {
            progress.events.fetch_add(case.calls.len() as u64, Ordering::Relaxed);
            progress.bytes.fetch_add(case.bytes, Ordering::Relaxed);
        }
        let all = ranks.gather(0, own)?;
        let taken = all.map(|all| {
            let mut all: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
            for number in 0..round.len() {
                if let Some(case) = all[number % size].next() {
                    receive(&case)?;
                }
            }
            Ok(())
        });
        ranks.broadcast_result::<(), Failure>(0, taken)?.map_err(Stop::Together)?;
    }
    Ok(())
}

/// Reads a case.
fn calls_of((name, files): &CaseFiles, is_alone: bool) -> CaseCalls {
    let mut of = CaseCalls {
        case: name.clone(),
        files: Vec::new(),
        bytes: 0,
        times: Vec::new(),
        lines: Lines::default(),
        calls: Vec::new(),
        texts: Vec::new(),
        losses: Vec::new(),
        unparsed: Vec::new(),
        growth: Vec::new(),
    };
    let mut texts: IndexSet<BString, RandomState> = IndexSet::default();
    for (number, LogFile { path, pid, .. }) in (0..).zip(files) {
        let begin = of.calls.len();
        // The reader of the event log decides whether the bytes of sockets count.
        let reading = Reading { sockets: true, pid: *pid, is_alone };
        let mut number_of = |text: &[u8]| match texts.get_index_of(text.as_bstr()) {
            Some(known) => known as u32,
            None => texts.insert_full(text.into()).0 as u32,
        };
        let report = read(path, reading, &mut |call| {
            of.calls.push(StoredCall {
                start: call.start,
                at: (number, call.line),
                pid: i64::try_from(call.pid).unwrap_or(-1),
                again: call.generation,
                duration: call.duration,
                name: number_of(call.name),
                path: call.target.to_path().map(|path| number_of(&path)),
                size: call.size,
                errno: call.error.map_or(0, errno),
            });
        });
        let file = path.file_name().unwrap_or(path.as_os_str());
        of.files.push(file.to_string_lossy().into_owned());
        let report = match report {
            Ok(report) => report,
            Err(loss) => {
                of.losses.push(loss);
                of.calls.truncate(begin);
                continue;
            }
        };
        let sole = i64::try_from(report.sole).unwrap_or(-1);
        let unknown = of.calls[begin..].iter_mut().filter(|call| call.pid < 0);
        unknown.for_each(|call| call.pid = if sole == 0 { -1 } else { sole });
        let FileReport { lines, forms, unparsed, damage, bytes, growth, .. } = report;
        of.bytes += bytes;
        of.lines = of.lines.fold(lines);
        of.times.extend(forms);
        of.losses.extend(damage);
        of.unparsed.extend(unparsed);
        of.growth.extend(growth);
    }
    of.times.sort_unstable();
    of.times.dedup();
    of.calls.sort_by_key(|call| (call.start, call.at));
    of.texts = texts.iter().map(|text| text.to_str_lossy().into_owned()).collect();
    of
}
