//! Places of threads in the call tree.

use std::num::NonZeroUsize;

use streamfold_kernels::profile::ThreadCounts;

use streamfold_otf2::ReadOptions;

/// Where the call paths of threads hang.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(super) struct Trees {
    /// Hang what a thread does in a team below the call path on which the team was forked. Threads
    /// stand for themselves otherwise. Reads the events of those who fork once more
    #[arg(long)]
    #[arg(help_heading = "What is counted")]
    thread_tree: bool,
    /// Take the program for a region, from ProgramBegin to ProgramEnd
    #[arg(long)]
    #[arg(help_heading = "What is counted")]
    program_root: bool,
}

impl Trees {
    /// Returns whether any option is given.
    pub(super) fn any(self) -> bool {
        self.thread_tree || self.program_root
    }

    /// Tells whether call paths of a team hang below its fork.
    pub(super) fn thread_tree(self) -> bool {
        self.thread_tree
    }

    /// Tells whether the program is a region.
    pub(super) fn program_root(self) -> bool {
        self.program_root
    }

    /// How many workers there may be where so many files may be open: beside its own stream each may
    /// read that of someone who forks.
    pub(super) fn workers(self, max_open_files: NonZeroUsize) -> NonZeroUsize {
        match self.thread_tree {
            true => NonZeroUsize::new(max_open_files.get() / 2).unwrap_or(NonZeroUsize::MIN),
            false => max_open_files,
        }
    }

    /// How files are read: where only one may be open, that of a stream is closed when another one
    /// is read beside it.
    pub(super) fn read_options(self, max_open_files: NonZeroUsize) -> ReadOptions {
        let keep_open = !self.thread_tree || max_open_files > NonZeroUsize::MIN;
        ReadOptions { keep_open, ..ReadOptions::default() }
    }

    /// Returns a message if the root of the program was asked for and no region stands for it. `windowed`: visits that
    /// begin before a window of time are not counted.
    pub(super) fn without_program(
        self,
        found: &ThreadCounts,
        windowed: bool,
    ) -> Option<&'static str> {
        let none = found.programs == found.programs_without_region;
        match found.programs {
            0 if windowed => None,
            _ if !self.program_root || !none => None,
            0 => Some("the trace does not say where the program begins (--program-root)"),
            _ => Some("no region stands for the program (--program-root)"),
        }
    }

    /// Returns the options that were given, by their names.
    pub(super) fn told(self) -> impl Iterator<Item = (&'static str, String)> {
        let asked = [("thread-tree", self.thread_tree), ("program-root", self.program_root)];
        asked.into_iter().filter(|(_, asked)| *asked).map(|(name, _)| (name, "true".to_owned()))
    }
}
