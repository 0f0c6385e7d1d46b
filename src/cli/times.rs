//! Points in time on the command line: ticks, seconds since the begin of the trace, shares of it, dates.

use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use streamfold_kernels::Window;
use streamfold_model::definitions::ClockProperties;
use streamfold_model::values::Ticks;

use streamfold_drive::Trace;
use streamfold_system::exit::{ExitCode, Failure};

const NANOSECONDS: u128 = 1_000_000_000;

/// A point in time as it is given.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moment {
    text: String,
    value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Begin,
    End,
    Ticks(u64),
    /// Since the begin of the trace.
    Since(Span),
    /// Since the first event.
    First(Span),
    /// Part of the time from the first to the last event: neither none nor all of it.
    Share(Span),
    /// Nanoseconds since 1970, UTC.
    Date(i128),
}

/// A span of so many parts of a second, or of the run, of which `parts` are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    count: u128,
    parts: u128,
}

/// Ticks are integers: the first one that is not before the point in time, so that of events at
/// either side of it none is on both.
struct Timer {
    offset: u64,
    resolution: u64,
    /// Of the offset, in nanoseconds since 1970, UTC.
    real: Option<u64>,
}

impl Moment {
    /// The ticks that were given; `None`: it was given in another way.
    pub(super) fn ticks(&self) -> Option<u64> {
        match self.value {
            Value::Ticks(ticks) => Some(ticks),
            _ => None,
        }
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Moment, String> {
        let value = match text {
            "begin" => Some(Value::Begin),
            "end" => Some(Value::End),
            _ => ticks(text)
                .or_else(|| span(text))
                .or_else(|| first(text))
                .or_else(|| share(text))
                .or_else(|| date(text)),
        };
        match value {
            Some(value) => Ok(Moment { text: text.to_owned(), value }),
            None => {
                Err("neither ticks (1234), nor seconds since the begin of the trace (1.5s, 20ms, \
                         3us, 7ns, 2min, 1h) or since the first event (first+1.5s), nor a part of the run \
                         (0% to 100%), nor a date (2024-05-31T12:00:00Z), nor begin or end"
                    .to_owned())
            }
        }
    }
}

fn ticks(text: &str) -> Option<Value> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok().map(Value::Ticks)).flatten()
}

/// A length of time, such as 3us, in seconds; 0 needs no unit.
pub(super) fn duration(text: &str) -> Option<f64> {
    match span(text) {
        Some(Value::Since(Span { count, parts })) => Some(count as f64 / parts as f64),
        _ => (text == "0").then_some(0.0),
    }
}

fn span(text: &str) -> Option<Value> {
    // The longer suffixes first, since they end in shorter ones.
    const UNITS: [(&str, u128, u128); 7] = [
        ("min", 60, 1),
        ("ms", 1, 1000),
        ("us", 1, 1_000_000),
        ("µs", 1, 1_000_000),
        ("ns", 1, NANOSECONDS),
        ("s", 1, 1),
        ("h", 3600, 1),
    ];
    let with = |(unit, seconds, parts)| Some((text.strip_suffix(unit)?, seconds, parts));
    let (number, seconds, parts) = UNITS.into_iter().find_map(with)?;
    // More digits than this no timer has.
    let (count, scale) = decimal(number, 18)?;
    Some(Value::Since(Span { count: count.checked_mul(seconds)?, parts: parts * scale }))
}

/// A number with so many digits at most before the point, and behind it: as a count, and how many of it are 1.
fn decimal(text: &str, most: usize) -> Option<(u128, u128)> {
    let (whole, fraction) = text.trim_end().split_once('.').unwrap_or((text.trim_end(), ""));
    let is_number =
        |digits: &str| digits.len() <= most && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    Some((format!("{whole}{fraction}").parse().ok()?, 10u128.pow(fraction.len() as u32)))
}

/// `40%`
fn share(text: &str) -> Option<Value> {
    // A product with ticks fits.
    let (count, parts) = decimal(text.strip_suffix('%')?, 9)?;
    let parts = parts * 100;
    match count {
        0 => Some(Value::Begin),
        _ if count == parts => Some(Value::End),
        _ => (count < parts).then_some(Value::Share(Span { count, parts })),
    }
}

