// Time line, a part of it: the picture, which is rows, cells, calls, and what lies over them.

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
const viewEnd = () => view.t0 + view.tpp * size.plot;
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
    dark, base, paper: css(paper), ink: own("ink"), quiet: own("quiet"), line: own("line"), mark: own("wait"), message: own("message"), card: own("card"),
    look: own("look"), shades: base.map((one) => ramp(one, 0.3)), heat: base.map((one) => ramp(blend(one, strong, 0.25), 0.14)),
    waits: ramp(parts(own("wait")), 0.16), grey: ramp(grey, 0.2),
  };
  for (const chip of legend.querySelectorAll("i[data-class]")) chip.style.background = css(base[+chip.dataset.class]);
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
const visitsOf = new Map(), close = (events && events.close) || [];
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

// Calls of this length are kept in all of a span of time.
const leastIn = (from, to) => (close.some(([a, b]) => a <= from && to <= b) ? events.shortest_close : least);
// The first visit that can reach into what follows `t`, and the first one that begins at `t` or later.
const firstVisit = (of, t) => firstWhere(of.ends.length, (at) => of.ends[at] > t);
const firstFrom = (of, t) => firstWhere(of.list.length, (at) => of.list[at][1] >= t);

function drawBoxes(ink, list) {
  const h = list.h, from = view.t0, to = viewEnd(), least = leastIn(from, to);
  if (!events || state.mode !== "classes" || h < 9) return;
  // Short visits that are left out must not make the whole run look empty.
  if (least && to - from > length * 0.34) return;
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
    const start = firstVisit(of, from), stop = firstFrom(of, to);
    if ((stop - start) / of.lanes > size.plot / 4) continue;
    nested = true;
    if (layers > 1 && !least) {
      ink.fillStyle = colours.card;
      ink.fillRect(0, y, (Math.min(to, length) - from) / view.tpp, lane * of.lanes);
    }
    for (let i = start; i < stop; i++) {
      const [track, enter, leave, depth, name] = of.list[i];
      if (leave <= from) continue;
      const x = (Math.max(enter, from) - from) / view.tpp, width = (Math.min(leave, to) - from) / view.tpp - x;
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
      if (width <= 26 || layer < 10) continue;
      // A box below others shows its name only where no visit inside of it covers it.
      let next = i + 1;
      while (next < stop && of.list[next][0] !== track) next++;
      const label = depth >= layers - 1 && next < stop && of.list[next][3] > depth ? "" : cut(short(events.names[name]), width - 7, 6.1);
      ink.fillStyle = onTop(colour);
      if (label) ink.fillText(label, x + 3.5, up + layer / 2 + 0.5);
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
  if (!of) return null;
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
  ink.fillStyle = colours.look;
  for (const [a, b] of close) {
    const x = Math.max(size.labels, xOf(a)), width = Math.max(2, Math.min(size.width, xOf(b)) - x);
    if (x < size.width && xOf(b) > size.labels) ink.fillRect(x, AXIS - 4, width, 3);
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
  // Latest first: skips what is later than the view.
  const low = firstWhere(path.length, (at) => path[at][1] <= viewEnd());
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
  let count = 0;
  ink.beginPath();
  for (let i = Math.max(0, low - 1); i < path.length; i++) {
    const [row, enter, leave] = path[i], y = middle(row);
    count++;
    add(clamp(xOf(leave), -10, size.width + 10), y);
    add(clamp(xOf(enter), -10, size.width + 10), y);
    if (leave < view.t0) break;
  }
  flush();
  ink.lineJoin = "round";
  // Where it changes rows more often than lines can be told apart, rows show through.
  const room = size.plot / 6;
  if (count <= room) return strokes(ink, [4.5, colours.paper], [2, colours.ink]);
  ink.globalAlpha = clamp(room / count, 0.12, 0.5);
  strokes(ink, [1, colours.ink]);
  ink.globalAlpha = 1;
}

// Draws the present line, or a rectangle: several widths and colours, one over the other.
function strokes(ink, ...rounds) {
  for (const [width, style, box] of rounds) {
    ink.lineWidth = width;
    ink.strokeStyle = style;
    if (box) ink.strokeRect(...box);
    else ink.stroke();
  }
}

// ---- Messages, from send to receive ----

const MESSAGES = 300, MESSAGE_ROWS = 64;
const rowsInView = () => Math.min(main.items.length, Math.ceil(main.height / view.h));
const showsMessages = () => messages.length > 0 && (state.messages === null ? rowsInView() <= MESSAGE_ROWS : state.messages);

// The longest messages that begin or end in the view, and how many these are of those that are kept.
function shownMessages() {
  if (!showsMessages()) return { list: [], count: 0 };
  const to = viewEnd(), within = (t, row) => t >= view.t0 && t <= to && inSight(row);
  const list = messages.filter((one) => place[one.from] && place[one.to] && yOf(one.from) !== yOf(one.to) && (within(one.sent, one.from) || within(one.received, one.to)));
  // More lines than a picture of this width has room for are hay.
  return { list: list.slice(0, clamp(Math.round(size.plot / 6), 60, MESSAGES)), count: list.length };
}

const inSight = (row) => {
  const { list } = place[row] || {}, y = yOf(row);
  return list && y + hOf(row) > list.top && y < list.top + list.height;
};
const messageEnds = (one) => [xOf(one.sent), yOf(one.from) + hOf(one.from) / 2, xOf(one.received), yOf(one.to) + hOf(one.to) / 2];

function drawMessages(ink) {
  const { list } = shownMessages();
  const trace = (one) => {
    const [x0, y0, x1, y1] = messageEnds(one);
    ink.moveTo(x0, y0);
    ink.lineTo(x1, y1);
    return [x1, y1];
  };
  // Those in one pane stay in it.
  for (const pane of pinned.height ? [main, pinned, null] : [main]) inPlot(ink, pane, () => {
    const mine = list.filter(({ from, to }) => (place[from].list === place[to].list ? place[from].list : null) === pane);
    ink.beginPath();
    mine.forEach(trace);
    const few = list.length <= 60;
    ink.globalAlpha = few ? 0.85 : 0.55;
    strokes(ink, [few ? 1.5 : 1, colours.message]);
    ink.fillStyle = colours.message;
    for (const one of few ? mine : []) {
      const [, , x, y] = messageEnds(one);
      ink.fillRect(x - 2, y - 2, 4, 4);
    }
    ink.globalAlpha = 1;
  });
  const strong = (state.hover && !drag && messageAt(state.hover.x, state.hover.y)) || state.message;
  if (strong && place[strong.from] && place[strong.to]) inPlot(ink, null, () => {
    ink.beginPath();
    const [x, y] = trace(strong);
    strokes(ink, [5, colours.paper], [2.5, colours.message]);
    ink.beginPath();
    ink.arc(x, y, 4, 0, 7);
    ink.fillStyle = colours.message;
    ink.fill();
  });
}

// The nearest message at a point of the picture, the longest of those that are equally near.
function messageAt(x, y) {
  if (x < size.labels || y < AXIS) return null;
  let found = null, least = 4;
  for (const one of shownMessages().list) {
    const [x0, y0, x1, y1] = messageEnds(one), dx = x1 - x0, dy = y1 - y0;
    const part = clamp(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1), far = Math.hypot(x0 + part * dx - x, y0 + part * dy - y);
    if (far < least) [found, least] = [one, far];
  }
  return found;
}

// ---- The longest waits ----

function markBox(mark) {
  const h = hOf(mark.row), tall = Math.max(h - 1, 5), x = xOf(mark.begin);
  return [x, yOf(mark.row) + h / 2 - tall / 2, Math.max(5, xOf(mark.end) - x), tall];
}

// The longest waits of the view: all of them would hide the rest.
function shownMarks() {
  return marks.filter((mark) => mark.end > view.t0 && mark.begin < viewEnd()).slice(0, 40);
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
    if (cause < 0 || !place[cause] || (!strong && line > 2)) continue;
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
  drawMessages(ink);
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
    const box = [xOf(point.t) - 5, yIn(point.list, point.list.items.indexOf(point.item)) + point.list.h / 2 - 5, 10, 10];
    strokes(ink, [4, colours.paper, box], [2, colours.look, box]);
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
