#!/usr/bin/env python3
"""Checks that HDF5 reports are as docs/use/hdf5.md says, with h5py, numpy and pandas.

    python3 tests/hdf5_layout.py FILE.h5...

Ends with 0 when all files are right, with 1 and a message when one is not.
"""

import sys

import h5py
import numpy
import pandas

NONE = 2**64 - 1

TRAFFIC = [
    "sent", "bytes_sent",
    "received", "bytes_received",
    "collectives", "collective_bytes_sent",
    "collective_bytes_received",
    "rma", "bytes_put", "bytes_got",
    "io", "bytes_read", "bytes_written",
]
NO_REGION = 2**32 - 1
ROW = [
    "visits", "closed", "inclusive", "exclusive",
    "shortest", "longest", "locations", "least_exclusive",
    "most_exclusive", "most_at",
] + TRAFFIC
ODDITIES = [
    "open", "crossed", "unmatched", "dropped", "backward", "undefined_contexts", "unbegun_io",
    "wrong_flushes", "late", "reordered", "instants", "renamed",
]

TABLES = {
    "definitions/regions": [
        "region", "name", "canonical_name", "description", "file", "begin_line", "end_line",
        "role", "paradigm",
    ],
    "definitions/locations": ["location", "name", "type", "events", "group"],
    "definitions/location_groups": ["group", "name", "type", "system_tree_node", "creating_group"],
    "definitions/system_tree_nodes": ["node", "name", "class", "parent"],
    "profile/regions": ["region", "name", "kind", "outer"] + ROW,
    "profile/paths": ["parent", "depth", "region", "name", "kind"] + ROW,
    "profile/locations": [
        "location", "name", "events", "unknown_events", "first", "last", "visits", "closed",
        "inclusive", "inside", "shortest", "longest", "max_depth",
    ] + TRAFFIC + ODDITIES,
    "profile/groups": [
        "group", "name", "locations", "events", "visits", "closed",
        "inclusive", "inside", "shortest", "longest",
    ] + TRAFFIC + ODDITIES,
    "profile/total": ["events"] + ROW + ODDITIES,
    "profile/outside": TRAFFIC,
}

TAKEN_BACK = ["visits", "inclusive", "exclusive"]

# Tables that are there where there is anything of the sort.
OPTIONAL = {
    "profile/threads": [
        "forks", "forks_without_team", "forks_without_join", "joins_without_fork", "teams",
        "teams_without_fork", "undefined_teams", "teams_without_end", "ends_without_team",
        "programs", "programs_without_region",
    ],
    "profile/taken_back_paths": ["path"] + TAKEN_BACK,
    "profile/taken_back_regions": ["region", "name", "kind"] + TAKEN_BACK + ["outer"],
    "profile/taken_back_locations": ["location"] + TAKEN_BACK,
    "profile/taken_back_groups": ["group"] + TAKEN_BACK,
    "profile/taken_back_total": TAKEN_BACK,
}

COUNTS = [
    "samples", "samples_inclusive", "estimated",
    "estimated_inclusive",
]
SAMPLED = COUNTS + ["enters", "entered", "certain"]

# Of traces with one interrupt generator.
SAMPLES = {
    "profile/samples/generators": [
        "generator", "name", "mode", "base", "exponent", "period", "samples", "locations",
        "stands_for",
    ],
    "profile/samples/contexts": ["parent", "depth", "region", "name"] + SAMPLED,
    "profile/samples/regions": ["region", "name"] + SAMPLED,
    "profile/samples/total": ["outside"] + SAMPLED,
    "profile/samples/lines": ["file", "line"] + COUNTS,
    "profile/samples/locations": [
        "location", "name", "samples", "estimated", "odd_unwinds",
        "undefined_contexts",
    ],
    "profile/samples/groups": ["group", "name", "samples", "estimated"],
}

MATRIX = {
    "visits": "visits", "closed": "visits", "inclusive": "ticks", "exclusive": "ticks",
    "shortest": "ticks", "longest": "ticks", "sent": "messages", "received": "messages",
    "collectives": "operations", "bytes_sent": "bytes", "bytes_received": "bytes",
    "collective_bytes_sent": "bytes", "collective_bytes_received": "bytes",
    "rma": "operations", "io": "operations",
    "bytes_put": "bytes", "bytes_got": "bytes",
    "bytes_read": "bytes",
    "bytes_written": "bytes",
}


