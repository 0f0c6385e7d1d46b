//! Results of SCOUT, the trace analyzer of Scalasca 2.6, for traces of the large set: `critical/*/scout.json` there.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::archives::{facts, traces, Archive};

/// The folders of what SCOUT found, and of the traces.
const TRACES: [(&str, &str); 8] = [
    ("casita-10_scorep_mpi_tags", "otf2-casita/10_scorep_mpi_tags"),
    ("casita-2_cloverleaf_oaccregions_cudafull", "otf2-casita/2_cloverleaf_oaccregions_cudafull"),
    ("casita-2_cuda_simple", "otf2-casita/2_cuda_simple"),
    ("casita-4_mpi_ls_barr", "otf2-casita/4_mpi_ls_barr"),
    ("scorep2-nonblocking-subcomms", "otf2/scorep2-nonblocking-subcomms"),
    ("scorep3-stencil4d-32", "otf2/scorep3-stencil4d-32"),
    ("scorep8-comd-mpi-all", "otf2-with-profile/scorep8-comd-mpi-all"),
    ("scorep8-lulesh-hybrid", "otf2-with-profile/scorep8-lulesh-hybrid"),
];

/// A trace, with what SCOUT found.
pub struct Scout {
    pub name: &'static str,
    pub archive: Archive,
    facts: Value,
}

/// Seconds of each location.
type Seconds = Vec<f64>;

impl Scout {
    /// Those that are there. None, and said, without the large set.
    pub fn all() -> Vec<Scout> {
        let Some(folder) = traces() else { return Vec::new() };
        let all: Vec<Scout> =
            TRACES.iter().filter_map(|(name, trace)| Scout::of(&folder, name, trace)).collect();
        if folder.join("critical").is_dir() {
            assert_eq!(all.len(), TRACES.len(), "{}", folder.display());
        }
        all
    }

    fn of(folder: &Path, name: &'static str, trace: &str) -> Option<Scout> {
        let file = folder.join("critical").join(name).join("scout.json");
        let archive = Archive::find(&folder.join(trace)).filter(|_| file.is_file())?;
        Some(Scout { name, archive, facts: facts(&file) })
    }

    /// The names of its locations, as this program has them.
    pub fn locations(&self) -> Vec<String> {
        let all = self.facts["locations"].as_array().expect("locations").iter();
        let name = |of: &Value| of["name"].as_str().expect("a name").replace(" - ", " · ");
        all.map(name).collect()
    }

    /// The names of its metrics.
    pub fn metrics(&self) -> Vec<&str> {
        self.facts["metrics"].as_object().expect("metrics").keys().map(String::as_str).collect()
    }

    /// Seconds of a metric in all.
    pub fn total(&self, metric: &str) -> f64 {
        self.facts["metrics"][metric]["total"].as_f64().expect("seconds")
    }

    /// The same by call path, without the program above all, if there is one. `None`: only sums are known.
    pub fn by_path(&self, metric: &str) -> Option<BTreeMap<String, Seconds>> {
        let paths: Vec<&str> = self.facts["paths"]
            .as_array()
            .expect("call paths")
            .iter()
            .map(|path| path.as_str().expect("a call path"))
            .collect();
        // Only a program has all others below it.
        let first = |path: &str| path.split(" > ").next().unwrap_or_default().to_owned();
        let program = paths.iter().all(|path| first(path) == first(paths[0])) && self.has_program();
        let path = |number: usize| match (program, paths[number].split_once(" > ")) {
            (true, Some((_, rest))) => rest.to_owned(),
            (true, None) => String::new(),
            (false, _) => paths[number].to_owned(),
        };
        let mut found: BTreeMap<String, Seconds> = BTreeMap::new();
        for row in self.facts["metrics"][metric]["values"].as_array()? {
            let number = row[0].as_u64().expect("a number") as usize;
            let values = row[1].as_array().expect("values").iter();
            let values = values.map(|value| value.as_f64().expect("seconds"));
            let sums = found.entry(path(number)).or_default();
            sums.resize(values.len().max(sums.len()), 0.0);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        Some(found)
    }

    /// Tells whether call paths begin with the program.
    fn has_program(&self) -> bool {
        ["scorep8-comd-mpi-all", "scorep8-lulesh-hybrid"].contains(&self.name)
    }
}
