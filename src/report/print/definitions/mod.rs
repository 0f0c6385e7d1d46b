//! Global definitions: learned always, printed where that is asked for.

mod lines;

use std::io::Write;

use bstr::BStr;
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;

use crate::print::layout::DEFINITION_WIDTH;
use crate::print::line::Line;
use crate::print::options::Timestamps;
use crate::print::printer::Printer;

impl<W: Write> Printer<W> {
    /// Takes in a global definition and prints it where that is asked for.
    ///
    /// `warn` is called with each thing that is wrong with it, a text without an end of line. An
    /// error of `warn` comes back at once, and nothing of the definition is printed.
    pub fn definition<E>(
        &mut self,
        definition: &Definition,
        mut warn: impl FnMut(&BStr) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut warned = Ok(());
        self.names.define(definition, &mut |text| {
            if warned.is_ok() {
                warned = warn(text);
            }
        });
        warned?;
        if let Definition::Location(location) = definition {
            self.locations.push(location.id);
        }
        if self.options.global_definitions {
            let (text, nowhere) = (&mut self.output.text, LocationRef::UNDEFINED);
            let line = Line::new(text, &self.names, Timestamps::Plain, nowhere);
            if let Some(line) = lines::line(line, definition) {
                line.end();
            }
            self.output.record_done();
        }
        Ok(())
    }

    /// A global definition of a kind that this version does not know.
    pub fn unknown_definition(&mut self) {
        if self.options.global_definitions {
            self.output.text.left("UNKNOWN", DEFINITION_WIDTH);
            self.output.text.push("\n");
            self.output.record_done();
        }
    }
}
