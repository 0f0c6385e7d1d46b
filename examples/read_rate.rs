//! How fast one thread reads the events of a trace with windows of different sizes; the figures
//! are in docs/performance.md.
//!
//! ```sh
//! cargo run --release --example read_rate -- traces.otf2 65536 1048576
//! ```

use std::time::Instant;

use streamfold::formats::otf2::{Archive, ReadOptions};
use streamfold::model::events::{Enter, EventKind, EventVisitor, Leave};
use streamfold::model::stream::{EventHead, EventSet};

/// Adds up what it sees, so that nothing can be left out.
#[derive(Default)]
struct Sum(u64);

impl EventVisitor for Sum {
    const WANTS: EventSet = EventSet::of(&[EventKind::Enter, EventKind::Leave]);

    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        self.0 = self.0.wrapping_add(head.time.0 ^ u64::from(event.region.0));
    }

    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        self.0 = self.0.wrapping_sub(head.time.0 ^ u64::from(event.region.0));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let anchor = arguments.next().ok_or("usage: read_rate ANCHOR WINDOW…")?;
    for window in arguments {
        let options = ReadOptions { window: window.parse()?, keep_open: true };
        let archive = Archive::open(anchor.as_ref(), options)?;
        let definitions = archive.read_global_definitions()?;
        let begin = Instant::now();
        let (mut events, mut sum) = (0, Sum::default());
        for location in definitions.locations.keys() {
            let mut reader = archive.events(*location)?;
            reader.read_all(&mut sum)?;
            events += reader.count();
        }
        let seconds = begin.elapsed().as_secs_f64();
        let rate = events as f64 / seconds / 1e6;
        println!(
            "window {window:>9}: {events} events in {seconds:.3} s, {rate:.1} M/s ({:x})",
            sum.0
        );
    }
    Ok(())
}
