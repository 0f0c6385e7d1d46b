//! The call tree as Cube has it.
//!
//! A parameter is no step of its own there: a call path with parameters stands beside the one without.

use std::collections::BTreeMap;

use streamfold_kernels::profile::{ParameterValue, PathRow, Profile, Step};
use streamfold_model::ids::{ParameterRef, RegionRef};

/// Callee of a call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Callee {
    /// A region. Also that of a task, where it ran.
    Region(RegionRef),
    /// Recording was off.
    MeasurementOff,
    /// The buffer of the measurement was written out.
    BufferFlush,
    /// All explicit tasks.
    Tasks,
    /// Visits that are deeper than call paths are kept.
    Rest,
    /// A task of which no region is known.
    Task,
    /// Nothing: no region is open.
    Outside,
}

impl Callee {
    /// That of a step; `None`: the step is a parameter of the one above.
    fn of(step: Step) -> Option<Callee> {
        match step {
            Step::Region(region) => Some(Callee::Region(region)),
            Step::Task(region) if region == RegionRef::UNDEFINED => Some(Callee::Task),
            Step::Task(region) => Some(Callee::Region(region)),
            Step::MeasurementOff => Some(Callee::MeasurementOff),
            Step::BufferFlush => Some(Callee::BufferFlush),
            Step::Tasks => Some(Callee::Tasks),
            Step::Rest => Some(Callee::Rest),
            Step::Parameter(..) => None,
        }
    }
}

/// A call path.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cnode {
    /// The one above.
    pub parent: Option<u32>,
    pub callee: Callee,
    pub parameters: Vec<(ParameterRef, ParameterValue)>,
    /// Those below it, in their order.
    pub children: Vec<u32>,
    /// Index of the path in the profile. The number after the last path stands for time outside of all paths.
    pub path: u32,
    /// Set if a task ran here, whose own call paths stand elsewhere.
    pub is_task: bool,
}

/// All call paths, depth first: a path's number is its place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallTree {
    pub cnodes: Vec<Cnode>,
    /// Those without one above.
    pub roots: Vec<u32>,
    /// Index in the tree of each path of the profile, and last that of the time outside of paths. `None` for paths that
    /// parameters split completely.
    pub of_paths: Vec<Option<u32>>,
}

/// A path of the profile on the way to become a [`Cnode`].
struct Draft {
    above: Option<usize>,
    callee: Callee,
    parameters: Vec<(ParameterRef, ParameterValue)>,
    is_task: bool,
    is_kept: bool,
}

impl CallTree {
    /// `with_outside`: a root stands for what is outside of all call paths.
    pub(super) fn new(profile: &Profile, with_outside: bool) -> CallTree {
        let has_metrics = |path: usize| {
            let mut of = profile.metrics.of_path(path).iter();
            of.any(|(_, measured)| measured.exclusive.count > 0)
        };
        let mut tree = CallTree::of_paths(&profile.paths, has_metrics);
        let outside = with_outside.then_some(tree.cnodes.len() as u32);
        if let Some(outside) = outside {
            tree.roots.push(outside);
            tree.cnodes.push(Cnode {
                parent: None,
                callee: Callee::Outside,
                parameters: Vec::new(),
                children: Vec::new(),
                path: profile.paths.len() as u32,
                is_task: false,
            });
        }
        tree.of_paths.push(outside);
        tree
    }

    fn of_paths(paths: &[PathRow], has_metrics: impl Fn(usize) -> bool) -> CallTree {
        let mut drafts: Vec<Draft> = Vec::with_capacity(paths.len());
        for path in paths {
            let above = path.parent.map(|parent| parent as usize);
            let draft = match (path.step, above) {
                (Step::Parameter(parameter, value), Some(split)) => {
                    let Draft { above, callee, ref parameters, is_task, .. } = drafts[split];
                    let mut parameters = parameters.clone();
                    parameters.push((parameter, value));
                    Draft { above, callee, parameters, is_task, is_kept: true }
                }
                (step, above) => Draft {
                    above,
                    callee: Callee::of(step).unwrap_or(Callee::Region(RegionRef::UNDEFINED)),
                    parameters: Vec::new(),
                    is_task: matches!(step, Step::Task(_)),
                    is_kept: true,
                },
            };
            drafts.push(draft);
        }
        // A path that parameters split completely has nothing left of its own.
        let mut splits = vec![(false, true); paths.len()];
        for path in paths {
            if let Some(parent) = path.parent {
                let split = &mut splits[parent as usize];
                let is_parameter = matches!(path.step, Step::Parameter(..));
                *split = (split.0 || is_parameter, split.1 && is_parameter);
            }
        }
        for (number, (draft, split)) in drafts.iter_mut().zip(splits).enumerate() {
            let row = &paths[number].row;
            let is_empty = row.visits == 0 && row.traffic.numbers().iter().all(|of| *of == 0);
            draft.is_kept = split != (true, true) || !is_empty || has_metrics(number);
        }
        CallTree::of_drafts(&drafts)
    }

