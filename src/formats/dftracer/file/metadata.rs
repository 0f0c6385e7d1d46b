//! Metadata: names of processes and threads, strings of hashes, units, and facts of processes.

use bstr::{BString, ByteSlice};

use super::FileReading;
use crate::dftracer::json::unescaped;
use crate::dftracer::record::Record;

impl FileReading {
    pub(super) fn metadata(&mut self, record: &Record<'_>) {
        let args = &record.args;
        // One development state had the string in `name`.
        if let (Some(hash), None) = (args.hash, args.value) {
            self.string(b"FH", hash, record.name);
            return;
        }
        if let (b"process_labels", Some(labels)) = (record.name, args.labels) {
            let process = self.process(record);
            self.processes[process as usize].labelled(&unescaped(labels));
            return;
        }
        let Some(name) = args.name else { return };
        let value = args.value.map(|value| value.token()).unwrap_or_default();
        match record.name {
            b"FH" | b"HH" | b"SH" => self.string(record.name, value, name),
            b"CM" if name == b"time_metric" => match value {
                b"NS" => self.unit = 1,
                b"US" => self.unit = 1000,
                b"MS" => self.unit = 1_000_000,
                b"SEC" => self.unit = 1_000_000_000,
                other => {
                    let other = other.to_str_lossy();
                    self.odd.push(format!("the unit of times is {other}: microseconds are taken"));
                }
            },
            b"CM" | b"PR" if record.name == b"CM" || name != b"rank" => {
                let Some(value) = args.value else { return };
                let process = self.process(record) as usize;
                Self::property(&mut self.processes[process].properties, name, value);
            }
            b"PR" if name == b"rank" => {
                let process = self.process(record);
                let rank = args.value.and_then(|value| value.whole());
                self.processes[process as usize].rank = rank;
            }
            b"process_name" => {
                let process = self.process(record);
                let label = BString::from(unescaped(name));
                let process = &mut self.processes[process as usize];
                if process.rank.is_none() {
                    let rank =
                        label.strip_prefix(b"Rank ").or_else(|| label.strip_prefix(b"rank "));
                    process.rank = rank.and_then(|rank| rank.to_str().ok()?.trim().parse().ok());
                }
                process.label = Some(label);
            }
            b"thread_name" if name != record.pid => {
                let thread = self.thread(record);
                self.threads[thread as usize].label = Some(unescaped(name).trim_ascii_end().into());
            }
            _ => {}
        }
    }
}
