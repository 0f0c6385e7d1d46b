//! Text of the Group Operation Assembly Language (GOAL), as LogGOPSim's `txt2bin` reads it.

use std::io::Write;

use streamfold_kernels::schedule::{Does, Label, Statement};

/// No operation has this tag: it would be that of any message.
const ANY_TAG: u64 = u32::MAX as u64;

/// Writes the first line: how many ranks there are.
pub fn head(ranks: u32) -> String {
    format!("num_ranks {ranks}\n")
}

/// Writes a statement. The tag of a message is its number.
pub fn put(statement: Statement, bytes: &mut Vec<u8>) {
    // A vector takes all.
    let _ = match statement {
        Statement::Begin(rank) => writeln!(bytes, "\nrank {rank} {{"),
        Statement::End => writeln!(bytes, "}}"),
        Statement::Op(label, does, cpu) => {
            put_label(label, bytes);
            let tag = tag(label);
            let _ = match does {
                Does::Computes(time) => write!(bytes, ": calc {time}"),
                Does::Sends(to, length) => write!(bytes, ": send {length}b to {to} tag {tag}"),
                Does::Receives(from, length) => {
                    write!(bytes, ": recv {length}b from {from} tag {tag}")
                }
            };
            match cpu {
                0 => writeln!(bytes),
                cpu => writeln!(bytes, " cpu {cpu}"),
            }
        }
        Statement::Requires { later, earlier, start } => {
            put_label(later, bytes);
            bytes.extend_from_slice(if start { b" irequires " } else { b" requires " });
            put_label(earlier, bytes);
            writeln!(bytes)
        }
    };
}

fn tag(label: Label) -> u64 {
    match label {
        Label::Computation(..) => 0,
        Label::Send(number) | Label::Receive(number) | Label::Mark(number) => number % ANY_TAG,
    }
}

fn put_label(label: Label, bytes: &mut Vec<u8>) {
    let _ = match label {
        Label::Computation(0, number) => write!(bytes, "c{number}"),
        Label::Computation(cpu, number) => write!(bytes, "c{number}_{cpu}"),
        Label::Send(number) => write!(bytes, "s{number}"),
        Label::Receive(number) => write!(bytes, "r{number}"),
        Label::Mark(number) => write!(bytes, "m{number}"),
    };
}
