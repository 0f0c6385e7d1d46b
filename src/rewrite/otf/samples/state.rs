//! The state of a process at a time, and sums up to it.

use std::collections::{BTreeMap, VecDeque};

use super::super::records::Entry;
use super::receives::{Key, Receives};
use streamfold_formats::otf::{KeyValue, Record, Value};

/// Kinds of file operations that are counted, by their numbers.
const OPEN: u32 = 0;
const CLOSE: u32 = 1;
const READ: u32 = 2;
const WRITE: u32 = 3;
const SEEK: u32 = 4;

/// Classes and groups of tokens, from the definitions.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    /// The class of each collective operation.
    pub collectives: BTreeMap<u32, u32>,
    /// The group of each function, and of each file.
    pub function_groups: BTreeMap<u32, u32>,
    pub file_groups: BTreeMap<u32, u32>,
}

/// A record that is written at a sample.
pub(super) type Written<'s> = (Record, Vec<Value<'static>>, &'s [KeyValue]);

/// A process.
#[derive(Default)]
pub(super) struct State {
    stack: Vec<Open>,
    functions: BTreeMap<u32, [u64; 3]>,
    sends: VecDeque<Send>,
    sent: BTreeMap<Key, u64>,
    /// Number sent, number received, bytes sent, bytes received.
    messages: [u64; 4],
    /// The same of each class of collective operations, with the token of the last one.
    collectives: BTreeMap<u32, (u32, [u64; 4])>,
    begun: Vec<(u64, Vec<u64>, Vec<KeyValue>)>,
    finished: BTreeMap<u32, u64>,
    files: BTreeMap<u64, (Vec<u64>, Vec<KeyValue>)>,
    begun_operations: BTreeMap<u64, (Vec<u64>, Vec<KeyValue>)>,
    counters: BTreeMap<u32, (Vec<u64>, Vec<KeyValue>)>,
    /// Opens, closes, reads, writes, seeks, bytes read, bytes written.
    operations: BTreeMap<u32, [u64; 7]>,
    /// Leaves of no function.
    pub faults: u64,
}

/// A function that was entered.
struct Open {
    function: u32,
    time: u64,
    source: u64,
    /// The time of the functions that it called and that were left.
    called: u64,
    keyvalues: Vec<KeyValue>,
}

/// A message that was sent.
struct Send {
    key: Key,
    /// The how manieth with its key.
    number: u64,
    values: Vec<u64>,
    keyvalues: Vec<KeyValue>,
}

fn values(numbers: &[u64]) -> Vec<Value<'static>> {
    numbers.iter().copied().map(Value::Number).collect()
}

impl State {
    /// The function that was entered last; 0: none.
    pub(super) fn top(&self) -> u32 {
        self.stack.last().map_or(0, |open| open.function)
    }

