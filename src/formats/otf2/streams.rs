//! The readers of timed records as streams, for callers that treat all formats alike.

use streamfold_model::ids::LocationRef;
use streamfold_model::stream::Stream;
use streamfold_model::values::Ticks;

use super::error::Error;
use super::events::EventReader;
use super::snapshots::SnapshotReader;

impl Stream for EventReader {
    type Error = Error;

    #[inline]
    fn time(&mut self) -> Result<Option<Ticks>, Error> {
        self.peek()
    }

    fn location(&self) -> LocationRef {
        EventReader::location(self)
    }
}

impl Stream for SnapshotReader {
    type Error = Error;

    fn time(&mut self) -> Result<Option<Ticks>, Error> {
        self.peek()
    }

    fn location(&self) -> LocationRef {
        SnapshotReader::location(self)
    }
}
