//! Units of metrics: prefixes that stand in a unit already, and what well-known sensors count.

use std::borrow::Cow;

use super::human::{self, takes_prefixes};

/// Prefixes of decimal units, and the powers of ten that they stand for.
const PREFIXES: [(&str, i32); 10] = [
    ("T", 12),
    ("G", 9),
    ("M", 6),
    ("k", 3),
    ("K", 3),
    ("m", -3),
    ("u", -6),
    ("µ", -6),
    ("n", -9),
    ("p", -12),
];

/// A unit without a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    /// Its sign; empty for what is counted.
    pub sign: Cow<'a, str>,
    /// Values in it are the numbers times ten to this power,
    pub decimal: i32,
    /// and times two to this one.
    pub binary: i32,
}

impl Unit<'_> {
    /// The unit of a text; an unknown text is its own sign.
    pub fn of(text: &str) -> Unit<'_> {
        let plain = |sign| Unit { sign: Cow::Borrowed(sign), decimal: 0, binary: 0 };
        let named = match text.trim() {
            "" | "#" | "1" => return plain(""),
            "%" | "percent" | "Percent" => return plain("%"),
            "bytes" | "byte" | "Bytes" | "Byte" => return plain("B"),
            "bytes/s" | "Bytes/s" | "bytes per s" | "bytes per second" => return plain("B/s"),
            "sec" | "seconds" | "second" => return plain("s"),
            "Joule" | "Joules" | "joule" | "joules" => return plain("J"),
            "Watt" | "Watts" | "watt" | "watts" => return plain("W"),
            "Hertz" | "hertz" => return plain("Hz"),
            named => named,
        };
        if takes_prefixes(named) {
            return plain(named);
        }
        for (binary, prefix) in [(10, "Ki"), (20, "Mi"), (30, "Gi"), (40, "Ti")] {
            if let Some(sign @ ("B" | "B/s" | "b" | "b/s")) = named.strip_prefix(prefix) {
                return Unit { sign: Cow::Borrowed(sign), decimal: 0, binary };
            }
        }
        let known = PREFIXES.iter().find_map(|(prefix, power)| {
            let sign = named.strip_prefix(prefix)?;
            takes_prefixes(sign).then_some((sign, *power))
        });
        match known {
            Some((sign, decimal)) => Unit { sign: Cow::Borrowed(sign), decimal, binary: 0 },
            None => plain(named),
        }
    }

    /// The unit of a change per second: energy in a second is power.
    pub fn per_second(&self) -> Unit<'static> {
        let sign = match &*self.sign {
            "J" => "W".to_owned(),
            // A part of the time.
            "s" => String::new(),
            sign => format!("{sign}/s"),
        };
        Unit { sign: Cow::Owned(sign), ..*self }
    }

    /// The factor from a number to the unit of this sign.
    pub fn factor(&self) -> f64 {
        power(10.0, self.decimal) * power(2.0, self.binary)
    }

    /// A number as people read it: four digits and a prefix, where the unit takes any.
    pub fn shown(&self, number: f64) -> String {
        // Divided, so that what is a round number stays one.
        let scaled = match self.decimal {
            decimal if decimal < 0 => number / power(10.0, -decimal),
            decimal => number * power(10.0, decimal),
        };
        human::quantity(scaled * power(2.0, self.binary), &self.sign)
    }

    /// Tells whether values of it are levels: no sum of them means anything.
    pub fn is_level(&self) -> bool {
        const LEVELS: [&str; 12] =
            ["%", "W", "Hz", "V", "A", "K", "C", "°C", "degC", "F", "RPM", "rpm"];
        LEVELS.contains(&&*self.sign) || self.sign.ends_with("/s")
    }
}

fn power(base: f64, exponent: i32) -> f64 {
    base.powi(exponent)
}

/// The unit and kind of the values of a well-known sensor, for traces that lack them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sensor {
    /// The unit.
    pub unit: &'static str,
    /// Values in it are the numbers times ten to this power.
    pub exponent: i32,
    /// Set if it counts on and on.
    pub adds_up: bool,
}