def same(found, expected, what):
    if not numpy.array_equal(found, expected):
        raise AssertionError(f"{what}: found {found}, expected {expected}")


def exact(rows, name):
    """A column as Python's integers, which have no largest one."""
    return [int(value) for value in rows[name]]


def sums(where, values, length):
    found = [0] * length
    for at, value in zip(where, values):
        found[at] += value
    return found


def check_attributes(h5):
    attributes = dict(h5.attrs)
    assert attributes["schema"] == "streamfold-profile", attributes["schema"]
    assert attributes["schema_version"].split(".")[0] == "2", attributes["schema_version"]
    for name in ["program", "input", "trace_identifier", "creator", "time_unit"]:
        assert isinstance(attributes[name], str), name
    assert attributes["program"].startswith("streamfold ")
    assert attributes["timer_resolution"] > 0
    assert attributes["loss_count"] >= (len(h5["losses"]) if "losses" in h5 else 0)


def check_tables(h5):
    there = {name: columns for name, columns in OPTIONAL.items() if name in h5}
    there |= SAMPLES if "profile/samples" in h5 else {}
    for name, columns in (TABLES | there).items():
        table = h5[name]
        frame = pandas.DataFrame(table[:])
        same(list(frame.columns), columns, f"columns of {name}")
        assert len(frame) == table.shape[0]
        for column in columns:
            unit = table.attrs.get(f"unit.{column}")
            texts = table.dtype[column].kind == "S"
            references = ["region", "location", "group", "node", "parent", "depth", "most_at",
                          "begin_line", "end_line", "system_tree_node", "creating_group",
                          "line", "generator", "exponent", "period", "stands_for", "path"]
            assert (unit is None) == (texts or column in references), f"unit of {name}.{column}"
            if texts:
                frame[column].str.decode("utf-8")


def check_sums(h5):
    regions, paths, total = (h5[f"profile/{name}"][:] for name in ["regions", "paths", "total"])
    for rows, name in [(regions, "regions"), (paths, "paths")]:
        same(sum(exact(rows, "exclusive")), exact(total, "exclusive")[0], f"exclusive of {name}")
        # Other kinds have time, but their visits are none of the total.
        visits = rows[numpy.isin(rows["kind"], [b"region", b"parameter"])]
        for column in ["visits", "closed", "inclusive"]:
            same(sum(exact(visits, column)), exact(total, column)[0], f"{column} of {name}")
        others = rows["region"][rows["kind"] != b"region"]
        assert (others == NO_REGION).all(), f"regions of other kinds of {name}"
    parents = paths["parent"]
    assert (parents < numpy.arange(len(paths))).all(), "parents come first"
    top = parents < 0
    same(paths["depth"][top], numpy.zeros(top.sum()), "depth of the outermost paths")
    same(paths["depth"][~top], paths["depth"][parents[~top]] + 1, "depth of the other paths")
    locations, groups = h5["profile/locations"][:], h5["profile/groups"][:]
    same(sum(exact(locations, "inside")), exact(total, "exclusive")[0], "time inside of regions")
    same(sum(exact(groups, "inside")), exact(total, "exclusive")[0], "time inside of groups")
    same(int(groups["locations"].sum()), len(locations), "locations of groups")
    assert (numpy.diff(locations["location"].astype(object)) > 0).all(), "locations in order"
    for column in TRAFFIC:
        inside = sum(exact(paths, column)) + exact(h5["profile/outside"][:], column)[0]
        same(inside, exact(total, column)[0], f"{column} of paths and outside of them")
        same(sum(exact(locations, column)), exact(total, column)[0], f"{column} of locations")


def check_taken_back(h5):
    total = exact(h5["profile/taken_back_total"][:], "exclusive")[0]
    for name in ["paths", "regions", "locations", "groups"]:
        if f"taken_back_{name}" in h5["profile"]:
            rows = h5[f"profile/taken_back_{name}"][:]
            same(sum(exact(rows, "exclusive")), total, f"exclusive of taken_back_{name}")


