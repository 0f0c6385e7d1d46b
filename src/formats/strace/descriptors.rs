//! The files of descriptors, for logs without `-y`: followed from the calls that make, copy, pass on and close them.

use std::sync::Arc;

use bstr::ByteSlice;
use streamfold_model::system_calls::{Class, SystemCall};

use super::call::{quoted, without_name, Target};
use super::lines::{Parts, Returned};
use super::path::{is_absolute, unescaped};
use super::Map;

/// Descriptors of all processes at most. Files of more are not known.
const MOST: usize = 1 << 20;

/// A file, and whether a new program closes it.
#[derive(Clone, Debug)]
struct Open {
    path: Arc<[u8]>,
    closes: bool,
}

/// Descriptors that processes share: the threads of one.
#[derive(Debug, Default)]
struct Table {
    files: Map<Open>,
    users: u32,
}

/// A call whose descriptors are looked for.
#[derive(Clone, Copy)]
pub(super) struct Asked<'l> {
    /// The process.
    pub pid: u64,
    /// The number of the line.
    pub number: u64,
    /// The text of the call.
    pub text: &'l [u8],
    /// The length of its name.
    pub name: usize,
    /// The system call, if it is about files or descriptors.
    pub call: Option<SystemCall>,
    pub parts: &'l Parts,
}

/// The files of a call.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub first: Option<Arc<[u8]>>,
    pub second: Option<Arc<[u8]>>,
    /// Set if it is about the file of a descriptor that is not known.
    pub is_unknown: bool,
}

impl<'l> Asked<'l> {
    fn name(&self) -> &'l [u8] {
        &self.text[..self.name]
    }

    /// An argument; empty where there is none.
    fn argument(&self, number: usize) -> &'l [u8] {
        let span = self.parts.arguments.get(number).copied().flatten();
        span.map_or(&b""[..], |span| without_name(span.of(self.text)))
    }

    /// An argument that is a number.
    fn number(&self, argument: usize) -> Option<u64> {
        number(self.argument(argument))
    }

    fn last(&self) -> &'l [u8] {
        self.parts.last.of(self.text).trim_ascii()
    }

    /// Tells whether an argument that is no string has this flag.
    fn has(&self, flag: &[u8]) -> bool {
        let arguments = [self.argument(0), self.argument(1), self.argument(2), self.last()];
        arguments.iter().any(|text| text.first() != Some(&b'"') && text.contains_str(flag))
    }

    /// The result, unless that is an error.
    fn result(&self) -> Option<u64> {
        match self.parts.result {
            Returned::Number(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }
}

fn number(text: &[u8]) -> Option<u64> {
    text.to_str().ok()?.parse().ok()
}

/// Numbers in brackets: `[3, 4]`.
fn numbers(text: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let inside = text.strip_prefix(b"[").unwrap_or_default();
    let end = inside.find_byte(b']').unwrap_or(inside.len());
    inside[..end].split_str(",").filter_map(|text| number(text.trim_ascii()))
}

/// Tells whether a call makes a process.
fn forks(name: &[u8]) -> bool {
    matches!(name, b"clone" | b"clone2" | b"__clone2" | b"clone3" | b"fork" | b"vfork")
}

/// The name that Linux gives to what is no file.
fn anonymous(name: &[u8]) -> Option<&'static [u8]> {
    Some(match name {
        b"epoll_create" | b"epoll_create1" => b"anon_inode:[eventpoll]",
        b"eventfd" | b"eventfd2" => b"anon_inode:[eventfd]",
        b"fanotify_init" => b"anon_inode:[fanotify]",
        b"inotify_init" | b"inotify_init1" => b"anon_inode:inotify",
        b"io_uring_setup" => b"anon_inode:[io_uring]",
        b"perf_event_open" => b"anon_inode:[perf_event]",
        b"pidfd_open" => b"anon_inode:[pidfd]",
        b"signalfd" | b"signalfd4" => b"anon_inode:[signalfd]",
        b"timerfd_create" => b"anon_inode:[timerfd]",
        b"userfaultfd" => b"anon_inode:[userfaultfd]",
        _ => return None,
    })
}

/// The descriptors of the processes of a file.
#[derive(Debug, Default)]
pub(super) struct Descriptors {
    tables: Vec<Table>,
    /// Tables that nobody uses.
    free: Vec<usize>,
    of: Map<usize>,
    /// All descriptors.
    count: usize,
}

impl Descriptors {
    /// Finds the files of a call that has ended, and does to descriptors as it did.
    pub(super) fn call<'p>(
        &mut self,
        asked: Asked<'_>,
        target: Target<'_>,
        pending: impl Iterator<Item = (u64, &'p [u8], usize)>,
    ) -> Files {
        if !self.of.contains_key(&asked.pid) {
            self.appear(asked.pid, pending);
        }
        let files = self.files(asked, target);
        self.follow(asked, target, files.first.as_ref());
        files
    }

