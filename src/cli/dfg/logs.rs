//! Graphs of logs of strace, and of event logs.

use std::time::Instant;

use super::Args;
use crate::session::{tell, tell_loss_count, warn, Session, LOSSES_TOLD};
use crate::tables::Target;
use streamfold_analyses::dfg::{find_cases, log_of_cases, Found, Logs};
use streamfold_formats::strace::TimeForm;
use streamfold_report::dfg::{Comparison, DfgReport, FileRow};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

impl Args {
    /// The graph of the cases of logs.
    pub(super) fn run_logs(&self, session: &Session<'_>) -> Result<ExitCode, Stop> {
        let begin = Instant::now();
        let ranks = session.ranks;
        let reports = self.reports().map_err(Stop::Together)?;
        let options = self.options().map_err(Stop::Together)?;
        let found = session
            .is_root()
            .then(|| find_cases(&self.logs, self.case_pattern.as_ref(), &options.chosen));
        let cases = ranks.broadcast_result(0, found)?.map_err(Stop::Together)?;
        // Prepares the outputs first: an output that cannot be written is reported before anything is read.
        let targets = session.on_root(|| Target::reports(&reports))?;
        session.say_who_works();
        let logs = session.watch(cases.bytes() / ranks.size() as u64, |progress| {
            log_of_cases(ranks, &cases, &options, progress)
        })?;
        let memory = session.peak_memory()?;
        let finished = session.on_root(|| {
            let (Some(logs), Some(targets)) = (logs, &targets) else { return Ok(ExitCode::Done) };
            let code = self.judge(&logs)?;
            let report = self.report(logs);
            self.write(&report, targets)?;
            let lines: u64 = report.files.iter().map(|file| file.lines[0].1).sum();
            session.say(&format!(
                "streamfold: {} of {} in {:.2} s, at most {} on a rank",
                human::plural(lines, "line"),
                human::plural(report.files.len() as u64, "file"),
                begin.elapsed().as_secs_f64(),
                human::bytes(memory.into()),
            ));
            Ok(code)
        })?;
        Ok(ranks.broadcast(0, finished)?)
    }

    /// Says what is wrong with files, and how the command ends.
    fn judge(&self, logs: &Logs) -> Result<ExitCode, Failure> {
        let files = &logs.files;
        let broken =
            files.iter().filter_map(|file| file.refused.as_ref().or(file.report.damage.as_ref()));
        let is_io = broken.clone().next().is_some_and(|loss| loss.is_io);
        let mut losses: Vec<String> = broken.map(ToString::to_string).collect();
        let lost = losses.len() as u64;
        let unparsed: u64 = files.iter().map(|file| file.report.lines.unparsed).sum();
        if self.strict {
            let lines =
                files.iter().flat_map(|file| &file.report.unparsed).map(ToString::to_string);
            if let Some(first) = losses.iter().cloned().chain(lines).next() {
                return Err(Failure::new(ExitCode::Trace, first));
            }
        }
        let all_refused = files.iter().all(|file| file.refused.is_some());
        if let Some(first) = losses.first().filter(|_| all_refused) {
            let code = if is_io { ExitCode::Io } else { ExitCode::Trace };
            return Err(Failure::new(code, first.clone()));
        }
        losses.truncate(LOSSES_TOLD);
        losses.iter().for_each(|loss| tell(&format!("streamfold: {loss}")));
        if unparsed > 0 {
            let lines = files.iter().flat_map(|file| &file.report.unparsed);
            lines.take(3).for_each(|line| warn(&line.to_string()));
            let what = human::counted(
                unparsed,
                ["line is none that strace writes", "lines are none that strace writes"],
            );
            warn(&format!("{what}; -o graph.json counts the lines of each file by kind"));
        }
        let set_back = files.iter().flat_map(|file| &file.report.set_back);
        let growth = files.iter().flat_map(|file| &file.report.growth);
        set_back.take(3).chain(growth.take(3)).for_each(|odd| warn(&odd.to_string()));
        for (what, is_it) in REMARKS {
            let of: Vec<&Found> = files.iter().filter(|file| is_it(file)).collect();
            if let Some(first) = of.first() {
                let more = human::and_more(of.len() as u64 - 1, " of that kind");
                warn(&format!("{}: {what}{more}", first.path.display()));
            }
        }
        if !logs.is_comparable() && files.len() > 1 {
            warn("times of different files cannot be compared: there is no concurrency");
        }
        if let Some(file) =
            files.iter().find(|file| !file.report.lines.add_up() && file.refused.is_none())
        {
            warn(&format!("{}: the lines by kind do not add up", file.path.display()));
        }
        match lost {
            0 => Ok(ExitCode::Done),
            lost => {
                tell_loss_count(lost);
                Ok(ExitCode::Losses)
            }
        }
    }

    fn report(&self, logs: Logs) -> DfgReport {
        let is_comparable = logs.is_comparable();
        let files = logs.files.iter().map(row).collect();
        let losses =
            logs.files.iter().filter(|file| file.refused.is_some() || file.report.damage.is_some());
        let provenance = self.provenance(losses.count() as u64);
        let [a, b, rest] = logs.parts;
        let (graph, comparison) = match self.compare.as_slice() {
            [of_a, of_b] => {
                let whole = a.clone().fold(b.clone()).fold(rest);
                let names = [of_a.text().to_owned(), of_b.text().to_owned()];
                let graphs = [a.graph(is_comparable), b.graph(is_comparable)];
                (whole.graph(is_comparable), Some(Comparison { names, graphs }))
            }
            _ => (a.fold(b).fold(rest).graph(is_comparable), None),
        };
        DfgReport { provenance, graph, comparison, files }
    }
}

/// Remarks on files. Each is shown once, with the first file that it fits.
type Remark = (&'static str, fn(&Found) -> bool);

const REMARKS: [Remark; 7] = [
    ("no call names a file: record with -y", |file| {
        file.report.lines.events > 0 && !file.has_paths
    }),
    ("descriptors have no paths: their files are those that were opened; record with -y", |file| {
        file.report.is_bare && file.has_paths
    }),
    ("there are no durations: record with -T", |file| {
        let lines = &file.report.lines;
        lines.events > 0 && lines.no_duration == lines.events
    }),
    ("there are no times: record with -ttt", |file| {
        file.report.lines.events > 0 && file.report.forms.is_empty()
    }),
    ("lines do not say of which process they are: record with -o FILE", |file| {
        file.report.is_pid_unknown
    }),
    ("a number of a process was used again after its exit", |file| file.report.reused > 0),
    ("times are of different forms", |file| file.report.forms.len() > 1),
];

fn row(file: &Found) -> FileRow {
    let forms: Vec<&str> = file.report.forms.iter().map(|form: &TimeForm| form.name()).collect();
    FileRow {
        case: file.case.to_string(),
        path: file.path.display().to_string(),
        times: forms.join(" "),
        lines: file.report.lines.each().collect(),
        bytes: file.report.bytes,
    }
}