    /// Applies an event. `receives` are those of messages whose sends are wanted.
    pub(super) fn apply(&mut self, entry: &Entry<'_>, classes: &Classes) {
        let number = |at: usize| entry.values.get(at).map_or(0, Value::number);
        let token = |at: usize| entry.values.get(at).map_or(0, Value::token);
        let keyvalues = || entry.keyvalues.to_vec();
        let (time, process) = (entry.time, entry.process);
        match entry.record {
            Record::Enter => {
                self.functions.entry(token(0)).or_default()[0] += 1;
                self.stack.push(Open {
                    function: token(0),
                    time,
                    source: number(1),
                    called: 0,
                    keyvalues: keyvalues(),
                });
            }
            Record::Leave => self.leave(time),
            Record::SendMsg => {
                self.messages[0] += 1;
                self.messages[2] += number(1);
                let key = (process, token(0), token(3), token(2));
                let sent = self.sent.entry(key).or_default();
                let of = [number(0), time, number(3), number(2), number(1), number(4)];
                let send = Send { key, number: *sent, values: of.to_vec(), keyvalues: keyvalues() };
                *sent += 1;
                self.sends.push_back(send);
            }
            Record::RecvMsg => {
                self.messages[1] += 1;
                self.messages[3] += number(1);
            }
            Record::CollectiveOperation => {
                let of = [token(0), token(1), token(2)];
                self.collective(process, of, (number(3), number(4)), classes);
            }
            Record::BeginCollectiveOperation => {
                let of = (0..7).map(number).collect::<Vec<_>>();
                let [collective, id, comm, root, sent, received, source] = of[..] else { return };
                let of = vec![time, collective, id, comm, root, sent, received, source];
                self.begun.push((id, of, keyvalues()));
            }
            Record::EndCollectiveOperation => {
                let place = self.begun.iter().rposition(|(id, ..)| *id == number(0));
                let Some(place) = place else {
                    self.faults += 1;
                    return;
                };
                let (_, of, _) = self.begun.remove(place);
                let ids = [of[1] as u32, of[3] as u32, of[4] as u32];
                self.collective(process, ids, (of[5], of[6]), classes);
            }
            Record::Counter => {
                let of = vec![time, number(0), number(1)];
                self.counters.insert(token(0), (of, keyvalues()));
            }
            Record::FileOperation => {
                let source = number(5);
                self.operation(entry, token(2), (number(1), number(3), source));
            }
            Record::BeginFileOperation | Record::BeginFileOperationOld => {
                let of = vec![time, number(0), number(1)];
                self.begun_operations.insert(number(0), (of, keyvalues()));
            }
            Record::EndFileOperation => {
                self.begun_operations.remove(&number(1));
                self.operation(entry, token(3), (number(2), number(4), number(5)));
            }
            Record::EndFileOperationOld => {
                self.begun_operations.remove(&number(1));
                self.operation(entry, token(2), (0, number(3), number(4)));
            }
            _ => {}
        }
    }

    fn leave(&mut self, time: u64) {
        let Some(open) = self.stack.pop() else {
            self.faults += 1;
            return;
        };
        let inclusive = time.saturating_sub(open.time);
        let sums = self.functions.entry(open.function).or_default();
        sums[1] = sums[1].wrapping_add(inclusive.saturating_sub(open.called));
        sums[2] = sums[2].wrapping_add(inclusive);
        if let Some(caller) = self.stack.last_mut() {
            caller.called = caller.called.wrapping_add(inclusive);
        }
    }

    fn collective(
        &mut self,
        process: u32,
        [collective, comm, root]: [u32; 3],
        (sent, received): (u64, u64),
        classes: &Classes,
    ) {
        *self.finished.entry(comm).or_default() += 1;
        let class = classes.collectives.get(&collective).copied().unwrap_or(0);
        let is_root = root == process;
        let (sends, receives) = match class {
            1 => (true, false),
            2 => (is_root, true),
            3 => (true, is_root),
            _ => (true, true),
        };
        let (last, sums) = self.collectives.entry(class).or_default();
        *last = collective;
        let more = [u64::from(sends), u64::from(receives), sent, received];
        for (sum, more) in sums.iter_mut().zip(more) {
            *sum = sum.wrapping_add(more);
        }
    }

    fn operation(
        &mut self,
        entry: &Entry<'_>,
        operation: u32,
        (handle, bytes, source): (u64, u64, u64),
    ) {
        let file = entry.values.first().map_or(0, Value::token);
        let kind = operation & 31;
        if kind > SEEK {
            return;
        }
        let sums = self.operations.entry(file).or_default();
        sums[kind as usize] += 1;
        match kind {
            OPEN => {
                let of = vec![file.into(), entry.time, handle, source];
                self.files.insert(handle, (of, entry.keyvalues.to_vec()));
            }
            CLOSE => drop(self.files.remove(&handle)),
            READ => sums[5] = sums[5].wrapping_add(bytes),
            WRITE => sums[6] = sums[6].wrapping_add(bytes),
            _ => {}
        }
    }