impl Sensor {
    /// By the name of the metric, as components of PAPI call their events: `rocm_smi:::energy_count:device=0`.
    /// Recorders leave out their units.
    pub fn known(name: &str) -> Option<Sensor> {
        let level = |unit, exponent| Some(Sensor { unit, exponent, adds_up: false });
        let counter = |unit, exponent| Some(Sensor { unit, exponent, adds_up: true });
        let (component, event) = name.split_once(":::")?;
        let is_of = |name: &str| component.ends_with(name);
        let (first, rest) = event.split_once(':').unwrap_or((event, ""));
        if is_of("rocm_smi") {
            return match first {
                "energy_count" => counter("J", -6),
                "current_socket_power" | "power_average" => level("W", -6),
                "busy_percent" | "memory_busy_percent" => level("%", 0),
                _ => None,
            };
        }
        if is_of("coretemp") && first.starts_with("hwmon") {
            // As the kernel of Linux has them: https://docs.kernel.org/hwmon/sysfs-interface.html
            let (what, of) = rest.rsplit_once('_')?;
            return match (what.trim_end_matches(|c: char| c.is_ascii_digit()), of) {
                ("power", "input" | "average") => level("W", -6),
                ("freq", "input") => level("Hz", 0),
                ("energy", "input") => counter("J", -6),
                _ => None,
            };
        }
        match first {
            "ENERGY_UJ" if is_of("powercap") => counter("J", -6),
            "PACKAGE_ENERGY" | "PP0_ENERGY" | "PP1_ENERGY" | "DRAM_ENERGY" | "PSYS_ENERGY"
                if is_of("rapl") =>
            {
                counter("J", -9)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_units_are_not_stacked() {
        let shown = |text, number| Unit::of(text).shown(number);
        assert_eq!(shown("mJ", 1_500_000.0), "1.500 kJ");
        assert_eq!(shown("uW", 2_500.0), "2.500 mW");
        assert_eq!(shown("MHz", 2_400.0), "2.400 GHz");
        assert_eq!(shown("KiB", 1_000.0), "1.024 MB");
        assert_eq!(shown("ms", 2_500_000.0), "2500 s");
        assert_eq!(shown("percent", 66.97), "66.97 %");
        assert_eq!(shown("%", 0.0042), "0.004 %");
        assert_eq!(shown("widgets", 1_234_567.0), "1 234 567 widgets");
        assert_eq!(shown("1", 0.25), "0.250");
        assert_eq!(shown("mm", 12.0), "12.00 mm");
    }

    #[test]
    fn rates_have_units_of_their_own() {
        assert_eq!(Unit::of("mJ").per_second().shown(1_500.0), "1.500 W");
        assert_eq!(Unit::of("ms").per_second().shown(750.0), "0.750");
        assert_eq!(Unit::of("bytes per s").shown(2e9), "2.000 GB/s");
        assert_eq!(Unit::of("bytes").per_second().shown(2e9), "2.000 GB/s");
        assert_eq!(Unit::of("#").per_second().shown(2e9), "2 000 000 000 /s");
    }

    #[test]
    fn sensors_are_known_by_their_names() {
        let known = |name| Sensor::known(name).map(|it| (it.unit, it.exponent, it.adds_up));
        assert_eq!(known("A2rocm_smi:::energy_count:device=3"), Some(("J", -6, true)));
        assert_eq!(known("rocm_smi:::busy_percent:device=0"), Some(("%", 0, false)));
        assert_eq!(known("coretemp:::hwmon5:freq2_input"), Some(("Hz", 0, false)));
        assert_eq!(known("coretemp:::hwmon5:power1_input"), Some(("W", -6, false)));
        assert_eq!(known("rapl:::PACKAGE_ENERGY:PACKAGE0"), Some(("J", -9, true)));
        assert_eq!(known("rapl:::PACKAGE_ENERGY_CNT:PACKAGE0"), None);
        assert_eq!(known("coretemp:::hwmon0:temp1_input"), None);
        assert_eq!(known("PAPI_TOT_CYC"), None);
    }
}
