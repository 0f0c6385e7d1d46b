//! `streamfold estimate`: how many bytes events take.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::outputs::STANDARD;
use crate::session::{own_input, Session};
use streamfold_otf2::estimate::{events, Estimator, DEFINITIONS, TIMESTAMP, TYPES};
use streamfold_output::Output;
use streamfold_system::exit::{ExitCode, Failure, Stop};

const EXAMPLES: &str = "\
Without RECORD it reads commands from standard input, as otf2-estimator does:
  list definitions, list events, list types     the names that it knows
  set DEFINITION NUMBER                         how many of them there will be
  get RECORD                                    a size in bytes
  exit

Examples:
  streamfold estimate Timestamp Enter Leave 'Metric 4'
  streamfold estimate --set Region=4 --set Metric=1 Enter 'Metric 4'
  streamfold estimate --set Location=100000 DefChunkSize
  streamfold estimate 'AttributeList UINT64 STRING'
  echo 'get Enter' | streamfold estimate";

/// Estimates how many bytes records of an OTF2 archive take, before it is written
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Timestamp, DefChunkSize, AttributeList with the types of its values, or an event, with the number of its
    /// values where it has any number: 'Metric 4'
    #[arg(value_name = "RECORD")]
    records: Vec<String>,
    /// How many definitions there will be, as Region=4: references to few are shorter
    #[arg(long, value_name = "DEFINITION=NUMBER", value_parser = counted)]
    set: Vec<(String, u64)>,
}

fn counted(text: &str) -> Result<(String, u64), String> {
    let (name, number) = text.split_once('=').ok_or("expected DEFINITION=NUMBER")?;
    if !DEFINITIONS.contains(&name) {
        return Err(format!("the definitions are {}", DEFINITIONS.join(", ")));
    }
    Ok((name.to_owned(), number.parse().map_err(|_| format!("{number} is no number"))?))
}

/// Runs the command: rank 0 answers, the others wait for it.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    session.on_root(|| {
        let output = Output::prepare(Path::new(STANDARD))?;
        let mut estimator = Estimator::default();
        for (name, number) in &args.set {
            estimator.set(name, *number);
        }
        if !args.records.is_empty() {
            let sizes = args.records.iter().map(|record| {
                let size = get(&estimator, record)?;
                Ok(format!("{record} {size}\n"))
            });
            let text: String = sizes.collect::<Result<_, String>>().map_err(usage)?;
            return output.write(|out| out.write_all(text.as_bytes()));
        }
        let input = own_input()?;
        output.write_while(|out| talk(&mut estimator, input.lock(), out))
    })?;
    Ok(ExitCode::Done)
}

fn usage(message: String) -> Failure {
    Failure::new(ExitCode::Usage, message + "; see streamfold estimate --help")
}

/// Answers the commands of standard input, one by one: each answer is there before the next command is read.
fn talk(
    estimator: &mut Estimator,
    input: impl BufRead,
    out: &mut dyn Write,
) -> io::Result<Result<(), Failure>> {
    let failed = |error: io::Error| Failure::new(ExitCode::Io, format!("standard input: {error}"));
    for line in input.lines() {
        let answer = match line {
            Ok(line) => answer(estimator, line.trim_start()),
            Err(error) => Err(failed(error)),
        };
        match answer {
            Ok(Some(answer)) => out.write_all(answer.as_bytes()).and_then(|()| out.flush())?,
            Ok(None) => break,
            Err(failure) => return Ok(Err(failure)),
        }
    }
    Ok(Ok(()))
}

/// The answer to a command; `None`: it was the last one.
fn answer(estimator: &mut Estimator, line: &str) -> Result<Option<String>, Failure> {
    let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim_start();
    let answer = match command {
        "" => Ok(String::new()),
        "exit" => return Ok(None),
        "list" => list(rest.trim_end()),
        "set" => set(estimator, rest).map(|()| String::new()),
        "get" if rest.is_empty() => Err("missing event specification for get command".to_owned()),
        "get" => get(estimator, rest).map(|size| format!("{rest} {size}\n")),
        _ => Err(format!("unknown command: '{command}'")),
    };
    answer.map(Some).map_err(usage)
}

fn list(what: &str) -> Result<String, String> {
    let lines = |names: Vec<String>| names.into_iter().map(|name| name + "\n").collect::<String>();
    Ok(lines(match what {
        "definitions" => DEFINITIONS.map(str::to_owned).to_vec(),
        "events" => {
            let named = |event: &streamfold_otf2::estimate::EventSize| match event.count {
                Some(count) => format!("{} <{count}>", event.name),
                None => event.name.to_owned(),
            };
            let first = ["Timestamp", "AttributeList"].map(str::to_owned);
            first.into_iter().chain(events().iter().map(named)).collect()
        }
        "types" => TYPES.iter().map(|(name, _)| (*name).to_owned()).collect(),
        _ => return Err(format!("can not list: '{what}'")),
    }))
}

fn set(estimator: &mut Estimator, rest: &str) -> Result<(), String> {
    let mut words = rest.split_whitespace();
    let definition = words.next().ok_or("missing definition in set command")?;
    let number = words.next().ok_or("missing number of definitions in set command")?;
    // As the reference reads it: what is no number is 0.
    let is_known = estimator.set(definition, number.parse().unwrap_or(0));
    is_known.then_some(()).ok_or_else(|| format!("unknown definition '{definition}'"))
}

/// The size of a record, in bytes.
fn get(estimator: &Estimator, record: &str) -> Result<u64, String> {
    let mut words = record.split_whitespace();
    let name = words.next().unwrap_or_default();
    let arguments: Vec<&str> = words.collect();
    match name {
        "Timestamp" => return Ok(TIMESTAMP),
        "DefChunkSize" => return Ok(estimator.definition_chunk()),
        "AttributeList" => {
            let unknown = |name| format!("unknown attribute type: '{name}'");
            return estimator.attributes(&arguments).map_err(unknown);
        }
        _ => {}
    }
    let event = events().iter().find(|event| event.name == name);
    let event = event.ok_or_else(|| format!("unknown event '{name}'"))?;
    let number = match (event.count, arguments.first()) {
        (Some(count), None) => return Err(format!("missing {count} parameter for {name} event")),
        // As the reference reads it: as many bits as the field has.
        (Some(_), Some(number)) => {
            let number: u64 = number.parse().unwrap_or(0);
            number & if name == "Metric" { 0xff } else { 0xffff_ffff }
        }
        (None, _) => 0,
    };
    estimator.event(name, number).ok_or_else(|| format!("unknown event '{name}'"))
}
