// Time line that one can zoom. Cells come from compressed tiles in the page: no request is ever made.
//
// element   receives everything
// meta      axis, classes, rows, levels of tiles, critical path, longest waits, exact visits
// blobText  base64 of all tiles, one behind the other
function timeLine(element, meta, blobText) {
  "use strict";
  const classes = meta.classes || [], rows = meta.rows || [], levels = meta.levels || [];
  const length = meta.length || 0, whole = meta.whole || 250, begin = meta.begin || 0;
  const planes = classes.length + (meta.waits ? 1 : 0), waits = meta.waits ? classes.length : -1;
  const path = meta.path || [], events = meta.events || null, least = (events && events.shortest) || 0;
  // A wait ends when its cause comes.
  const marks = (meta.marks || []).map((mark) => ({ ...mark, ticks: mark.ticks || mark.end - mark.begin, cause_time: mark.cause_time === undefined ? mark.end : mark.cause_time }));
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

  const percent = (part) => (part > 0 && part < 0.001 ? "< 0.1 %" : `${(part * 100).toFixed(1)} %`);
  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

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
    path: path.length > 0, marks: marks.length > 0, mark: -1, point: null, box: null, hover: null, fit: true,
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

  // Ticks by plane of some rows in a span of time, from the finest tiles; unpacked one by one, not kept.
  async function addUp(which, from, to, step) {
    const sums = new Float64Array(planes);
    let level = finest;
    const count = (l) => new Set(which.map((row) => Math.floor(row / levels[l].tile_rows))).size
      * Math.ceil((to - from) / length * across[l] + 1);
    while (level > 0 && count(level) > 2048) level--;
    if (from <= 0 && to >= length) {
      const of = (plane) => which.reduce((sum, row) => sum + ((plane === waits ? rows[row].waited : rows[row].ticks[plane]) || 0), 0);
      return { sums: Float64Array.from({ length: planes }, (_, plane) => of(plane)), coarse: false };
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

  // ---- Rows as they are shown ----

  const computation = Math.max(0, classes.findIndex((one) => one.id === "computation"));
  const valueOf = { computation: (row) => rows[row].ticks[computation], waited: (row) => rows[row].waited || 0 };
  const byName = new Intl.Collator("en", { numeric: true });

  function arrange() {
    const order = rows.map((_, at) => at), value = valueOf[state.sort];
    if (value) order.sort((a, b) => value(b) - value(a) || a - b);
    if (state.sort === "name") order.sort((a, b) => byName.compare(rows[a].name, rows[b].name) || a - b);
    if (state.sort === "group") order.sort((a, b) => byName.compare(rows[a].group || "", rows[b].group || "") || a - b);
    const single = (row, inside) => ({ rows: [row], name: rows[row].name, row, inside });
    pinned.items = order.filter((row) => state.pins.has(row)).map((row) => single(row, false));
    const free = order.filter((row) => !state.pins.has(row));
    if (state.grouped) {
      const members = new Map();
      for (const row of free) members.set(rows[row].group || "", [...(members.get(rows[row].group || "") || []), row]);
      let list = [...members];
      const mean = ([, some]) => some.reduce((sum, row) => sum + value(row), 0) / some.length;
      if (value) list.sort((a, b) => mean(b) - mean(a));
      else if (state.sort !== "given") list.sort((a, b) => byName.compare(a[0], b[0]));
      main.items = list.flatMap(([name, some]) => {
        const open = state.open.has(name), head = { rows: some, name: name || "(no name)", group: name, row: -1, open };
        return open ? [head, ...some.map((row) => single(row, true))] : [head];
      });
    } else main.items = free.map((row) => single(row, false));
    place = new Array(rows.length).fill(null);
    for (const list of [main, pinned]) {
      list.items.forEach((item, at) => {
        for (const row of item.rows) if (item.row >= 0 || !place[row]) place[row] = { list, at };
      });
    }
    forget();
    layout();
  }

  // Pictures are drawn anew: order, colours, or mode changed.
  function forget() {
    main.scale = pinned.scale = "";
    snapshot.valid = overview.valid = false;
    overview.stale = true;
    ask();
  }

  function layout() {
    const bounds = stage.getBoundingClientRect();
    if (!bounds.width) return;
    size.ratio = Math.min(printing ? 2 : window.devicePixelRatio || 1, 3);
    size.width = Math.floor(bounds.width);
    size.height = Math.floor(bounds.height);
    const narrow = size.width < 620;
    labelInk.font = FONT;
    const longest = rows.reduce((most, row) => Math.max(most, labelInk.measureText(labelOf(row.name, narrow)).width), 0);
    const heads = state.grouped ? groups.reduce((most, name) => Math.max(most, labelInk.measureText(`▸ ${name} (999)`).width), 0) : 0;
    const narrowest = narrow ? 68 : 84;
    size.labels = Math.ceil(clamp(Math.max(longest + (state.grouped ? 12 : 0), heads) + 30, narrowest, Math.max(narrowest, size.width * 0.26)));
    const before = size.plot;
    size.plot = Math.max(40, size.width - size.labels);
    if (before !== size.plot) view.tpp *= before / size.plot;
    for (const [canvas, width, height] of [[cells, size.plot, size.height], [over, size.width, size.height]]) {
      canvas.width = Math.round(width * size.ratio);
      canvas.height = Math.round(height * size.ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    cells.style.left = `${size.labels}px`;
    map.width = Math.round(size.plot * size.ratio);
    map.height = Math.round(34 * size.ratio);
    map.style.marginLeft = `${size.labels}px`;
    map.style.width = `${size.plot}px`;
    pinned.h = 20;
    pinned.height = Math.min(pinned.items.length * pinned.h, Math.floor((size.height - AXIS) / 2 / pinned.h) * pinned.h);
    main.top = AXIS + pinned.height + (pinned.height ? 4 : 0);
    main.height = Math.max(20, size.height - main.top);
    snapshot.valid = false;
    setView({});
  }

  const fitting = () => {
    const fit = main.height / Math.max(1, main.items.length);
    return fit >= 3 ? Math.min(72, fit) : fit;
  };

  function limited(next) {
    const one = { ...view, ...next };
    const shortest = events ? Math.min(length, 20) : Math.min(length, length / levels[finest].columns * 6);
    one.tpp = clamp(one.tpp, shortest / size.plot, length / size.plot);
    one.t0 = clamp(one.t0, 0, Math.max(0, length - one.tpp * size.plot));
    const fit = fitting();
    if (next.h !== undefined) state.fit = next.h <= fit * 1.001;
    one.h = state.fit ? fit : clamp(one.h, fit, Math.max(fit, TALLEST));
    one.scroll = clamp(one.scroll, 0, Math.max(0, main.items.length * one.h - main.height));
    return one;
  }

  let moved = 0, animation = null;
  const aim = () => (animation ? animation.to : view);
  function setView(next) {
    const to = limited(next);
    if (to.tpp !== view.tpp || to.h !== view.h) {
      snapshot.take();
      moved = performance.now();
    }
    Object.assign(view, to);
    main.h = view.h;
    main.scroll = view.scroll;
    surface.style.touchAction = main.items.length * view.h > main.height + 1 ? "none" : "pan-y";
    ask();
  }

  // Goes to a view in a few steps, at once if motion is not wanted.
  function glide(next) {
    const from = { ...view }, to = limited({ ...aim(), ...next });
    if (calm.matches || document.hidden) return setView(to);
    const start = performance.now(), mine = (animation = { to });
    const mix = (key, part) => from[key] + (to[key] - from[key]) * part;
    (function step() {
      if (animation !== mine) return;
      const part = Math.min(1, (performance.now() - start) / 180), eased = part * (2 - part);
      if (part === 1) {
        animation = null;
        return setView(to);
      }
      const tpp = from.tpp * Math.pow(to.tpp / from.tpp, eased);
      const share = to.tpp === from.tpp ? eased : (tpp - from.tpp) / (to.tpp - from.tpp);
      setView({ t0: mix("t0", share), tpp, h: mix("h", eased), scroll: mix("scroll", eased) });
      requestAnimationFrame(step);
    })();
  }

  const xOf = (t) => size.labels + (t - view.t0) / view.tpp;
  const timeAt = (x) => clamp(view.t0 + (x - size.labels) * view.tpp, 0, length);
  const yIn = (list, at) => list.top + at * list.h - list.scroll;
  const yOf = (row) => (place[row] ? yIn(place[row].list, place[row].at) : -1e4);
  const hOf = (row) => (place[row] ? place[row].list.h : 0);

  function itemAt(y) {
    const list = y < AXIS + pinned.height ? pinned : main;
    const at = Math.floor((y - list.top + list.scroll) / list.h);
    return y >= AXIS && list.items[at] ? { list, at, item: list.items[at] } : null;
  }

  // ---- Colours ----

  function parts(text) {
    const number = parseInt(text.slice(1), 16);
    return [number >> 16, (number >> 8) & 255, number & 255];
  }
  const blend = (a, b, part) => a.map((value, i) => Math.round(value + (b[i] - value) * part));
  const packed = ([red, green, blue]) => (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
  const css = (colour) => `rgb(${colour.join(",")})`;
  // Black or white, the better one to read on a colour.
  function onTop(colour) {
    const [r, g, b] = colour.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : Math.pow((v / 255 + 0.055) / 1.055, 2.4)));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#111" : "#fff";
  }

  function takeColours() {
    const style = getComputedStyle(element), dark = night.matches && !printing;
    const own = (name) => style.getPropertyValue(`--tl-${name}`).trim();
    const paper = parts(own("paper")), grey = parts(own("grey"));
    const ramp = (to, least) => Uint32Array.from({ length: SHADES + 1 },
      (_, i) => (i ? packed(blend(paper, to, least + (1 - least) * i / SHADES)) : packed(paper)));
    const base = classes.map((one) => parts(dark ? one.dark : one.light));
    const strong = dark ? [255, 255, 255] : [0, 0, 0];
    colours = {
      dark, base, paper: css(paper), ink: own("ink"), quiet: own("quiet"), line: own("line"), mark: own("wait"), card: own("card"),
      look: own("look"), shades: base.map((one) => ramp(one, 0.3)), heat: base.map((one) => ramp(blend(one, strong, 0.25), 0.14)),
      waits: ramp(parts(own("wait")), 0.16), grey: ramp(grey, 0.2),
    };
    for (const chip of legend.querySelectorAll("i[data-class]")) chip.style.background = css(base[+chip.dataset.class]);
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
        const to = target[i - first];
        for (let l = level - 1; to >= 0 && l >= 0; l--) {
          const other = levels[l], column = Math.floor((i + 0.5) * other.columns / columns);
          const x = Math.floor(column / other.tile_columns), y = Math.floor(row / other.tile_rows);
          const got = tile(l, y * across[l] + x);
          if (got === undefined || got === "none") continue;
          if (got === "zero") break;
          for (let plane = 0; plane < planes; plane++) {
            const value = got.cells[(plane * got.height + row - y * other.tile_rows) * got.width + column - x * other.tile_columns];
            if (plane === waits) peak[to] = Math.max(peak[to], value);
            else sums[plane * domain + to] += value * weight;
          }
          break;
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

  // ---- Pictures kept: squares of the present scale, the last whole view, and the whole run ----

  const buffer = new ImageData(PIXELS, PIXELS), bufferPixels = new Uint32Array(buffer.data.buffer), spare = [];
  let complete = false;
  const drawn = { t0: 0, perPixel: 1, top: 0, h: 1, paneTop: 0, height: 0 };

  const snapshot = {
    canvas: picture(1, 1), valid: false, was: null,
    take() {
      if (!complete || !cells.width || !drawn.height) return;
      if (this.canvas.width !== cells.width || this.canvas.height !== cells.height) this.canvas = picture(cells.width, cells.height);
      const ink = this.canvas.getContext("2d");
      ink.clearRect(0, 0, cells.width, cells.height);
      ink.drawImage(cells, 0, 0);
      this.was = { ...drawn };
      this.valid = true;
      complete = false;
    },
  };

  const overview = {
    canvas: picture(1, 1), valid: false, stale: true, last: -1e9,
    refresh(now) {
      const have = coarseLoads;
      if (!this.stale && have === this.have) return false;
      if (now - this.last < 200 && have < coarseRest) return true;
      const width = Math.min(map.width, 1600), height = Math.min(main.items.length, map.height * 4);
      if (!width || !height) return false;
      this.canvas = picture(width, height);
      const image = new ImageData(width, height);
      paint(main.items, 0, length / width, width, 0, height / main.items.length, height, new Uint32Array(image.data.buffer), new Set());
      this.canvas.getContext("2d").putImageData(image, 0, 0);
      Object.assign(this, { have, stale: false, valid: true, last: now });
      return false;
    },
  };

  // Draws what is known of the run scaled, until the squares of this scale are painted.
  function drawRough(ink, X0, Y0, perPixel, h) {
    const width = cells.width, height = Math.round(main.height * size.ratio);
    const from = (was, canvas, sourceTop, y0, y1) => {
      const t0 = Math.max(X0 * perPixel, was.t0), t1 = Math.min((X0 + width) * perPixel, was.t1);
      const r0 = Math.max(Y0 / h, y0), r1 = Math.min((Y0 + height) / h, y1);
      if (t1 <= t0 || r1 <= r0) return;
      const sx = (t0 - was.t0) / was.perPixel, sy = sourceTop + (r0 - y0) * was.h;
      const x = t0 / perPixel - X0, y = r0 * h - Y0 + main.top * size.ratio;
      ink.clearRect(x, y, (t1 - t0) / perPixel, (r1 - r0) * h);
      ink.drawImage(canvas, sx, sy, Math.max(0.01, (t1 - t0) / was.perPixel), Math.max(0.01, (r1 - r0) * was.h), x, y, (t1 - t0) / perPixel, (r1 - r0) * h);
    };
    if (overview.valid) {
      const o = overview.canvas;
      from({ t0: 0, t1: length, perPixel: length / o.width, h: o.height / main.items.length }, o, 0, 0, main.items.length);
    }
    if (snapshot.valid) {
      const was = snapshot.was, t1 = was.t0 + snapshot.canvas.width * was.perPixel;
      from({ ...was, t1 }, snapshot.canvas, was.paneTop, was.top / was.h, (was.top + was.height) / was.h);
    }
  }

  function drawPane(ink, list, deadline) {
    if (!list.items.length || list.height <= 0) return true;
    const perPixel = view.tpp / size.ratio, h = list.h * size.ratio;
    const X0 = Math.round(view.t0 / perPixel), Y0 = Math.round(list.scroll * size.ratio);
    const top = Math.round(list.top * size.ratio), width = cells.width, height = Math.round(list.height * size.ratio);
    const scale = `${perPixel} ${h}`;
    if (list.scale !== scale) {
      for (const one of list.pictures.values()) if (spare.length < 300) spare.push(one.canvas);
      list.pictures.clear();
      list.scale = scale;
    }
    ink.save();
    ink.beginPath();
    ink.rect(0, top, width, height);
    ink.clip();
    const lowest = Math.ceil(list.items.length * h), rightmost = Math.ceil(length / perPixel), squares = [];
    for (let ky = Math.floor(Y0 / PIXELS); ky * PIXELS < Math.min(lowest, Y0 + height); ky++) {
      for (let kx = Math.floor(X0 / PIXELS); kx * PIXELS < Math.min(rightmost, X0 + width); kx++) {
        squares.push({ kx, ky, key: kx * 65536 + ky });
      }
    }
    // Painted anew when all that it lacked has come, or some of it a while ago.
    const now = performance.now();
    const fresh = (one) => one && !(one.missing.size && [...one.missing][now - one.since > 200 ? "some" : "every"]((key) => stored.has(key)));
    let rest = squares.filter(({ key }) => !fresh(list.pictures.get(key)));
    if (list === main && squares.some(({ key }) => !list.pictures.has(key))) drawRough(ink, X0, Y0, perPixel, h);
    const put = (square) => {
      const one = list.pictures.get(square.key);
      if (!one) return;
      one.used = frameNumber;
      const x = square.kx * PIXELS - X0, y = square.ky * PIXELS - Y0 + top;
      ink.clearRect(x, y, PIXELS, PIXELS);
      ink.drawImage(one.canvas, x, y);
    };
    squares.forEach(put);
    const middle = (square) => Math.abs((square.kx + 0.5) * PIXELS - X0 - width / 2) + Math.abs((square.ky + 0.5) * PIXELS - Y0 - height / 2);
    rest.sort((a, b) => middle(a) - middle(b));
    while (rest.length && performance.now() < deadline) {
      const square = rest.shift(), missing = new Set();
      paint(list.items, square.kx * PIXELS * perPixel, perPixel, PIXELS, square.ky * PIXELS, h, PIXELS, bufferPixels, missing);
      const old = list.pictures.get(square.key), canvas = old ? old.canvas : spare.pop() || picture(PIXELS, PIXELS);
      canvas.getContext("2d").putImageData(buffer, 0, 0);
      list.pictures.set(square.key, { canvas, missing, used: frameNumber, since: now });
      put(square);
    }
    for (const { key } of squares) for (const one of (list.pictures.get(key) || { missing: [] }).missing) wanted.add(one);
    if (list.pictures.size > PICTURES) {
      for (const [key, one] of list.pictures) if (one.used < frameNumber - 60) list.pictures.delete(key);
    }
    if (!rest.length) drawBoxes(ink, list);
    ink.restore();
    if (list === main) Object.assign(drawn, { t0: X0 * perPixel, perPixel, top: Y0, h, paneTop: top, height });
    return !rest.length;
  }

  // ---- Exact visits, as nested boxes ----

  let nested = false;
  const visitsOf = new Map(), windows = [];
  for (const [from, to] of events ? [...events.windows].sort((a, b) => a[0] - b[0]) : []) {
    const last = windows[windows.length - 1];
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else windows.push([from, to]);
  }
  function visits(row) {
    if (!visitsOf.has(row)) {
      const list = (events && events.rows[row]) || null;
      let most = 0, deepest = 0, lanes = weights[row];
      const ends = list && Float64Array.from(list, ([lane, , end, depth]) => {
        deepest = Math.max(deepest, depth);
        lanes = Math.max(lanes, lane + 1);
        return (most = Math.max(most, end));
      });
      visitsOf.set(row, list && { list, ends, layers: deepest + 1, lanes: rows[row].count > 1 ? 1 : lanes });
    }
    return visitsOf.get(row);
  }

  const known = windows.length === 1 && windows[0][0] <= 0 && windows[0][1] >= length;

  // The first visit that can reach into what follows `t`.
  function firstVisit(of, t) {
    let low = 0, high = of.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (of.ends[middle] > t) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // The first visit that begins at `t` or later.
  function firstFrom(of, t) {
    let low = 0, high = of.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (of.list[middle][1] >= t) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function drawBoxes(ink, list) {
    const h = list.h, to = view.t0 + view.tpp * size.plot;
    if (!events || state.mode !== "classes" || h < 9) return;
    // Windows must be wide; short visits that are left out must not make the whole run look empty.
    const seen = windows.filter(([a, b]) => b > view.t0 && a < to && (b - a) / view.tpp > 240);
    if (!seen.length || (least && to - view.t0 > length * 0.34)) return;
    const first = Math.max(0, Math.floor(list.scroll / h)), last = Math.min(list.items.length, Math.ceil((list.scroll + list.height) / h));
    ink.save();
    ink.scale(size.ratio, size.ratio);
    ink.font = SMALL;
    ink.textBaseline = "middle";
    for (let at = first; at < last; at++) {
      const item = list.items[at], of = item.row >= 0 && visits(item.row);
      if (!of) continue;
      const y = Math.round(yIn(list, at)), lane = (h - (h >= 24 ? 2 : 1)) / of.lanes, full = lane - (least ? Math.max(12, lane * 0.3) : 0);
      // Cells stay in sight below the boxes if short visits are left out.
      const layers = clamp(Math.floor(full / 13), 1, of.layers), layer = Math.min(full / layers, least ? 20 : lane);
      if (full < 12 && least) continue;
      if ((firstFrom(of, to) - firstVisit(of, view.t0)) / of.lanes > size.plot / 4) continue;
      for (const [a, b] of seen) {
        const from = Math.max(a, view.t0), until = Math.min(b, to), start = firstVisit(of, from), stop = firstFrom(of, until);
        nested = true;
        if (layers > 1 && !least) {
          ink.fillStyle = colours.card;
          ink.fillRect((from - view.t0) / view.tpp, y, (until - from) / view.tpp, lane * of.lanes);
        }
        for (let i = start; i < stop; i++) {
          const [track, enter, leave, depth, name] = of.list[i];
          if (leave <= from) continue;
          const x = (Math.max(enter, from) - view.t0) / view.tpp, width = (Math.min(leave, until) - view.t0) / view.tpp - x;
          const kind = events.classes[name], faint = kind < 0 || state.hidden.has(kind) || (state.only >= 0 && kind !== state.only);
          const base = faint ? parts(colours.dark ? "#4a4e56" : "#d3d6db") : colours.base[kind];
          const colour = blend(base, [255, 255, 255], faint || layers === 1 ? 0 : (depth % 3) * 0.1);
          const up = y + track * lane + Math.min(depth, layers - 1) * layer;
          ink.fillStyle = css(colour);
          ink.fillRect(x, up, Math.max(0.6, width), layer);
          if (width > 3) {
            ink.fillStyle = colours.paper;
            ink.fillRect(x + width - 0.75, up, 0.75, layer);
            if (layers > 1) ink.fillRect(x, up + layer - 0.75, width, 0.75);
          }
          // A box below others shows its name only where no visit inside of it covers it.
          const covered = depth >= layers - 1 && i + 1 < stop && of.list[i + 1][3] > depth && of.list[i + 1][0] === track;
          if (width > 26 && layer >= 10 && !covered) {
            const label = cut(short(events.names[name]), width - 7, 6.1);
            ink.fillStyle = onTop(colour);
            if (label) ink.fillText(label, x + 3.5, up + layer / 2 + 0.5);
          }
        }
      }
    }
    ink.restore();
  }

  function cut(text, width, letter) {
    const most = Math.floor(width / letter);
    return text.length <= most ? text : most < 3 ? "" : `${text.slice(0, most - 1)}…`;
  }

  // Visits that are open in a lane, or in the first one that has any.
  function stackAt(row, t, lane) {
    const of = visits(row);
    if (!of || !windows.some(([a, b]) => t >= a && t <= b)) return null;
    const found = [];
    for (let i = firstVisit(of, t); i < of.list.length && of.list[i][1] <= t; i++) if (of.list[i][2] > t) found.push(of.list[i]);
    const used = found.some((one) => one[0] === lane) ? lane : Math.min(...found.map((one) => one[0]));
    return found.filter((one) => one[0] === used).sort((a, b) => a[3] - b[3]);
  }

  // ---- Axis, labels, and what lies over the cells ----

  const FONT = '12.5px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif', SMALL = FONT.replace("12.5", "11");

  function labelOf(name, narrow) {
    return narrow && prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name;
  }

  function fitted(ink, text, width) {
    if (ink.measureText(text).width <= width) return text;
    let keep = text.length;
    while (keep > 2 && ink.measureText(`${text.slice(0, Math.ceil(keep / 2))}…${text.slice(-Math.floor(keep / 2))}`).width > width) keep--;
    return `${text.slice(0, Math.ceil(keep / 2))}…${text.slice(-Math.floor(keep / 2))}`;
  }

  function roundStep(seconds) {
    if (seconds > 10) for (const step of [20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400]) if (step >= seconds) return step;
    const power = Math.pow(10, Math.floor(Math.log10(seconds)));
    return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= seconds * 0.999);
  }

  function drawAxis(ink) {
    const start = (view.t0 + begin) / meta.resolution, perPixel = view.tpp / meta.resolution, end = start + perPixel * size.plot;
    let free = size.labels;
    const step = roundStep(perPixel * (size.plot < 500 ? 64 : 104));
    let [unit, name] = unitOf(Math.max(Math.abs(end), Math.abs(start))), origin = 0;
    let digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-6));
    if (step % 60 === 0) [unit, name] = [60, "min"];
    if (digits > 3) {
      const big = Math.pow(10, Math.ceil(Math.log10(perPixel * size.plot)));
      origin = Math.floor(start / big + 1e-9) * big;
      const shown = `${(origin / unit).toFixed(Math.max(0, Math.round(-Math.log10(big / unit))))} ${name} +`;
      const wide = ink.measureText(shown).width;
      ink.fillStyle = colours.quiet;
      ink.textAlign = "left";
      ink.fillText(shown, Math.max(2, size.labels - 6 - wide), 11);
      free = Math.max(size.labels, wide + 12);
      [unit, name] = unitOf(end - origin);
      digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-6));
    } else if (prefix && size.width < 620) {
      ink.fillStyle = colours.quiet;
      ink.textAlign = "left";
      ink.font = SMALL;
      if (ink.measureText(prefix.trim()).width < size.labels - 10) ink.fillText(prefix.trim(), 4, 11);
      ink.font = FONT;
    }
    ink.strokeStyle = colours.line;
    ink.lineWidth = 1;
    for (let i = Math.ceil((start - origin) / step - 1e-9); origin + i * step <= end + step * 1e-6; i++) {
      const x = size.labels + (origin + i * step - start) / perPixel, text = `${origin ? "+" : ""}${(i * step / unit).toFixed(digits)} ${name}`;
      const half = ink.measureText(text).width / 2;
      ink.beginPath();
      ink.moveTo(Math.round(x) + 0.5, 19);
      ink.lineTo(Math.round(x) + 0.5, AXIS - 1);
      ink.stroke();
      const left = clamp(x - half, size.labels, size.width - half * 2 - 1);
      if (x > size.width - 4 || left < free) continue;
      ink.textAlign = "left";
      ink.fillStyle = colours.ink;
      ink.fillText(text, left, 11);
    }
    if (events && !known) {
      ink.fillStyle = colours.look;
      for (const [a, b] of windows) {
        const x = Math.max(size.labels, xOf(a)), width = Math.max(2, Math.min(size.width, xOf(b)) - x);
        if (x < size.width && xOf(b) > size.labels) ink.fillRect(x, AXIS - 4, width, 3);
      }
    }
  }

  function drawLabels(ink, list) {
    const narrow = size.width < 620, { items } = list;
    ink.save();
    ink.beginPath();
    ink.rect(0, list.top, size.labels, list.height);
    ink.clip();
    ink.textAlign = "left";
    const write = (at, strong) => {
      const item = items[at];
      const tag = item.group !== undefined ? `${item.open ? "▾" : "▸"} ${item.name} (${item.rows.length})` : labelOf(item.name, narrow);
      ink.fillStyle = strong || item.group !== undefined || list === pinned ? colours.ink : colours.quiet;
      const left = item.group !== undefined ? 6 : item.inside ? 30 : 20;
      ink.fillText(fitted(ink, tag, size.labels - left - 8), left, middle(at));
    };
    const looked = state.hover && itemAt(state.hover.y), strong = new Set();
    if (state.point && items.includes(state.point.item)) strong.add(items.indexOf(state.point.item));
    if (looked && looked.list === list) strong.add(looked.at);
    if (state.open.size) items.forEach((item, at) => item.open && strong.add(at));
    const middle = (at) => clamp(yIn(list, at) + list.h / 2, list.top + 8, list.top + list.height - 8);
    let every = 1, last = -99;
    while (every * list.h < 15) every *= 2;
    for (let at = Math.max(0, Math.floor(list.scroll / list.h)); at < Math.min(items.length, Math.ceil((list.scroll + list.height) / list.h)); at++) {
      const y = middle(at);
      if (at % every || y < last + 13 || [...strong].some((one) => Math.abs(middle(one) - y) < 14)) continue;
      write(at, false);
      last = y;
    }
    for (const at of strong) {
      ink.fillStyle = colours.card;
      ink.fillRect(0, middle(at) - 9, size.labels - 2, 18);
      write(at, true);
      if (items[at].row >= 0 && list === main) drawPin(ink, 10, middle(at), false);
    }
    if (list === pinned) items.forEach((_, at) => drawPin(ink, 10, yIn(list, at) + list.h / 2, true));
    ink.restore();
  }

  function drawPin(ink, x, y, full) {
    ink.beginPath();
    ink.arc(x, y - 2.5, 3.5, 0, 7);
    ink.moveTo(x, y + 1);
    ink.lineTo(x, y + 7);
    ink.strokeStyle = ink.fillStyle = colours.look;
    ink.lineWidth = 1.5;
    ink.stroke();
    if (full) ink.fill();
  }

  function inPlot(ink, list, draw) {
    ink.save();
    ink.beginPath();
    ink.rect(size.labels, list ? list.top : AXIS, size.plot, list ? list.height : size.height - AXIS);
    ink.clip();
    draw();
    ink.restore();
  }

  function drawPath(ink) {
    const to = view.t0 + view.tpp * size.plot;
    // Latest first: skips what is later than the view.
    let low = 0, high = path.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (path[middle][1] > to) low = middle + 1;
      else high = middle;
    }
    // Below the names of nested boxes.
    const middle = (row) => yOf(row) + (nested && hOf(row) >= 9 ? hOf(row) - 2.5 : hOf(row) / 2);
    // Many sections in one pixel column: a line over the rows that they touch.
    let column = null, first = 0, least = 0, most = 0, last = 0, started = false;
    const point = (x, y) => (started ? ink.lineTo(x, y) : ink.moveTo(x, y), started = true);
    const flush = () => {
      if (column !== null && most - least > 0.3) for (const y of [first, least, most, last]) point(column, y);
      else if (column !== null) point(column, last);
    };
    const add = (x, y) => {
      const at = Math.round(x * 2) / 2;
      if (at !== column) {
        flush();
        [column, first, least, most] = [at, y, y, y];
      } else [least, most] = [Math.min(least, y), Math.max(most, y)];
      last = y;
    };
    ink.beginPath();
    for (let i = Math.max(0, low - 1); i < path.length; i++) {
      const [row, enter, leave] = path[i], y = middle(row);
      add(clamp(xOf(leave), -10, size.width + 10), y);
      add(clamp(xOf(enter), -10, size.width + 10), y);
      if (leave < view.t0) break;
    }
    flush();
    ink.lineJoin = "round";
    for (const [width, style] of [[4.5, colours.paper], [2, colours.ink]]) {
      ink.lineWidth = width;
      ink.strokeStyle = style;
      ink.stroke();
    }
  }

  function markBox(mark) {
    const h = hOf(mark.row), tall = Math.max(h - 1, 5), x = xOf(mark.begin);
    return [x, yOf(mark.row) + h / 2 - tall / 2, Math.max(5, xOf(mark.end) - x), tall];
  }

  // The longest waits of the view: all of them would hide the rest.
  function shownMarks() {
    const to = view.t0 + view.tpp * size.plot;
    return marks.filter((mark) => mark.end > view.t0 && mark.begin < to).slice(0, 40);
  }

  function drawMark(ink, mark, strong) {
    const [x, y, width, height] = markBox(mark);
    if (x > size.width || x + width < size.labels) return;
    const rounds = strong ? [[5, colours.paper], [2.5, colours.mark]] : height < 12 && !colours.dark ? [[1.25, colours.mark]] : [[3, colours.paper], [1.25, colours.mark]];
    const cause = mark.cause_row;
    for (const [line, style] of rounds) {
      ink.lineWidth = line;
      ink.strokeStyle = ink.fillStyle = style;
      ink.strokeRect(x, y, width, height);
      if (cause === null || cause === undefined || !place[cause] || (!strong && line > 2)) continue;
      const x0 = xOf(mark.cause_time), y0 = yOf(cause) + hOf(cause) / 2, x1 = x + width, y1 = y0 < y ? y : y0 > y + height ? y + height : y + height / 2;
      const turn = Math.atan2(y1 - y0, x1 - x0), head = strong ? 9 : 6;
      ink.globalAlpha = strong ? 1 : 0.7;
      ink.beginPath();
      ink.moveTo(x0, y0);
      ink.lineTo(x1 - Math.cos(turn) * head * 0.6, y1 - Math.sin(turn) * head * 0.6);
      ink.stroke();
      ink.beginPath();
      ink.moveTo(x1, y1);
      for (const side of [-0.42, 0.42]) ink.lineTo(x1 - Math.cos(turn + side) * head, y1 - Math.sin(turn + side) * head);
      ink.fill();
      ink.beginPath();
      ink.arc(x0, y0, strong ? 3 : 2, 0, 7);
      ink.fill();
      ink.globalAlpha = 1;
    }
  }

  function drawOver() {
    const ink = labelInk;
    ink.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    ink.clearRect(0, 0, size.width, size.height);
    ink.font = FONT;
    ink.textBaseline = "middle";
    drawAxis(ink);
    drawLabels(ink, main);
    if (pinned.height) drawLabels(ink, pinned);
    ink.fillStyle = colours.line;
    ink.fillRect(size.labels, AXIS - 1, size.plot, 1);
    if (pinned.height) ink.fillRect(0, main.top - 2.5, size.width, 1);
    if (state.path) for (const list of pinned.height ? [main, pinned] : [main]) inPlot(ink, list, () => drawPath(ink));
    if (state.marks) {
      const there = (mark) => (place[mark.row] || {}).list;
      for (const list of [main, pinned]) inPlot(ink, list, () => {
        for (const mark of shownMarks()) if (mark !== marks[state.mark] && there(mark) === list) drawMark(ink, mark, false);
      });
    }
    if (state.mark >= 0) inPlot(ink, null, () => drawMark(ink, marks[state.mark], true));
    const { box, point, hover } = state;
    if (box) inPlot(ink, null, () => {
      const x = xOf(box.from), y = yIn(box.list, box.first), wide = xOf(box.to) - x, tall = (box.last - box.first + 1) * box.list.h;
      ink.fillStyle = colours.look;
      ink.globalAlpha = 0.14;
      ink.fillRect(x, y, wide, tall);
      ink.globalAlpha = 1;
      ink.strokeStyle = colours.look;
      ink.lineWidth = 2;
      ink.strokeRect(x, y, wide, tall);
    });
    if (point) inPlot(ink, null, () => {
      const at = point.list.items.indexOf(point.item), y = yIn(point.list, at), x = xOf(point.t);
      for (const [width, style] of [[4, colours.paper], [2, colours.look]]) {
        ink.lineWidth = width;
        ink.strokeStyle = style;
        ink.strokeRect(x - 5, y + point.list.h / 2 - 5, 10, 10);
      }
    });
    if (hover && hover.x >= size.labels && !printing) {
      ink.fillStyle = colours.ink;
      ink.globalAlpha = 0.5;
      ink.fillRect(Math.round(hover.x), AXIS, 1, size.height - AXIS);
      ink.globalAlpha = 1;
      const text = spellAt(timeAt(hover.x)), width = ink.measureText(text).width + 12;
      const x = clamp(hover.x - width / 2, size.labels, size.width - width);
      ink.fillStyle = colours.ink;
      ink.fillRect(x, 1, width, 19);
      ink.fillStyle = colours.paper;
      ink.textAlign = "left";
      ink.fillText(text, x + 6, 11);
    }
  }

  function drawMap() {
    const ink = map.getContext("2d"), { width, height } = map;
    ink.clearRect(0, 0, width, height);
    ink.imageSmoothingEnabled = true;
    if (overview.canvas.width > 1) ink.drawImage(overview.canvas, 0, 0, width, height);
    const x = view.t0 / length * width, wide = Math.max(4, view.tpp * size.plot / length * width);
    const tall = main.items.length * view.h, y = view.scroll / tall * height, high = Math.max(4, Math.min(1, main.height / tall) * height);
    ink.fillStyle = colours.paper;
    ink.globalAlpha = 0.62;
    ink.fillRect(0, 0, x, height);
    ink.fillRect(x + wide, 0, width - x - wide, height);
    ink.fillRect(x, 0, wide, y);
    ink.fillRect(x, y + high, wide, height - y - high);
    ink.globalAlpha = 1;
    ink.strokeStyle = colours.look;
    ink.lineWidth = 2 * size.ratio;
    ink.strokeRect(x + size.ratio, y + size.ratio, Math.max(1, wide - 2 * size.ratio), Math.max(1, high - 2 * size.ratio));
  }

  // ---- One frame ----

  let asked = false, printing = false;
  function ask() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(frame);
  }

  function frame(now) {
    asked = false;
    if (!size.width || !element.isConnected) return;
    frameNumber++;
    wanted = new Set();
    const ink = cells.getContext("2d"), start = performance.now();
    // While the scale changes, a scaled picture is enough.
    const changing = (animation || start - moved < 90) && snapshot.valid && !printing;
    const deadline = start + (printing ? 1e9 : changing ? 0 : snapshot.valid || overview.valid ? 11 : 60);
    ink.clearRect(0, 0, cells.width, cells.height);
    nested = nested && changing;
    const all = [drawPane(ink, pinned, changing ? start + 4 : deadline), drawPane(ink, main, deadline)];
    complete = all[0] && all[1];
    drawOver();
    const later = complete && !printing ? overview.refresh(now) : true;
    drawMap();
    evict();
    pump();
    describeView();
    if (!complete || (later && loading.size)) ask();
    if (complete && !wanted.size && !element.dataset.ready) element.dataset.ready = Math.round(performance.now());
  }

  // ---- Words on the view and on what is chosen ----

  let lastWords = "";
  function describeView() {
    const shown = Math.min(main.items.length, Math.ceil(main.height / view.h)), cell = length / levels[finest].columns;
    const span = view.tpp * size.plot > length * 0.9999 ? `All ${spell(length)} · ` : `${spellAt(view.t0)} to ${spellAt(view.t0 + view.tpp * size.plot)}: ${spell(view.tpp * size.plot)} of ${spell(length)} · `;
    const words = `${span}${shown < main.items.length ? `${shown} of ` : ""}${plural(main.items.length, state.grouped ? "line" : "row")} · finest column ${spell(cell)}`;
    const under = state.hover && itemAt(state.hover.y), t = state.hover ? timeAt(state.hover.x) : 0;
    let about = "";
    if (under && state.hover.x < size.labels) about = `${under.item.name}: ${under.item.row < 0 ? "click opens or closes it" : "click for its sums, on the pin to keep it on top"}`;
    else if (under) about = `${under.item.name} · ${spellAt(t)} · ${composition(under.item, t)}`;
    if (words + about === lastWords) return;
    lastWords = words + about;
    viewLine.textContent = words;
    hoverLine.textContent = about;
    stage.setAttribute("aria-label", `Time line of ${meta.title}: ${words}`);
  }

  // The largest classes of one cell, from tiles that are loaded; the exact visit where it is known.
  function composition(item, t) {
    if (item.row >= 0) {
      const stack = stackAt(item.row, t, -1);
      if (stack && stack.length) return short(events.names[stack[stack.length - 1][4]]);
    }
    const sums = new Float64Array(planes);
    let all = 0;
    for (const row of item.rows) {
      for (let l = finest; l >= 0; l--) {
        const { columns, tile_rows, tile_columns } = levels[l], c = Math.min(columns - 1, Math.floor(t / length * columns));
        const y = Math.floor(row / tile_rows), x = Math.floor(c / tile_columns), got = tile(l, y * across[l] + x);
        if (got === undefined || got === "none") continue;
        all += whole * weights[row];
        if (got === "zero") break;
        for (let plane = 0; plane < planes; plane++) {
          sums[plane] += got.cells[(plane * got.height + row - y * tile_rows) * got.width + c - x * tile_columns] * weights[row];
        }
        break;
      }
    }
    const named = classes.map((one, at) => [sums[at] / all, one.name]).filter(([part]) => part > 0.0005).sort((a, b) => b[0] - a[0]);
    return named.slice(0, 3).map(([part, name]) => `${name} ${percent(part)}`).join(", ") || "nothing recorded";
  }

  function tell(text) {
    said.textContent = text;
  }

  const button = (text, act, more) => make("button", { type: "button", class: "tl-button", onclick: act, ...more }, text);

  function table(sums, all, heading) {
    const line = (at, name, ticks) => make("tr", null,
      make("th", { scope: "row" }, at >= 0 ? make("i", { "data-class": at, style: `background:${css(colours.base[at])}` }) : "", name),
      make("td", null, spell(ticks)),
      make("td", null, make("span", { class: "tl-share", style: `--part:${clamp(ticks / all, 0, 1)}` }, percent(ticks / all))));
    const body = make("tbody");
    classes.map((one, at) => [sums[at], at]).filter(([ticks]) => ticks > 0).sort((a, b) => b[0] - a[0])
      .forEach(([ticks, at]) => body.append(line(at, classes[at].name, ticks)));
    if (waits >= 0 && sums[waits] > 0) body.append(line(-1, "Of it: waited for others", sums[waits]));
    return make("table", { class: "tl-table" }, make("caption", null, heading), body);
  }

  let job = 0;
  function choose(title, ...inside) {
    job++;
    chosen.replaceChildren(make("h3", null, title), ...inside.filter(Boolean));
    side.scrollTop = 0;
    notice.textContent = damaged;
    showMark();
    tell([title, ...[...chosen.querySelectorAll("p:not(.tl-row)")].map((one) => one.textContent)].join(". "));
    ask();
    return job;
  }

  function clear() {
    Object.assign(state, { point: null, box: null, mark: -1 });
    choose("Nothing chosen", make("p", null, "Click the picture for what happens there. Drag with Shift, or while Select is on, to sum up a rectangle."));
  }

  const about = (item) => (item.row < 0 ? plural(item.rows.length, meta.row_is === "thread" ? "thread" : "row")
    : [rows[item.row].group, rows[item.row].count > 1 ? plural(rows[item.row].count, "process").replace("processs", "processes") : "",
      rows[item.row].threads > 1 ? plural(rows[item.row].threads, "thread") : ""].filter(Boolean).join(" · "));

  function buttonsOf(item) {
    if (item.row < 0) return make("p", { class: "tl-row" }, button(item.open ? "Close" : "Open", () => toggleGroup(item.group)));
    return make("p", { class: "tl-row" }, button(state.pins.has(item.row) ? "Unpin row" : "Pin row", () => togglePin(item.row)),
      button("Sums of the row", () => showRow(item)));
  }

  function showRow(item) {
    const sums = classes.map((_, at) => item.rows.reduce((sum, row) => sum + (rows[row].ticks[at] || 0), 0));
    const all = item.rows.reduce((sum, row) => sum + weights[row], 0) * length;
    if (waits >= 0) sums.push(item.rows.reduce((sum, row) => sum + (rows[row].waited || 0), 0));
    state.mark = -1;
    choose(item.name, about(item) ? make("p", null, about(item)) : null, table(sums, all, "Whole run"), buttonsOf(item));
  }

  // Tells what is at a point: cell, exact visits, and the nearest of the long waits.
  async function inspect(list, item, t, lane) {
    Object.assign(state, { point: { list, item, t }, box: null, mark: -1 });
    const column = Math.min(levels[finest].columns - 1, Math.floor(t / length * levels[finest].columns)), cell = length / levels[finest].columns;
    const inside = [make("p", null, `${[about(item), spellAt(t)].filter(Boolean).join(" · ")}`)];
    const stack = item.row >= 0 && events ? stackAt(item.row, t, lane) : null;
    if (stack && stack.length) {
      const [, enter, leave, , name] = stack[stack.length - 1];
      inside.push(make("p", null, make("b", null, short(events.names[name])), ` for ${spell(leave - enter)}, from ${spellAt(enter, (leave - enter) / 100)}`),
        make("ol", { class: "tl-stack" }, ...stack.map((one) => make("li", { title: events.names[one[4]] }, make("code", null, short(events.names[one[4]])), ` ${spell(one[2] - one[1])}`))),
        make("p", { class: "tl-row" }, button("Zoom to it", () => goTo(enter, leave, [item.row], 60))));
    } else if (events && item.row >= 0) {
      inside.push(make("p", { class: "tl-quiet" }, stack ? (least ? `No call of at least ${spell(least)} is open here.` : "No region is open here.") : "Exact calls are kept only where the axis has a bar."));
    }
    const where = make("div");
    const near = marks.map((mark, at) => [item.rows.includes(mark.row) ? Math.max(0, mark.begin - t, t - mark.end) : Infinity, at]).sort((a, b) => a[0] - b[0])[0];
    if (near && near[0] < Infinity) {
      const mark = marks[near[1]];
      where.append(make("p", null, `Nearest long wait: ${mark.name}, ${spell(mark.ticks)}, ${near[0] ? `${spell(near[0])} ${mark.begin > t ? "later" : "earlier"}` : "here"} `),
        make("p", { class: "tl-row" }, button("Show this wait", () => goMark(near[1]))));
    }
    const sums = make("div", { class: "tl-sums" });
    const mine = choose(item.name, ...inside, sums, where, buttonsOf(item));
    const got = await addUp(item.rows, column * cell, (column + 1) * cell);
    if (mine !== job) return;
    const all = cell * item.rows.reduce((sum, row) => sum + weights[row], 0);
    sums.replaceChildren(table(got.sums, all, `Column of ${spell(cell)}`));
    said.textContent += ` ${composition(item, t)}`;
  }

  async function sumBox(box) {
    Object.assign(state, { box, point: null, mark: -1 });
    const items = box.list.items.slice(box.first, box.last + 1), which = [...new Set(items.flatMap((item) => item.rows))];
    const all = (box.to - box.from) * which.reduce((sum, row) => sum + weights[row], 0), sums = make("div", { class: "tl-sums" }, make("p", null, "Adding up …"));
    const names = items.length > 1 ? `${items[0].name} to ${items[items.length - 1].name}` : items[0].name;
    const mine = choose(plural(which.length, "row"), make("p", null, names), make("p", null, `${spellAt(box.from)} to ${spellAt(box.to)}: ${spell(box.to - box.from)}`), sums,
      make("p", { class: "tl-row" }, button("Zoom to it", () => goBox(box)), button("Clear", clear)));
    const got = await addUp(which, box.from, box.to, (part) => {
      if (mine === job) sums.replaceChildren(make("p", null, `Adding up … ${Math.round(part * 100)} %`));
      return mine === job;
    });
    if (mine !== job) return;
    sums.replaceChildren(table(got.sums, all, got.coarse ? "Time of all these rows, rounded" : "Time of all these rows"));
    const top = classes.map((one, at) => [got.sums[at], one.name]).sort((a, b) => b[0] - a[0]).slice(0, 3);
    tell(`${plural(which.length, "row")}, ${spell(box.to - box.from)}: ${top.map(([ticks, name]) => `${name} ${percent(ticks / all)}`).join(", ")}`);
  }

  function listMarks() {
    if (!marks.length) return;
    const list = make("ol", { class: "tl-marks" });
    marks.forEach((mark, at) => list.append(make("li", null, make("button", { type: "button", "data-at": at, onclick: () => goMark(at) },
      make("b", null, spell(mark.ticks)), ` ${mark.name}`, make("span", null, rows[mark.row].name)))));
    waitList.replaceChildren(make("h3", null, "Longest waits"), list);
  }

  function showMark() {
    for (const one of waitList.querySelectorAll("button")) {
      const now = +one.dataset.at === state.mark;
      one.tabIndex = +one.dataset.at === Math.max(0, state.mark) ? 0 : -1;
      if (!now) one.removeAttribute("aria-current");
      else if (one.getAttribute("aria-current") !== "true") {
        one.setAttribute("aria-current", "true");
        if (side.scrollHeight <= side.clientHeight) waitList.scrollTop = one.offsetTop - waitList.clientHeight / 2;
      }
    }
  }

  function goMark(at) {
    const mark = marks[at];
    Object.assign(state, { mark: at, point: null, box: null });
    const caused = mark.cause_row !== null && mark.cause_row !== undefined && rows[mark.cause_row];
    goTo(caused ? Math.min(mark.begin, mark.cause_time) : mark.begin, caused ? Math.max(mark.end, mark.cause_time) : mark.end, [mark.row], 26);
    choose(`${mark.name}: ${spell(mark.ticks)}`, make("p", null, `${rows[mark.row].name}, call from ${spellAt(mark.begin, (mark.end - mark.begin) / 100)} to ${spellAt(mark.end, (mark.end - mark.begin) / 100)}`),
      mark.at ? make("p", null, "in ", make("code", { title: mark.at }, shortPath(mark.at))) : null,
      caused ? make("p", null, `because of ${mark.cause || rows[mark.cause_row].name}`, mark.cause_at ? ", in " : "", mark.cause_at ? make("code", { title: mark.cause_at }, shortPath(mark.cause_at)) : "") : null,
      make("p", { class: "tl-row" }, caused ? button("Show the cause", () => goTo(mark.cause_time - (mark.end - mark.begin), mark.cause_time, [mark.cause_row], 26)) : "",
        button("Previous", () => goMark((at + marks.length - 1) % marks.length)), button("Next", () => goMark((at + 1) % marks.length))));
  }

  // ---- Moves ----

  function goTo(from, to, which, least) {
    const row = which[0], group = rows[row].group || "";
    if (state.grouped && !state.open.has(group) && !state.pins.has(row)) {
      state.open.add(group);
      arrange();
    }
    const margin = Math.max((to - from) * 0.35, view.tpp * 1e-6, 1), h = Math.max(view.h, least);
    const next = { t0: Math.max(0, from - margin), tpp: (to - from + 2 * margin) / size.plot, h };
    const spot = place[row];
    if (spot && spot.list === main) next.scroll = (spot.at + 0.5) * limitedHeight(h) - main.height / 2;
    glide(next);
  }
  const limitedHeight = (h) => clamp(h, fitting(), Math.max(fitting(), TALLEST));

  function goBox(box) {
    const h = limitedHeight(main.height / (box.last - box.first + 1));
    state.box = null;
    glide({ t0: box.from, tpp: (box.to - box.from) / size.plot, ...(box.list === main ? { h, scroll: box.first * h } : {}) });
  }

  function zoom(factor, x, smooth) {
    const at = x === undefined ? size.plot / 2 : clamp(x - size.labels, 0, size.plot);
    const now = smooth ? aim() : view, t = now.t0 + at * now.tpp, tpp = limited({ tpp: now.tpp * factor }).tpp;
    (smooth ? glide : setView)({ tpp, t0: t - at * tpp });
  }

  function zoomRows(factor, y, smooth) {
    const kept = state.point ? state.point.item.rows[0] : state.mark >= 0 ? marks[state.mark].row : -1;
    const middle = kept >= 0 && place[kept].list === main ? yOf(kept) + view.h / 2 - main.top : -1;
    const at = y !== undefined ? clamp(y - main.top, 0, main.height) : middle >= 0 && middle <= main.height ? middle : main.height / 2;
    const now = smooth ? aim() : view, row = (now.scroll + at) / now.h, h = limitedHeight(now.h * factor);
    (smooth ? glide : setView)({ h, scroll: row * h - at });
  }

  const pan = (x, y) => glide({ t0: aim().t0 + x * size.plot * aim().tpp, scroll: aim().scroll + y });
  const showAll = () => glide({ t0: 0, tpp: length / size.plot, h: 0, scroll: 0 });

  function togglePin(row) {
    if (!state.pins.delete(row)) state.pins.add(row);
    keepPoint(() => arrange());
    tell(`${rows[row].name} ${state.pins.has(row) ? "stays on top" : "is back in its place"}`);
    if (state.point) inspect(state.point.list, state.point.item, state.point.t, -1);
  }

  function toggleGroup(name) {
    if (!state.open.delete(name)) state.open.add(name);
    keepPoint(() => arrange());
    if (state.point && state.point.item.group === name) showRow(state.point.item);
    tell(`${name} is ${state.open.has(name) ? "open" : "closed"}`);
  }

  // Finds the chosen row again behind a new order.
  function keepPoint(change) {
    const { point } = state;
    state.box = null;
    change();
    if (!point) return;
    const spot = place[point.item.rows[0]], head = point.item.row < 0 && main.items.findIndex((item) => item.group === point.item.group);
    const list = point.item.row < 0 ? main : spot.list, item = list.items[point.item.row < 0 ? head : spot.at];
    state.point = item ? { list, item, t: point.t } : null;
  }

  function setMode(value) {
    const [mode, which] = value.split(" ");
    Object.assign(state, { mode, heat: +(which || 0) });
    modeChoice.value = value;
    showLegend();
    forget();
  }

  // Moves the chosen point, and the view if the point leaves it.
  function movePoint(x, y) {
    const { t } = state.point, all = [...pinned.items, ...main.items], now = all.indexOf(state.point.item);
    const item = all[clamp(now + y, 0, all.length - 1)], list = pinned.items.includes(item) ? pinned : main, at = list.items.indexOf(item);
    const to = clamp(t + x * view.tpp * 12, 0, length);
    if (to < view.t0 || to > view.t0 + view.tpp * size.plot) setView({ t0: to - view.tpp * size.plot / 2 });
    if (list === main && (yIn(main, at) < main.top || yIn(main, at) + view.h > main.top + main.height)) setView({ scroll: (at + 0.5) * view.h - main.height / 2 });
    inspect(list, item, to, -1);
  }

  function growBox(x, y) {
    const { point } = state;
    let box = state.box;
    if (!box && point) {
      const at = point.list.items.indexOf(point.item);
      box = { list: point.list, first: at, last: at, from: point.t, to: point.t };
    }
    if (!box) return;
    sumBox({ ...box, last: clamp(box.last + y, box.first, box.list.items.length - 1), to: clamp(box.to + x * view.tpp * 12, box.from + view.tpp, length) });
  }

  // ---- Keys ----

  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const keys = {
    w: () => zoom(0.6, middleX(), true), s: () => zoom(1 / 0.6, middleX(), true), a: () => pan(-0.2, 0), d: () => pan(0.2, 0),
    "+": () => zoom(0.6, middleX(), true), "=": () => zoom(0.6, middleX(), true), "-": () => zoom(1 / 0.6, middleX(), true),
    e: () => zoomRows(1.5, undefined, true), q: () => zoomRows(1 / 1.5, undefined, true),
    0: showAll, Home: () => glide({ t0: 0 }), End: () => glide({ t0: length }),
    PageDown: () => pan(0, main.height * 0.9), PageUp: () => pan(0, -main.height * 0.9),
    "/": () => find.focus(), "?": () => help.showModal(), n: () => stepMark(1), b: () => stepMark(-1),
    p: () => state.point && state.point.item.row >= 0 && togglePin(state.point.item.row), Escape: () => clear(),
    c: () => pathToggle && pathToggle.click(), m: () => markToggle && markToggle.click(), f: () => full(),
  };
  const middleX = () => (state.point ? xOf(state.point.t) : state.hover && state.hover.x > size.labels ? state.hover.x : undefined);
  const stepMark = (by) => marks.length && goMark(state.mark < 0 ? (by > 0 ? 0 : marks.length - 1) : (state.mark + by + marks.length) % marks.length);

  function key(event) {
    const { target } = event, name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    if (target.tagName === "BUTTON" && (name === "Enter" || name === " ")) return;
    if (waitList.contains(target) && arrows[name] && arrows[name][1]) {
      const to = waitList.querySelector(`[data-at="${clamp(+target.dataset.at + arrows[name][1], 0, marks.length - 1)}"]`);
      if (to) to.focus();
    } else if (arrows[name]) {
      const [x, y] = arrows[name];
      if (event.shiftKey) growBox(x, y);
      else if (state.point) movePoint(x, y);
      else if (state.mark >= 0) stepMark(x + y);
      else pan(x * 0.1, y * Math.max(view.h, 40));
    } else if (name === "Enter") stepMark(event.shiftKey ? -1 : 1);
    else if (name === " ") {
      const under = itemAt(main.top + main.height / 2);
      if (state.point && state.point.item.row < 0) toggleGroup(state.point.item.group);
      else if (under) inspect(under.list, under.item, view.t0 + view.tpp * size.plot / 2, -1);
    } else if (keys[name]) keys[name]();
    else return;
    event.preventDefault();
  }

  // ---- Mouse and fingers ----

  const fingers = new Map();
  let drag = null;
  const spot = (event) => {
    const bounds = stage.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  };

  function down(event) {
    if (event.button) return;
    const at = spot(event);
    animation = null;
    fingers.set(event.pointerId, at);
    stage.setPointerCapture(event.pointerId);
    if (fingers.size === 2) {
      drag = { pinch: true, view: { ...view }, start: [...fingers.values()] };
      return;
    }
    const select = (event.shiftKey || selectToggle.getAttribute("aria-pressed") === "true") && at.x > size.labels;
    drag = { at, view: { ...view }, moved: false, select, under: itemAt(clamp(at.y, AXIS, size.height - 1)) };
  }

  function move(event) {
    const at = spot(event);
    state.hover = event.pointerType === "touch" ? null : at;
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at);
    if (drag && drag.pinch && fingers.size === 2) pinch();
    else if (drag && !drag.pinch) {
      const x = at.x - drag.at.x, y = at.y - drag.at.y;
      drag.moved = drag.moved || Math.hypot(x, y) > 4;
      if (drag.moved && drag.select && drag.under) state.box = boxTo(at);
      else if (drag.moved) setView({ t0: drag.view.t0 - x * view.tpp, scroll: drag.view.scroll - y });
      stage.classList.toggle("tl-dragged", drag.moved && !drag.select);
    }
    ask();
  }

  function boxTo(at) {
    const { list, at: start } = drag.under, end = Math.floor((at.y - list.top + list.scroll) / list.h);
    const [a, b] = [timeAt(drag.at.x), timeAt(at.x)].sort((one, two) => one - two), last = list.items.length - 1;
    return { list, first: clamp(Math.min(start, end), 0, last), last: clamp(Math.max(start, end), 0, last), from: a, to: Math.max(b, a + 1) };
  }

  function pinch() {
    const [a, b] = drag.start, [c, d] = [...fingers.values()], old = drag.view;
    const far = (one, two, least) => Math.max(least, Math.abs(one - two));
    const upright = Math.abs(a.y - b.y) > Math.abs(a.x - b.x) * 1.5;
    const tpp = upright ? old.tpp : limited({ tpp: old.tpp * far(a.x, b.x, 30) / far(c.x, d.x, 30) }).tpp;
    const h = upright ? limitedHeight(old.h * far(c.y, d.y, 30) / far(a.y, b.y, 30)) : old.h;
    const t = old.t0 + ((a.x + b.x) / 2 - size.labels) * old.tpp, row = (old.scroll + (a.y + b.y) / 2 - main.top) / old.h;
    setView({ tpp, h, t0: t - ((c.x + d.x) / 2 - size.labels) * tpp, scroll: row * h - ((c.y + d.y) / 2 - main.top) });
  }

  function up(event) {
    const at = spot(event), was = drag, one = fingers.size === 1;
    fingers.delete(event.pointerId);
    stage.classList.remove("tl-dragged");
    if (fingers.size) return;
    drag = null;
    if (!was || was.pinch || !one || event.type === "pointercancel") return ask();
    if (was.select && was.moved && state.box) sumBox(state.box);
    else if (!was.moved) click(at);
  }

  function click({ x, y }) {
    const under = itemAt(y);
    if (!under) return;
    const { list, item, at } = under;
    if (x < size.labels) {
      if (item.group !== undefined) toggleGroup(item.group);
      else if (x < 18) togglePin(item.row);
      else {
        state.point = { list, item, t: timeAt(size.labels + size.plot / 2) };
        showRow(item);
      }
      return ask();
    }
    const near = state.marks ? shownMarks().find((mark) => {
      const [left, top, width, height] = markBox(mark);
      return height < 12 && x > left - 3 && x < left + width + 3 && y > top - 3 && y < top + height + 3;
    }) : null;
    if (near) return goMark(marks.indexOf(near));
    const of = item.row >= 0 && visits(item.row);
    inspect(list, item, timeAt(x), of ? clamp(Math.floor((y - yIn(list, at)) / list.h * of.lanes), 0, of.lanes - 1) : -1);
  }

  // The wheel belongs to the page until the picture has the focus: nobody is caught in it while scrolling by.
  function wheel(event) {
    const scrolls = document.scrollingElement.scrollHeight > innerHeight + 4, within = element.contains(document.activeElement);
    if (scrolls && !within && !event.ctrlKey && !document.fullscreenElement) {
      if (!hint.classList.contains("tl-on")) {
        hint.classList.add("tl-on");
        setTimeout(() => hint.classList.remove("tl-on"), 1600);
      }
      return;
    }
    event.preventDefault();
    animation = null;
    const at = spot(event), lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 200 : 1;
    const x = event.deltaX * lines, y = event.deltaY * lines, factor = Math.exp(clamp(y * (event.ctrlKey ? 0.01 : 0.0016), -0.7, 0.7));
    if (event.shiftKey) setView({ scroll: view.scroll + (y || x) });
    else if (event.altKey || at.x < size.labels) zoomRows(1 / factor, at.y);
    else if (Math.abs(x) > Math.abs(y) * 1.5) setView({ t0: view.t0 + x * view.tpp });
    else zoom(factor, at.x);
  }

  function moveMap(event) {
    if (event.type === "pointerdown") map.setPointerCapture(event.pointerId);
    else if (!event.buttons) return;
    const bounds = map.getBoundingClientRect(), part = (event.clientX - bounds.left) / bounds.width, high = (event.clientY - bounds.top) / bounds.height;
    setView({ t0: part * length - view.tpp * size.plot / 2, scroll: high * main.items.length * view.h - main.height / 2 });
  }

  // ---- Search ----

  const longestVisits = new Map();
  function visitsNamed(name) {
    if (!longestVisits.has(name)) {
      const found = [];
      for (const [row, list] of Object.entries(events.rows)) for (const one of list) if (one[4] === name && rows[row]) found.push([+row, one[1], one[2]]);
      longestVisits.set(name, { next: 0, found: found.sort((a, b) => b[2] - b[1] - (a[2] - a[1])) });
    }
    return longestVisits.get(name);
  }

  let results = [], picked = -1;
  function search() {
    const text = find.value.trim().toLowerCase(), has = (name) => (name || "").toLowerCase().includes(text);
    results = [];
    if (text) {
      const exact = (row) => (rows[row].name.toLowerCase().split(" ").includes(text) ? 0 : 1);
      const hits = rows.map((_, at) => at).filter((row) => has(rows[row].name)).sort((a, b) => exact(a) - exact(b) || a - b);
      for (const row of hits.slice(0, 5)) results.push(["Row", rows[row].name, "", () => goRow(row)]);
      marks.forEach((mark, at) => {
        if (results.length < 10 && (has(mark.name) || has(mark.at))) results.push(["Wait", `${mark.name}, ${spell(mark.ticks)}`, rows[mark.row].name, () => goMark(at)]);
      });
      if (events) events.names.forEach((name, at) => {
        if (results.length > 14 || !has(name)) return;
        const all = visitsNamed(at);
        if (all.found.length) results.push(["Call", short(name), plural(all.found.length, "exact visit"), () => goVisit(at)]);
      });
    }
    picked = results.length ? 0 : -1;
    showResults(text);
  }

  function showResults(text) {
    hits.replaceChildren(...results.map(([kind, name, more], at) => make("li", {
      role: "option", id: `tl-${id}-hit-${at}`, "aria-selected": String(at === picked), onpointerdown: (event) => { event.preventDefault(); pick(at); },
    }, make("small", null, kind), make("span", null, name), make("em", null, more))));
    if (text && !results.length) hits.append(make("li", { class: "tl-quiet" }, "Nothing has this name."));
    hits.hidden = !text;
    find.setAttribute("aria-expanded", String(!hits.hidden));
    find.setAttribute("aria-activedescendant", picked >= 0 ? `tl-${id}-hit-${picked}` : "");
  }

  function pick(at) {
    const again = results[at] && results[at][0] === "Call";
    if (results[at]) results[at][3]();
    if (again) return;
    hits.hidden = true;
    stage.focus({ preventScroll: true });
  }

  function goRow(row) {
    const spotOf = () => place[row];
    if (state.grouped && spotOf().list === main && !state.open.has(rows[row].group || "")) toggleGroup(rows[row].group || "");
    const h = Math.max(view.h, 18), { list, at } = spotOf();
    if (list === main) glide({ h, scroll: (at + 0.5) * limitedHeight(h) - main.height / 2 });
    state.point = { list, item: list.items[at], t: view.t0 + view.tpp * size.plot / 2 };
    showRow(list.items[at]);
  }

  function goVisit(name) {
    const all = visitsNamed(name), [row, enter, leave] = all.found[all.next];
    goTo(enter, leave, [row], 48);
    const { list, at } = place[row];
    inspect(list, list.items[at], (enter + leave) / 2, -1);
    notice.textContent = `${short(events.names[name])}: visit ${all.next + 1} of ${all.found.length}, longest first`;
    all.next = (all.next + 1) % all.found.length;
  }

  function searchKey(event) {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by && results.length) {
      picked = (picked + by + results.length) % results.length;
      showResults(find.value.trim());
    } else if (event.key === "Enter" && picked >= 0) pick(picked);
    else if (event.key === "Escape") {
      find.value = "";
      search();
      stage.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
  }

  // ---- Everything on the page ----

  const toggle = (text, title, on, act) => {
    const made = button(text, () => {
      const now = made.getAttribute("aria-pressed") !== "true";
      made.setAttribute("aria-pressed", String(now));
      act(now);
      ask();
    }, { "aria-pressed": String(on), title });
    return made;
  };
  const select = (label, options, act) => {
    const made = make("select", { "aria-label": label, title: label, onchange: () => act(made.value) }, ...options.map(([value, text]) => make("option", { value }, text)));
    return made;
  };

  const find = make("input", {
    type: "search", placeholder: "Find   /", "aria-label": "Find rows, waits, and calls", role: "combobox", "aria-expanded": "false", "aria-autocomplete": "list",
    "aria-controls": `tl-${id}-hits`, autocomplete: "off", spellcheck: "false", oninput: () => search(), onkeydown: searchKey, onfocus: () => find.value && search(), onblur: () => { hits.hidden = true; },
  });
  const hits = make("ul", { class: "tl-hits", id: `tl-${id}-hits`, role: "listbox", "aria-label": "Found" });
  hits.hidden = true;
  const modeChoice = select("Show", [["classes", "All classes"], ...(waits >= 0 ? [["waits", "Waits for others"]] : []),
    ...classes.map((one, at) => [`heat ${at}`, `Only: ${one.name}`])], setMode);
  const sortChoice = select("Sort rows", [["given", meta.row_is === "process" ? "By rank" : "As recorded"], ["computation", "Most computation"],
    ...(waits >= 0 ? [["waited", "Most waiting"]] : []), ["name", "By name"], ...(groups.length > 1 ? [["group", "By node"]] : [])], (value) => {
    state.sort = value;
    keepPoint(() => arrange());
    setView({ scroll: 0 });
  });
  const groupToggle = groups.length > 1 ? toggle("By node", "One line for each node; click on its name to open it", false, (on) => {
    state.grouped = on;
    state.fit = true;
    state.open.clear();
    keepPoint(() => arrange());
  }) : null;
  const pathToggle = path.length ? toggle("Critical path", "What the run time rests on (C)", true, (on) => { state.path = on; }) : null;
  const markToggle = marks.length ? toggle("Long waits", "Outlines of the longest waits, arrows from their causes (M)", true, (on) => { state.marks = on; }) : null;
  const selectToggle = toggle("Select", "Drag sums up a rectangle, as with Shift", false, (on) => stage.classList.toggle("tl-selects", on));
  function icon(lines) {
    const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("d", lines);
    drawing.setAttribute("viewBox", "0 0 16 16");
    drawing.append(line);
    return drawing;
  }
  const sign = (text, name, act) => button(text, act, { "aria-label": name, title: name });
  const full = () => (document.fullscreenElement ? document.exitFullscreen() : element.requestFullscreen && element.requestFullscreen().catch(() => {}));
  const bar = make("div", { class: "tl-bar", role: "group", "aria-label": "Tools of the time line" },
    make("div", { class: "tl-find" }, find, hits),
    modeChoice, sortChoice,
    make("span", { class: "tl-join" }, ...[groupToggle, pathToggle, markToggle, selectToggle].filter(Boolean)),
    make("span", { class: "tl-join" }, sign("−", "Zoom out (S)", () => zoom(1 / 0.6, undefined, true)), sign("+", "Zoom in (W)", () => zoom(0.6, undefined, true)), sign("All", "Whole run (0)", showAll)),
    make("span", { class: "tl-join" }, sign(icon("M2 5h12M2 8h12M2 11h12"), "Lower rows (Q)", () => zoomRows(1 / 1.5, undefined, true)), sign(icon("M2 2.5h12M2 8h12M2 13.5h12"), "Taller rows (E)", () => zoomRows(1.5, undefined, true))),
    make("span", { class: "tl-join" }, sign(icon("M8 2v8M4.5 7 8 10.5 11.5 7M2.5 14h11"), "Save this picture", save), document.fullscreenEnabled ? sign(icon("M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4"), "Full screen (F)", full) : "", sign("?", "Help (?)", () => help.showModal())));

  const legend = make("div", { class: "tl-legend", role: "group", "aria-label": "Classes of time" });
  const cells = make("canvas", { class: "tl-cells" }), over = make("canvas", { class: "tl-over" }), map = make("canvas", { class: "tl-map", "aria-hidden": "true", title: "Whole run: drag the window" });
  const hint = make("div", { class: "tl-hint", "aria-hidden": "true" }, `Click first, then the wheel zooms. Or hold ${mac ? "⌃" : "Ctrl"}.`);
  const stage = make("div", { class: "tl-stage", tabindex: 0, role: "application", "aria-roledescription": "time line", "aria-describedby": `tl-${id}-keys` }, cells, over, hint);
  const surface = stage, labelInk = over.getContext("2d");
  const viewLine = make("span"), hoverLine = make("b"), notice = make("span", { class: "tl-notice" });
  const said = make("div", { class: "tl-hidden", role: "status", "aria-live": "polite" });
  const chosen = make("section", { class: "tl-chosen", "aria-label": "Chosen" }), waitList = make("section", { class: "tl-waits", "aria-label": "Longest waits" });
  const side = make("aside", { class: "tl-side", "aria-label": "Details" }, chosen, waitList);
  const printed = make("canvas", { class: "tl-print", "aria-hidden": "true" });
  const keyTable = [["W S, + −, wheel", "zoom in, out"], ["A D, drag", "earlier, later"], ["E Q, Alt and wheel", "taller, lower rows"], ["Arrows", "move the view, the chosen point, or to the next wait"],
    ["Space", "choose the middle; open a node"], ["Shift and drag, Shift and arrows", "sum up a rectangle"], ["Enter, Shift and Enter", "next, previous long wait"], ["Page up, down", "rows"], ["0, Home, End", "whole run, begin, end"],
    ["P", "pin the chosen row"], ["C, M", "critical path, long waits"], ["/", "find rows, waits, calls"], ["F", "full screen"], ["Esc", "choose nothing"]];
  const help = make("dialog", { class: "tl-help", "aria-label": "Help" }, make("h3", null, "Time line"),
    make("p", null, "Each line is a row of the run, each column a span of time. A cell has the colour of its largest class: the stronger, the larger the share."),
    make("table", { class: "tl-table" }, make("tbody", null, ...keyTable.map(([name, does]) => make("tr", null, make("th", { scope: "row" }, name), make("td", null, does))))),
    make("p", null, "A click on a class hides it, Shift and click shows it alone. Two fingers zoom. Calls become boxes with names in views that are narrow enough."),
    make("form", { method: "dialog" }, make("button", { class: "tl-button" }, "Close")));

  function showLegend() {
    const all = rows.reduce((sum, _, row) => sum + weights[row], 0) * length, parts = [];
    classes.forEach((one, at) => {
      const ticks = rows.reduce((sum, row) => sum + (row.ticks[at] || 0), 0);
      if (!ticks) return;
      const shown = state.mode === "classes" ? !state.hidden.has(at) && (state.only < 0 || state.only === at) : state.mode === "heat" && state.heat === at;
      parts.push(make("button", {
        type: "button", class: state.mode === "heat" && !shown ? "tl-chip tl-faint" : "tl-chip", "aria-pressed": state.mode === "classes" ? String(shown) : null, title: "Click hides or shows it, Shift and click shows it alone",
        onclick: (event) => {
          if (state.mode !== "classes") setMode("classes");
          if (event.shiftKey) state.only = state.only === at ? -1 : at;
          else if (state.only >= 0) state.only = -1;
          else if (!state.hidden.delete(at)) state.hidden.add(at);
          showLegend();
          legend.querySelector(`[data-class="${at}"]`).parentNode.focus();
          tell(`${one.name} is ${state.only === at ? "shown alone" : state.hidden.has(at) ? "hidden" : "shown"}`);
          forget();
        },
      }, make("i", { "data-class": at }), one.name, make("span", null, percent(ticks / all))));
    });
    if (state.mode !== "classes") {
      const ramp = state.mode === "waits" ? colours.waits : colours.heat[state.heat], stop = (i) => `rgb(${ramp[i] & 255},${(ramp[i] >> 8) & 255},${(ramp[i] >> 16) & 255})`;
      parts.push(make("span", { class: "tl-key" }, "0 %", make("i", { class: "tl-ramp", style: `background:linear-gradient(90deg,${stop(0)},${stop(1)} 2%,${stop(SHADES)})` }),
        state.mode === "waits" ? "100 % of a column waited, longest of what a pixel covers" : "100 % of a pixel"));
    }
    if (path.length) parts.push(make("span", { class: "tl-key" }, make("i", { class: "tl-path" }), "critical path"));
    if (marks.length) parts.push(make("span", { class: "tl-key" }, make("i", { class: "tl-mark" }), "long wait, arrow from its cause"));
    const calls = `${least ? `calls from ${spell(least)} on` : "calls"}, to the tick${known ? ": zoom in" : ""}`;
    if (events) parts.push(make("span", { class: "tl-key" }, make("i", { class: known ? "tl-box" : "tl-exact" }), calls));
    legend.replaceChildren(...parts);
    takeColours();
  }

  // The present view as one picture.
  function compose(canvas) {
    canvas.width = over.width;
    canvas.height = over.height;
    const ink = canvas.getContext("2d");
    ink.fillStyle = colours.paper;
    ink.fillRect(0, 0, canvas.width, canvas.height);
    ink.drawImage(cells, size.labels * size.ratio, 0);
    ink.drawImage(over, 0, 0);
    return canvas;
  }

  function save() {
    compose(picture(1, 1)).toBlob((blob) => {
      const link = make("a", { href: URL.createObjectURL(blob), download: `${(meta.title || "time-line").replace(/[^\w.-]+/g, "-")}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 5000);
    });
  }

  function print(on) {
    printing = on;
    element.classList.toggle("tl-paper", on);
    state.hover = null;
    takeColours();
    forget();
    layout();
    frame(performance.now());
    if (on) compose(printed);
  }

  function measure() {
    const alone = lonely || document.fullscreenElement === element, wide = element.clientWidth >= 980;
    element.classList.toggle("tl-wide", wide);
    const rest = bar.offsetHeight + legend.offsetHeight + map.offsetHeight + foot.offsetHeight;
    const top = document.fullscreenElement === element ? 12 : element.getBoundingClientRect().top + scrollY;
    const below = document.fullscreenElement === element ? 0 : document.body.getBoundingClientRect().bottom - element.getBoundingClientRect().bottom;
    const most = alone ? Math.max(300, innerHeight - top - rest - 24 - clamp(below, 0, 120) - (wide ? 0 : 90)) : clamp(innerHeight * 0.66, 300, 640);
    const height = Math.round(Math.min(most, Math.max(130, AXIS + rows.length * (alone ? 72 : 46))));
    stage.style.height = `${height}px`;
    side.style.maxHeight = wide ? `${Math.max(height, 340) + map.offsetHeight + 6}px` : "";
    layout();
  }

  const foot = make("div", { class: "tl-foot" }, viewLine, hoverLine, notice);
  if (rows.length > 1) {
    const first = /^(.*?)\d+$/.exec(rows[0].name);
    if (first && first[1].length > 2 && rows.every((row) => row.name.startsWith(first[1]) && /\d/.test(row.name[first[1].length] || ""))) prefix = first[1];
  }
  // Nothing else is on the page: the time line may fill it.
  const lonely = element.hasAttribute("data-whole") || document.body.offsetHeight - element.offsetHeight < 240;
  element.classList.add("time-line");
  element.replaceChildren(bar, legend, make("div", { class: "tl-body" }, make("div", { class: "tl-main" }, map, stage), side), foot, said, help, printed,
    make("p", { class: "tl-hidden", id: `tl-${id}-keys` }, "W and S zoom, A and D move, Space chooses, arrows move the chosen point, Enter goes to the next long wait, question mark shows all keys."));
  takeColours();
  listMarks();
  showLegend();
  arrange();
  measure();
  clear();
  setView({ t0: 0, tpp: length / size.plot });

  for (const [name, act] of [["pointerdown", down], ["pointermove", move], ["pointerup", up], ["pointercancel", up]]) stage.addEventListener(name, act);
  stage.addEventListener("pointerleave", () => {
    state.hover = null;
    ask();
  });
  stage.addEventListener("dblclick", (event) => spot(event).x > size.labels && zoom(0.25, spot(event).x, true));
  stage.addEventListener("wheel", wheel, { passive: false });
  map.addEventListener("pointerdown", moveMap);
  map.addEventListener("pointermove", moveMap);
  element.addEventListener("keydown", key);
  document.addEventListener("keydown", (event) => {
    const fits = lonely || document.scrollingElement.scrollHeight <= innerHeight + 4;
    const only = fits && document.querySelectorAll(".time-line").length === 1;
    // Keys that move a page stay with it.
    if (event.target === document.body && (only || (state.hover && /^[a-z0-9?/+=-]$/i.test(event.key)))) key(event);
  });
  night.addEventListener("change", () => {
    takeColours();
    showLegend();
    forget();
  });
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  document.addEventListener("fullscreenchange", measure);
  addEventListener("resize", measure);
  new ResizeObserver(() => element.clientWidth && Math.abs(stage.clientWidth - size.width) > 0 && measure()).observe(element);
}
