//! The calling contexts of a trace: who was called from where.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{
    CallingContextRef, Reference, RegionRef, SourceCodeLocationRef, StringRef,
};
use streamfold_model::store::Definitions;

use super::content::Contents;

/// All calling contexts that are defined, each with its caller.
#[derive(Debug)]
pub(crate) struct Contexts {
    /// Callers come first. The first one stands for all that is not defined.
    nodes: Vec<Context>,
    places: HashMap<CallingContextRef, Place, RandomState>,
    /// By shape: the shape without its last region, and that.
    shapes: Vec<(Option<Shape>, RegionRef)>,
}

/// A calling context among all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Place(u32);

impl Place {
    /// A context that is not defined. Below it stands what was called from such a one.
    pub(crate) const UNDEFINED: Place = Place(0);

    /// As an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A list of regions, each called from the one before: what contexts have in common that differ in
/// their lines alone. Shorter ones have smaller numbers than those that begin with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Shape(u32);

impl Shape {
    /// As an index.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Context {
    shape: Shape,
    caller: Option<Place>,
    line: Option<Line>,
    /// The first context that says the same.
    same: Place,
    /// Regions from the outermost to its own.
    length: u32,
    /// A context some callers up, chosen so that any caller is reached in about as many steps as the
    /// length has digits: files may hold callers without end, and unwind distances across them all.
    jump: Place,
}

/// A line of source code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Line {
    pub file: StringRef,
    pub line: u32,
}

/// Content of a context: the first context equal to its caller, its regions, and its line.
type Said = (Option<Place>, Shape, Option<Line>);

/// Gives numbers to shapes.
#[derive(Default)]
struct Shaping<'a> {
    /// `None`: the numbers of regions count.
    contents: Option<&'a Contents<'a>>,
    shapes: Vec<(Option<Shape>, RegionRef)>,
    known: HashMap<(Option<Shape>, RegionRef), Shape, RandomState>,
    said: HashMap<Said, Place, RandomState>,
}

impl Shaping<'_> {
    fn shape(&mut self, shorter: Option<Shape>, region: RegionRef) -> Shape {
        let region = self.contents.map_or(region, |contents| contents.region(region));
        let shapes = &mut self.shapes;
        *self.known.entry((shorter, region)).or_insert_with(|| {
            shapes.push((shorter, region));
            Shape(shapes.len() as u32 - 1)
        })
    }

    /// The first context that says this; where numbers count each is one for itself.
    fn first(&mut self, said: Said, place: Place) -> Place {
        match self.contents {
            Some(_) if place != Place::UNDEFINED => *self.said.entry(said).or_insert(place),
            _ => place,
        }
    }
}

impl Contexts {
    /// Those of a trace, with the regions that stand for theirs.
    ///
    /// A cycle of callers is cut at one place, the same in every process: the caller of that context is unknown.
    pub(crate) fn new(definitions: &Definitions, contents: Option<&Contents<'_>>) -> Contexts {
        let mut contexts =
            Contexts { nodes: Vec::new(), places: HashMap::default(), shapes: Vec::new() };
        let mut shaping = Shaping { contents, ..Shaping::default() };
        contexts.add(&mut shaping, None, RegionRef::UNDEFINED, None);
        let mut references: Vec<_> = definitions.calling_contexts.keys().copied().collect();
        references.sort_unstable();
        for reference in references {
            contexts.add_with_callers(&mut shaping, definitions, reference);
        }
        contexts.shapes = shaping.shapes;
        contexts
    }

    fn add_with_callers(
        &mut self,
        shaping: &mut Shaping<'_>,
        definitions: &Definitions,
        reference: CallingContextRef,
    ) {
        /// Stands for the place of a context that is on the way.
        const ON_WAY: Place = Place(u32::MAX);
        let mut way = Vec::new();
        let mut next = reference;
        let mut caller = loop {
            if next.is_undefined() && !way.is_empty() {
                break None;
            }
            match self.places.get(&next) {
                Some(&ON_WAY) => break Some(Place::UNDEFINED),
                Some(known) => break Some(*known),
                None => {}
            }
            let Some(context) = definitions.calling_contexts.get(&next) else {
                break Some(Place::UNDEFINED);
            };
            self.places.insert(next, ON_WAY);
            way.push(context);
            next = context.parent;
        };
        while let Some(context) = way.pop() {
            let line = line_of(definitions, context.source_code_location);
            let place = self.add(shaping, caller, context.region, line);
            self.places.insert(context.id, place);
            caller = Some(place);
        }
    }

    fn add(
        &mut self,
        shaping: &mut Shaping<'_>,
        caller: Option<Place>,
        region: RegionRef,
        line: Option<Line>,
    ) -> Place {
        let place = Place(self.nodes.len() as u32);
        let above = caller.map(|caller| *self.at(caller));
        let (length, jump) = match (caller, above) {
            (Some(caller), Some(above)) => {
                let jump = self.at(above.jump);
                let far = self.at(jump.jump).length;
                let even = above.length - jump.length == jump.length - far;
                (above.length + 1, if even { jump.jump } else { caller })
            }
            _ => (1, place),
        };
        let shape = shaping.shape(above.map(|above| above.shape), region);
        let same = shaping.first((above.map(|above| above.same), shape, line), place);
        self.nodes.push(Context { shape, caller, line, same, length, jump });
        place
    }

