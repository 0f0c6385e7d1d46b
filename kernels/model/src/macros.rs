//! Common parts of all enumerations and all sets of flags.

/// An enumeration that keeps the numbers that it does not know, as newer writers may send them.
macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident: $repr:ty { $($variant:ident = $value:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
            /// A number without a name.
            Unnamed($repr),
        }

        impl $name {
            /// All values that have a name.
            pub const NAMED: &'static [$name] = &[$($name::$variant),*];

            /// The name that the format gives to the value.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $($name::$variant => Some($text),)*
                    $name::Unnamed(_) => None,
                }
            }
        }

        impl From<$repr> for $name {
            #[inline]
            fn from(number: $repr) -> Self {
                match number {
                    $($value => $name::$variant,)*
                    other => $name::Unnamed(other),
                }
            }
        }

        impl From<$name> for $repr {
            #[inline]
            fn from(value: $name) -> Self {
                match value {
                    $($name::$variant => $value,)*
                    $name::Unnamed(other) => other,
                }
            }
        }

        impl crate::fields::meaning::Number for $name {
            const MEANING: crate::fields::Meaning =
                crate::fields::Meaning::Enumeration(|number| $name::from(<$repr>::from(number)).name());

            #[inline]
            fn number(self) -> u64 {
                <$repr>::from(self).into()
            }
        }
    };
}

/// A set of bits, those without a name included.
macro_rules! flags {
    ($(#[$doc:meta])* $name:ident; $($flag:ident = $value:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            $(#[doc = concat!("`", stringify!($flag), "`")] pub const $flag: $name = $name($value);)*

            /// Tells whether all bits of `other` are set.
            #[inline]
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl From<u32> for $name {
            #[inline]
            fn from(bits: u32) -> Self {
                $name(bits)
            }
        }

        impl From<$name> for u32 {
            #[inline]
            fn from(flags: $name) -> Self {
                flags.0
            }
        }

        impl crate::fields::meaning::Number for $name {
            const MEANING: crate::fields::Meaning =
                crate::fields::Meaning::Flags(&[$((stringify!($flag), $value)),*]);

            #[inline]
            fn number(self) -> u64 {
                self.0.into()
            }
        }
    };
}

/// The first of two, or the second where there is no first.
macro_rules! or {
    ($first:literal, $second:expr) => {
        $first
    };
    (, $second:expr) => {
        $second
    };
}

/// The names of the fields that a member stands for, each with its key.
macro_rules! names {
    ($member:ident _) => {
        &[(stringify!($member), stringify!($member))]
    };
    ($member:ident $name:literal) => {
        &[($name, stringify!($member))]
    };
    ($member:ident [$($name:literal $key:literal),*]) => {
        &[$(($name, $key)),*]
    };
}

pub(crate) use {enumeration, flags, names, or};
