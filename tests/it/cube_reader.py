"""Reads a Cube 4 profile (.cubex), after the format's description and nothing of the program.

Strict where the library is: a fixed grammar, gapless ids, no member whose padding tar and Cube see differently
(unless `lax` is given, for files of others). Prints all as JSON: values as they are stored, by metric, call path
and location.
"""

import json
import re
import struct
import sys
import zlib

path, lax = sys.argv[1], "lax" in sys.argv[2:]
blob = open(path, "rb").read()


def members():
    """The files of the archive, padded as Cube does it."""
    assert blob[257:262] == b"ustar", "no archive"
    at, found, size_of_next = 0, {}, None
    while at + 512 <= len(blob) and blob[at : at + 512] != bytes(512):
        head = blob[at : at + 512]
        name = head[:100].split(b"\0")[0].decode()
        size = int(head[124:136].split(b"\0")[0].strip() or b"0", 8)
        total = sum(head[:148]) + 8 * 32 + sum(head[156:])
        assert int(head[148:154], 8) == total, f"{name}: checksum"
        at += 512
        if head[156:157] == b"x":
            line = blob[at : at + size]
            size_of_next = int(re.fullmatch(rb"(\d\d) size=(\d+)\n", line)[2])
            at += 512
            continue
        size = size if size_of_next is None else size_of_next
        size_of_next = None
        assert name not in found and "/" not in name
        assert lax or size % 512, f"{name}: {size} bytes"
        found[name] = blob[at : at + size]
        assert len(found[name]) == size, f"{name}: cut"
        at += (size // 512 + 1) * 512 if size else 0
    assert blob[at : at + 1024] == bytes(1024), "the end"
    return found


def texts(text):
    for name, char in (("lt", "<"), ("gt", ">"), ("quot", '"'), ("apos", "'"), ("amp", "&")):
        text = text.replace(f"&{name};", char)
    return text


class Anchor:
    """The grammar of the anchor, token by token."""

    def __init__(self, text):
        assert "\r" not in text
        text = text.rstrip("\0")
        assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
        self.tokens = re.findall(r"<[^>]*>|[^<]+", text.split("?>", 1)[1])
        self.at = 0
        self.version = re.fullmatch(r'<cube version="(\d\.\d)">', self.next())[1]
        self.attributes = self.attrs()
        if self.peek("doc"):
            while self.next() != "</doc>":
                pass
        self.next("<metrics", prefix=True)
        self.metrics = []
        while self.peek("metric "):
            self.metric(None)
        self.next("</metrics>")
        self.next("<program", prefix=True)
        self.regions, self.cnodes, self.roots = {}, {}, []
        while self.peek("region "):
            self.region()
        self.call_tree()
        self.next("</program>")
        self.next("<system", prefix=True)
        self.locations, self.nodes = {}, []
        assert self.peek("systemtreenode ")
        self.system()
        if self.peek("topologies"):
            while self.next() != "</topologies>":
                pass
        self.next("</system>")
        self.next("</cube>")
        assert not "".join(self.tokens[self.at :]).strip()

    def skip(self):
        while self.at < len(self.tokens) and not self.tokens[self.at].strip():
            self.at += 1

    def peek(self, name):
        self.skip()
        return self.tokens[self.at].startswith("<" + name)

    def next(self, wanted=None, prefix=False):
        self.skip()
        token = self.tokens[self.at]
        self.at += 1
        if wanted is not None:
            assert token.startswith(wanted) if prefix else token == wanted, (token, wanted)
        return token

    def element(self, name, optional=False):
        if optional and not self.peek(name + ">"):
            return None
        self.next(f"<{name}>")
        text = self.tokens[self.at]
        if text.startswith("</"):
            text = ""
        else:
            self.at += 1
        self.next(f"</{name}>")
        return texts(text)

    def attrs(self):
        found = {}
        while self.peek("attr "):
            match = re.fullmatch(r'<attr key="([^"]*)" value="([^"]*)"/>', self.next())
            found[texts(match[1])] = texts(match[2])
        return found

    def metric(self, parent):
        form = r'<metric id="(\d+)" type="(\w+)"( viztype="GHOST")?( \w+="\w+")*>'
        match = re.fullmatch(form, self.next())
        of = {"id": int(match[1]), "type": match[2], "parent": parent}
        for name in ("disp_name", "uniq_name", "dtype", "uom", "val", "url", "descr"):
            text = self.element(name, optional=name == "val")
            if text is not None:
                of[name] = text
        assert lax or re.fullmatch(r"[A-Za-z0-9:_=]+", of["uniq_name"])
        assert all(of["uniq_name"] != other["uniq_name"] for other in self.metrics)
        self.metrics.append(of)
        self.attrs()
        while self.peek("metric "):
            self.metric(of["id"])
        self.next("</metric>")

    def region(self):
        form = r'<region id="(\d+)" mod="([^"]*)" begin="(-?\d+)" end="(-?\d+)">'
        match = re.fullmatch(form, self.next())
        region = {"file": texts(match[2]), "begin": int(match[3]), "end": int(match[4])}
        for name in ("name", "mangled_name", "paradigm", "role", "url", "descr"):
            region[name] = self.element(name)
        self.attrs()
        self.next("</region>")
        assert int(match[1]) not in self.regions
        self.regions[int(match[1])] = region

    def call_tree(self):
        open_nodes = []
        while True:
            if self.peek("cnode "):
                form = r'<cnode id="(\d+)"( line="-?\d+")?( mod="[^"]*")? calleeId="(\d+)">'
                match = re.fullmatch(form, self.next())
                node = int(match[1])
                assert node not in self.cnodes and int(match[4]) in self.regions
                parameters = []
                while self.peek("parameter "):
                    form = r'<parameter partype="(\w+)" parkey="([^"]*)" parvalue="([^"]*)" />'
                    match_of = re.fullmatch(form, self.next())
                    parameters.append([match_of[1], texts(match_of[2]), texts(match_of[3])])
                self.attrs()
                above = open_nodes[-1] if open_nodes else None
                (self.cnodes[above]["children"] if open_nodes else self.roots).append(node)
                self.cnodes[node] = {
                    "id": node,
                    "parent": above,
                    "callee": int(match[4]),
                    "parameters": parameters,
                    "children": [],
                }
                open_nodes.append(node)
            elif open_nodes:
                self.next("</cnode>")
                open_nodes.pop()
            else:
                break
        assert sorted(self.cnodes) == list(range(len(self.cnodes)))

    def system(self):
        path = []
        while True:
            if self.peek("systemtreenode "):
                assert re.fullmatch(r'<systemtreenode Id="\d+">', self.next())
                path.append(self.element("name"))
                self.nodes.append([self.element("class"), path[-1], len(path)])
                self.element("descr", optional=True)
                self.attrs()
                while self.peek("locationgroup "):
                    self.group(list(path))
            elif path:
                self.next("</systemtreenode>")
                path.pop()
            else:
                break
        assert sorted(self.locations) == list(range(len(self.locations)))

    def group(self, path):
        assert re.fullmatch(r'<locationgroup Id="\d+">', self.next())
        group = {"name": self.element("name"), "rank": int(self.element("rank"))}
        group["type"] = self.element("type")
        assert group["type"] in ("process", "metrics", "accelerator")
        self.attrs()
        assert self.peek("location ")
        while self.peek("location "):
            at = int(re.fullmatch(r'<location Id="(\d+)">', self.next())[1])
            location = {"name": self.element("name"), "rank": int(self.element("rank"))}
            location["type"] = self.element("type")
            assert location["type"] in ("thread", "accelerator stream", "metric")
            self.attrs()
            self.next("</location>")
            assert at not in self.locations
            self.locations[at] = {**location, "group": group, "nodes": path}
        self.next("</locationgroup>")


def deep(anchor):
    order, stack = [], anchor.roots[::-1]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += anchor.cnodes[node]["children"][::-1]
    return order


def wide(anchor):
    order = []
    for root in anchor.roots:
        order.append(root)
        stack = [root]
        while stack:
            children = anchor.cnodes[stack.pop()]["children"]
            order += children
            stack += children[::-1]
    return order


TYPES = {
    "UINT64": "Q",
    "INT64": "q",
    "DOUBLE": "d",
    "FLOAT": "d",
    "MINDOUBLE": "d",
    "MAXDOUBLE": "d",
}


def values(anchor, files, metric):
    """For each call path its values, or nothing where it has no row."""
    index, data = (files.get(f"{metric['id']}.{kind}") for kind in ("index", "data"))
    if index is None or data is None:
        assert lax or index is data, "only one of two files"
        return {}
    order = wide(anchor) if metric["type"] == "INCLUSIVE" else deep(anchor)
    assert index[:11] == b"CUBEX.INDEX"
    end = "<" if index[11:15] == b"\1\0\0\0" else ">"
    one, version, form = struct.unpack_from(end + "IHB", index, 11)
    assert one == 1 and (lax or version == 0)
    if form == 1:
        (count,) = struct.unpack_from(end + "I", index, 18)
        rows = struct.unpack_from(f"{end}{count}I", index, 22)
        assert list(rows) == sorted(set(rows)) and (lax or len(index) == 22 + 4 * count)
    else:
        assert form == 3
        rows = range(len(order))
    width = len(anchor.locations)
    kind = f"{end}{width}{TYPES[metric['dtype']]}"
    found = {}
    if data[:11] == b"ZCUBEX.DATA":
        (count,) = struct.unpack_from(end + "Q", data, 11)
        table = [struct.unpack_from(end + "3Q", data, 19 + 24 * i) for i in range(count)]
        base = 19 + 24 * count
        parts = {key: data[base + at : base + at + size] for key, at, size in table}
        row = lambda number: zlib.decompress(parts[number * width * 8])
    else:
        assert data[:10] == b"CUBEX.DATA"
        assert lax or len(data) == 10 + len(rows) * width * 8
        row = lambda number: data[10 + number * width * 8 :][: width * 8]
    for number, place in enumerate(rows):
        found[order[place]] = list(struct.unpack(kind, row(number)))
    return found


files = members()
text = files.pop("anchor.xml")
if text[:2] == b"\x1f\x8b":
    text = zlib.decompress(text, 31)
anchor = Anchor(text.decode("utf-8"))
known = {f"{metric['id']}.{kind}" for metric in anchor.metrics for kind in ("data", "index")}
assert lax or set(files) <= known, files.keys() - known
json.dump(
    {
        "version": anchor.version,
        "attributes": anchor.attributes,
        "metrics": anchor.metrics,
        "regions": anchor.regions,
        "cnodes": [anchor.cnodes[node] for node in sorted(anchor.cnodes)],
        "locations": [anchor.locations[at] for at in sorted(anchor.locations)],
        "nodes": anchor.nodes,
        "values": {
            metric["uniq_name"]: values(anchor, files, metric)
            for metric in anchor.metrics
            if metric["dtype"] in TYPES
        },
    },
    sys.stdout,
)
