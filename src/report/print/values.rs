//! Values as text: enumerations, sets of flags, floating-point numbers, values with a type.

use streamfold_model::enums::Type;
use streamfold_model::fields::{Meaning, Number};
use streamfold_model::ids::Reference;
use streamfold_model::values::TypedValue;

use super::layout::Text;

impl Text {
    /// The name, or `INVALID` with the number.
    pub(super) fn enumeration<E: Number>(&mut self, value: E) {
        if let Meaning::Enumeration(name) = E::MEANING {
            self.constant(name(value.number() as u8), value.number());
        }
    }

    /// The name, or `INVALID` with the number.
    pub(super) fn constant(&mut self, name: Option<&str>, number: u64) {
        match name {
            Some(name) => self.push(name),
            None => self.invalid("INVALID", number),
        }
    }

    /// `NONE`, or the names in braces; bits without a name at the end, in hexadecimal.
    pub(super) fn flags(&mut self, named: &[(&str, u32)], mut rest: u32) {
        if rest == 0 {
            self.push("NONE");
            return;
        }
        let mut before = "{";
        for (name, bit) in named {
            if rest & bit != 0 {
                self.push(before);
                self.push(name);
                rest &= !bit;
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
    pub(super) fn float(&mut self, number: f64) {
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
    pub(super) fn plain_value(&mut self, TypedValue { value_type, bits }: TypedValue) {
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
    use streamfold_model::enums::{CommFlag, IoStatusFlag, Paradigm, RmaSyncLevel};

    use super::super::names::Names;
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

    fn flags<F: Number>(flags: F) -> String {
        text(|t| t.meant(&Names::default(), F::MEANING, flags.number()))
    }

    #[test]
    fn flags_stand_in_braces_unless_there_is_none() {
        assert_eq!(flags(IoStatusFlag(0)), "NONE");
        assert_eq!(flags(IoStatusFlag(1)), "{CLOSE_ON_EXEC}");
        assert_eq!(flags(RmaSyncLevel(3)), "{PROCESS, MEMORY}");
        assert_eq!(flags(RmaSyncLevel(0xfe)), "{MEMORY, INVALID <0xfc>}");
        assert_eq!(flags(CommFlag(0x80000000)), "{INVALID <0x80000000>}");
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