    fn at(&self, place: Place) -> &Context {
        &self.nodes[place.index()]
    }

    /// How many there are, with the one that stands for those that are not defined.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All of them, callers first.
    pub(crate) fn places(&self) -> impl DoubleEndedIterator<Item = Place> {
        (0..self.nodes.len() as u32).map(Place)
    }

    /// The place of a context; `None` where it is not defined.
    pub(crate) fn place(&self, context: CallingContextRef) -> Option<Place> {
        self.places.get(&context).copied()
    }

    /// From where a context was called.
    pub(crate) fn caller(&self, place: Place) -> Option<Place> {
        self.at(place).caller
    }

    /// The first context that says the same as this one: lists of the same regions and lines.
    pub(crate) fn same(&self, place: Place) -> Place {
        self.at(place).same
    }

    /// The source line of a context.
    pub(crate) fn line(&self, place: Place) -> Option<Line> {
        self.at(place).line
    }

    /// The regions of a context.
    pub(crate) fn shape(&self, place: Place) -> Shape {
        self.at(place).shape
    }

    /// The region of a context.
    pub(crate) fn region(&self, place: Place) -> RegionRef {
        self.shapes[self.shape(place).index()].1
    }

    /// All shapes, shorter ones first: each as the one without its last region, and that.
    pub(crate) fn shapes(&self) -> &[(Option<Shape>, RegionRef)] {
        &self.shapes
    }

    /// How many regions a context has.
    pub(crate) fn length(&self, place: Place) -> u32 {
        self.at(place).length
    }

    /// The caller of a context, or itself, that has so many regions; `None` where it has fewer, and
    /// where that is none.
    pub(crate) fn of_length(&self, mut place: Place, length: u32) -> Option<Place> {
        if length == 0 {
            return None;
        }
        while self.length(place) > length {
            let node = self.at(place);
            place = if self.length(node.jump) >= length { node.jump } else { node.caller? };
        }
        (self.length(place) == length).then_some(place)
    }
}

fn line_of(definitions: &Definitions, location: SourceCodeLocationRef) -> Option<Line> {
    let location = definitions.source_code_locations.get(&location)?;
    Some(Line { file: location.file, line: location.line_number })
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{CallingContext, Definition};

    use super::*;

    fn contexts(all: &[(u32, u32, u32)]) -> Contexts {
        let mut definitions = Definitions::default();
        for &(id, region, parent) in all {
            definitions.insert(Definition::CallingContext(CallingContext {
                id: CallingContextRef(id),
                region: RegionRef(region),
                source_code_location: SourceCodeLocationRef::UNDEFINED,
                parent: CallingContextRef(parent),
            }));
        }
        Contexts::new(&definitions, None)
    }

    fn place(contexts: &Contexts, context: u32) -> Place {
        contexts.place(CallingContextRef(context)).expect("defined")
    }

    fn regions(contexts: &Contexts, context: u32) -> Vec<u32> {
        let mut regions = Vec::new();
        let mut next = Some(contexts.shape(place(contexts, context)));
        while let Some(shape) = next {
            let (shorter, region) = contexts.shapes()[shape.index()];
            regions.push(region.0);
            next = shorter;
        }
        regions.reverse();
        regions
    }

    const NONE: u32 = u32::MAX;

    #[test]
    fn contexts_of_the_same_regions_have_one_shape() {
        let contexts = contexts(&[(9, 0, NONE), (4, 1, 9), (3, 0, NONE), (5, 1, 3)]);
        assert_eq!(regions(&contexts, 4), [0, 1]);
        let shape = |context| contexts.shape(place(&contexts, context));
        assert_eq!(shape(4), shape(5));
        assert_ne!(shape(4), shape(9));
    }

    #[test]
    fn circles_are_cut_and_callers_that_are_not_there_are_known_as_such() {
        let contexts = contexts(&[(1, 10, 2), (2, 20, 3), (3, 30, 1), (4, 40, 3), (5, 50, 77)]);
        // From 1 on the way goes to 2 and 3 and back to 1.
        assert_eq!(regions(&contexts, 1), [NONE, 30, 20, 10]);
        assert_eq!(regions(&contexts, 4), [NONE, 30, 40]);
        assert_eq!(regions(&contexts, 5), [NONE, 50]);
        assert_eq!(contexts.place(CallingContextRef(77)), None);
    }

    #[test]
    fn any_caller_is_found() {
        let all: Vec<_> = (0..1000).map(|id: u32| (id, id % 7, id.wrapping_sub(1))).collect();
        let contexts = contexts(&all);
        let last = place(&contexts, 999);
        for id in 0..1000 {
            assert_eq!(contexts.of_length(last, id + 1), Some(place(&contexts, id)));
        }
        assert_eq!(contexts.of_length(last, 0), None);
        assert_eq!(contexts.of_length(last, 1001), None);
    }
}
