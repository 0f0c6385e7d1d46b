"""Pieces of Rust that several generated files have in common."""

HEADER = "// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.\n\n"


def file(title, *parts):
    """A file with a title of its own."""
    return HEADER + f"//! {title}\n\n" + "".join(parts)


def modules(names):
    """Private modules, whose public items belong to the folder."""
    mods = "".join(f"mod {name};\n" for name in names)
    return mods + "\n" + "".join(f"pub use {name}::*;\n" for name in names)