    /// The records of a snapshot: the state before the events at its time, by the number of the sample.
    pub(super) fn snapshot(&mut self, receives: &Receives, sample: usize) -> Vec<Written<'_>> {
        // A received message stays received, so its send is no longer needed.
        self.sends.retain(|send| send.number >= receives.before(&send.key, sample));
        let mut records: Vec<Written<'_>> = Vec::new();
        for open in &self.stack {
            let of = values(&[open.function.into(), open.time, open.source]);
            records.push((Record::EnterSnapshot, of, &open.keyvalues));
        }
        let received = |send: &&Send| send.number < receives.all(&send.key);
        for send in self.sends.iter().filter(received) {
            records.push((Record::SendSnapshot, values(&send.values), &send.keyvalues));
        }
        let kept = |of: &'_ [u64]| values(of);
        for (of, keyvalues) in self.files.values() {
            records.push((Record::OpenFileSnapshot, kept(of), keyvalues));
        }
        for (_, of, keyvalues) in &self.begun {
            records.push((Record::BeginCollopSnapshot, kept(of), keyvalues));
        }
        for (comm, count) in &self.finished {
            let of = values(&[(*comm).into(), *count]);
            records.push((Record::CollopCountSnapshot, of, &[]));
        }
        for (of, keyvalues) in self.begun_operations.values() {
            records.push((Record::BeginFileOpSnapshot, kept(of), keyvalues));
        }
        for (of, keyvalues) in self.counters.values() {
            records.push((Record::CounterSnapshot, kept(of), keyvalues));
        }
        records
    }

    /// The records of statistics up to a time.
    pub(super) fn statistics(
        &self,
        time: u64,
        classes: &Classes,
        (function_groups, file_groups): (bool, bool),
    ) -> Vec<Written<'static>> {
        let mut functions = self.functions.clone();
        let mut inner = 0;
        for open in self.stack.iter().rev() {
            let inclusive = time.saturating_sub(open.time);
            let sums = functions.entry(open.function).or_default();
            let exclusive = inclusive.saturating_sub(open.called.wrapping_add(inner));
            sums[1] = sums[1].wrapping_add(exclusive);
            sums[2] = sums[2].wrapping_add(inclusive);
            inner = inclusive;
        }
        let functions = grouped(functions, function_groups.then_some(&classes.function_groups));
        let record = match function_groups {
            true => Record::FunctionGroupSummary,
            false => Record::FunctionSummary,
        };
        let mut records: Vec<Written<'static>> = Vec::new();
        for (token, sums) in functions {
            records.push((record, with_token(&[token], &sums), &[]));
        }
        if self.messages[0] + self.messages[1] > 0 {
            let of = with_token(&[0, 0, 0], &self.messages);
            records.push((Record::MessageSummary, of, &[]));
        }
        for (last, sums) in self.collectives.values() {
            records.push((Record::CollopSummary, with_token(&[0, *last], sums), &[]));
        }
        let files = grouped(self.operations.clone(), file_groups.then_some(&classes.file_groups));
        let record = match file_groups {
            true => Record::FileGroupOperationSummary,
            false => Record::FileOperationSummary,
        };
        for (token, sums) in files {
            records.push((record, with_token(&[token], &sums), &[]));
        }
        records
    }
}

/// Sums by group.
fn grouped<const N: usize>(
    sums: BTreeMap<u32, [u64; N]>,
    groups: Option<&BTreeMap<u32, u32>>,
) -> BTreeMap<u32, [u64; N]> {
    let Some(groups) = groups else { return sums };
    let mut all: BTreeMap<u32, [u64; N]> = BTreeMap::new();
    for (token, more) in sums {
        let group = groups.get(&token).copied().unwrap_or(0);
        let sums = all.entry(group).or_insert([0; N]);
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.wrapping_add(more));
    }
    all
}

fn with_token(tokens: &[u32], sums: &[u64]) -> Vec<Value<'static>> {
    let tokens = tokens.iter().map(|token| u64::from(*token));
    tokens.chain(sums.iter().copied()).map(Value::Number).collect()
}
