//! Facts of a file besides its calls: section 1.3.

use serde::{Deserialize, Serialize};

use super::clock::TimeForm;
use crate::Loss;

macro_rules! lines {
    ($($field:ident $what:literal;)*) => {
        /// How many lines of each kind there were, section 1.3, and what became of the calls.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Lines { $(#[doc = $what] pub $field: u64,)* }

        impl Lines {
            /// Each number, with its name.
            pub fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($field), self.$field)),*].into_iter()
            }

            /// Sets a number, by its name.
            #[cfg(feature = "hdf5")]
            pub(super) fn set(&mut self, name: &str, count: u64) {
                match name {
                    $(stringify!($field) => self.$field = count,)*
                    _ => {}
                }
            }

            /// The meaning of each number, by name.
            pub const MEANINGS: &'static [(&'static str, &'static str)] =
                &[$((stringify!($field), $what)),*];

            /// Of two files together.
            #[must_use]
            pub fn fold(self, other: Lines) -> Lines {
                Lines { $($field: self.$field + other.$field,)* }
            }
        }
    };
}

lines! {
    lines "all lines";
    call "calls in one line";
    unfinished "calls that go on in another line";
    resumed "calls that go on here";
    resumed_orphan "calls that go on here and began nowhere";
    attach_split "calls that a message of strace cut";
    call_tail "the rest of such calls";
    exit "processes that ended";
    signal "signals";
    detached "calls in which strace left the process";
    diag "messages of strace";
    continuation "stacks and dumps behind a call";
    blank "empty lines";
    unparsed "lines that are none of these";
    events "calls that returned";
    restarted "calls that the kernel repeats";
    no_return "calls that did not return";
    no_duration "events without a duration";
    unfinished_lost "calls that go on nowhere";
}

impl Lines {
    /// Tells whether both identities of section 1.3 hold: no line, and no call, was left out without being counted.
    pub fn add_up(&self) -> bool {
        let kinds = self.call
            + self.unfinished
            + self.resumed
            + self.resumed_orphan
            + self.attach_split
            + self.call_tail
            + self.exit
            + self.signal
            + self.detached
            + self.diag
            + self.continuation
            + self.blank
            + self.unparsed;
        let calls = self.call + self.call_tail + self.resumed;
        kinds == self.lines && calls == self.events + self.restarted + self.no_return
    }
}

/// Facts of a file besides its calls.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileReport {
    /// Lines of the file by kind.
    pub lines: Lines,
    /// The forms of its times; several forms are odd, and none is possible.
    pub forms: Vec<TimeForm>,
    /// The first lines that could not be read.
    pub unparsed: Vec<Loss>,
    /// The file could not be read to its end, or ends within a line.
    pub damage: Option<Loss>,
    /// The process of calls whose process is [`FileReport::SOLE`]; 0: it is not known.
    pub sole: u64,
    /// Set if calls are of several processes, and their lines do not name the process.
    pub is_pid_unknown: bool,
    /// Numbers of processes that were used again after an exit.
    pub reused: u64,
    /// Times before the end of the call before, which were moved behind it (`-r`).
    pub moved: u64,
    /// The first lines at which the clock of the machine had been set back.
    pub set_back: Vec<Loss>,
    /// Set if no descriptor has a path behind it (`-y`), and calls have descriptors.
    pub is_bare: bool,
    /// Calls on descriptors whose files are not known.
    pub unknown: u64,
    /// Bytes of text.
    pub bytes: u64,
    /// Tells that the file has grown since reading began.
    pub growth: Option<Loss>,
}

impl FileReport {
    /// The process of a line that names none, see [`FileReport::sole`].
    pub const SOLE: u64 = u64::MAX;
}