def check_samples(h5):
    group = {name: table[:] for name, table in h5["profile/samples"].items()}
    contexts, total = group["contexts"], group["total"]
    for column in ["samples", "estimated"]:
        for name in ["regions", "lines"]:
            same(sum(exact(group[name], column)), sum(exact(contexts, column)), f"{column} of {name}")
        for name in ["locations", "groups"]:
            same(sum(exact(group[name], column)), exact(total, column)[0], f"{column} of {name}")
    same(sum(exact(group["generators"], "samples")), exact(total, "samples")[0], "samples")
    parents = contexts["parent"]
    assert (parents < numpy.arange(len(contexts))).all(), "callers come first"
    for own, inclusive in [("samples", "samples_inclusive"), ("estimated", "estimated_inclusive")]:
        sums = exact(contexts, own)
        for row in range(len(contexts) - 1, -1, -1):
            if parents[row] >= 0:
                sums[parents[row]] += sums[row]
        same(sums, exact(contexts, inclusive), inclusive)


def check_matrix(h5):
    group = h5["per_location"]
    paths, locations = h5["profile/paths"][:], h5["profile/locations"][:]
    offsets = group["offsets"][:]
    same(len(offsets), len(locations) + 1, "offsets")
    rows = int(offsets[-1])
    same(set(group), set(MATRIX) | {"offsets", "path"}, "datasets")
    outside = int(group.attrs["outside"])
    same(outside, len(paths), "index of what is outside")
    path = group["path"][:]
    assert (path <= outside).all()
    for name, unit in MATRIX.items():
        assert group[name].shape == (rows,) and group[name].attrs["unit"] == unit, name
        if rows:
            assert group[name].chunks and group[name].compression == "gzip", name
    counts = numpy.diff(offsets.astype(numpy.int64))
    assert (counts >= 0).all()
    location = numpy.repeat(numpy.arange(len(locations)), counts)
    order = location.astype(object) * (outside + 1) + path.astype(object)
    assert (numpy.diff(order) > 0).all(), "rows by location, then by path"

    columns = {name: group[name][:] for name in MATRIX}
    of_regions = numpy.isin(paths["kind"], [b"region", b"parameter"])
    for name in ["visits", "closed", "inclusive", "exclusive"] + TRAFFIC:
        values = exact(columns, name)
        by_path = sums(path, values, outside + 1)
        same(by_path[:-1], exact(paths, name), f"{name} by path")
        if name in ["visits", "closed", "inclusive"]:
            values = [v if p < outside and of_regions[p] else 0 for p, v in zip(path, values)]
        by_location = sums(location, values, len(locations))
        kept = "inside" if name == "exclusive" else name
        same(by_location, exact(locations, kept), f"{name} by location")
        left = exact(h5["profile/outside"][:], name)[0] if name in TRAFFIC else 0
        same(by_path[-1], left, f"{name} outside of any region")

    # In a window of time there are visits that go on, too.
    names = ["visits", "closed", "inclusive", "exclusive"]
    visited = (numpy.array([columns[name] for name in names]) > 0).any(axis=0) & (path < outside)
    same(numpy.bincount(path[visited], minlength=outside)[:outside], paths["locations"],
         "locations of paths")
    inside = path < outside
    shortest = numpy.full(outside, NONE, numpy.uint64)
    longest = numpy.zeros(outside, numpy.uint64)
    numpy.minimum.at(shortest, path[inside], columns["shortest"][inside])
    numpy.maximum.at(longest, path[inside], columns["longest"][inside])
    same(shortest, paths["shortest"], "shortest")
    same(longest, paths["longest"], "longest")


NUMBER = ["", "_int"]


def numbers(*names):
    return [name + part for name in names for part in NUMBER]


def several(prefix, name):
    return [f"{prefix}count"] + numbers(name, f"{prefix}min", f"{prefix}max")


MEASURED = several("inclusive_", "inclusive") + several("exclusive_", "exclusive")
METRICS = {
    "members": ["member", "name", "description", "type", "mode", "value_type", "unit", "base",
                "exponent", "records"] + numbers("min", "max"),
    "paths": ["path", "member", "kind"] + MEASURED,
    "regions": ["region_row", "member", "kind"] + MEASURED,
    "locations": ["location_row", "member", "kind"] + several("", "sum"),
    "groups": ["group_row", "member", "kind"] + several("", "sum"),
    "total": ["member", "kind"] + several("", "sum"),
    "outside": ["member", "kind"] + several("", "sum"),
    "series": ["member", "name", "metric", "position", "recorder", "recorder_name", "scope_kind", "scope",
               "scope_name", "count", "first_time", "last_time"]
    + numbers("first", "last", "min", "max") + ["mean", "integral"],
    "oddities": ["undefined", "miscounted", "undefined_members", "unusable", "unattributed",
                 "incomplete", "decreased"],
}


