"""What the fields of every record mean: docs/print-records.md."""

from .fields import key


def described(field):
    """What a field means, in a word for people."""
    if field.wire_name == "self" or field.type in ("u8", "u32", "u64", "i64") and not field.time:
        return None
    if field.is_ref():
        return field.type.removesuffix("Ref")
    if field.time:
        return "time"
    if field.type in ("AttributeValue", "MetricValue"):
        return "value of that type"
    if field.type.endswith(("Flag", "SyncLevel")):
        return f"flags `{field.type}`"
    plain = {"f64": "floating-point number", "string": "text", "IdMap": "map"}
    return plain.get(field.type, f"`{field.type}`")


def page(kinds):
    """docs/print-records.md"""
    out = [
        "<!-- Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit. -->\n\n"
        "# The records of `streamfold print --json`\n\n"
        "The fields of each record in their order, after those that [use/print.md](use/print.md) lists for all\n"
        "records of a kind. In parentheses: what a number refers to, or the enumeration that it is of.\n"
        "`[]` marks arrays.\n"
    ]
    for records, module, _ in kinds:
        out.append(f"\n## {module.capitalize()}\n\n")
        for r in records:
            fields = []
            for f in r.fields:
                if not f.legacy:
                    word = described(f)
                    shown = f" ({word})" if word else ""
                    fields.append(f"`{key(f)}{'[]' if f.count else ''}`{shown}")
            out.append(f"* **{r.wire_name}**{': ' if fields else ''}{', '.join(fields)}\n")
    return "".join(out)
