//! The tools: which question each answers, which parameters it takes, and which command does the work.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{json, Map, Value};

use super::folders::Folders;
use super::found::Wanted;

/// A question, and the command that answers it.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// The question that it answers, for a model.
    pub(super) about: &'static str,
    /// The command, and options that every call has.
    command: &'static [&'static str],
    pub(super) parameters: &'static [&'static Parameter],
    /// Titles of parts of the text that no model misses.
    pub(super) spared: &'static [&'static str],
    /// Tables for programs.
    pub(super) wanted: &'static [Wanted],
}

/// A parameter of a tool.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    about: &'static str,
    kind: Kind,
    is_required: bool,
}

/// The values of a parameter, and the option of the command that gets them.
enum Kind {
    /// Path of a trace.
    Trace,
    /// A word of a list.
    Choice(&'static str, &'static [&'static str]),
    /// A number from 1 to this, and the one without a word.
    Count(&'static str, u64, u64),
    /// Two points in time.
    Part(&'static str),
    /// A name or an expression.
    Name(&'static str),
    /// Yes or no, and what it is without a word.
    Flag(&'static str, bool),
}

/// A call, as the command takes it.
pub(super) struct Called {
    pub(super) arguments: Vec<OsString>,
    /// Parameters that were given.
    pub(super) given: Map<String, Value>,
    /// Rows of each table that are wanted at most.
    pub(super) top: usize,
}

/// Characters of a value.
const LONGEST: usize = 1000;

/// Rows of a table, unless a call says how many.
const TOP: u64 = 10;

const TRACE: Parameter = Parameter {
    name: "trace",
    about: "Path of the trace, relative to a folder that this server reads: an anchor file such as run/traces.otf2, or \
            a folder with one trace. overview without a trace lists all paths.",
    kind: Kind::Trace,
    is_required: true,
};

const ANY_TRACE: Parameter = Parameter {
    about: "Path of the trace, relative to a folder that this server reads. Without it, the answer is a list of all \
            traces there.",
    is_required: false,
    ..TRACE
};

const BEFORE: Parameter =
    Parameter { name: "before", about: "Path of the trace of the run before the change.", ..TRACE };

const AFTER: Parameter =
    Parameter { name: "after", about: "Path of the trace of the run after the change.", ..TRACE };

const TOP_ROWS: Parameter = Parameter {
    name: "top",
    about: "Rows of each table. Fewer come back where an answer would be too long.",
    kind: Kind::Count("--top", 50, TOP),
    is_required: false,
};

const LIMIT: Parameter = Parameter {
    about: "Defects of each kind that are shown; all are counted.",
    kind: Kind::Count("--limit", 50, TOP),
    ..TOP_ROWS
};

const TIME: Parameter = Parameter {
    name: "time",
    about: "The part of the run that counts: begin and end, with a blank between them. Parts of the run (\"40% 50%\"), \
            times since its begin (\"1.5s 2s\", \"0ms 20ms\"), or \"begin\" and \"end\".",
    kind: Kind::Part("--time"),
    is_required: false,
};

const WITHOUT_STARTUP: Parameter = Parameter {
    name: "without_startup",
    about: "Leave out start-up and finalization of MPI.",
    kind: Kind::Flag("--without-startup", false),
    is_required: false,
};

const PROCESS: Parameter = Parameter {
    name: "process",
    about: "Only the threads of the process of this name, such as \"MPI Rank 3\".",
    kind: Kind::Name("--group"),
    is_required: false,
};

const REGION: Parameter = Parameter {
    name: "region",
    about: "Only regions (functions, loops, calls of MPI) with a name that this regular expression matches.",
    kind: Kind::Name("--region"),
    is_required: false,
};

const BY: Parameter = Parameter {
    name: "by",
    about: "What the rows are: region (functions), callpath (the call tree), process (what each is busy with), thread, \
            kernel (of accelerators), metric (counters), line (of sampled traces).",
    kind: Kind::Choice(
        "--by",
        &["region", "callpath", "process", "thread", "kernel", "metric", "line"],
    ),
    is_required: false,
};

const COMPARED_BY: Parameter = Parameter {
    about: "What is compared: time by region, by callpath, or waits (wait states, and where all time went; of whole \
            traces only).",
    kind: Kind::Choice("--by", &["region", "callpath", "waits"]),
    ..BY
};

const DELAYS: Parameter = Parameter {
    name: "delays",
    about: "Find what code made others wait, too. It reads the trace once more.",
    kind: Kind::Flag("--delays", true),
    is_required: false,
};

const WHAT_IF: Parameter = Parameter {
    name: "what_if",
    about: "Replay the run with other times. top: each of the largest regions at half of its own time, which is worth the \
            work; balance: each thread computes as long as the mean of all.",
    kind: Kind::Choice("--what-if", &["top", "balance"]),
    is_required: false,
};

const FILES: Parameter = Parameter {
    name: "files",
    about: "Only files with a name that this regular expression matches.",
    kind: Kind::Name("--only"),
    is_required: false,
};

const WITHOUT_SYSTEM: Parameter = Parameter {
    name: "without_system_files",
    about: "Leave out files of the system: programs, libraries, settings, /proc, /sys, /dev, sockets, pipes.",
    kind: Kind::Flag("--exclude-system", false),
    is_required: false,
};

/// All tools, in the order in which they are of use.
pub(super) static TOOLS: [Tool; 8] = [
    Tool {
        name: "overview",
        title: "A trace at a glance",
        about: "Start here. Without a trace: lists the traces that can be read, with formats and sizes. With one: what \
                ran, how much of the time is computation, which losses are largest and where, what was lost.",
        command: &["overview"],
        parameters: &[&ANY_TRACE],
        spared: &["Next"],
        wanted: &[
            Wanted::new("classes", &["of", "group", "title", "ticks", "percent"]),
            Wanted::new("regions", &["name", "paradigm", "own_ticks", "visits"]),
        ],
    },
    Tool {
        name: "profile",
        title: "Where time goes",
        about: "Where does time go? Times and visits of regions, call paths, processes, threads, kernels or counters, \
                those with most first.",
        command: &["profile"],
        parameters: &[&TRACE, &BY, &TOP_ROWS, &REGION, &PROCESS, &TIME, &WITHOUT_STARTUP],
        spared: &[],
        wanted: &[Wanted::new(
            "",
            &[
                "name",
                "path",
                "file",
                "line",
                "depth",
                "paradigm",
                "threads",
                "visits",
                "exclusive_ticks",
                "inclusive_ticks",
                "total_ticks",
                "share_percent",
                "calls",
                "launched",
                "unit",
                "count",
                "sum",
                "samples",
                "samples_inclusive",
                "estimated_ticks",
                "computation_ticks",
                "computation_percent",
                "mpi_ticks",
                "waiting_ticks",
                "threads_ticks",
                "io_ticks",
                "accelerator_ticks",
                "idle_ticks",
            ],
        )],
    },
    Tool {
        name: "waits",
        title: "Who waits for whom",
        about: "Who waits for whom in MPI and OpenMP, how long, and which code made others wait: wait states such as \
                late senders, and what caused them.",
        command: &["waitstates"],
        parameters: &[&TRACE, &DELAYS, &TOP_ROWS, &TIME, &WITHOUT_STARTUP],
        spared: &["Waits by location", "Waits by call path and location"],
        wanted: &[
            Wanted::new(
                "delays",
                &[
                    "call_path",
                    "source",
                    "location_name",
                    "delay_direct_ticks",
                    "delay_long_term_ticks",
                    "percent",
                ],
            )
            .by("percent"),
            Wanted::new(
                "causes",
                &["title", "ticks", "instances", "call_path", "source", "location_name"],
            )
            .by("ticks"),
            Wanted::new("by_path", &["title", "ticks", "percent", "call_path"]).by("ticks"),
        ],
    },
    Tool {
        name: "critical_path",
        title: "Why it took so long",
        about: "Why did the run take so long? The critical path: the code, classes of time and threads that determined \
                the run time, and how much of it is imbalance.",
        command: &["critical"],
        parameters: &[&TRACE, &TOP_ROWS, &TIME, &WITHOUT_STARTUP],
        spared: &[],
        wanted: &[
            Wanted::new("by_class", &["group", "title", "ticks", "percent"]),
            Wanted::new(
                "by_call_path",
                &["call_path", "source", "ticks", "percent", "mean_ticks", "imbalance_ticks"],
            ),
            Wanted::new("by_location", &["location_name", "ticks", "percent"]),
        ],
    },
    Tool {
        name: "efficiency",
        title: "How well the processors are used",
        about: "How well are the processors used? The efficiencies of POP (load balance, communication, serialisation, \
                transfer), and what each process does.",
        command: &["efficiency"],
        parameters: &[&TRACE, &WHAT_IF, &TOP_ROWS, &PROCESS, &TIME, &WITHOUT_STARTUP],
        spared: &[],
        wanted: &[
            Wanted::new("factors", &["factor", "value"]),
            Wanted::new("what_if", &["what", "ticks", "gain_ticks"]),
            Wanted::new(
                "processes",
                &["process", "computation_ticks", "mpi_ticks", "io_ticks", "idle_ticks"],
            ),
        ],
    },
    Tool {
        name: "io",
        title: "What happens to files",
        about: "What happens to files: how long the processes are in I/O, which calls and files take most, small \
                transfers, files that several processes write.",
        command: &["io"],
        parameters: &[&TRACE, &FILES, &WITHOUT_SYSTEM, &TOP_ROWS, &PROCESS, &TIME],
        spared: &["Times, of all threads added up", "Over "],
        wanted: &[
            Wanted::new("findings", &["finding", "percent", "text"]),
            Wanted::new("calls", &["call", "level", "count", "failed", "ticks", "bytes"]),
            Wanted::new(
                "files",
                &["file", "bytes_read", "bytes_written", "ticks", "metadata_ticks", "processes"],
            )
            .by("ticks"),
        ],
    },
    Tool {
        name: "diff",
        title: "What became slower or faster",
        about: "Compares two runs: how much faster or slower the second is, and which regions, call paths or wait states \
                changed most.",
        command: &["diff"],
        parameters: &[&BEFORE, &AFTER, &COMPARED_BY, &TOP_ROWS, &REGION],
        spared: &[],
        wanted: &[Wanted::new(
            "rows",
            &[
                "name",
                "verdict",
                "before_seconds",
                "after_seconds",
                "change_seconds",
                "change_percent",
            ],
        )],
    },
    Tool {
        name: "validate",
        title: "What is wrong with the trace",
        about: "What is wrong with the trace itself: damage, records that mean nothing, messages without a partner. Ask \
                this where an answer says that something was lost.",
        command: &["validate"],
        parameters: &[&TRACE, &LIMIT],
        spared: &[],
        wanted: &[],
    },
];

/// The tool of this name.
pub(super) fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Tool {
    /// The schema of its parameters.
    pub(super) fn schema(&self) -> Map<String, Value> {
        let of = |parameter: &&Parameter| (parameter.name.to_owned(), parameter.schema());
        let required = self.parameters.iter().filter(|parameter| parameter.is_required);
        let required: Vec<_> = required.map(|parameter| parameter.name).collect();
        let properties: Map<String, Value> = self.parameters.iter().map(of).collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }

    /// Returns whether the tool takes a parameter.
    pub(super) fn takes(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
    }

    /// Makes a call of the command from parameters; `None`: the list of traces is wanted.
    ///
    /// # Errors
    ///
    /// The parameter that is wrong, and what it may be.
    pub(super) fn call(
        &self,
        given: Map<String, Value>,
        folders: &Folders,
    ) -> Result<Option<Called>, String> {
        if let Some(name) = given.keys().find(|name| !self.takes(name)) {
            let name: String = name.chars().take(LONGEST).collect();
            let known: Vec<_> = self.parameters.iter().map(|parameter| parameter.name).collect();
            return Err(format!(
                "{} has no parameter \"{name}\": it takes {}.",
                self.name,
                known.join(", ")
            ));
        }
        let mut options: Vec<OsString> = self.command.iter().map(OsString::from).collect();
        let mut traces = Vec::new();
        let mut top = TOP;
        for parameter in self.parameters {
            let value = given.get(parameter.name).filter(|value| !value.is_null());
            match (&parameter.kind, value) {
                (Kind::Trace, None) if parameter.is_required => {
                    return Err(format!(
                        "{} needs \"{}\": {}",
                        self.name, parameter.name, parameter.about
                    ));
                }
                (Kind::Trace, None) => {}
                (Kind::Trace, Some(value)) => {
                    let path = value.as_str().filter(|path| path.len() <= 4 * LONGEST);
                    let path = path.ok_or_else(|| parameter.refusal("a path"))?;
                    traces.push(folders.find(path)?);
                }
                (kind, value) => {
                    top = kind.top(value).unwrap_or(top);
                    options.extend(kind.arguments(value).map_err(|what| parameter.refusal(&what))?);
                }
            }
        }
        if traces.is_empty() {
            return Ok(None);
        }
        // The real paths begin with a slash: they are no options.
        options.extend(traces.into_iter().map(PathBuf::into_os_string));
        let top = usize::try_from(top).unwrap_or(usize::MAX);
        Ok(Some(Called { arguments: options, given, top }))
    }
}

impl Parameter {
    fn refusal(&self, what: &str) -> String {
        format!("\"{}\" has to be {what}. {}", self.name, self.about)
    }

    fn schema(&self) -> Value {
        let mut schema = match &self.kind {
            Kind::Trace | Kind::Name(_) => json!({ "type": "string" }),
            Kind::Part(_) => json!({ "type": "string", "pattern": "^\\S+ +\\S+$" }),
            // Nothing is replayed unless it is asked for.
            Kind::Choice(_, of) if self.name == WHAT_IF.name => {
                json!({ "type": "string", "enum": of })
            }
            Kind::Choice(_, of) => json!({ "type": "string", "enum": of, "default": of.first() }),
            Kind::Count(_, most, usual) => {
                json!({ "type": "integer", "minimum": 1, "maximum": most, "default": usual })
            }
            Kind::Flag(_, usual) => json!({ "type": "boolean", "default": usual }),
        };
        schema["description"] = self.about.into();
        schema
    }
}

impl Kind {
    /// The rows of a table that this says.
    fn top(&self, value: Option<&Value>) -> Option<u64> {
        match self {
            Kind::Count(..) => value?.as_u64(),
            _ => None,
        }
    }

    /// The arguments of the command for a value.
    ///
    /// # Errors
    ///
    /// A description of the values that are allowed.
    fn arguments(&self, value: Option<&Value>) -> Result<Vec<OsString>, String> {
        let one = |option: &str, value: &str| vec![OsString::from(format!("{option}={value}"))];
        match self {
            Kind::Trace => Ok(Vec::new()),
            Kind::Choice(option, of) => {
                let Some(value) = value else { return Ok(Vec::new()) };
                let known = value.as_str().filter(|value| of.contains(value));
                known
                    .map(|value| one(option, value))
                    .ok_or_else(|| format!("one of {}", of.join(", ")))
            }
            Kind::Count(option, most, usual) => {
                let number = value.map_or(Some(*usual), Value::as_u64);
                let number = number.filter(|number| (1..=*most).contains(number));
                let number = number.ok_or_else(|| format!("a number from 1 to {most}"))?;
                Ok(one(option, &number.to_string()))
            }
            Kind::Part(option) => {
                let Some(value) = value else { return Ok(Vec::new()) };
                let points: Vec<&str> =
                    value.as_str().unwrap_or_default().split_whitespace().collect();
                let is_point = |point: &&str| {
                    point.len() <= 64
                        && point.starts_with(|first: char| first.is_ascii_alphanumeric())
                        && point.chars().all(|c| c.is_ascii_alphanumeric() || "+-.:%".contains(c))
                };
                match points.len() == 2 && points.iter().all(is_point) {
                    true => Ok([*option].iter().chain(&points).map(OsString::from).collect()),
                    false => Err("two points in time, as \"40% 50%\"".to_owned()),
                }
            }
            Kind::Name(option) => {
                let Some(value) = value else { return Ok(Vec::new()) };
                let name = value.as_str().filter(|name| {
                    !name.is_empty() && name.len() <= LONGEST && !name.contains('\0')
                });
                name.map(|name| one(option, name))
                    .ok_or_else(|| format!("a text of {LONGEST} bytes at most"))
            }
            Kind::Flag(option, usual) => {
                let is_on = value.map_or(Some(*usual), Value::as_bool);
                let is_on = is_on.ok_or("true or false")?;
                Ok(if is_on { vec![OsString::from(*option)] } else { Vec::new() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &str, given: Value) -> Result<Option<Called>, String> {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join("t.gist"), b"").expect("written");
        let folders = Folders::new(&[place.path().to_owned()]).expect("a folder");
        let Value::Object(given) = given else { panic!("an object") };
        tool(name).expect("a tool").call(given, &folders)
    }

    #[test]
    fn parameters_become_options_of_the_command() {
        let given = json!({ "trace": "t.gist", "by": "callpath", "top": 3, "time": "40%  50%", "region": "-o x" });
        let called = called("profile", given).expect("right").expect("a call");
        let arguments: Vec<_> = called.arguments.iter().map(|it| it.to_string_lossy()).collect();
        let options = &arguments[..arguments.len() - 1];
        let expected =
            ["profile", "--by=callpath", "--top=3", "--region=-o x", "--time", "40%", "50%"];
        assert_eq!(options, expected);
        assert!(arguments.last().is_some_and(|path| path.starts_with('/')));
    }

    #[test]
    fn values_that_are_no_values_of_a_parameter_are_refused() {
        for (name, given, what) in [
            ("profile", json!({ "trace": "t.gist", "output": "x.csv" }), "no parameter \"output\""),
            ("profile", json!({ "trace": "t.gist", "by": "--output=x" }), "one of region"),
            ("profile", json!({ "trace": "t.gist", "top": 51 }), "from 1 to 50"),
            ("profile", json!({ "trace": "t.gist", "top": "5" }), "from 1 to 50"),
            ("profile", json!({ "trace": "t.gist", "time": "40%" }), "two points"),
            ("profile", json!({ "trace": "t.gist", "time": "-o x.csv" }), "two points"),
            ("profile", json!({ "trace": "t.gist", "time": "0s --output=x" }), "two points"),
            ("profile", json!({ "trace": ["t.gist"] }), "a path"),
            ("profile", json!({ "by": "region" }), "needs \"trace\""),
            ("waits", json!({ "trace": "t.gist", "delays": "yes" }), "true or false"),
            ("diff", json!({ "before": "t.gist" }), "needs \"after\""),
        ] {
            let refused = called(name, given).err().expect(what);
            assert!(refused.contains(what), "{refused}");
        }
    }

    /// A tool whose command had an option for a file would need a guard.
    #[test]
    fn no_option_of_a_tool_names_a_file() {
        let written = crate::outputs();
        for tool in &TOOLS {
            let own = written
                .iter()
                .filter(|(words, _)| words.last().is_some_and(|it| it == tool.command[0]));
            let options: Vec<_> = own.map(|(_, option)| option.trim_start_matches('-')).collect();
            assert!(tool.name == "overview" || !options.is_empty(), "{}", tool.name);
            for parameter in tool.parameters {
                let option = match &parameter.kind {
                    Kind::Trace => continue,
                    Kind::Choice(option, _) | Kind::Count(option, ..) | Kind::Part(option) => {
                        option
                    }
                    Kind::Name(option) | Kind::Flag(option, _) => option,
                };
                let option = option.trim_start_matches('-');
                assert!(!options.contains(&option), "{}: {option}", tool.name);
            }
        }
    }
}