def whole(rows, name):
    """Integers of metrics, as Python's; those of floating-point metrics are zero."""
    return exact(rows, f"{name}_int")


DERIVED = {
    "names": ["name", "expression", "total"],
    "paths": ["path", "name", "exclusive", "inclusive"],
    "regions": ["region_row", "name", "exclusive", "inclusive"],
    "locations": ["location_row", "name", "value"],
    "groups": ["group_row", "name", "value"],
}


def check_derived(h5):
    group = h5["derived"]
    names = set(group["names"]["name"])
    for name in group:
        rows = pandas.DataFrame(group[name][:])
        same(list(rows.columns), DERIVED[name], f"columns of derived/{name}")
        assert len(rows) > 0 and set(rows["name"]) <= names, f"names of derived/{name}"
        if name != "names":
            of = {"paths": "paths", "regions": "regions"}.get(name, name)
            assert (rows[DERIVED[name][0]] < len(h5[f"profile/{of}"])).all(), f"rows of derived/{name}"


def check_metrics(h5):
    group = h5["metrics"]
    for name in group:
        same(list(group[name].dtype.names), METRICS[name], f"columns of metrics/{name}")
        assert len(group[name]) > 0, f"metrics/{name} is empty"
    for name in ["oddities"]:
        assert name in group, name
    totals = {}
    for name in ["locations", "groups", "total"]:
        if name in group:
            rows = group[name][:]
            for member, kind, value in zip(rows["member"], rows["kind"], whole(rows, "sum")):
                key = (name, int(member), kind)
                totals[key] = totals.get(key, 0) + value
    for (name, member, kind), value in totals.items():
        same(value, totals["total", member, kind], f"metric {member} of {name}")
    if "paths" in group:
        rows, found = group["paths"][:], {}
        assert (rows["path"] < len(h5["profile/paths"])).all(), "paths of metrics"
        for member, kind, value in zip(rows["member"], rows["kind"], whole(rows, "exclusive")):
            found[int(member), kind] = found.get((int(member), kind), 0) + value
        outside = group["outside"][:] if "outside" in group else []
        for row in outside:
            key = (int(row["member"]), row["kind"])
            found[key] = found.get(key, 0) + int(row["sum_int"])
        for (member, kind), value in found.items():
            same(value, totals["total", member, kind], f"metric {member} of paths")
    members = set(group["members"]["member"]) if "members" in group else set()
    for name in set(group) - {"oddities"}:
        assert set(group[name]["member"]) <= members, f"members of metrics/{name}"


KINDS = [b"difference", b"values", b"growth"]


NUMBERS_OF_METRICS = [f"{of}{part}" for of in ["inclusive", "exclusive"]
                      for part in ["", "_min", "_max"]]


