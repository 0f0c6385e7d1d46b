// Time line that one can zoom, a part of it: data, and cells from compressed tiles. No request is ever made.
//
// element   receives everything
// meta      axis, classes, rows, levels of tiles, critical path, longest waits, messages, exact visits
// blobText  base64 of all tiles, one behind the other

const classes = meta.classes || [], rows = meta.rows || [], levels = meta.levels || [];
const length = meta.length || 0, whole = meta.whole || 250, begin = meta.begin || 0;
const planes = classes.length + (meta.waits ? 1 : 0), waits = meta.waits ? classes.length : -1;
const path = meta.path || [], events = meta.events || null, least = (events && events.shortest) || 0;
// A wait ends when its cause comes. `cause_row` is -1 where nobody can be named.
const marks = (meta.marks || []).map((mark) => ({ ...mark, ticks: mark.ticks || mark.end - mark.begin,
  cause_row: rows[mark.cause_row] ? mark.cause_row : -1, cause_time: mark.cause_time === undefined ? mark.end : mark.cause_time }));
// The longest first. Names of threads are there where rows are shared.
const messages = ((meta.messages && meta.messages.kept) || []).filter(([from, to]) => rows[from] && rows[to]).map(([from, to, sent, received, bytes, sender, receiver]) => ({
  from, to, sent, received, bytes, sender: sender || rows[from].name, receiver: receiver || rows[to].name }));
const allMessages = (meta.messages && meta.messages.count) || messages.length;
const weights = rows.map((row) => row.threads || row.count || 1);
const groups = [...new Set(rows.map((row) => row.group || ""))];
const finest = levels.length - 1;
const AXIS = 28, PIXELS = 128, KEPT = 96 << 20, PICTURES = 640, SHADES = 64, TALLEST = 240;
const id = (timeLine.count = (timeLine.count || 0) + 1);
const calm = matchMedia("(prefers-reduced-motion: reduce)"), night = matchMedia("(prefers-color-scheme: dark)");
const mac = /Mac|iPhone|iPad/.test(navigator.platform);

// ---- Small things ----

const clamp = (value, least, most) => Math.max(least, Math.min(most, value));

function make(tag, settings, ...inside) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(settings || {})) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...inside.filter((part) => part !== null && part !== undefined && part !== ""));
  return made;
}

function unitOf(seconds) {
  const size = Math.abs(seconds);
  return size >= 1 || size === 0 ? [1, "s"] : size >= 1e-3 ? [1e-3, "ms"] : size >= 1e-6 ? [1e-6, "µs"] : [1e-9, "ns"];
}

// A span of time with four digits.
function spell(ticks) {
  const seconds = ticks / meta.resolution, [unit, name] = unitOf(seconds);
  const digits = seconds >= 1000 ? Math.round(seconds) : Number((seconds / unit).toPrecision(4));
  return `${digits} ${name}`;
}

// A moment, as fine as one pixel of the present view, or finer.
function spellAt(ticks, step) {
  const seconds = (ticks + begin) / meta.resolution, [unit, name] = unitOf(seconds), fine = Math.max(1, Math.min(view.tpp, step || view.tpp));
  const digits = clamp(Math.ceil(-Math.log10(fine / meta.resolution / unit)), 0, 12);
  return `${(seconds / unit).toFixed(digits)} ${name}`;
}

function spellBytes(bytes) {
  const at = clamp(Math.floor(Math.log2(Math.max(1, bytes)) / 10), 0, 5);
  return at ? `${Number((bytes / 1024 ** at).toPrecision(4))} ${["", "KiB", "MiB", "GiB", "TiB", "PiB"][at]}` : plural(bytes, "byte");
}