/// `first+1.5s`
fn first(text: &str) -> Option<Value> {
    match span(text.strip_prefix("first+")?)? {
        Value::Since(span) => Some(Value::First(span)),
        _ => None,
    }
}

fn date(text: &str) -> Option<Value> {
    let zoned = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f %z"));
    let zoned = zoned.ok().map(|date| date.naive_utc());
    // Without a zone it is UTC: what a trace's profile is must not depend on where it is made.
    let plain = || {
        let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
        formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
    };
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
    let date = zoned.or_else(plain).or_else(day)?.and_utc();
    let nanoseconds = i128::from(date.timestamp()) * NANOSECONDS as i128;
    Some(Value::Date(nanoseconds + i128::from(date.timestamp_subsec_nanos())))
}

impl Timer {
    fn new(clock: Option<&ClockProperties>) -> Option<Timer> {
        let clock = clock.filter(|clock| clock.timer_resolution > 0)?;
        let real = Some(clock.realtime_timestamp).filter(|real| *real != u64::MAX);
        Some(Timer { offset: clock.global_offset, resolution: clock.timer_resolution, real })
    }

    /// The first tick that is not before a span after the begin of the trace.
    fn after_begin(&self, Span { count, parts }: Span) -> u64 {
        // A time that does not fit is later than any tick.
        let ticks = match count.checked_mul(self.resolution.into()) {
            Some(ticks) => ticks.div_ceil(parts),
            None => (count / parts).saturating_mul(self.resolution.into()),
        };
        let ticks = ticks.saturating_add(self.offset.into());
        ticks.try_into().unwrap_or(u64::MAX)
    }

    /// The first tick that is not before a time in nanoseconds since 1970.
    fn at_date(&self, nanoseconds: i128) -> Option<u64> {
        let since = nanoseconds - i128::from(self.real?);
        let parts = NANOSECONDS;
        Some(match u128::try_from(since) {
            Ok(count) => self.after_begin(Span { count, parts }),
            Err(_) => {
                let before = since.unsigned_abs().saturating_mul(self.resolution.into()) / parts;
                self.offset.saturating_sub(before.try_into().unwrap_or(u64::MAX))
            }
        })
    }
}

/// When the first and the last event of a trace are, where there are any.
pub(super) struct Events<F, L> {
    pub first: F,
    pub last: L,
}

/// The window between two points in time of a trace, see [`window`].
///
/// # Errors
///
/// As there.
pub(super) fn window_of(times: [&Moment; 2], trace: &Trace) -> Result<Window, Failure> {
    let events = Events { first: || trace.first_event(), last: || trace.last_event() };
    window(times, trace.definitions.clock.as_ref(), events)
}

/// The window between two points in time, the second of which does not belong to it.
///
/// # Errors
///
/// When the trace does not say enough of its clock, or the window ends before it begins.
pub(super) fn window(
    [min, max]: [&Moment; 2],
    clock: Option<&ClockProperties>,
    events: Events<impl Fn() -> Option<Ticks>, impl Fn() -> Option<Ticks>>,
) -> Result<Window, Failure> {
    let usage = |message: String| Failure::new(ExitCode::Usage, message);
    let timer = Timer::new(clock);
    let ticks = |moment: &Moment| -> Result<Option<u64>, Failure> {
        let text = &moment.text;
        let of_clock = || {
            let message = format!(
                "the trace does not say how long a tick is: give ticks, not {text} (--time)"
            );
            timer.as_ref().ok_or_else(|| usage(message))
        };
        match moment.value {
            Value::Begin => Ok(Some(0)),
            Value::End => Ok(None),
            Value::Ticks(ticks) => Ok(Some(ticks)),
            Value::Since(span) => Ok(Some(of_clock()?.after_begin(span))),
            Value::First(span) => {
                let resolution = of_clock()?.resolution;
                let first = (events.first)().map_or(0, |first| first.0);
                Ok(Some(Timer { offset: first, resolution, real: None }.after_begin(span)))
            }
            Value::Share(Span { count, parts }) => {
                let first = (events.first)().map_or(0, |first| first.0);
                let last = (events.last)().map_or(first, |last| last.0);
                let ticks = (u128::from(last.saturating_sub(first)) * count).div_ceil(parts);
                // No share is all of it.
                Ok(Some(first + ticks as u64))
            }
            Value::Date(date) => of_clock()?.at_date(date).map(Some).ok_or_else(|| {
                usage(format!(
                    "the trace does not say when it was recorded, so {text} means nothing to it \
                     (--time); seconds since its begin do"
                ))
            }),
        }
    };
    let (begin, end) = (ticks(min)?, ticks(max)?);
    let Some(begin) = begin else {
        return Err(usage("a window cannot begin at the end (--time)".to_owned()));
    };
    if end.is_some_and(|end| end < begin) {
        let message = format!("{} is after {} (--time MIN MAX)", min.text, max.text);
        return Err(usage(message));
    }
    Ok(Window::new(Ticks(begin), end.map(Ticks)))
}