def check_metric_matrix(h5):
    group = h5["per_location_metrics"]
    same(set(group), {"offsets", "path", "member", "kind"} | set(MEASURED), "datasets of metrics")
    columns = {name: group[name][:] for name in group}
    offsets = columns.pop("offsets").astype(numpy.int64)
    rows = int(offsets[-1])
    assert rows > 0 and all(len(column) == rows for column in columns.values()), "rows of metrics"
    assert all(group[name].chunks and group[name].compression == "gzip" for name in columns)
    outside = int(group.attrs["outside"])
    same(outside, len(h5["profile/paths"]), "index of what is outside")
    same(len(offsets), len(h5["profile/locations"]) + 1, "offsets of metrics")
    location = numpy.repeat(numpy.arange(len(offsets) - 1), numpy.diff(offsets))
    keys = [tuple(int(n) for n in key)
            for key in zip(location, columns["path"], columns["member"], columns["kind"])]
    assert keys == sorted(set(keys)), "metrics by location, path, member and kind"
    whole_of = {name: whole(columns, name)
                for name in MEASURED if name in columns and f"{name}_int" in columns}

    def part(names, of_row):
        """Sums of count and values, least and most, by what a row counts for."""
        count, value, least, most = names
        found = {}
        for row, key in enumerate(keys):
            place = of_row(key)
            if place is None:
                continue
            here = found.setdefault(place, [0, 0, 0.0, None, None])
            here[0] += int(columns[count][row])
            here[1] += whole_of[value][row]
            here[2] += float(columns[value][row])
            # Exact, where the floating-point numbers are rounded.
            least_here = (float(columns[least][row]), whole_of[least][row])
            most_here = (float(columns[most][row]), whole_of[most][row])
            if not numpy.isnan(least_here[0]):
                here[3] = min(here[3] or least_here, least_here)
                here[4] = max(here[4] or most_here, most_here)
        return found

    def compare(found, table, names, place, what):
        count, value, least, most = names
        integers = {name: whole(table, name) for name in [value, least, most]}
        expected = {}
        for row in range(len(table)):
            extremes = [(float(table[name][row]), integers[name][row]) for name in [least, most]]
            extremes = [None if numpy.isnan(number) else (number, n) for number, n in extremes]
            sums = [int(table[count][row]), integers[value][row], float(table[value][row])]
            expected[place(table[row])] = sums + extremes
        same(sorted(found), sorted(expected), f"places of {what}")
        for key, here in found.items():
            there = expected[key]
            exact_part = here[:2] + here[3:] == there[:2] + there[3:]
            assert exact_part and numpy.isclose(here[2], there[2]), \
                f"{what} at {key}: found {here}, expected {there}"

    def inside(key):
        return key[1:] if key[1] < outside else None

    kind = KINDS.index
    own, below = (
        [f"{name}_count", name, f"{name}_min", f"{name}_max"] for name in ["exclusive", "inclusive"]
    )
    paths = h5["metrics/paths"][:] if "paths" in h5["metrics"] else []
    for names in [own, below]:
        if len(paths) or any(inside(key) for key in keys):
            compare(part(names, inside), paths, names,
                    lambda row: (int(row["path"]), int(row["member"]), kind(row["kind"])),
                    f"{names[1]} of metrics by path")
    sums = ["count", "sum", "min", "max"]
    left = h5["metrics/outside"][:] if "outside" in h5["metrics"] else []
    for names in [own, below]:
        found = part(names, lambda key: key[2:] if key[1] == outside else None)
        if len(left) or found:
            compare(found, left, sums, lambda row: (int(row["member"]), kind(row["kind"])),
                    f"{names[1]} of metrics outside")
    # Of exclusive differences nobody asks for the least and the most.
    compare(part(own, lambda key: (key[0],) + key[2:]), h5["metrics/locations"][:], sums,
            lambda row: (int(row["location_row"]), int(row["member"]), kind(row["kind"])),
            "metrics by location")
    for name in ["path", "member", "kind"]:
        assert columns[name].dtype == numpy.uint32, name
    for name in MEASURED:
        float_or_int = "f8" if name in NUMBERS_OF_METRICS else "i8" if name.endswith("_int") else "u8"
        assert columns[name].dtype == numpy.dtype(float_or_int) and "unit" not in group[name].attrs, name


def check(name):
    with h5py.File(name, "r") as h5:
        check_attributes(h5)
        check_tables(h5)
        check_sums(h5)
        if "profile/taken_back_total" in h5:
            check_taken_back(h5)
        if "profile/samples" in h5:
            check_samples(h5)
        if "metrics" in h5:
            check_metrics(h5)
        if "derived" in h5:
            check_derived(h5)
        if "per_location" in h5:
            check_matrix(h5)
            locations = "metrics" in h5 and "locations" in h5["metrics"]
            same("per_location_metrics" in h5, locations, "metrics of single locations")
            if locations:
                check_metric_matrix(h5)
        if "losses" in h5:
            assert len(pandas.DataFrame(h5["losses"][:])) > 0


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        try:
            check(name)
        except (AssertionError, KeyError) as error:
            sys.exit(f"{name}: not as docs/use/hdf5.md says: {error}")
        print(f"{name}: as docs/use/hdf5.md says")


if __name__ == "__main__":
    main()
