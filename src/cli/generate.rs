//! `streamfold generate`: manual pages and completions for shells, from the definitions that
//! `--help` shows. For packagers, ci/install, and whoever wants completions.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, ValueEnum};
use clap_complete::Shell;
use clap_mangen::roff::{roman, Roff};
use clap_mangen::Man;

use super::{definitions, EXIT_CODES};
use streamfold_system::exit::{ExitCode, Failure};

/// Writes manual pages or completions for shells to a folder
#[derive(Clone, Debug, Parser)]
#[command(name = NAME)]
struct Generate {
    /// What to write
    what: What,
    /// An existing folder
    folder: PathBuf,
}

/// How the command is called.
pub(super) const NAME: &str = "generate";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// streamfold.1, and a page for each command
    Man,
    /// For bash, zsh and fish
    Completions,
}

/// The command, to be added to the others.
pub(super) fn command() -> clap::Command {
    Generate::command()
}

/// Runs the command, in one process.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let args = Generate::from_arg_matches(matches)
        .map_err(|error| Failure::new(ExitCode::Usage, error.to_string()))?;
    let wrote = match args.what {
        What::Man => manual_pages(definitions(), &args.folder),
        What::Completions => completions(&args.folder),
    };
    wrote.map_err(|error| Failure::output(&args.folder, &error))?;
    Ok(ExitCode::Done)
}

fn completions(folder: &Path) -> io::Result<()> {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut definitions(), "streamfold", folder)?;
    }
    Ok(())
}

/// A page for this command and for each one below it.
fn manual_pages(command: clap::Command, folder: &Path) -> io::Result<()> {
    let mut whole = command.disable_help_subcommand(true);
    whole.build();
    let version = whole.render_version();
    let page = |command: &clap::Command| {
        let name = command.get_display_name().unwrap_or(command.get_name());
        fs::write(folder.join(format!("{name}.1")), manual_page(command, name, version.trim_end())?)
    };
    page(&whole)?;
    for command in whole.get_subcommands() {
        page(command)?;
    }
    Ok(())
}

/// The page of one command. Sections below the options in the help become sections of the page.
fn manual_page(command: &clap::Command, name: &str, version: &str) -> io::Result<String> {
    let man = Man::new(command.clone());
    // Without a date, so that the same program always has the same pages.
    let title = format!(".TH {} 1 \"\" \"{version}\" \"User Commands\"\n", name.to_uppercase());
    let mut page = [Roff::new().render(), title].concat().into_bytes();
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some(examples) = below.strip_prefix("Examples:\n") {
        section(&mut page, "EXAMPLES", examples)?;
    }
    // Of the program, and so of every command.
    let codes = EXIT_CODES.split_once('\n').map_or("", |(_, codes)| codes);
    section(&mut page, "EXIT STATUS", codes)?;
    Ok(ascii(&String::from_utf8_lossy(&page)))
}

/// A section whose lines stay as they are.
fn section(page: &mut Vec<u8>, title: &str, text: &str) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]).control("nf", []).text([roman(text)]).control("fi", []);
    roff.to_writer(page)
}

/// Formatters may not take other characters as they are, and terminals may not have them.
fn ascii(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for c in page.chars() {
        match c {
            '…' => text.push_str("..."),
            c if c.is_ascii() => text.push(c),
            c => text.push_str(&format!("\\[u{:04X}]", c as u32)),
        }
    }
    text
}