    /// A process that no call has made yet: one whose call has not ended makes it, if there is only one.
    fn appear<'p>(&mut self, pid: u64, pending: impl Iterator<Item = (u64, &'p [u8], usize)>) {
        let mut parents = pending.filter(|(_, head, name)| forks(&head[..*name]));
        match (parents.next(), parents.next()) {
            (Some((parent, head, name)), None) if parent != pid => {
                let shares = head[name..].contains_str("CLONE_FILES");
                self.fork(parent, pid, shares);
            }
            _ => self.give(pid, Map::default()),
        }
    }

    /// A new table for a process.
    fn give(&mut self, pid: u64, files: Map<Open>) {
        self.end(pid);
        self.count += files.len();
        let table = Table { files, users: 1 };
        let place = match self.free.pop() {
            Some(place) => {
                self.tables[place] = table;
                place
            }
            None => {
                self.tables.push(table);
                self.tables.len() - 1
            }
        };
        self.of.insert(pid, place);
    }

    /// A process has ended.
    pub(super) fn end(&mut self, pid: u64) {
        let Some(place) = self.of.remove(&pid) else { return };
        let table = &mut self.tables[place];
        table.users -= 1;
        if table.users == 0 {
            self.count -= table.files.len();
            table.files = Map::default();
            self.free.push(place);
        }
    }

    /// The number of a process has become known.
    pub(super) fn rename(&mut self, from: u64, to: u64) {
        if let Some(place) = self.of.remove(&from) {
            self.end(to);
            self.of.insert(to, place);
        }
    }

    fn table(&self, pid: u64) -> Option<&Table> {
        self.of.get(&pid).map(|place| &self.tables[*place])
    }

    fn table_mut(&mut self, pid: u64) -> Option<&mut Table> {
        self.of.get(&pid).map(|place| &mut self.tables[*place])
    }

    fn get(&self, pid: u64, descriptor: u64) -> Option<&Open> {
        self.table(pid)?.files.get(&descriptor)
    }

    fn set(&mut self, pid: u64, descriptor: u64, open: Open) {
        let has_room = self.count < MOST;
        let Some(table) = self.table_mut(pid) else { return };
        let before = match has_room {
            true => table.files.insert(descriptor, open).is_some(),
            // Better none than a wrong one.
            false => {
                let before = table.files.remove(&descriptor);
                self.count -= usize::from(before.is_some());
                return;
            }
        };
        self.count += usize::from(!before);
    }

    fn close(&mut self, pid: u64, descriptor: u64) {
        let Some(table) = self.table_mut(pid) else { return };
        let before = table.files.remove(&descriptor);
        self.count -= usize::from(before.is_some());
    }

    /// A copy of the descriptors of a process, unless there is no room for it.
    fn copy(&self, pid: u64) -> Map<Open> {
        let table = self.table(pid).filter(|table| self.count + table.files.len() <= MOST);
        table.map(|table| table.files.clone()).unwrap_or_default()
    }

    fn fork(&mut self, parent: u64, child: u64, shares: bool) {
        if parent == child {
            return;
        }
        if !shares {
            let files = self.copy(parent);
            return self.give(child, files);
        }
        self.end(child);
        if let Some(place) = self.of.get(&parent).copied() {
            self.tables[place].users += 1;
            self.of.insert(child, place);
        }
    }

    /// The table of a process is its own from here on.
    fn unshare(&mut self, pid: u64) {
        if self.table(pid).is_some_and(|table| table.users > 1) {
            let files = self.copy(pid);
            self.give(pid, files);
        }
    }

    /// The files of a call before it has done anything.
    fn files(&self, asked: Asked<'_>, target: Target<'_>) -> Files {
        let mut files = Files::default();
        let Some(call) = asked.call else { return files };
        let of = |argument: usize| {
            let descriptor = asked.number(argument)?;
            Some(self.get(asked.pid, descriptor).map(|open| open.path.clone()))
        };
        if call.has_descriptor {
            let of_first = of(0);
            files.is_unknown = of_first == Some(None) && call.class.is_of_files();
            let first = of_first.flatten();
            files.first = match quoted(asked.argument(1)) {
                // Calls that take a folder and a path in it.
                Some(path) if matches!(target, Target::Path(_)) => {
                    files.is_unknown &= path.is_empty();
                    first.filter(|_| !is_absolute(path)).map(|folder| {
                        let mut whole = folder.to_vec();
                        if !path.is_empty() {
                            whole.push(b'/');
                            unescaped(path, &mut whole);
                        }
                        whole.into()
                    })
                }
                _ => first,
            };
        }
        if let Class::Copy { from, to } = call.class {
            files.second = of(from.max(to).into()).flatten();
        }
        files
    }

    /// Does to descriptors as a call did.
    fn follow(&mut self, asked: Asked<'_>, target: Target<'_>, first: Option<&Arc<[u8]>>) {
        let leaves_all = |class| {
            matches!(
                class,
                Class::Read | Class::Write | Class::Copy { .. } | Class::Seek | Class::Sync
            )
        };
        if asked.call.is_some_and(|call| leaves_all(call.class)) {
            return;
        }
        let (pid, name) = (asked.pid, asked.name());
        if name == b"close" {
            let is_bad = matches!(asked.parts.result, Returned::Error(span) if span.of(asked.text) == b"EBADF");
            if let Some(descriptor) = asked.number(0).filter(|_| !is_bad) {
                self.close(pid, descriptor);
            }
            return;
        }
        let Some(result) = asked.result() else { return };
        let closes = || asked.has(b"CLOEXEC");
        let line = asked.number;
        match name {
            b"open" | b"openat" | b"openat2" | b"creat" => {
                let path = first.cloned().or_else(|| target.to_path().map(Into::into));
                match path {
                    Some(path) => self.set(pid, result, Open { path, closes: closes() }),
                    None => self.close(pid, result),
                }
            }
            b"memfd_create" => {
                let mut path = b"/memfd:".to_vec();
                unescaped(quoted(asked.argument(0)).unwrap_or_default(), &mut path);
                self.set(pid, result, Open { path: path.into(), closes: closes() });
            }
            b"dup" | b"dup2" | b"dup3" => {
                let closes = name == b"dup3" && closes();
                self.duplicate(asked, result, closes);
            }
            b"fcntl" | b"fcntl64" => match asked.argument(1) {
                b"F_DUPFD" => self.duplicate(asked, result, false),
                b"F_DUPFD_CLOEXEC" => self.duplicate(asked, result, true),
                b"F_SETFD" => self.set_closes(asked, asked.last().contains_str("FD_CLOEXEC")),
                _ => {}
            },
            b"ioctl" => match asked.argument(1) {
                b"FIOCLEX" => self.set_closes(asked, true),
                b"FIONCLEX" => self.set_closes(asked, false),
                _ => {}
            },
            b"pipe" | b"pipe2" | b"socketpair" => {
                let kind = if name == b"socketpair" { "socket" } else { "pipe" };
                let text = if kind == "pipe" { asked.argument(0) } else { asked.last() };
                let path: Arc<[u8]> = format!("{kind}:[line {line}]").into_bytes().into();
                for descriptor in numbers(text) {
                    self.set(pid, descriptor, Open { path: path.clone(), closes: closes() });
                }
            }
            b"socket" | b"accept" | b"accept4" => {
                let path = format!("socket:[line {line}]").into_bytes().into();
                self.set(pid, result, Open { path, closes: closes() });
            }
            // Descriptors of files that other processes, or nobody, has opened by a path.
            b"open_by_handle_at" | b"open_tree" | b"pidfd_getfd" => self.close(pid, result),
            b"recvmsg" | b"recvmmsg" => {
                for at in asked.text.find_iter("SCM_RIGHTS, cmsg_data=") {
                    let data = &asked.text[at + b"SCM_RIGHTS, cmsg_data=".len()..];
                    numbers(data).for_each(|descriptor| self.close(pid, descriptor));
                }
            }
            b"close_range" => {
                let (Some(first), Some(last)) = (asked.number(0), asked.number(1)) else { return };
                if asked.has(b"CLOSE_RANGE_UNSHARE") {
                    self.unshare(pid);
                }
                let keeps = asked.has(b"CLOSE_RANGE_CLOEXEC");
                let Some(table) = self.table_mut(pid) else { return };
                let before = table.files.len();
                let is_in = |descriptor: &u64| (first..=last).contains(descriptor);
                match keeps {
                    true => table
                        .files
                        .iter_mut()
                        .filter(|(descriptor, _)| is_in(descriptor))
                        .for_each(|(_, open)| open.closes = true),
                    false => table.files.retain(|descriptor, _| !is_in(descriptor)),
                }
                let closed = before - table.files.len();
                self.count -= closed;
            }
            b"unshare" if asked.has(b"CLONE_FILES") => self.unshare(pid),
            b"execve" | b"execveat" => {
                self.unshare(pid);
                let Some(table) = self.table_mut(pid) else { return };
                let before = table.files.len();
                table.files.retain(|_, open| !open.closes);
                let closed = before - table.files.len();
                self.count -= closed;
            }
            name if forks(name) && result > 0 => {
                // One that was seen before has its descriptors since then.
                if !self.of.contains_key(&result) {
                    let shares = asked.text[asked.name..].contains_str("CLONE_FILES");
                    self.fork(pid, result, shares);
                }
            }
            name => {
                if let Some(path) = anonymous(name) {
                    self.set(pid, result, Open { path: path.into(), closes: closes() });
                }
            }
        }
    }

    fn duplicate(&mut self, asked: Asked<'_>, to: u64, closes: bool) {
        let Some(from) = asked.number(0).filter(|from| *from != to) else { return };
        match self.get(asked.pid, from).map(|open| open.path.clone()) {
            Some(path) => self.set(asked.pid, to, Open { path, closes }),
            None => self.close(asked.pid, to),
        }
    }

    fn set_closes(&mut self, asked: Asked<'_>, closes: bool) {
        let Some(descriptor) = asked.number(0) else { return };
        let table = self.table_mut(asked.pid);
        if let Some(open) = table.and_then(|table| table.files.get_mut(&descriptor)) {
            open.closes = closes;
        }
    }
}
