//! Messages beside the output.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use bstr::{BStr, ByteSlice};

use streamfold_output::taken::{self, Message};
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_text::terminal::as_shown;

/// Messages to standard error: warnings and errors in the words of otf2-print.
pub(super) struct Messages {
    pub(super) warnings_end: bool,
    pub(super) losses: u64,
}

impl Messages {
    pub(super) fn warning(&mut self, text: &BStr) -> Result<(), Failure> {
        if self.warnings_end {
            self.line("error", text);
            return Err(Failure::new(ExitCode::Trace, "all warnings being treated as errors"));
        }
        self.line("warning", text);
        Ok(())
    }

    /// Something that is left out of the output.
    pub(super) fn loss(&mut self, error: &dyn Display) {
        self.losses += 1;
        self.line("error", error.to_string().as_bytes().as_bstr());
    }

    /// Reports losses that were counted.
    pub(super) fn of_losses(&self, text: &str) {
        self.line("error", text.as_bytes().as_bstr());
    }

    /// Names may have any bytes.
    fn line(&self, severity: &str, text: &BStr) {
        if let Some(taker) = taken::taker() {
            let kind = if severity == "error" { Message::Loss } else { Message::Warning };
            return taker.message(kind, &text.to_str_lossy());
        }
        let mut line = [b"streamfold print: ", severity.as_bytes(), b": ", text, b"\n"].concat();
        if io::stderr().is_terminal() {
            line = as_shown(&line);
        }
        let _ = io::stderr().write_all(&line);
    }
}
