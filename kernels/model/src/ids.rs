//! A type for each kind of identifier, so that they cannot be mixed up.

use std::fmt;

/// Anything that identifies a definition by number.
pub trait Reference: Copy + Eq + Ord + std::hash::Hash + fmt::Display {
    /// Kind of the definition.
    const KIND: ReferenceKind;
    /// The number, widened.
    fn number(self) -> u64;
    /// The reference with this number, which is cut to its width.
    fn from_number(number: u64) -> Self;
    /// Tells whether this stands for "no definition".
    fn is_undefined(self) -> bool;
}

macro_rules! references {
    ($($name:ident($repr:ident), $kind:ident, $what:literal;)*) => {
        /// Kind of definition that a reference identifies.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum ReferenceKind {
            $(#[doc = concat!("`", stringify!($name), "`")] $kind,)*
        }

        impl ReferenceKind {
            /// All of them.
            pub const ALL: &'static [ReferenceKind] = &[$(ReferenceKind::$kind),*];

            /// The name that the format gives to it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(ReferenceKind::$kind => stringify!($kind),)*
                }
            }

            /// The number that stands for "no definition".
            pub const fn undefined(self) -> u64 {
                match self {
                    $(ReferenceKind::$kind => $repr::MAX as u64,)*
                }
            }
        }

        $(
        #[doc = concat!("Identifies ", $what, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub struct $name(pub $repr);

        impl $name {
            /// Stands for "no definition".
            pub const UNDEFINED: $name = $name(<$repr>::MAX);
        }

        impl Reference for $name {
            const KIND: ReferenceKind = ReferenceKind::$kind;

            #[inline]
            fn number(self) -> u64 {
                u64::from(self.0)
            }

            #[inline]
            fn from_number(number: u64) -> Self {
                $name(number as $repr)
            }

            #[inline]
            fn is_undefined(self) -> bool {
                self == $name::UNDEFINED
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

references! {
    AttributeRef(u32), Attribute, "an attribute";
    CallingContextRef(u32), CallingContext, "a calling context";
    CallpathRef(u32), Callpath, "a call path";
    CallsiteRef(u32), Callsite, "a call site";
    CartDimensionRef(u32), CartDimension, "a dimension of a Cartesian topology";
    CartTopologyRef(u32), CartTopology, "a Cartesian topology";
    CommRef(u32), Comm, "a communicator or inter-communicator";
    GroupRef(u32), Group, "a group";
    InterruptGeneratorRef(u32), InterruptGenerator, "an interrupt generator";
    IoFileRef(u32), IoFile, "a regular file or directory";
    IoHandleRef(u32), IoHandle, "an I/O handle";
    IoParadigmRef(u8), IoParadigm, "an I/O paradigm";
    LocationGroupRef(u32), LocationGroup, "a location group";
    LocationRef(u64), Location, "a location";
    MarkerRef(u32), Marker, "a kind of marker";
    MetricMemberRef(u32), MetricMember, "a metric member";
    MetricRef(u32), Metric, "a metric class or metric instance";
    ParameterRef(u32), Parameter, "a parameter";
    RegionRef(u32), Region, "a region";
    RmaWinRef(u32), RmaWin, "a window of remote memory access";
    SourceCodeLocationRef(u32), SourceCodeLocation, "a line of source code";
    StringRef(u32), String, "a string";
    SystemTreeNodeRef(u32), SystemTreeNode, "a node of the system tree";
}
