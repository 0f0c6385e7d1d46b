//! The account of time, for scripts and for people: one object, one whole, one word for each class.

use std::io::{self, Write};

use serde_json::{json, Map, Number, Value};
use streamfold_kernels::account::{Account, Class, Role, Sum};

use crate::tables::text::{Look, Shown};
use crate::tables::{columns, ticks, Cell, Row, Table};
use streamfold_text::human;

/// Every command that speaks of time has this object in JSON, under `account`. Ticks of threads and streams by class;
/// `run`: the part of the time that counts, from here, up to there.
pub(crate) fn json(account: &Account, resolution: u64) -> Value {
    let sum = |role| of_sum(&account.sum(role, 0));
    json!({
        "ticks_per_second": resolution,
        "run": [account.run.0, account.run.1],
        "not_recorded_is_computing": account.assumed,
        "threads": sum(Role::Thread),
        "streams": sum(Role::Stream),
    })
}

pub(crate) fn number(ticks: u128) -> Value {
    Number::from_u128(ticks).map_or_else(|| json!(ticks as f64), Value::Number)
}

fn of_sum(sum: &Sum) -> Value {
    let mut classes = Map::new();
    for (group, ticks) in sum.groups() {
        let of_group = match group.classes() {
            [_] => number(ticks),
            all => {
                let leaves = all.iter().filter(|class| sum.of(**class) > 0);
                let leaves = leaves.map(|class| (class.id().to_owned(), number(sum.of(*class))));
                Value::Object(
                    [("ticks".to_owned(), number(ticks))].into_iter().chain(leaves).collect(),
                )
            }
        };
        classes.insert(group.id().to_owned(), of_group);
    }
    json!({ "count": sum.count, "total": number(sum.total()), "classes": classes })
}

/// The whole of which shares are taken: `16 threads × 1.673 s = 26.77 s`; if less of the time of some counts than of
/// others, their sum.
pub(crate) fn whole(account: &Account, role: Role, resolution: u64) -> String {
    let sum = account.sum(role, 0);
    let nouns = match role {
        Role::Stream => ["stream", "streams"],
        _ => ["thread", "threads"],
    };
    let of = human::counted(sum.count, nouns);
    let time = |ticks| human::time(ticks, resolution);
    match sum.each {
        Some(each) if sum.count > 1 => {
            format!("{of} × {} = {}", time(each.into()), time(sum.total()))
        }
        Some(each) => format!("{of}, {}", time(each.into())),
        None => format!("{of}, {} together", time(sum.total())),
    }
}

/// The roles of locations that an account has.
pub(crate) fn roles(account: &Account) -> impl Iterator<Item = Role> + '_ {
    let all = [Role::Thread, Role::Stream].into_iter();
    all.filter(|role| account.locations.values().any(|of| of.role == *role))
}

/// The classes of an account as a table: those of threads, then those of streams.
pub(crate) fn table<'a>(runs: &[(&Account, u64)]) -> Table<'a> {
    let mut rows = Vec::new();
    for (run, (account, _)) in runs.iter().enumerate() {
        for (role, of) in [(Role::Thread, "threads"), (Role::Stream, "streams")] {
            let sum = account.sum(role, 0);
            let total = sum.total();
            for (class, time) in &sum.ticks {
                rows.push(vec![
                    Cell::Id(run as u64),
                    of.into(),
                    class.group().id().into(),
                    class.id().into(),
                    ticks(*time),
                    Cell::Share(*time, total),
                    title(*class, role).into(),
                ]);
            }
        }
    }
    let columns = columns(&[
        ("run", ""),
        ("of", ""),
        ("group", ""),
        ("class", ""),
        ("ticks", "time"),
        ("percent", "%"),
        ("title", "class"),
    ]);
    Table::of_rows("classes", "Time by class", columns, rows)
}

/// Writes the classes of an account for people, those of threads and of streams each with their whole.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn write(out: &mut dyn Write, account: &Account, look: &Look) -> io::Result<()> {
    let all = table(&[(account, look.resolution)]);
    for role in roles(account) {
        let id = Cell::from(if role == Role::Stream { "streams" } else { "threads" });
        let time = |row: &Row| if let Cell::Ticks(ticks) = row[4] { ticks } else { 0 };
        let shown = Shown::first(&all, look.top, |row| row[1] == id, time);
        let title = format!("Time of {}", whole(account, role, look.resolution));
        let titled = Table::of_rows(all.name, title, all.columns.clone(), Vec::new());
        writeln!(out)?;
        shown.write(out, &titled, look)?;
    }
    Ok(())
}

/// The name of a class for people, of a thread or a stream.
pub(crate) fn title(class: Class, role: Role) -> &'static str {
    match (class, role) {
        (Class::AnyIdle, Role::Thread) => "idle threads",
        (Class::AnyIdle, _) => "idle streams",
        _ => class.title(),
    }
}
