//! Colours: whether streams of text have some.

use anstream::{AutoStream, ColorChoice};

/// Says when there are colours, for all streams of this process, and of the command line's help. `None`: on terminals,
/// unless `NO_COLOR` is set or `TERM` is `dumb`.
pub fn choose(always: Option<bool>) {
    let choice = match always {
        Some(true) => ColorChoice::AlwaysAnsi,
        Some(false) => ColorChoice::Never,
        None => ColorChoice::Auto,
    };
    choice.write_global();
}

/// Tells whether a stream gets colours.
pub fn are_on(stream: &impl anstream::stream::RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}
