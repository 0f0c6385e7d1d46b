//! Values as text: enumerations, sets of flags, floating-point numbers, values with a type.

use streamfold_model::enums::*;
use streamfold_model::ids::*;
use streamfold_model::values::TypedValue;

use super::layout::Text;

/// An enumeration of the format.
pub(super) trait Enumeration: Copy {
    /// The name, where the number has one.
    fn name(self) -> Option<&'static str>;
    /// The number.
    fn number(self) -> u64;
}

macro_rules! enumerations {
    ($($name:ident)*) => {$(
        impl Enumeration for $name {
            fn name(self) -> Option<&'static str> {
                $name::name(self)
            }

            fn number(self) -> u64 {
                u8::from(self).into()
            }
        }
    )*};
}

enumerations! {
    Base CartPeriodicity CollectiveOp Compression FileSubstrate GroupType InterruptGeneratorMode IoAccessMode
    IoOperationMode IoParadigmClass IoParadigmProperty IoSeekOption LocationGroupType LocationType
    LockType MappingType MeasurementMode MetricMode MetricOccurrence MetricScope MetricType Paradigm
    ParadigmClass ParadigmProperty ParameterType RecorderKind RegionRole RmaAtomicType RmaSyncType
    SystemTreeDomain ThumbnailType Type
}

/// A set of flags of the format.
pub(super) trait Flags: Copy + 'static {
    /// The bits that have a name, `NONE` among them.
    const NAMED: &'static [(&'static str, Self)];
    /// All bits.
    fn bits(self) -> u32;
}

macro_rules! flags {
    ($($name:ident)*) => {$(
        impl Flags for $name {
            const NAMED: &'static [(&'static str, Self)] = $name::NAMED;

            fn bits(self) -> u32 {
                self.0
            }
        }
    )*};
}

flags! {
    CommFlag GroupFlag IoCreationFlag IoHandleFlag IoOperationFlag IoParadigmFlag IoStatusFlag
    RegionFlag RmaSyncLevel RmaWinFlag
}

impl Text {
    /// The name, or `INVALID` with the number.
    #[inline]
    pub fn enumeration(&mut self, value: impl Enumeration) {
        match value.name() {
            Some(name) => self.push(name),
            None => self.invalid("INVALID", value.number()),
        }
    }

    /// `NONE`, or the names in braces; bits without a name at the end, in hexadecimal.
    pub fn flags<F: Flags>(&mut self, flags: F) {
        let mut rest = flags.bits();
        if rest == 0 {
            self.push("NONE");
            return;
        }
        let mut before = "{";
        for (name, flag) in F::NAMED {
            if rest & flag.bits() != 0 {
                self.push(before);
                self.push(name);
                rest &= !flag.bits();
                before = ", ";
            }
        }
        if rest != 0 {
            self.push(before);
            self.format(format_args!("INVALID <{rest:#x}>"));
        }
        self.push("}");
    }

    /// As C's `%g` does: six digits, and no zeros at the end.
    pub fn float(&mut self, number: f64) {
        const DIGITS: i32 = 6;
        if !number.is_finite() {
            let sign = if number.is_sign_negative() { "-" } else { "" };
            self.push(sign);
            self.push(if number.is_nan() { "nan" } else { "inf" });
            return;
        }
        let scientific = format!("{number:.5e}");
        let Some((mantissa, exponent)) = scientific.split_once('e') else { return };
        let exponent: i32 = exponent.parse().unwrap_or_default();
        if (-4..DIGITS).contains(&exponent) {
            let decimals = (DIGITS - 1 - exponent) as usize;
            self.push(without_zeros(&format!("{number:.decimals$}")));
        } else {
            self.push(without_zeros(mantissa));
            self.push(if exponent < 0 { "e-" } else { "e+" });
            self.format(format_args!("{:02}", exponent.abs()));
        }
    }

    /// The value without its type, of a type that leads to no definition.
    pub fn plain_value(&mut self, TypedValue { value_type, bits }: TypedValue) {
        match value_type {
            Type::Uint8 => self.number(bits as u8),
            Type::Uint16 => self.number(bits as u16),
            Type::Uint32 => self.number(bits as u32),
            Type::Int8 => self.number(bits as i8),
            Type::Int16 => self.number(bits as i16),
            Type::Int32 => self.number(bits as i32),
            Type::Int64 => self.number(bits as i64),
            Type::Float => self.float(f32::from_bits(bits as u32).into()),
            Type::Double => self.float(f64::from_bits(bits)),
            _ => self.number(bits),
        }
    }
}

fn without_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

/// The number of a reference; the largest number where it stands for no definition.
#[inline]
pub(super) fn widen(id: impl Reference) -> u64 {
    match id.is_undefined() {
        true => u64::MAX,
        false => id.number(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Text)) -> String {
        let mut text = Text::default();
        write(&mut text);
        String::from_utf8(text.into_bytes()).unwrap()
    }

    #[test]
    fn numbers_without_a_name_are_invalid() {
        assert_eq!(text(|t| t.enumeration(Paradigm::Mpi)), "MPI");
        assert_eq!(text(|t| t.enumeration(Paradigm::from(99))), "INVALID <99>");
    }

    #[test]
    fn flags_stand_in_braces_unless_there_is_none() {
        assert_eq!(text(|t| t.flags(IoStatusFlag(0))), "NONE");
        assert_eq!(text(|t| t.flags(IoStatusFlag(1))), "{CLOSE_ON_EXEC}");
        assert_eq!(text(|t| t.flags(RmaSyncLevel(3))), "{PROCESS, MEMORY}");
        assert_eq!(text(|t| t.flags(RmaSyncLevel(0xfe))), "{MEMORY, INVALID <0xfc>}");
        assert_eq!(text(|t| t.flags(CommFlag(0x80000000))), "{INVALID <0x80000000>}");
    }

    /// Expected texts are those of `printf %g` of the GNU C library.
    #[test]
    fn floating_point_numbers_have_six_digits() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.5, "0.5"),
            (100000.0, "100000"),
            (999999.4, "999999"),
            (999999.5, "1e+06"),
            (1234567.0, "1.23457e+06"),
            (0.0001, "0.0001"),
            (0.000099999949, "9.99999e-05"),
            (0.00009999999, "0.0001"),
            (1e-5, "1e-05"),
            (-2.5e100, "-2.5e+100"),
            (100000.5, "100000"),
            (100001.5, "100002"),
            (f64::MAX, "1.79769e+308"),
            (5e-324, "4.94066e-324"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(text(|t| t.float(number)), expected);
        }
        assert_eq!(text(|t| t.float(f64::NAN.copysign(1.0))), "nan");
        assert_eq!(text(|t| t.float(f64::NAN.copysign(-1.0))), "-nan");
    }
}
