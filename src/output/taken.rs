//! Standard output and messages that another program takes, within whose process a command runs.
//!
//! A [`Taker`] holds for threads: for the one that calls a command, and for those of its pool. Calls in several threads
//! do not see each other.

use std::any::Any;
use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Arc;

/// Takes what a command would write to standard output and standard error.
pub trait Taker: Any + Send + Sync {
    /// Takes bytes of standard output.
    ///
    /// # Errors
    ///
    /// When no more are wanted.
    fn output(&self, bytes: &[u8]) -> io::Result<()>;

    /// Takes a message, without the name of the program and the kind of message.
    fn message(&self, kind: Message, text: &str);

    /// The taker itself, for who knows its type.
    fn as_any(&self) -> &dyn Any;
}

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// How the work went.
    Note,
    /// Something odd that loses nothing.
    Warning,
    /// Something that could not be read.
    Loss,
}

thread_local! {
    static TAKER: RefCell<Option<Arc<dyn Taker>>> = const { RefCell::new(None) };
}

/// From now on, this thread gives all to a taker. For threads of a pool of its own.
pub fn give_all(taker: Arc<dyn Taker>) {
    TAKER.set(Some(taker));
}

/// The taker of this thread; `None`: standard output and standard error are those of the process.
pub fn taker() -> Option<Arc<dyn Taker>> {
    TAKER.with_borrow(Clone::clone)
}

/// Tells whether this thread has a taker.
pub fn is_taken() -> bool {
    TAKER.with_borrow(Option::is_some)
}

/// Standard output of a taker.
pub(super) struct Taken(pub(super) Arc<dyn Taker>);

impl Write for Taken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.output(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
