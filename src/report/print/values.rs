//! Values as text: enumerations, sets of flags, floating-point numbers, values with a type.

use streamfold_model::enums::*;
use streamfold_model::ids::*;
use streamfold_model::values::TypedValue;

use super::layout::Text;
use super::names::{NameTable, Names};

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

    /// The value without its type; names of definitions in quotes.
    pub fn typed_value(&mut self, names: &Names, value: TypedValue) {
        if let Some(table) = referenced_table(names, value.value_type) {
            table.append(self, reference_bits(value));
        } else {
            self.plain_value(value);
        }
    }

    /// The value without its type; names of definitions as they are.
    pub fn raw_value(&mut self, names: &Names, value: TypedValue) {
        match referenced_table(names, value.value_type) {
            None => self.plain_value(value),
            Some(_) if reference_bits(value) == u64::MAX => self.push("UNDEFINED"),
            Some(table) => {
                // The C library shows this for a missing string.
                let name = table.raw(reference_bits(value));
                self.push_text(&name.unwrap_or_else(|| "(null)".into()));
            }
        }
    }

    fn plain_value(&mut self, TypedValue { value_type, bits }: TypedValue) {
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

/// A reference widened, so that "undefined" is the largest number for all kinds.
fn reference_bits(TypedValue { value_type, bits }: TypedValue) -> u64 {
    match value_type {
        Type::Location => bits,
        _ => widen(StringRef(bits as u32)),
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

fn referenced_table(names: &Names, value_type: Type) -> Option<&NameTable> {
    Some(match value_type {
        Type::String => &names.strings,
        Type::Attribute => &names.attributes,
        Type::Location => &names.locations,
        Type::Region => &names.regions,
        Type::Group => &names.groups,
        Type::Metric => &names.metrics,
        Type::Comm => &names.comms,
        Type::Parameter => &names.parameters,
        Type::RmaWin => &names.rma_wins,
        Type::SourceCodeLocation => &names.source_code_locations,
        Type::CallingContext => &names.calling_contexts,
        Type::InterruptGenerator => &names.interrupt_generators,
        Type::IoFile => &names.io_files,
        Type::IoHandle => &names.io_handles,
        Type::LocationGroup => &names.location_groups,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Text)) -> String {
        let mut text = Text::default();
        write(&mut text);
        String::from_utf8(text.into_bytes()).unwrap()
    }

    fn value(value_type: Type, bits: u64) -> String {
        text(|t| t.typed_value(&Names::default(), TypedValue { value_type, bits }))
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

    #[test]
    fn a_value_is_shown_by_its_type() {
        assert_eq!(value(Type::Uint8, 255), "255");
        assert_eq!(value(Type::Int8, 255), "-1");
        assert_eq!(value(Type::Int16, 0x8000), "-32768");
        assert_eq!(value(Type::Int32, u32::MAX.into()), "-1");
        assert_eq!(value(Type::Int64, u64::MAX), "-1");
        assert_eq!(value(Type::Uint64, u64::MAX), "18446744073709551615");
        assert_eq!(value(Type::Float, 0.1f32.to_bits().into()), "0.1");
        assert_eq!(value(Type::Double, 0.1f64.to_bits()), "0.1");
        assert_eq!(value(Type::None, 7), "7");
        assert_eq!(value(Type::Unnamed(77), 7), "7");
        assert_eq!(value(Type::String, u32::MAX.into()), "UNDEFINED");
        assert_eq!(value(Type::Region, 3), "INVALID <3>");
        assert_eq!(value(Type::Location, u32::MAX.into()), "INVALID <4294967295>");
        assert_eq!(value(Type::Location, u64::MAX), "UNDEFINED");
    }
}