    fn of_drafts(drafts: &[Draft]) -> CallTree {
        let mut below: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (number, draft) in drafts.iter().enumerate().filter(|(_, draft)| draft.is_kept) {
            below.entry(draft.above).or_default().push(number);
        }
        let mut tree = CallTree { of_paths: vec![None; drafts.len()], ..CallTree::default() };
        let of = |above: Option<usize>| below.get(&above).map_or(&[][..], |numbers| numbers);
        let mut stack: Vec<usize> = of(None).iter().rev().copied().collect();
        while let Some(number) = stack.pop() {
            let Draft { above, callee, ref parameters, is_task, .. } = drafts[number];
            let place = tree.cnodes.len() as u32;
            let parent = above.and_then(|above| tree.of_paths[above]);
            match parent {
                Some(parent) => tree.cnodes[parent as usize].children.push(place),
                None => tree.roots.push(place),
            }
            tree.of_paths[number] = Some(place);
            let (parameters, path) = (parameters.clone(), number as u32);
            let children = Vec::new();
            tree.cnodes.push(Cnode { parent, callee, parameters, children, path, is_task });
            stack.extend(of(Some(number)).iter().rev());
        }
        tree
    }

    /// Returns the index of a path of the profile; `None`: outside of all paths.
    pub(super) fn of_path(&self, path: Option<u32>) -> Option<u32> {
        let place = path.map_or(self.of_paths.len().saturating_sub(1), |path| path as usize);
        self.of_paths.get(place).copied().flatten()
    }

    /// Returns the row of each call path in an inclusive metric. All children of a path stand together, before the
    /// children of the first of them.
    pub(super) fn wide(&self) -> Vec<u32> {
        let mut places = vec![0; self.cnodes.len()];
        let mut next = 0;
        let mut place = |cnode: u32| {
            places[cnode as usize] = next;
            next += 1;
        };
        for root in &self.roots {
            place(*root);
            let mut stack = vec![*root];
            while let Some(cnode) = stack.pop() {
                let children = &self.cnodes[cnode as usize].children;
                children.iter().for_each(|child| place(*child));
                stack.extend(children.iter().rev());
            }
        }
        places
    }

    /// Below which path the time of each counts, too. Tasks run inside of what they interrupt, where
    /// their time counts already.
    pub(super) fn counted_in(&self) -> Vec<Option<u32>> {
        let above = |cnode: &Cnode| cnode.parent.filter(|_| cnode.callee != Callee::Tasks);
        self.cnodes.iter().map(above).collect()
    }
}

#[cfg(test)]
mod tests {
    use streamfold_kernels::profile::Row;

    use super::*;

    fn path(parent: Option<u32>, step: Step, visits: u64) -> PathRow {
        PathRow { parent, depth: 0, step, row: Row { visits, ..Row::EMPTY } }
    }

    fn region(parent: Option<u32>, region: u32) -> PathRow {
        path(parent, Step::Region(RegionRef(region)), 1)
    }

    #[test]
    fn children_stand_together_in_inclusive_metrics() {
        // 0(1(2(3 4) 5(6 7) 8(9))), the example of the format's description, and a second root.
        let parents =
            [None, Some(0), Some(1), Some(2), Some(2), Some(1), Some(5), Some(5), Some(1)];
        let parents = parents.into_iter().chain([Some(8), None, Some(10)]);
        let paths: Vec<_> = parents.zip(0..).map(|(parent, at)| region(parent, at)).collect();
        let tree = CallTree::of_paths(&paths, |_| false);
        let mut order: Vec<_> = (0..12).collect();
        let wide = tree.wide();
        order.sort_by_key(|cnode| wide[*cnode as usize]);
        assert_eq!(order, [0, 1, 2, 5, 8, 3, 4, 6, 7, 9, 10, 11]);
    }

    #[test]
    fn paths_with_parameters_stand_beside_those_without() {
        let parameter = |parent, value| {
            path(Some(parent), Step::Parameter(ParameterRef(0), ParameterValue::Int(value)), 1)
        };
        let split = path(Some(0), Step::Region(RegionRef(1)), 0);
        let paths = [
            region(None, 0),
            split,
            parameter(1, 7),
            region(Some(2), 2),
            region(Some(0), 3),
            parameter(4, 8),
            region(Some(4), 5),
        ];
        let tree = CallTree::of_paths(&paths, |_| false);
        let of = [Some(0), None, Some(1), Some(2), Some(3), Some(5), Some(4)];
        assert_eq!(tree.of_paths, of);
        assert_eq!(tree.cnodes[0].children, [1, 3, 5]);
        assert_eq!(tree.cnodes[1].callee, Callee::Region(RegionRef(1)));
        assert_eq!(tree.cnodes[1].parameters, [(ParameterRef(0), ParameterValue::Int(7))]);
        assert_eq!(tree.cnodes[2].parent, Some(1));
        assert_eq!(tree.cnodes[5].callee, Callee::Region(RegionRef(3)));
    }
}