const percent = (part) => (part > 0 && part < 0.001 ? "< 0.1 %" : `${(part * 100).toFixed(1)} %`);
const thousands = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, count > 9999 ? " " : "");
const plural = (count, word) => `${thousands(count)} ${word}${count === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;
// The first number below `end` for which something holds, which then holds for all that follow.
function firstWhere(end, holds) {
  let low = 0;
  while (low < end) {
    const middle = (low + end) >> 1;
    if (holds(middle)) end = middle;
    else low = middle + 1;
  }
  return low;
}
// A sum over rows.
const sumOf = (which, value) => which.reduce((sum, row) => sum + (value(row) || 0), 0);
const everyRow = rows.map((_, at) => at), weightOf = (which) => sumOf(which, (row) => weights[row]);

// A name of a function without its result, arguments, and parameters of templates.
const shortNames = new Map();
function short(name) {
  let cut = shortNames.get(name);
  if (cut !== undefined) return cut;
  cut = name;
  for (let last = ""; last !== cut; ) {
    last = cut;
    cut = cut.replace(/<[^<>]*>/g, "").replace(/\([^()]*\)( const)?$/, "");
  }
  cut = (cut.trim().split(" ").pop() || name).replace(/^[*&]+/, "") || name;
  shortNames.set(name, cut);
  return cut;
}

const shortPath = (text) => text.split(" > ").map(short).join(" > ");

function fail(text) {
  element.replaceChildren(make("p", { class: "tl-fail", role: "alert" }, text));
}
if (meta.version !== 1) return fail("This page was written by another version: its time line cannot be shown.");
if (!rows.length || !classes.length || !levels.length || !(length > 0)) return fail("The run has no time that could be shown.");
try {
  new DecompressionStream("deflate-raw");
} catch {
  return fail("This browser cannot unpack the time line. Use Chrome or Edge 103, Firefox 113, Safari 16.4, or later.");
}

// ---- State ----

const state = {
  mode: "classes", heat: 0, hidden: new Set(), only: -1, sort: "given", grouped: false, open: new Set(), pins: new Set(),
  path: path.length > 0, marks: marks.length > 0, messages: null, mark: -1, message: null, point: null, box: null, hover: null, fit: true,
};
const view = { t0: 0, tpp: 1, h: 8, scroll: 0 };
const size = { width: 0, height: 0, labels: 120, plot: 100, ratio: 1 };
const pane = () => ({ items: [], h: 16, top: AXIS, height: 0, scroll: 0, pictures: new Map(), scale: "" });
const pinned = pane(), main = pane();
let place = [], colours = null, prefix = "";

// ---- Tiles: cells of one level, rows × columns × planes ----

const stored = new Map(), loading = new Set();
let storedBytes = 0, damaged = "", frameNumber = 0, wanted = new Set();
const across = levels.map((level) => Math.ceil(level.columns / level.tile_columns));
const keyOf = (level, at) => level * 4294967296 + at;
// All of the coarsest level stays, unless it is huge: a view always has something to show.
const coarsest = rows.length * levels[0].columns * planes, keepCoarsest = coarsest <= KEPT;
const most = KEPT + (keepCoarsest ? coarsest : 0);
let coarseLoads = 0;
const coarseRest = levels[0].tiles.filter((entry) => entry && entry[1]).length;

function shapeOf(level, at) {
  const { columns, tile_rows, tile_columns } = levels[level];
  const x = at % across[level], y = Math.floor(at / across[level]);
  return [Math.min(tile_rows, rows.length - y * tile_rows), Math.min(tile_columns, columns - x * tile_columns)];
}

async function unpack(level, at) {
  const [offset, bytes] = levels[level].tiles[at];
  const from = Math.floor(offset / 3), to = Math.ceil((offset + bytes) / 3);
  const text = atob(blobText.slice(from * 4, to * 4)), packed = new Uint8Array(bytes);
  for (let i = 0, skip = offset - from * 3; i < bytes; i++) packed[i] = text.charCodeAt(i + skip);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const cells = new Uint8Array(await new Response(stream).arrayBuffer());
  const [height, width] = shapeOf(level, at);
  if (cells.length !== height * width * planes) throw new RangeError("length of a tile");
  // Planes of a row that are not zero throughout: most classes are rare.
  const filled = new Uint8Array(height * planes);
  for (let line = 0; line < filled.length; line++) {
    for (let i = line * width, end = i + width; i < end; i++) {
      if (cells[i]) { filled[line] = 1; break; }
    }
  }
  return { cells, filled, height, width, used: frameNumber };
}

// The tile, "zero", "none" if this level does not keep it, or undefined if it is not loaded yet.
function tile(level, at) {
  const entry = levels[level].tiles[at];
  if (!entry) return "none";
  if (!entry[1]) return "zero";
  const found = stored.get(keyOf(level, at));
  if (found) found.used = frameNumber;
  return found;
}

function load(key) {
  const level = Math.floor(key / 4294967296), at = key % 4294967296;
  loading.add(key);
  unpack(level, at).then((got) => {
    stored.set(key, got);
    storedBytes += got.cells.length;
  }, () => {
    levels[level].tiles[at] = null;
    damaged = notice.textContent = "A part of this page is damaged: its cells are coarse or empty.";
    tell(damaged);
  }).finally(() => {
    loading.delete(key);
    if (!level) coarseLoads++;
    ask();
  });
}

function evict() {
  if (storedBytes <= most) return;
  const old = [...stored].filter(([key]) => !keepCoarsest || key >= 4294967296).sort((a, b) => a[1].used - b[1].used);
  for (const [key, one] of old) {
    if (storedBytes <= most * 0.9) break;
    stored.delete(key);
    storedBytes -= one.cells.length;
  }
}

function pump() {
  for (const key of wanted) {
    if (loading.size >= 8) return;
    if (!stored.has(key) && !loading.has(key)) load(key);
  }
  if (keepCoarsest) {
    for (let at = 0; at < levels[0].tiles.length && loading.size < 8; at++) {
      if (tile(0, at) === undefined && !loading.has(at)) load(at);
    }
  }
}

// Returns what a cell of a row holds at a part of the run: the finest that is loaded, of this level or a coarser one.
function valueAt(row, part, level) {
  for (; level >= 0; level--) {
    const { columns, tile_rows, tile_columns } = levels[level], column = Math.min(columns - 1, Math.floor(part * columns));
    const x = Math.floor(column / tile_columns), y = Math.floor(row / tile_rows), got = tile(level, y * across[level] + x);
    if (got === "zero") return () => 0;
    if (got && got !== "none") return (plane) => got.cells[(plane * got.height + row - y * tile_rows) * got.width + column - x * tile_columns];
  }
  return null;
}

// Ticks by plane of some rows in all of the run.
const wholeRun = (which) => Float64Array.from({ length: planes }, (_, plane) => sumOf(which, (row) => (plane === waits ? rows[row].waited : rows[row].ticks[plane])));

// Ticks by plane of some rows in a span of time, from the finest tiles; unpacked one by one, not kept.
async function addUp(which, from, to, step) {
  const sums = new Float64Array(planes);
  let level = finest;
  const count = (l) => new Set(which.map((row) => Math.floor(row / levels[l].tile_rows))).size
    * Math.ceil((to - from) / length * across[l] + 1);
  while (level > 0 && count(level) > 2048) level--;
  if (from <= 0 && to >= length) {
    return { sums: wholeRun(which), coarse: false };
  }
  const todo = count(level);
  let done = 0;
  async function part(l, members, a, b) {
    const { columns, tile_rows, tile_columns, tiles } = levels[l], cell = length / columns;
    const first = clamp(Math.floor(a / cell), 0, columns - 1), last = clamp(Math.ceil(b / cell), first + 1, columns);
    const bands = new Map();
    for (const row of members) {
      const y = Math.floor(row / tile_rows);
      bands.set(y, [...(bands.get(y) || []), row]);
    }
    for (const [y, band] of bands) {
      for (let x = Math.floor(first / tile_columns); x * tile_columns < last; x++) {
        const at = y * across[l] + x, left = x * tile_columns;
        let got = tile(l, at);
        if (l === level && step && done++ % 16 === 15 && step(done / todo) === false) return;
        if (got === "zero") continue;
        if (got === "none") {
          if (l > 0) await part(l - 1, band, Math.max(a, left * cell), Math.min(b, (left + tile_columns) * cell));
          continue;
        }
        try {
          got = got || (await unpack(l, at));
        } catch {
          continue;
        }
        for (const row of band) {
          for (let plane = 0; plane < planes; plane++) {
            const line = plane * got.height + row - y * tile_rows;
            if (!got.filled[line]) continue;
            let sum = 0;
            for (let c = Math.max(first, left); c < Math.min(last, left + got.width); c++) {
              const value = got.cells[line * got.width + c - left];
              if (value) sum += value * Math.max(0, Math.min(b, (c + 1) * cell) - Math.max(a, c * cell));
            }
            sums[plane] += sum / whole * weights[row];
          }
        }
      }
    }
  }
  await part(level, which, from, to);
  return { sums, coarse: level < finest };
}

// ---- Painting cells into pixels ----

// Paints `height` lines of `width` pixels. Each cell belongs to one pixel: sums over all of its cells, so nothing is
// dropped; the waits take the longest. Lines that lack a tile use a coarser level; `missing` then names the tile.
const scratch = { sums: new Float64Array(0), peak: new Uint8Array(0), line: new Uint32Array(0) };
function paint(list, from, perPixel, width, top, rowHeight, height, out, missing) {
  let level = 0;
  while (level < finest && length / levels[level].columns > perPixel * 1.0001) level++;
  const { columns, tile_rows, tile_columns } = levels[level], cell = length / columns, wide = cell > perPixel;
  const first = clamp(Math.floor(from / cell), 0, columns), last = clamp(Math.ceil((from + width * perPixel) / cell), first, columns);
  const count = last - first, domain = wide ? count : width;
  out.fill(0);
  if (!count) return;
  if (scratch.sums.length < domain * planes) scratch.sums = new Float64Array(domain * planes);
  if (scratch.peak.length < domain) {
    scratch.peak = new Uint8Array(domain);
    scratch.line = new Uint32Array(domain);
  }
  const { sums, peak, line } = scratch, target = new Int32Array(count), many = new Uint16Array(domain);
  for (let i = 0; i < count; i++) {
    const x = wide ? i : Math.floor(((first + i + 0.5) * cell - from) / perPixel);
    target[i] = x >= 0 && x < domain ? x : -1;
    if (target[i] >= 0) many[x]++;
  }
  const spread = wide && Int32Array.from({ length: width }, (_, x) => Math.floor((from + (x + 0.5) * perPixel) / cell) - first);

  function add(row) {
    const weight = weights[row], y = Math.floor(row / tile_rows);
    for (let c = first; c < last; ) {
      const x = Math.floor(c / tile_columns), left = x * tile_columns, end = Math.min(last, left + tile_columns);
      const got = tile(level, y * across[level] + x);
      if (got === undefined || got === "none") {
        if (!got) missing.add(keyOf(level, y * across[level] + x));
        addCoarser(row, c, end, weight);
      } else if (got !== "zero") {
        for (let plane = 0; plane < planes; plane++) {
          const line = plane * got.height + row - y * tile_rows;
          if (!got.filled[line]) continue;
          const cells = got.cells, shift = line * got.width - left, base = plane * domain;
          if (plane === waits) {
            for (let i = c; i < end; i++) {
              const to = target[i - first];
              if (to >= 0 && cells[shift + i] > peak[to]) peak[to] = cells[shift + i];
            }
          } else {
            for (let i = c; i < end; i++) {
              const to = target[i - first];
              if (to >= 0) sums[base + to] += cells[shift + i] * weight;
            }
          }
        }
      }
      c = end;
    }
  }
  function addCoarser(row, c, end, weight) {
    for (let i = c; i < end; i++) {
      const to = target[i - first], value = to >= 0 ? valueAt(row, (i + 0.5) / columns, level - 1) : null;
      for (let plane = 0; value && plane < planes; plane++) {
        if (plane === waits) peak[to] = Math.max(peak[to], value(plane));
        else sums[plane * domain + to] += value(plane) * weight;
      }
    }
  }
  function shade(weight) {
    const shown = classes.map((_, at) => at).filter((at) => !state.hidden.has(at));
    const special = state.mode === "heat" ? state.heat : state.mode === "classes" ? state.only : -1;
    for (let x = 0; x < domain; x++) {
      const all = whole * weight * many[x];
      let colour = 0;
      if (state.mode === "waits") colour = peak[x] && colours.waits[Math.ceil(Math.min(1, peak[x] / whole) * SHADES)];
      else if (all && special >= 0 && sums[special * domain + x] > 0) {
        colour = colours.heat[special][Math.ceil(Math.min(1, sums[special * domain + x] / all) * SHADES)];
      } else if (all && state.mode === "classes") {
        let best = -1, most = 0;
        for (const at of shown) {
          if (sums[at * domain + x] > most) {
            most = sums[at * domain + x];
            best = at;
          }
        }
        if (best >= 0) colour = (special >= 0 ? colours.grey : colours.shades[best])[Math.ceil(Math.min(1, most / all) * SHADES)];
      }
      line[x] = colour;
    }
  }

  let done = "", doneLine = 0;
  const gap = rowHeight >= 24 ? 2 : rowHeight >= 6 ? 1 : 0;
  for (let y = 0; y < height; y++) {
    const a = Math.floor((top + y) / rowHeight + 1e-9), b = Math.max(a + 1, Math.floor((top + y + 1) / rowHeight + 1e-9));
    if (a >= list.length) break;
    if (gap && Math.floor((top + y + gap) / rowHeight + 1e-9) > a) continue;
    if (done === a + "," + b) {
      out.copyWithin(y * width, doneLine * width, (doneLine + 1) * width);
      continue;
    }
    sums.fill(0, 0, domain * planes);
    peak.fill(0, 0, domain);
    let weight = 0;
    for (let at = a; at < Math.min(b, list.length); at++) {
      if (list[at].open && b - a > 1) continue;
      for (const row of list[at].rows) {
        weight += weights[row];
        add(row);
      }
    }
    shade(weight);
    const start = y * width;
    if (wide) for (let x = 0; x < width; x++) out[start + x] = spread[x] >= 0 && spread[x] < count ? line[spread[x]] : 0;
    else for (let x = 0; x < width; x++) out[start + x] = line[x];
    done = a + "," + b;
    doneLine = y;
  }
}

function picture(width, height) {
  const canvas = make("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas;
}
