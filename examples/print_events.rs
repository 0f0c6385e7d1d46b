//! Prints the events of one location: the smallest program that reads a trace.
//!
//! ```sh
//! cargo run --example print_events -- tests/data/pingpong/traces.otf2 0
//! ```

use streamfold::formats::otf2::{Archive, ReadOptions};
use streamfold::model::events::{Event, EventVisitor};
use streamfold::model::ids::LocationRef;
use streamfold::model::stream::EventHead;

/// Prints each event as it comes.
struct Printer;

impl EventVisitor for Printer {
    // Attributes are decoded for those who ask.
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        println!("{:>8} {:>20} {event:?}", head.number, head.time);
        for entry in head.attributes {
            println!("{:>29} {entry:?}", "");
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(anchor), Some(location)) = (arguments.next(), arguments.next()) else {
        return Err("usage: print_events ANCHOR LOCATION".into());
    };
    let archive = Archive::open(anchor.as_ref(), ReadOptions::default())?;
    // Reads the mapping tables and clock offsets of the location first, and applies them.
    let mut events = archive.events(LocationRef(location.parse()?))?;
    events.read_all(&mut Printer)?;
    Ok(())
}
