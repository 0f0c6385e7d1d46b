//! A type for each kind of identifier, so that they cannot be mixed up.

use std::fmt;

/// Anything that identifies a definition by number.
pub trait Reference: Copy + Eq + Ord + std::hash::Hash + fmt::Display {
    /// The number, widened.
    fn number(self) -> u64;
    /// Tells whether this stands for "no definition".
    fn is_undefined(self) -> bool;
}

macro_rules! references {
    ($($name:ident($repr:ty), $what:literal;)*) => {$(
        #[doc = concat!("Identifies ", $what, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub struct $name(pub $repr);

        impl $name {
            /// Stands for "no definition".
            pub const UNDEFINED: $name = $name(<$repr>::MAX);
        }

        impl Reference for $name {
            #[inline]
            fn number(self) -> u64 {
                u64::from(self.0)
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
    AttributeRef(u32), "an attribute";
    CallingContextRef(u32), "a calling context";
    CallpathRef(u32), "a call path";
    CallsiteRef(u32), "a call site";
    CartDimensionRef(u32), "a dimension of a Cartesian topology";
    CartTopologyRef(u32), "a Cartesian topology";
    CommRef(u32), "a communicator or inter-communicator";
    GroupRef(u32), "a group";
    InterruptGeneratorRef(u32), "an interrupt generator";
    IoFileRef(u32), "a regular file or directory";
    IoHandleRef(u32), "an I/O handle";
    IoParadigmRef(u8), "an I/O paradigm";
    LocationGroupRef(u32), "a location group";
    LocationRef(u64), "a location";
    MarkerRef(u32), "a kind of marker";
    MetricMemberRef(u32), "a metric member";
    MetricRef(u32), "a metric class or metric instance";
    ParameterRef(u32), "a parameter";
    RegionRef(u32), "a region";
    RmaWinRef(u32), "a window of remote memory access";
    SourceCodeLocationRef(u32), "a line of source code";
    StringRef(u32), "a string";
    SystemTreeNodeRef(u32), "a node of the system tree";
}
