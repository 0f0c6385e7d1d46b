// Time line, a part of it: hands and eyes, which are moves, keys, mouse, fingers, search, and the page around.

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
  if (to < view.t0 || to > viewEnd()) setView({ t0: to - view.tpp * size.plot / 2 });
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
  c: () => pathToggle && pathToggle.click(), l: () => markToggle && markToggle.click(), m: () => messageToggle && messageToggle.click(), f: () => full(),
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
    else if (under) inspect(under.list, under.item, (view.t0 + viewEnd()) / 2, -1);
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
  const message = messageAt(x, y);
  if (message) return showMessage(message);
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
  state.point = { list, item: list.items[at], t: (view.t0 + viewEnd()) / 2 };
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
const markToggle = marks.length ? toggle("Long waits", "Outlines of the longest waits, arrows from their causes (L)", true, (on) => { state.marks = on; }) : null;
const messageToggle = messages.length ? toggle("Messages", "Lines from sends to receives, the longest in view (M)", false, (on) => { state.messages = on; }) : null;
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
  make("span", { class: "tl-join" }, ...[groupToggle, pathToggle, markToggle, messageToggle, selectToggle].filter(Boolean)),
  make("span", { class: "tl-join" }, sign("−", "Zoom out (S)", () => zoom(1 / 0.6, undefined, true)), sign("+", "Zoom in (W)", () => zoom(0.6, undefined, true)), sign("All", "All of the run (0)", showAll)),
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
const keptMessages = messages.length < allMessages ? `This page has ${thousands(messages.length)} of ${plural(allMessages, "message")}, those that took longest` : `This page has ${messages.length === 1 ? "the only message" : `all ${plural(messages.length, "message")}`}`;
const keyTable = [["W S, + −, wheel", "zoom in, out"], ["A D, drag", "earlier, later"], ["E Q, Alt and wheel", "taller, lower rows"], ["Arrows", "move the view, the chosen point, or to the next wait"],
  ["Space", "choose the middle; open a node"], ["Shift and drag, Shift and arrows", "sum up a rectangle"], ["Enter, Shift and Enter", "next, previous long wait"], ["Page up, down", "rows"], ["0, Home, End", "whole run, begin, end"],
  ["P", "pin the chosen row"], ["C, L, M", "critical path, long waits, messages"], ["/", "find rows, waits, calls"], ["F", "full screen"], ["Esc", "choose nothing"]];
const help = make("dialog", { class: "tl-help", "aria-label": "Help" }, make("h3", null, "Time line"),
  make("p", null, "Each line is a row of the run, each column a span of time. A cell has the colour of its largest class: the stronger, the larger the share."),
  make("table", { class: "tl-table" }, make("tbody", null, ...keyTable.map(([name, does]) => make("tr", null, make("th", { scope: "row" }, name), make("td", null, does))))),
  make("p", null, "A click on a class hides it, Shift and click shows it alone. Two fingers zoom. Calls become boxes with names in views that are narrow enough."),
  messages.length ? make("p", null, `A thin line is a message, from its send to its receive; where lines are few, this has a dot. Lines are the longest messages of those that begin or end in the view, ${MESSAGES} at most. ${keptMessages}. They show by themselves while at most ${MESSAGE_ROWS} rows are in view. Point at a line, or click it. Collective operations have no lines.`) : "",
  make("form", { method: "dialog" }, make("button", { class: "tl-button" }, "Close")));

function showLegend() {
  const all = weightOf(everyRow) * length, parts = [], key = (look, text, title) => parts.push(make("span", { class: "tl-key", title }, make("i", { class: look }), text));
  classes.forEach((one, at) => {
    const ticks = sumOf(everyRow, (row) => rows[row].ticks[at]);
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
  if (path.length) key("tl-path", "critical path");
  if (marks.length) key("tl-mark", "long wait, arrow from its cause");
  if (messages.length) key("tl-message", messages.length < allMessages ? `message, ${thousands(messages.length)} longest of ${thousands(allMessages)}` : "message", keptMessages);
  if (events) key("tl-box", `${least ? `calls from ${spell(least)} on` : "calls"}, to the tick: zoom in`);
  if (close.length) key("tl-exact", events.shortest_close ? `calls from ${spell(events.shortest_close)} on` : "all calls");
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
  const most = alone ? Math.max(300, innerHeight - top - rest - 60 - clamp(below, 0, 120) - (wide ? 0 : 90)) : clamp(innerHeight * 0.66, 300, 640);
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
