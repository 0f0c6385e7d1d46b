//! Names of steps of call paths, and of whole call paths.

use streamfold_kernels::profile::{ContextRow, ParameterValue, PathRow, Step};
use streamfold_model::ids::{Reference, RegionRef};
use streamfold_model::store::Definitions;

use streamfold_text::names;

/// Returns the kind of a step, in a word.
pub fn kind(step: Step) -> &'static str {
    match step {
        Step::Region(_) => "region",
        Step::Parameter(..) => "parameter",
        Step::MeasurementOff => "off",
        Step::BufferFlush => "flush",
        Step::Task(_) => "task",
        Step::Tasks => "tasks",
        Step::Rest => "rest",
    }
}

/// The reference of the region of a step. There is none where events refer to no region, or to a calling
/// context that is not defined.
pub fn reference(step: Step) -> Option<RegionRef> {
    step.region().filter(|region| !region.is_undefined())
}

/// The name of a step of a call path: a region's, or what else it is in parentheses.
pub fn step(definitions: &Definitions, step: Step) -> String {
    match step {
        Step::Region(of) if of.is_undefined() && !definitions.regions.contains_key(&of) => {
            "<undefined region>".to_owned()
        }
        Step::Region(of) => names::region(definitions, of),
        Step::Parameter(of, value) => {
            format!(
                "({} = {})",
                names::parameter(definitions, of),
                parameter_value(definitions, value)
            )
        }
        Step::MeasurementOff => "(measurement off)".to_owned(),
        Step::BufferFlush => "(buffer flush)".to_owned(),
        Step::Task(of) if of.is_undefined() => "(task)".to_owned(),
        Step::Task(of) => format!("(task: {})", names::region(definitions, of)),
        Step::Tasks => "(tasks)".to_owned(),
        Step::Rest => "(rest)".to_owned(),
    }
}

/// The value of a parameter, as text.
pub fn parameter_value(definitions: &Definitions, value: ParameterValue) -> String {
    match value {
        ParameterValue::Int(value) => value.to_string(),
        ParameterValue::Unsigned(value) => value.to_string(),
        ParameterValue::String(text) => {
            names::shown(definitions.string(text), false, "string", text)
        }
    }
}

/// The regions of a calling context, the outermost first, joined by ` > `.
pub fn context(definitions: &Definitions, contexts: &[ContextRow], index: usize) -> String {
    chain(index, |i| (names::region(definitions, contexts[i].region), contexts[i].parent))
}

/// Regions of a call path that are written out; those further up are left out.
const LONGEST_PATH: usize = 64;

/// The regions of a call path from the outermost to the last, joined by ` > `.
pub fn callpath(definitions: &Definitions, paths: &[PathRow], index: usize) -> String {
    chain(index, |i| (step(definitions, paths[i].step), paths[i].parent))
}

/// The file and the line of the innermost region of a call path of which the trace has both.
pub fn source(definitions: &Definitions, paths: &[PathRow], index: usize) -> Option<String> {
    let mut up = std::iter::successors(paths.get(index), |row| paths.get(row.parent? as usize));
    up.find_map(|row| names::source(definitions, reference(row.step)?))
}

/// The name of a row of a tree and of those above, given that of each and the row above.
fn chain(index: usize, row: impl Fn(usize) -> (String, Option<u32>)) -> String {
    let mut regions = Vec::new();
    let mut next = Some(index as u32);
    while let Some(path) = next {
        if regions.len() == LONGEST_PATH {
            regions.push("…".to_owned());
            break;
        }
        let (name, above) = row(path as usize);
        regions.push(name);
        next = above;
    }
    regions.reverse();
    regions.join(" > ")
}
