//! Summary of a part that was cut.

use streamfold_kernels::Window;

use crate::times::nothing_recorded;
use streamfold_drive::Trace;
use streamfold_rewrite::cut::Report;
use streamfold_text::human;

/// Summarises the records that were found, kept and removed.
pub(super) fn summary(
    report: &Report,
    trace: &Trace,
    window: Option<Window>,
    seconds: f64,
) -> Vec<String> {
    let mut lines = vec![events(report, trace)];
    lines.extend(bounds(report));
    lines.extend(alone(report));
    lines.push(format!(
        "{} of {} stay",
        human::count(report.definitions),
        human::plural(report.definitions_before, "definition"),
    ));
    if report.renumbered > 0 {
        let kinds = human::plural(report.renumbered, "kind");
        lines.push(format!("new numbers without gaps for definitions of {kinds} (--keep-numbers)"));
    }
    if report.gaps {
        lines.push(
            "numbers have gaps, since locations have definitions of their own (streamfold unify)"
                .to_owned(),
        );
    }
    if report.keeps_for_unknown {
        let text = "records of kinds that are not known may lead to any definition: all stay";
        lines.push(text.to_owned());
    }
    lines.extend(emptied(report));
    lines.extend(left_out(report, trace));
    if report.counts.events == 0 {
        lines.push(match window {
            Some(window) => {
                let clock = trace.definitions.clock.as_ref();
                format!(
                    "no event is left: {}",
                    nothing_recorded(&window, clock, trace.first_event())
                )
            }
            None => "no event is left".to_owned(),
        });
    }
    let written = &report.outcome.written;
    lines.push(format!(
        "wrote an anchor and {}, {} in {seconds:.3} s",
        human::plural(written.files, "file"),
        human::bytes(written.bytes.into()),
    ));
    lines
}

fn events(report: &Report, trace: &Trace) -> String {
    let counts = &report.counts;
    let mut text = format!(
        "{} of {} of {}, {} read",
        human::plural(counts.events, "event"),
        human::count(report.events.len() as u64),
        human::plural(trace.definitions.locations.len() as u64, "location"),
        human::count(counts.read),
    );
    if counts.unknown > 0 {
        text.push_str(&format!(", {} of unknown kinds", human::count(counts.unknown)));
    }
    text
}

/// Reports the events that were added at the bounds of the interval.
fn bounds(report: &Report) -> Vec<String> {
    let counts = &report.counts;
    let mut lines = Vec::new();
    if counts.begun + counts.ended > 0 {
        lines.push(format!(
            "{} where the interval begins, for what is open there; {} where it ends",
            human::plural(counts.begun, "event"),
            human::count(counts.ended),
        ));
    }
    if counts.shortened > 0 {
        let flushes = human::counted(counts.shortened, ["buffer flush ends", "buffer flushes end"]);
        lines.push(format!("{flushes} with the interval, behind which they went on"));
    }
    if counts.moved > 0 {
        let events = human::counted(counts.moved, ["event has", "events have"]);
        lines.push(format!(
            "{events} another corrected time now: which clock offset counts depended on what was cut"
        ));
    }
    lines
}

/// Messages without their partner.
fn alone(report: &Report) -> Option<String> {
    let alone = &report.alone;
    if alone.total() == 0 {
        return None;
    }
    let parts = [
        (alone.sent_away, "sent to locations that were cut away"),
        (alone.received_away, "received from such"),
        (alone.sent, "sent and not received"),
        (alone.received, "received and not sent"),
        (alone.unknown, "with ranks that nobody defines"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> =
        parts.map(|(count, what)| format!("{} {what}", human::count(*count))).collect();
    let least = if alone.at_least { "at least " } else { "" };
    let messages = human::plural(alone.total(), "message");
    Some(format!("{least}{messages} without partner: {}", parts.join(", ")))
}

/// Why locations stay whose events were cut away.
fn emptied(report: &Report) -> Option<String> {
    let Report { emptied, counted, keeps_definitions, keeps_for_unknown, .. } = *report;
    let others = emptied.saturating_sub(counted);
    let it = if emptied == 1 { "it" } else { "them" };
    let why = match (counted, others) {
        (0, 0) => return None,
        _ if keeps_definitions => "since all definitions stay (--keep-definitions)".to_owned(),
        _ if keeps_for_unknown => "since all definitions stay".to_owned(),
        (_, 0) => format!("since ranks of communicators name {it}"),
        (0, _) => format!("since definitions, events or markers that stay name {it}"),
        _ => format!(
            "{} since ranks of communicators name them, {} since other definitions, events or \
             markers that stay do",
            human::count(counted),
            human::count(others),
        ),
    };
    let locations = human::counted(emptied, ["location stays", "locations stay"]);
    Some(format!("{locations} without events, {why}"))
}

/// Reports the records of the whole trace that are left out.
fn left_out(report: &Report, trace: &Trace) -> Vec<String> {
    let anchor = trace.source.otf2().anchor();
    let mut lines = Vec::new();
    for (count, what) in [
        (anchor.number_of_snapshots.into(), "snapshot"),
        (u64::from(anchor.number_of_thumbnails), "thumbnail"),
    ] {
        if count > 0 {
            let things = human::plural(count, what);
            lines.push(format!("{things} left out, which were about the whole trace"));
        }
    }
    if report.markers_left_out > 0 {
        let markers = human::plural(report.markers_left_out, "marker");
        lines.push(format!("{markers} left out, {} stay", human::count(report.markers)));
    }
    lines
}