/// That a window has no events, where the trace says to have some, and where the first one is.
pub(super) fn nothing_recorded(
    window: &Window,
    clock: Option<&ClockProperties>,
    first: Option<Ticks>,
) -> String {
    let nothing = match window.end {
        Some(end) => format!("nothing is recorded from tick {} to before {end}", window.begin),
        None => format!("nothing is recorded from tick {} on", window.begin),
    };
    let nothing = match first {
        Some(first) => {
            let count = "--time first+0s first+5ms counts from there";
            format!("{nothing}: the first event is at tick {first}, {count}")
        }
        None => nothing,
    };
    // A recorder that does not know the length of the trace writes 0.
    let Some(clock) = clock.filter(|clock| clock.trace_length > 0) else { return nothing };
    let first = clock.global_offset;
    let last = first.saturating_add(clock.trace_length);
    format!("{nothing} (by its clock the trace is from tick {first} to {last})")
}

/// The window as it was given, and in ticks.
pub(super) fn told([min, max]: [&Moment; 2], window: &Window) -> String {
    let end = window.end.map_or("end".to_owned(), |end| end.to_string());
    let begin = match window.begin {
        Ticks(0) => "begin".to_owned(),
        begin => begin.to_string(),
    };
    format!("{} {} (ticks {begin} to before {end})", min.text, max.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REAL: u64 = 1_700_000_000_500_000_000; // 2023-11-14T22:13:20.5Z

    fn clock(resolution: u64, real: u64) -> ClockProperties {
        ClockProperties {
            timer_resolution: resolution,
            global_offset: 1000,
            trace_length: 0,
            realtime_timestamp: real,
        }
    }

    fn ticks(text: &str, resolution: u64) -> Option<u64> {
        let moment: Moment = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let begin: Moment = "begin".parse().unwrap();
        let window = window([&begin, &moment], Some(&clock(resolution, REAL)), from(None));
        window.unwrap_or_else(|error| panic!("{error:?}")).end.map(|end| end.0)
    }

    /// The first event, and the last one 300 ticks later.
    fn from(first: Option<u64>) -> Events<impl Fn() -> Option<Ticks>, impl Fn() -> Option<Ticks>> {
        Events { first: move || first.map(Ticks), last: move || first.map(|of| Ticks(of + 300)) }
    }

    #[test]
    fn what_people_write() {
        let second = 1_000_000_000;
        for (text, expected) in [
            ("0", 0),
            ("18446744073709551615", u64::MAX),
            ("begin", 0),
            ("0s", 1000),
            ("1.5s", 1_500_001_000),
            (".5s", 500_001_000),
            ("2.s", 2_000_001_000),
            ("20ms", 20_001_000),
            ("3us", 4000),
            ("3µs", 4000),
            ("7 ns", 1007),
            ("2min", 120_000_001_000),
            ("1h", 3_600_000_001_000),
            ("2023-11-14T22:13:20.500000001Z", 1001),
            ("2023-11-14T23:13:21.5+01:00", 1_000_001_000),
            ("2023-11-14 22:13:21.5", 1_000_001_000),
            ("2023-11-15 00:13:21.500 +0200", 1_000_001_000),
            ("2023-11-14T22:13:21.5", 1_000_001_000),
            ("2023-11-14 22:14", 39_500_001_000),
            ("2023-11-15", (3600 + 46 * 60 + 39) * second + 500_000_000 + 1000),
            ("2023-11-14T22:13:20.499999999Z", 999),
            ("1970-01-01", 0),
        ] {
            assert_eq!(ticks(text, second), Some(expected), "{text}");
        }
        assert_eq!(ticks("end", second), None);
        assert_eq!(ticks("9999-12-31", u64::MAX), Some(u64::MAX));
        assert_eq!(ticks("999999999999999999h", u64::MAX), Some(u64::MAX));
    }

    /// An event belongs to the window in which it happened, so a bound between two ticks is the later.
    #[test]
    fn bounds_are_the_first_tick_that_is_not_before() {
        assert_eq!(ticks("1.01s", 10), Some(1011));
        assert_eq!(ticks("1.1s", 10), Some(1011));
        assert_eq!(ticks("0.000000000000000001s", 10), Some(1001));
        assert_eq!(ticks("2023-11-14T22:13:20.4Z", 1), Some(1000));
        assert_eq!(ticks("2023-11-14T22:13:19.4Z", 1), Some(999));
    }

    /// Also without a clock, and where the trace is as long as can be.
    #[test]
    fn shares_are_of_the_time_from_the_first_to_the_last_event() {
        let at = |[min, max]: [&str; 2], first| {
            let [min, max] = [min, max].map(|text| text.parse::<Moment>().unwrap());
            let Window { begin, end, .. } = window([&min, &max], None, from(first)).unwrap();
            (begin.0, end.map(|end| end.0))
        };
        assert_eq!(at(["0%", "100.0%"], Some(1000)), (0, None));
        assert_eq!(at(["10%", "33.4 %"], Some(1000)), (1030, Some(1101)));
        assert_eq!(at(["33.4%", "end"], Some(1000)), (1101, None));
        assert_eq!(at(["0%", "50%"], None), (0, Some(0)));
        let most = Events { first: || Some(Ticks(0)), last: || Some(Ticks(u64::MAX)) };
        let [min, max] = ["0.000000001%", "99.999999999%"].map(|text| text.parse().unwrap());
        let found = window([&min, &max], None, most).unwrap();
        assert_eq!(found.begin.0, 184_467_441);
        assert_eq!(found.end, Some(Ticks(u64::MAX - 184_467_440)));
        let [min, max] = ["50%", "40%"].map(|text| text.parse().unwrap());
        assert!(window([&min, &max], None, from(Some(7))).is_err());
    }

    #[test]
    fn what_cannot_be_understood() {
        for text in [
            "",
            "s",
            ".",
            ".s",
            "-1",
            "-1s",
            "1.5",
            "1e3s",
            "1.2.3s",
            "1 2s",
            "5m",
            "soon",
            "2024-13-01",
            "2024-02-30T00:00:00Z",
            "18446744073709551616",
            "0x10",
            "1s ",
            "+1s",
            "%",
            "101%",
            "100.000000001%",
            "-1%",
            "1.0000000001%",
        ] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_the_trace_cannot_tell() {
        let moment = |text: &str| text.parse::<Moment>().unwrap();
        let (one, two, day) = (moment("1s"), moment("2s"), moment("2024-01-01"));
        let unknown = clock(1000, u64::MAX);
        assert!(window([&one, &two], Some(&unknown), from(None)).is_ok());
        assert!(window([&one, &day], Some(&unknown), from(None)).is_err());
        assert!(window([&one, &two], None, from(None)).is_err());
        assert!(window([&one, &two], Some(&clock(0, REAL)), from(None)).is_err());
        assert!(
            window([&moment("7"), &moment("7")], None, from(None)).is_ok(),
            "empty, but a window"
        );
        assert!(window([&two, &one], Some(&unknown), from(None)).is_err());
        assert!(window([&moment("end"), &moment("end")], Some(&unknown), from(None)).is_err());
    }
}
